//! Who runs what, on machines with workers of several kinds.

use crate::platform::Machine;

use super::checker::{check, mixed, out_of_core};
use super::program::Program;
use super::table::build;

/// How many tasks each worker runs.
fn shares(policy: &str, program: &Program, machine: &Machine) -> Vec<usize> {
    let mut scheduler = build(policy, machine.workers.len(), 0);
    let count = check(program, machine, &mut *scheduler, "luf");
    count.ran.iter().map(Vec::len).collect()
}

/// A product whose tasks take `core` nanoseconds on a core and 1000 on an accelerator.
fn product(n: usize, core: u64) -> Program {
    let mut program = Program::product(n);
    program.steps.iter_mut().for_each(|step| step.durations = vec![Some(core), Some(1000)]);
    program
}

#[test]
fn slow_workers_take_nothing_that_others_end_sooner() {
    let machine = mixed(1, 1, 20);
    for policy in ["dmda", "dmdar", "dmdas", "dmdal", "tessera"] {
        assert_eq!(shares(policy, &product(4, 1_000_000), &machine), [16, 0], "{policy}");
    }
}

#[test]
fn slow_workers_help_where_there_is_much_to_do() {
    let machine = mixed(4, 1, 20);
    for policy in ["dmda", "dmdar", "dmdas", "dmdal", "mhfp", "darts", "tessera"] {
        let shares = shares(policy, &product(20, 20_000), &machine);
        assert!(shares[1..].iter().all(|&tasks| (5..60).contains(&tasks)), "{policy}: {shares:?}");
    }
}

/// Tasks at which cores lose three times are theirs, not those at which they lose thirty times.
#[test]
fn slow_workers_take_what_they_lose_least_at() {
    let mut program = product(20, 30_000);
    program.steps.iter_mut().step_by(10).for_each(|step| step.durations[0] = Some(3000));
    let machine = mixed(2, 1, 20);
    let mut scheduler = build("tessera", machine.workers.len(), 0);
    let count = check(&program, &machine, &mut *scheduler, "luf");
    let elsewhere = count.ran[0].iter().filter(|&&task| task % 10 == 0).count();
    assert!(elsewhere <= 4, "the accelerator ran {elsewhere} of 40: {:?}", count.ran[0]);
}

#[test]
fn every_worker_runs_what_only_it_can_run() {
    let mut program = product(6, 20_000);
    for (number, step) in program.steps.iter_mut().enumerate() {
        step.durations[number % 2] = None;
    }
    for policy in ["dmda", "dmdar", "dmdas", "hfp", "mhfp", "darts", "darts-v1", "tessera"] {
        assert_eq!(shares(policy, &program, &mixed(1, 1, 20)), [18, 18], "{policy}");
    }
}

/// Where all data is at hand for everybody, only priorities are left.
#[test]
fn cores_alone_follow_priorities() {
    let mut program = Program::product(6);
    for (number, step) in program.steps.iter_mut().enumerate() {
        step.priority = (number * 7 % 36) as i32;
    }
    for policy in ["dmdas", "dmdal", "darts", "tessera"] {
        let mut scheduler = build(policy, 1, 0);
        let count = check(&program, &Machine::cores(1), &mut *scheduler, "lru");
        let order = &count.ran[0];
        let priorities: Vec<i32> = order.iter().map(|&task| program.steps[task].priority).collect();
        assert!(
            priorities.is_sorted_by(|before, after| before > after),
            "{policy}: {priorities:?}"
        );
    }
}

/// Cores on one memory share one plan (section 5.7), and load hardly more than one of them alone.
#[test]
fn cores_on_one_memory_share_their_data() {
    for (policy, eviction) in [("darts", "luf"), ("darts-v1", "luf"), ("tessera", "luf")] {
        let loads = [1, 4].map(|cores| {
            let mut scheduler = build(policy, cores, 0);
            let program = Program::product(30);
            check(&program, &out_of_core(cores, 17), &mut *scheduler, eviction).loads[0]
        });
        assert!(loads[1] * 10 <= loads[0] * 11, "{policy}: {loads:?}");
    }
}
