//! How often each policy loads in products of strips, without time, beside what an independent
//! model gives.

use crate::sched::ahead::{Ahead, STRAIGHT};
use crate::sched::{Build, ORDER, PolicyOptions, Queued, Scheduler};

use super::checker::{Count, check, devices};
use super::program::Program;

/// Strips that fit: 500 MiB of strips of four tiles of 960 x 960 numbers of 4 bytes.
const ROOM: u64 = 35;

pub(super) fn build(name: &str, workers: usize, seed: u64) -> Box<dyn Scheduler> {
    let options = PolicyOptions { workers, seed, order: &[] };
    match crate::sched::policy(name).expect("a known policy").build {
        Build::Queue(build) => Box::new(Queued::new(build(&options), workers)),
        Build::Plan(build) => build(&options),
    }
}

/// Worker `w` runs `order[w]`.
pub(super) fn in_order(order: Vec<Vec<u64>>) -> Box<dyn Scheduler> {
    ORDER.scheduler(&PolicyOptions { workers: order.len(), seed: 0, order: order.leak() })
}

/// The product of `n` by `n` strips on one accelerator.
fn product(n: usize, policy: &str, eviction: &str, seed: u64) -> Count {
    let mut scheduler = build(policy, 1, seed);
    check(&Program::product(n), &devices(1, ROOM), &mut *scheduler, eviction)
}

fn loads(n: usize, policy: &str, eviction: &str) -> usize {
    product(n, policy, eviction, 0).all_loads()
}

#[test]
fn eager_loads_every_column_for_every_row() {
    let loads = [35, 40, 60, 90].map(|n| loads(n, "eager", "lru"));
    assert_eq!(loads, [1260, 1640, 3660, 8190]);
}

#[test]
fn rows_under_belady() {
    let loads = [35, 40, 60, 90].map(|n| {
        let program = Program::product(n);
        let mut scheduler = in_order(vec![(0..(n * n) as u64).collect()]);
        check(&program, &devices(1, ROOM), &mut *scheduler, "min").all_loads()
    });
    assert_eq!(loads, [105, 320, 1680, 5220]);
}

/// Algorithm 2 on one queue.
#[test]
fn what_is_at_hand_first() {
    for policy in ["dmdar", "dmdas"] {
        assert_eq!([35, 40, 60].map(|n| loads(n, policy, "lru")), [138, 353, 1713], "{policy}");
    }
}

/// Where priorities run across the columns, who keeps to them loads a column for nearly every task;
/// who takes the most urgent of what lacks nothing loads little more than without priorities.
#[test]
fn urgent_tasks_wait_for_their_data_behind_those_that_have_it() {
    let mut program = Program::product(40);
    for (number, step) in program.steps.iter_mut().enumerate() {
        step.priority = (number * 7 % 1600) as i32;
    }
    let loads = ["dmdas", "dmdal"].map(|policy| {
        check(&program, &devices(1, ROOM), &mut *build(policy, 1, 0), "lru").all_loads()
    });
    assert!(loads[0] > 1000, "{loads:?}");
    assert!(loads[1] < 500, "{loads:?}");
}

/// A given order is kept, by whatever Belady's rule knows of it, and tasks that it does not name
/// run as well.
#[test]
fn an_order_that_is_given_is_kept() {
    let program = Program::product(20);
    let columns: Vec<u64> = (0..400).map(|task| task % 20 * 20 + task / 20).collect();
    let some: Vec<u64> = columns[..390].iter().copied().filter(|task| task % 7 != 0).collect();
    let mut scheduler = in_order(vec![some.clone()]);
    let count = check(&program, &devices(1, 17), &mut *scheduler, "min");
    let named = count.ran[0].iter().map(|&task| task as u64).filter(|task| some.contains(task));
    assert!(named.eq(some.iter().copied()), "{:?}", count.ran[0]);
    assert_eq!(count.ran[0].len(), 400);
}

/// Without data at hand anywhere, columns are dealt out, and each worker keeps its own.
#[test]
fn equal_accelerators_share_out_columns() {
    for (n, accelerators, most) in [(20, 2, 60), (40, 4, 200), (40, 8, 360)] {
        let mut scheduler = build("dmda", accelerators, 0);
        let count = check(&Program::product(n), &devices(accelerators, 17), &mut *scheduler, "lru");
        let shares: Vec<usize> = count.ran.iter().map(Vec::len).collect();
        assert_eq!(shares, vec![n * n / accelerators; accelerators]);
        assert_eq!(count.all_loads(), most);
    }
}
fn median(n: usize, policy: &str, eviction: &str) -> usize {
    let loads = |seed| product(n, policy, eviction, seed).all_loads();
    let mut loads: Vec<usize> = (0..20).map(loads).collect();
    loads.sort_unstable();
    loads[10]
}

fn is_near(loads: usize, expected: usize) -> bool {
    loads.abs_diff(expected) * 10 <= expected
}

/// The model draws at random too, once.
#[test]
fn darts_loads_as_often_as_the_model() {
    for (n, luf, lru) in [(35, 104, 642), (40, 129, 809), (60, 300, 1869), (90, 678, 4812)] {
        let loads = [median(n, "darts-v1", "luf"), median(n, "darts-v1", "lru")];
        assert!(is_near(loads[0], luf), "{n} luf: {loads:?}");
        assert!(is_near(loads[1], lru), "{n} lru: {loads:?}");
        assert!(loads[1] >= 6 * loads[0], "an eviction brings down what was planned: {loads:?}");
    }
}

/// The last version loads as little as the first.
#[test]
fn darts_is_as_good_as_its_first_version() {
    for n in [35, 40, 60, 90] {
        let loads = ["darts", "darts-v1"].map(|policy| median(n, policy, "luf"));
        assert!(is_near(loads[0], loads[1]), "{n}: {loads:?}");
    }
}

/// With few tasks committed, evictions spoil less of what is planned.
#[test]
fn tessera_loads_less_than_darts() {
    for n in [35, 40, 60, 90] {
        let loads = ["tessera", "darts"].map(|policy| median(n, policy, "luf"));
        assert!(loads[0] < loads[1], "{n}: {loads:?}");
    }
}

/// The independent model loads 65 to 76 strips on two accelerators with room for 17 each.
#[test]
fn darts_shares_the_work_of_two_accelerators() {
    for seed in 0..8 {
        let mut scheduler = build("darts-v1", 2, seed);
        let count = check(&Program::product(20), &devices(2, 17), &mut *scheduler, "luf");
        assert!((60..80).contains(&count.all_loads()), "{seed}: {}", count.all_loads());
        assert!(count.ran.iter().all(|tasks| tasks.len() > 190), "{seed}");
    }
}

fn packed(n: usize, room: u64, flips: bool, eviction: &str) -> usize {
    let mut scheduler = if flips { build("hfp", 1, 0) } else { Box::new(Ahead::new(&STRAIGHT)) };
    check(&Program::product(n), &devices(1, room), &mut *scheduler, eviction).all_loads()
}

/// The example of section 3.3.5: 4 by 4 strips, room for four.
#[test]
fn packages_that_are_turned_load_less() {
    assert_eq!([false, true].map(|flips| packed(4, 4, flips, "min")), [12, 10]);
}

#[test]
fn packing_loads_as_often_as_the_model() {
    for (n, min, straight, lru) in
        [(35, 89, 89, 94), (40, 114, 127, 160), (60, 229, 293, 313), (90, 493, 674, 702)]
    {
        assert_eq!(packed(n, ROOM, true, "min"), min, "{n}");
        assert_eq!(packed(n, ROOM, false, "min"), straight, "{n}, not turned");
        assert_eq!(packed(n, ROOM, true, "lru"), lru, "{n}, lru");
    }
}

/// With a package for each accelerator, all end together.
#[test]
fn packages_are_balanced() {
    for (n, accelerators, most) in [(20, 2, 75), (40, 4, 260), (40, 8, 310)] {
        let mut scheduler = build("mhfp", accelerators, 0);
        let machine = devices(accelerators, 17);
        let count = check(&Program::product(n), &machine, &mut *scheduler, "min");
        let shares: Vec<usize> = count.ran.iter().map(Vec::len).collect();
        assert_eq!(shares, vec![n * n / accelerators; accelerators]);
        assert!(count.all_loads() < most, "{}", count.all_loads());
    }
}
