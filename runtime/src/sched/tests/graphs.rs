//! Programs drawn at random: every policy with every eviction policy runs each task once, where it
//! can run, in an order that its data allows.

use proptest::prelude::*;

use crate::random::SplitMix64;
use crate::sched::{Build, EVICTIONS, POLICIES};

use super::checker::{check, devices, mixed, out_of_core};
use super::program::Program;
use super::table::build;

proptest! {
    #[test]
    fn every_task_runs_once(
        seed in any::<u64>(),
        tasks in 1..60_usize,
        handles in 1..12_usize,
        accelerators in 1..4_usize,
        room in 9..14_u64,
    ) {
        let machine = mixed(2, accelerators, room);
        for policy in POLICIES {
            let anywhere = matches!(policy.build, Build::Queue(_));
            let random = &mut SplitMix64::new(seed);
            let program = Program::random(tasks, handles, anywhere, random);
            for eviction in EVICTIONS {
                let mut scheduler = build(policy.name, machine.workers.len(), seed);
                let count = check(&program, &machine, &mut *scheduler, eviction.name);
                prop_assert_eq!(count.ran.iter().map(Vec::len).sum::<usize>(), tasks);
            }
        }
    }

    #[test]
    fn equal_accelerators_share_the_work(seed in any::<u64>(), n in 4..10_usize, room in 4..9_u64) {
        let program = Program::product(n);
        for policy in POLICIES {
            for eviction in EVICTIONS {
                let mut scheduler = build(policy.name, 3, seed);
                let count = check(&program, &devices(3, room), &mut *scheduler, eviction.name);
                prop_assert_eq!(count.ran.iter().map(Vec::len).sum::<usize>(), n * n);
            }
        }
    }

    #[test]
    fn cores_share_what_is_read_from_disk(
        seed in any::<u64>(),
        tasks in 1..60_usize,
        handles in 1..12_usize,
        cores in 1..5_usize,
        room in 9..14_u64,
    ) {
        let program = Program::random(tasks, handles, true, &mut SplitMix64::new(seed));
        let machine = out_of_core(cores, room);
        for policy in POLICIES {
            for eviction in EVICTIONS {
                let mut scheduler = build(policy.name, cores, seed);
                let count = check(&program, &machine, &mut *scheduler, eviction.name);
                prop_assert_eq!(count.ran.iter().map(Vec::len).sum::<usize>(), tasks);
            }
        }
    }
}
