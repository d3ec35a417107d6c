//! What simulations count beside tasks and transfers, if they are to: submission, decisions, and
//! memory that is new.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use proptest::prelude::*;
use tegula_runtime::flow::{Access, Flow, FlowOptions, Handle};
use tegula_runtime::platform::Machine;
use tegula_runtime::sched::policy;
use tegula_runtime::sim::{
    Cluster, ClusterOptions, Costs, Deciding, DecisionTimes, NodeOptions, Sim, SimOptions,
};

use crate::checks::{check_memories, check_once, check_order};
use crate::cluster::Millisecond;
use crate::program::{HANDLES, Mix, Update, Write, sim_costing, steps, submit, tight};
use crate::{combinations, config};

const UPDATE: Update = Update(Mix { salt: 1, fails: false });

/// Cores on which every task takes a millisecond, with `costs`.
fn cores(workers: usize, costs: Costs) -> Flow {
    let policy = policy("prio").expect("it is listed");
    let options = SimOptions::new(Machine::cores(workers), Millisecond, policy);
    Flow::new(Sim::new(SimOptions { costs, ..options }), FlowOptions::default())
}

/// So many handles whose contents are there.
fn touched(flow: &mut Flow, count: usize) -> Vec<Handle> {
    let handles: Vec<Handle> = (0..count).map(|_| flow.register(64)).collect();
    handles.iter().for_each(|&handle| flow.touch(handle));
    handles
}

/// Starts of all tasks in microseconds, in the order of the program; a trace begins with the first
/// of them.
fn starts(flow: &mut Flow) -> Vec<u64> {
    flow.wait().expect("nothing fails");
    let end = flow.totals().expect("it counts").makespan;
    let trace = flow.take_trace();
    let mut records = trace.records.clone();
    records.sort_unstable_by_key(|record| record.task);
    let begin = end - records.iter().map(|record| record.end).max().unwrap_or(end);
    records.iter().map(|record| (begin + record.start) / 1000).collect()
}

/// A clock that goes on by a microsecond whenever someone looks at it.
fn tick() -> u64 {
    static LOOKS: AtomicU64 = AtomicU64::new(0);
    1000 * LOOKS.fetch_add(1, Ordering::Relaxed)
}

fn each(seconds: f64) -> Deciding {
    Deciding::Known(Arc::new(DecisionTimes::new([(1, 1, seconds)])))
}

#[test]
fn tasks_are_there_when_the_program_has_submitted_them() {
    let costs = Costs { submission_seconds: 100e-6, ..Costs::default() };
    let mut flow = cores(3, costs);
    let handles = touched(&mut flow, 3);
    for &handle in &handles {
        flow.submit(UPDATE, &[(handle, Access::RW)], 0);
    }
    // The fourth waits for the first, which ends after it is submitted.
    flow.submit(UPDATE, &[(handles[0], Access::RW)], 0);
    assert_eq!(starts(&mut flow), [100, 200, 300, 1100]);
    // The program has waited until 2.1 ms.
    flow.submit(UPDATE, &[(handles[1], Access::RW)], 0);
    assert_eq!(starts(&mut flow), [2200]);
}

#[test]
fn a_node_decides_one_task_after_the_other() {
    let mut flow = cores(3, Costs { deciding: each(50e-6), ..Costs::default() });
    for handle in touched(&mut flow, 4) {
        flow.submit(UPDATE, &[(handle, Access::RW)], 0);
    }
    assert_eq!(starts(&mut flow), [50, 100, 150, 1100]);
}

#[test]
fn more_ready_tasks_make_decisions_longer() {
    let times = DecisionTimes::new([(1, 4, 10e-6), (64, 4, 200e-6)]);
    let rows: Vec<_> = times.rows().collect();
    assert_eq!(rows.iter().map(|row| (row.0, row.1)).collect::<Vec<_>>(), [(1, 4), (64, 4)]);
    assert!((times.seconds() - 840e-6).abs() < 1e-9, "{}", times.seconds());
    let deciding = Deciding::Known(Arc::new(times));
    let first = |tasks: usize| {
        let mut flow = cores(1, Costs { deciding: deciding.clone(), ..Costs::default() });
        for handle in touched(&mut flow, tasks) {
            flow.submit(UPDATE, &[(handle, Access::RW)], 0);
        }
        starts(&mut flow)[0]
    };
    assert_eq!([first(1), first(2), first(20), first(100)], [10, 10, 200, 200]);
}

#[test]
fn memory_costs_where_it_is_new() {
    // 64 bytes take 0.64 ms.
    let mut flow = cores(1, Costs { new_bytes_per_second: Some(1e5), ..Costs::default() });
    let (there, new) = (touched(&mut flow, 1)[0], flow.register(64));
    let write = Write(Mix { salt: 2, fails: false });
    flow.submit(UPDATE, &[(there, Access::RW)], 0);
    flow.submit(write, &[(new, Access::W)], 0);
    flow.submit(write, &[(new, Access::W)], 0);
    flow.done_with(new);
    let again = flow.register(64);
    flow.submit(write, &[(again, Access::W)], 0);
    let started = starts(&mut flow);
    assert_eq!(started, [0, 1000, 2640, 3640]);
}

#[test]
fn what_was_measured_can_be_charged_again() {
    let times = Arc::new(Mutex::new(DecisionTimes::default()));
    let run = |deciding: Deciding| {
        let mut flow = cores(2, Costs { deciding, ..Costs::default() });
        for handle in touched(&mut flow, 40) {
            flow.submit(UPDATE, &[(handle, Access::RW)], 0);
        }
        starts(&mut flow).into_iter().max()
    };
    run(Deciding::Measured(tick, times.clone()));
    let measured = times.lock().expect("nobody panicked").clone();
    assert_eq!(measured.rows().map(|(_, tasks, _)| tasks).sum::<u64>(), 40);
    assert!(measured.seconds() > 40.0 * 1e-6);
    let known = Deciding::Known(Arc::new(DecisionTimes::new(measured.rows())));
    assert_eq!(run(known.clone()), run(known));
}

/// Over ranks each submits the tasks of all of them.
#[test]
fn ranks_submit_the_tasks_of_all() {
    let costs = Costs { submission_seconds: 100e-6, ..Costs::default() };
    let node = |_| NodeOptions::new(Machine::cores(1), Millisecond, 1e9);
    let policy = policy("prio").expect("it is listed");
    let options = ClusterOptions::new((0..2).map(node).collect(), 1e-6, policy);
    let run =
        Cluster::new(ClusterOptions { costs, ..options }).run(FlowOptions::default(), |flow| {
            for handle in (0..4).map(|_| flow.register(8)).collect::<Vec<_>>() {
                flow.submit(Write(Mix { salt: 1, fails: false }), &[(handle, Access::W)], 0);
            }
            flow.wait().expect("nothing fails");
        });
    // All are of rank 0, one after the other from the first on.
    assert_eq!(run.makespan(), 4_100_000);
}

proptest! {
    #![proptest_config(config())]

    /// With any costs, under every policy and with memories down to the largest task, each task
    /// runs once and in its order, no earlier than it is submitted, and a run repeats.
    #[test]
    fn costs_change_times_alone(
        program in steps(60, false), tight in tight(), seed in any::<u64>(), window in 1..64u64,
        (submission, deciding, new) in (0..2000u32, 0..2000u32, any::<bool>()),
    ) {
        let costs = Costs {
            submission_seconds: 1e-9 * f64::from(submission),
            deciding: each(1e-9 * f64::from(deciding)),
            new_bytes_per_second: new.then_some(1e8),
        };
        for (policy, eviction) in combinations(&tight) {
            let simulate = || {
                let sim = sim_costing(&tight, (policy, eviction), seed, costs.clone());
                let mut flow = Flow::new(sim, FlowOptions { window, ..FlowOptions::default() });
                let handles: Vec<Handle> = (0..HANDLES).map(|_| flow.register(24)).collect();
                program.iter().for_each(|step| submit(&mut flow, &handles, step));
                flow.wait().expect("nothing runs, nothing fails");
                let end = flow.totals().expect("it counts").makespan;
                (flow.take_trace(), end)
            };
            let (trace, end) = simulate();
            check_once(&trace, &program);
            check_order(&trace, &tight.as_run(&program));
            check_memories(&trace, &program);
            let last = trace.records.iter().map(|record| record.task + 1).max().unwrap_or(0);
            prop_assert!(end >= u64::from(submission) * last, "{}: {end}", policy.name);
            let again = simulate();
            prop_assert_eq!((&trace.records, end), (&again.0.records, again.1), "{}", policy.name);
        }
    }
}
