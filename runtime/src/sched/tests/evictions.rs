//! What eviction policies load when the order of tasks is given.

use proptest::prelude::*;

use super::checker::{Count, check, devices};
use super::program::Program;
use super::table::in_order;

/// What one accelerator with room for `room` data of size 1 loads.
fn run(program: &Program, order: Vec<usize>, room: u64, eviction: &str) -> Count {
    let mut scheduler = in_order(vec![order.into_iter().map(|task| task as u64).collect()]);
    check(program, &devices(1, room), &mut *scheduler, eviction)
}

fn loads(program: &Program, order: Vec<usize>, room: u64, eviction: &str) -> usize {
    run(program, order, room, eviction).all_loads()
}

/// The counts of figure 2.2: five tasks on six data, three of which fit; the first datum goes at
/// the third task and is loaded again for the last one, where two others go.
#[test]
fn min_loads_seven_times_in_the_first_example() {
    let inputs = [vec![1, 2], vec![2, 3], vec![2, 4], vec![3, 4, 5], vec![1, 5, 6]];
    let inputs = inputs.map(|data| data.into_iter().map(|datum| datum - 1).collect());
    let program = Program::reads(6, inputs);
    let count = run(&program, (0..5).collect(), 3, "min");
    assert_eq!((count.all_loads(), count.evictions), (7, 4));
}

/// Figure 2.3: a product of 3 by 3 strips on two accelerators with room for two.
#[test]
fn two_accelerators_load_eleven_times() {
    let program = Program::product(3);
    let order = [vec![1, 2, 5, 4], vec![3, 6, 9, 8, 7]];
    let order = order.map(|tasks| tasks.into_iter().map(|task| task - 1).collect::<Vec<_>>());
    let mut scheduler = in_order(order.to_vec());
    let count = check(&program, &devices(2, 2), &mut *scheduler, "min");
    assert_eq!(count.loads[1..], [5, 6]);
}

/// Row by row, every row drives out the columns that the next one needs first (section 3.5.1).
#[test]
fn rows_are_the_worst_case_of_lru() {
    for (n, room) in [(10, 5), (12, 12), (20, 17)] {
        let program = Program::product(n);
        let order = (0..n * n).collect();
        assert_eq!(loads(&program, order, room, "lru"), n + n * n, "{n}");
    }
}

/// Tasks with two or three inputs out of some data, and room for a few.
fn small() -> impl Strategy<Value = (Program, u64)> {
    let data = 6..12_usize;
    data.prop_flat_map(|data| {
        let task = prop::collection::btree_set(0..data, 1..4);
        let tasks = prop::collection::vec(task, 1..40);
        (tasks, 3..6_u64).prop_map(move |(tasks, room)| {
            (Program::reads(data, tasks.into_iter().map(|task| task.into_iter().collect())), room)
        })
    })
}

proptest! {
    /// Theorem 1: no policy loads less than Belady's; and all of them load what they evict, once
    /// the memory is full.
    #[test]
    fn min_loads_least((program, room) in small()) {
        let order: Vec<usize> = (0..program.steps.len()).collect();
        let least = loads(&program, order.clone(), room, "min");
        for eviction in crate::sched::EVICTIONS {
            let count = run(&program, order.clone(), room, eviction.name);
            prop_assert!(least <= count.all_loads(), "{}", eviction.name);
            if count.evictions > 0 {
                prop_assert_eq!(count.all_loads(), room as usize + count.evictions);
            }
        }
    }

    /// Theorem 3: under Belady's rule an order and its reverse load equally often.
    #[test]
    fn min_loads_as_often_backwards((program, room) in small()) {
        let order: Vec<usize> = (0..program.steps.len()).collect();
        let reverse = order.iter().rev().copied().collect();
        prop_assert_eq!(
            loads(&program, order, room, "min"),
            loads(&program, reverse, room, "min")
        );
    }
}
