//! Every policy on random programs in both engines: each task once, in an order that respects the
//! accesses, with the results and the failures of the sequential engine.

mod checks;
mod cluster;
mod contexts;
mod costs;
mod devices;
mod exchange;
mod flows;
mod follow;
mod funneled;
mod host;
mod lent;
mod machines;
mod pool;
mod program;
mod ranks;
mod resizing;
mod stand_in;
mod teams;

use proptest::prelude::*;
use tegula_runtime::exec::Sequential;
use tegula_runtime::flow::{Flow, FlowOptions, Handle};
use tegula_runtime::sched::{EVICTIONS, EvictionPolicy, POLICIES, Policy};

use checks::{check_busy, check_memories, check_once, check_order, check_replay};
use program::{HANDLES, Step, Tight, exec, exec_on, run, sim, sim_on, steps, submit, tight};

/// Fewer cases than usual, since each is run under every policy; `PROPTEST_CASES` says otherwise.
pub(crate) fn config() -> ProptestConfig {
    let usual = ProptestConfig::default();
    let cases = if std::env::var_os("PROPTEST_CASES").is_some() { usual.cases } else { 48 };
    ProptestConfig { cases, ..usual }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn real_runs_equal_sequential_ones(
        program in steps(120, false), workers in 1..5usize, seed in any::<u64>(), window in 1..64u64,
        cache in any::<bool>(),
    ) {
        let (expected, _) = run(Sequential::new(), FlowOptions::default(), &program);
        prop_assert_eq!(&expected.error, &None);
        for policy in POLICIES {
            let options = FlowOptions { window, cache, ..FlowOptions::default() };
            let (end, trace) = run(exec(policy, workers, seed), options, &program);
            prop_assert_eq!(&end, &expected, "{} with {} workers", policy.name, workers);
            check_once(&trace, &program);
            check_order(&trace, &program);
        }
    }

    #[test]
    fn the_first_failure_in_program_order_wins(
        program in steps(120, true), workers in 1..5usize, seed in any::<u64>(), window in 1..64u64,
    ) {
        let (expected, _) = run(Sequential::new(), FlowOptions::default(), &program);
        for policy in POLICIES {
            let options = FlowOptions { window, ..FlowOptions::default() };
            let (end, trace) = run(exec(policy, workers, seed), options, &program);
            prop_assert_eq!(&end, &expected, "{} with {} workers", policy.name, workers);
            check_once(&trace, &program);
        }
    }

    #[test]
    fn deterministic_flows_give_the_same_failure_with_commuting_tasks(
        mut program in steps(120, false), workers in 1..5usize, failing in 0..120usize,
    ) {
        if let Some(step) = program.get_mut(failing) {
            step.mix.fails = true;
        }
        let options = FlowOptions { deterministic: true, ..FlowOptions::default() };
        let (expected, _) = run(Sequential::new(), options, &program);
        for policy in POLICIES {
            let (end, _) = run(exec(policy, workers, 0), options, &program);
            prop_assert_eq!(&end, &expected, "{}", policy.name);
        }
    }

    #[test]
    fn simulated_runs_respect_the_graph_and_repeat(
        program in steps(120, false), workers in 1..6usize, seed in any::<u64>(), window in 1..64u64,
    ) {
        for policy in POLICIES {
            let simulate = || {
                let options = FlowOptions { window, ..FlowOptions::default() };
                let mut flow = Flow::new(sim(policy, workers, seed), options);
                let handles: Vec<Handle> = (0..HANDLES).map(|_| flow.register(24)).collect();
                program.iter().for_each(|step| submit(&mut flow, &handles, step));
                flow.wait().expect("nothing runs, nothing fails");
                flow.take_trace()
            };
            let trace = simulate();
            check_once(&trace, &program);
            check_order(&trace, &program);
            prop_assert_eq!(&trace.records, &simulate().records, "{} is not deterministic", policy.name);
            check_replay(&trace, &program);
        }
    }

    #[test]
    fn simulated_workers_do_not_idle_beside_ready_tasks(
        program in steps(80, false), workers in 1..6usize, seed in any::<u64>(),
    ) {
        for policy in POLICIES.iter() {
            // Policies that plan may have a worker wait for a task that another would end later.
            let queue = policy.queue(&tegula_runtime::sched::PolicyOptions { workers, seed, order: &[] });
            let conserving = queue.is_some_and(|queue| queue.is_work_conserving());
            // Tasks that wait at an arbiter are ready in the graph but may not run; folds and
            // discards order tasks too, but are no steps of the program.
            let program: Vec<Step> =
                program.iter().filter(|step| step.kind < 8).cloned().collect();
            if conserving {
                let mut flow = Flow::new(sim(policy, workers, seed), FlowOptions::default());
                let handles: Vec<Handle> = (0..HANDLES).map(|_| flow.register(24)).collect();
                program.iter().for_each(|step| submit(&mut flow, &handles, step));
                flow.wait().expect("nothing fails");
                check_busy(&flow.take_trace(), &program, workers);
            }
        }
    }

    /// With memories down to the largest task, on several kinds of workers and out of core, the
    /// results are those of the sequential engine, and no memory holds more than it may.
    #[test]
    fn small_memories_change_no_result(
        program in steps(60, false), tight in tight(), seed in any::<u64>(),
    ) {
        let (expected, _) = run(Sequential::new(), FlowOptions::default(), &program);
        for (policy, eviction) in combinations(&tight) {
            let engine = exec_on(&tight, policy, eviction, seed);
            let (end, trace) = run(engine, FlowOptions::default(), &program);
            prop_assert_eq!(&end, &expected, "{} {}", policy.name, eviction.name);
            check_once(&trace, &program);
            check_order(&trace, &tight.as_run(&program));
            check_memories(&trace, &program);
        }
    }

    #[test]
    fn failures_in_small_memories_are_those_of_the_sequential_engine(
        program in steps(60, true), tight in tight(), seed in any::<u64>(),
    ) {
        // Where data moves, reductions commute; which of a commuting group runs before another
        // fails is a matter of timing.
        let mut program = program;
        program.iter_mut().filter(|step| step.kind == 10).for_each(|step| step.kind = 3);
        let (expected, _) = run(Sequential::new(), FlowOptions::default(), &program);
        for (policy, eviction) in combinations(&tight) {
            let engine = exec_on(&tight, policy, eviction, seed);
            let (end, _) = run(engine, FlowOptions::default(), &program);
            prop_assert_eq!(&end, &expected, "{} {}", policy.name, eviction.name);
        }
    }

    #[test]
    fn simulated_small_memories_hold_what_tasks_need(
        program in steps(100, false), tight in tight(), seed in any::<u64>(),
    ) {
        for (policy, eviction) in combinations(&tight) {
            let simulate = || {
                let mut flow = Flow::new(sim_on(&tight, policy, eviction, seed), FlowOptions::default());
                let handles: Vec<Handle> = (0..HANDLES).map(|_| flow.register(24)).collect();
                handles.iter().for_each(|&handle| flow.touch(handle));
                program.iter().for_each(|step| submit(&mut flow, &handles, step));
                flow.wait().expect("nothing fails");
                flow.take_trace()
            };
            let trace = simulate();
            check_once(&trace, &program);
            check_order(&trace, &tight.as_run(&program));
            check_memories(&trace, &program);
            let again = simulate();
            prop_assert_eq!((trace.records, trace.transfers), (again.records, again.transfers));
        }
    }
}

/// Every policy with every eviction policy, where data moves.
fn combinations(tight: &Tight) -> Vec<(&'static Policy, &'static EvictionPolicy)> {
    let evictions = if tight.is_flat() { &EVICTIONS[..1] } else { EVICTIONS };
    let with = |policy| evictions.iter().map(move |eviction| (policy, eviction));
    POLICIES.iter().flat_map(with).collect()
}
