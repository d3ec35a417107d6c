//! Simulated clusters: random programs send what is counted, the same on every run; and messages
//! take the time that can be worked out by hand.

use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;
use tegula_runtime::flow::{Access, Buffers, Codelet, Cost, Failure, Flow, FlowOptions, Handle};
use tegula_runtime::platform::{ClassId, Durations, Machine, WorkerKind, WorkerModel};
use tegula_runtime::ranks::{Owners, Rank, Spot, Traffic};
use tegula_runtime::sched::contexts::{ContextSpec, JobSpec, Start, Work};
use tegula_runtime::sched::{POLICIES, policy};
use tegula_runtime::sim::{Cluster, ClusterOptions, ClusterRun, NodeOptions, Sim, SimOptions};
use tegula_runtime::trace::{TaskRecord, Trace};

use crate::checks::check_tasks;
use crate::program::{Tight, steps, tight};
use crate::ranks::{Spread, spread};

const MODEL: WorkerModel =
    WorkerModel { gflops: 1.0, gbytes_per_second: 1.0, overhead_seconds: 1e-6 };

/// A cluster for `program`, each of whose nodes is one of `machines`.
fn cluster_for(program: &Spread, machines: &[Machine], policy: usize) -> Cluster {
    let node = |rank: usize| {
        let machine = machines[rank % machines.len()].clone();
        let models = vec![MODEL; machine.classes.len()];
        NodeOptions::new(machine, models, 1e9 * (1 + rank) as f64)
    };
    let nodes = (0..program.ranks).map(node).collect();
    let options = ClusterOptions {
        backbone_bytes_per_second: program.seed.is_multiple_of(3).then_some(1.5e9),
        sends: 1 + (program.seed % 5) as usize,
        receives: 1 + (program.seed % 4) as usize,
        receive_bytes: program.room,
        message_priorities: program.seed.is_multiple_of(2),
        seed: program.seed,
        noise: 0.1,
        trace: true,
        contexts: program.has_contexts,
        ..ClusterOptions::new(nodes, 1e-6, &POLICIES[policy])
    };
    Cluster::new(options)
}

/// Runs `program`, whose ranks are slow by moods that `moods` stands for: what each has recorded of
/// the program, and what was sent until it ended.
fn simulate(program: &Spread, cluster: Cluster, moods: u64) -> ClusterRun<(Trace, Traffic)> {
    cluster.run(program.options(), |flow| {
        std::thread::sleep(Duration::from_micros(
            (u64::from(flow.rank().0) * 37 + moods) * moods % 400,
        ));
        let (_, _, trace) = program.run_traced(flow, program.ranks);
        std::thread::sleep(Duration::from_micros(
            (u64::from(flow.rank().0) * 73 + moods) * moods % 400,
        ));
        (trace, flow.traffic().expect("all ranks are there"))
    })
}

/// Asserts that `program` sends what is counted, that all is recorded once, and the same on every
/// run.
fn check(program: &Spread, machines: &[Machine], policy: usize) -> Result<(), TestCaseError> {
    let run = |moods| simulate(program, cluster_for(program, machines, policy), moods);
    let (first, again) = (run(0), run(11));
    let counted = program.count();
    for (_, sent) in first.answers.iter().filter(|_| program.ranks > 1) {
        prop_assert_eq!(*sent, counted);
    }
    let parts = first.answers.iter().map(|(trace, _)| trace.clone()).collect();
    let joined = Trace::join(parts, |_, time| time, vec![0; program.ranks]);
    check_tasks(&joined, program.steps());
    let is_after = |record: &TaskRecord| record.after <= 1 + record.task;
    prop_assert!(joined.records.iter().all(is_after));
    prop_assert_eq!(&first.answers, &again.answers);
    prop_assert_eq!(&first.totals, &again.totals);
    prop_assert_eq!(first.trace, again.trace);
    Ok(())
}

proptest! {
    #![proptest_config(crate::config())]

    #[test]
    fn simulated_ranks_send_what_is_counted(
        program in spread(100, false, false), policy in 0..POLICIES.len(),
    ) {
        check(&program, &[Machine::cores(program.workers)], policy)?;
    }

    #[test]
    fn simulated_ranks_send_large_data_whole(program in spread(16, false, true)) {
        check(&program, &[Machine::cores(program.workers)], 0)?;
    }

    /// Some nodes have accelerators, some have little RAM.
    #[test]
    fn simulated_memories_of_ranks_may_be_small(
        program in spread(60, false, false), machines in prop::collection::vec(tight(), 7),
        policy in 0..POLICIES.len(),
    ) {
        let machines: Vec<_> =
            machines.iter().map(|tight: &Tight| tight.machine(WorkerKind::Cuda)).collect();
        check(&program.with_small_handles(), &machines, policy)?;
    }

    /// Each node has contexts of its own workers.
    #[test]
    fn simulated_ranks_may_have_contexts(
        program in spread(60, false, false), machines in prop::collection::vec(tight(), 7),
        policy in 0..POLICIES.len(),
    ) {
        let mut program = program;
        program.has_contexts = true;
        check(&program, &[Machine::cores(program.workers)], policy)?;
        let machines: Vec<_> =
            machines.iter().map(|tight: &Tight| tight.machine(WorkerKind::Cuda)).collect();
        check(&program.with_small_handles(), &machines, policy)?;
    }

    #[test]
    fn a_window_of_one_simulated_task_never_hangs(
        program in spread(60, false, false), ranks in 2..6usize,
    ) {
        let mut program = program;
        (program.window, program.workers, program.room, program.ranks) = (1, 1, 1, ranks);
        check(&program, &[Machine::cores(1)], 0)?;
    }

    #[test]
    fn one_simulated_rank_takes_as_long_as_a_simulation(
        program in steps(100, false), tight in tight(), policy in 0..POLICIES.len(),
        window in 1..64u64,
    ) {
        let policy = &POLICIES[policy];
        let machine = tight.machine(WorkerKind::Cuda);
        let models = vec![MODEL; machine.classes.len()];
        let run = |flow: &mut Flow| {
            let handles: Vec<Handle> = (0..crate::program::HANDLES).map(|_| flow.register(24)).collect();
            handles.iter().for_each(|&handle| flow.touch(handle));
            program.iter().for_each(|step| crate::program::submit(flow, &handles, step));
            flow.wait().expect("nothing fails");
            flow.take_trace()
        };
        let options = FlowOptions { window, ..FlowOptions::default() };
        let alone = SimOptions { noise: 0.1, ..SimOptions::new(machine.clone(), models.clone(), policy) };
        let alone = run(&mut Flow::new(Sim::new(alone), options));
        let node = NodeOptions::new(machine, models, 1e9);
        let one = ClusterOptions {
            noise: 0.1,
            trace: true,
            ..ClusterOptions::new(vec![node], 1e-6, policy)
        };
        let one = Cluster::new(one).run(options, run);
        prop_assert_eq!(&one.answers[0], &alone);
    }
}

/// Works for a millisecond.
macro_rules! works {
    ($($name:ident: $($mode:ident)*;)*) => { $(
        #[derive(Clone, Copy)]
        struct $name;
        impl Codelet for $name {
            const NAME: &'static str = stringify!($name);
            const ACCESS: &'static [Access] = &[$(Access::$mode),*];
            fn cost(&self) -> Cost {
                Cost::default()
            }
            fn cpu(&self, _: &Buffers<'_>) -> Result<(), Failure> {
                Ok(())
            }
        }
    )* };
}
works! {
    Make: W;
    Use: R RW;
}

const MS: u64 = 1_000_000;
/// What takes a millisecond at [`RATE`].
const MEGABYTE: usize = 1_000_000;
const RATE: f64 = 1e9;
const LATENCY: f64 = 10e-6;

/// Every task takes a millisecond.
pub(crate) struct Millisecond;
impl Durations for Millisecond {
    fn nanoseconds(&self, _: &'static str, _: Cost, _: ClassId) -> Option<u64> {
        Some(MS)
    }
}

/// Rank `row` owns what is in that row.
struct ByRow;
impl Owners for ByRow {
    fn owner(&self, spot: Spot, _: usize) -> Rank {
        Rank(spot.row as u16)
    }
}

/// A handle of rank `rank`.
fn at(flow: &mut Flow, rank: usize, bytes: usize) -> Handle {
    flow.register_at(bytes, Spot { row: rank, column: 0, rows: flow.ranks(), columns: 1 })
}

/// Nodes of two cores each.
fn pair_of_cores(nodes: usize) -> ClusterOptions {
    let node = |_| NodeOptions::new(Machine::cores(2), Millisecond, RATE);
    let policy = policy("prio").expect("it is listed");
    let options = ClusterOptions::new((0..nodes).map(node).collect(), LATENCY, policy);
    ClusterOptions { trace: true, ..options }
}

/// Runs `program` and answers its makespan, in milliseconds.
fn milliseconds(options: ClusterOptions, program: impl Fn(&mut Flow) + Sync) -> f64 {
    let run = Cluster::new(options).run(FlowOptions::default(), |flow| {
        flow.set_owners(Arc::new(ByRow));
        program(flow);
        flow.wait().expect("nothing fails");
    });
    run.makespan() as f64 / MS as f64
}

/// Each of `pairs` sends a megabyte: a task makes it at its first rank, and one uses it at its
/// second.
fn send(flow: &mut Flow, pairs: &[(usize, usize)]) {
    for &(from, to) in pairs {
        let (made, used) = (at(flow, from, MEGABYTE), at(flow, to, 8));
        flow.submit(Make, &[(made, Access::W)], 0);
        flow.submit(Use, &[(made, Access::R), (used, Access::RW)], 0);
    }
}

#[test]
fn a_message_takes_latency_and_bytes_over_bandwidth() {
    assert_eq!(milliseconds(pair_of_cores(2), |flow| send(flow, &[(0, 1)])), 3.01);
    let mut slow = pair_of_cores(2);
    slow.nodes[1].receive_bytes_per_second = RATE / 4.0;
    assert_eq!(milliseconds(slow, |flow| send(flow, &[(0, 1)])), 6.01);
    let narrow = ClusterOptions { backbone_bytes_per_second: Some(RATE / 2.0), ..pair_of_cores(2) };
    assert_eq!(milliseconds(narrow, |flow| send(flow, &[(0, 1)])), 4.01);
}

#[test]
fn messages_share_the_ends_that_they_have_in_common() {
    for pairs in [[(0, 1), (0, 2)], [(1, 0), (2, 0)]] {
        assert_eq!(milliseconds(pair_of_cores(3), |flow| send(flow, &pairs)), 4.01, "{pairs:?}");
    }
    // Both ways at once, and on ways of their own.
    for pairs in [[(0, 1), (1, 0)], [(0, 1), (2, 3)]] {
        assert_eq!(milliseconds(pair_of_cores(4), |flow| send(flow, &pairs)), 3.01, "{pairs:?}");
    }
    let narrow = ClusterOptions { backbone_bytes_per_second: Some(RATE), ..pair_of_cores(4) };
    assert_eq!(milliseconds(narrow, |flow| send(flow, &[(0, 1), (2, 3)])), 4.01);
}

#[test]
fn cores_that_move_bytes_are_later_with_their_tasks() {
    let moving = |cores: usize, rate: Option<f64>| {
        let mut options = ClusterOptions { core_bytes_per_second: rate, ..pair_of_cores(2) };
        for node in &mut options.nodes {
            node.machine = Arc::new(Machine::cores(cores));
        }
        milliseconds(options, |flow| {
            send(flow, &[(0, 1)]);
            for rank in [0, 1] {
                let own = at(flow, rank, 8);
                (0..4).for_each(|_| flow.submit(Make, &[(own, Access::W)], -1));
            }
        })
    };
    // A megabyte takes a core as long as a task does, on both nodes, if both are at work.
    assert_eq!((moving(1, None), moving(1, Some(RATE))), (5.0, 6.0));
    assert_eq!((moving(2, None), moving(2, Some(RATE))), (4.0, 4.0));
}

/// When messages of so many megabytes, all sent at once, come, in milliseconds since then.
fn arrivals(mut options: ClusterOptions, messages: &[(usize, usize, usize)]) -> Vec<f64> {
    for node in &mut options.nodes {
        node.machine = Arc::new(Machine::cores(2 * messages.len()));
    }
    let run = Cluster::new(options).run(FlowOptions::default(), |flow| {
        flow.set_owners(Arc::new(ByRow));
        for &(from, to, megabytes) in messages {
            let (made, used) = (at(flow, from, megabytes * MEGABYTE), at(flow, to, 8));
            flow.submit(Make, &[(made, Access::W)], 0);
            flow.submit(Use, &[(made, Access::R), (used, Access::RW)], 0);
        }
        flow.wait().expect("nothing fails");
    });
    let mut records = run.trace.expect("it was recorded").messages;
    records.sort_by_key(|record| record.datum);
    records.iter().map(|record| record.end() as f64 / MS as f64 - 1.0).collect()
}

/// Asserts that messages come when `right` says, but for the rounding of a few times.
fn assert_come(options: ClusterOptions, messages: &[(usize, usize, usize)], right: &[f64]) {
    let come = arrivals(options, messages);
    let is_right = come.iter().zip(right).all(|(a, b)| (a - b).abs() < 1e-5);
    assert!(is_right && come.len() == right.len(), "{messages:?} come at {come:?}, not {right:?}");
}

#[test]
fn messages_of_unequal_length_leave_what_they_do_not_need_to_the_longer() {
    // The bytes that have moved on the shared way when a message ends are those of all shorter
    // ones, and as many as its own of each longer one.
    let right = [4, 1 + 3 * 2, 1 + 2 + 2 * 4, 1 + 2 + 4 + 8].map(|bytes| 0.01 + f64::from(bytes));
    let from_one = [(0, 1, 1), (0, 2, 2), (0, 3, 4), (0, 4, 8)];
    assert_come(pair_of_cores(5), &from_one, &right);
    let to_one = from_one.map(|(from, to, megabytes)| (to, from, megabytes));
    assert_come(pair_of_cores(5), &to_one, &right);
}

#[test]
fn a_slow_node_leaves_the_rest_to_the_fast_ones() {
    let mut options = pair_of_cores(3);
    for rank in [0, 2] {
        options.nodes[rank].send_bytes_per_second = 4.0 * RATE;
        options.nodes[rank].receive_bytes_per_second = 4.0 * RATE;
    }
    // The slow one takes 1 of 4; the other gets 3, and 4 when the former has ended.
    assert_come(options.clone(), &[(0, 1, 1), (0, 2, 6)], &[1.01, 0.01 + 1.0 + 3.0 / 4.0]);
    assert_come(options, &[(1, 0, 1), (2, 0, 6)], &[1.01, 0.01 + 1.0 + 3.0 / 4.0]);
}

#[test]
fn a_backbone_is_shared_by_those_that_it_holds_back() {
    let mut options = pair_of_cores(6);
    options.backbone_bytes_per_second = Some(1.5 * RATE);
    options.nodes[1].receive_bytes_per_second = RATE / 4.0;
    // The slow one takes 1/4 of 3/2, the others 5/8 each; then one of them is left, and has 1.
    let messages = [(0, 1, 1), (2, 3, 1), (4, 5, 2)];
    assert_come(options, &messages, &[4.01, 0.01 + 1.6, 0.01 + 1.6 + 1.0]);
}

#[test]
fn messages_queue_where_one_moves_at_a_time() {
    let one_leaves = ClusterOptions { sends: 1, ..pair_of_cores(3) };
    assert_eq!(milliseconds(one_leaves, |flow| send(flow, &[(0, 1), (0, 2)])), 4.02);
    let one_comes = ClusterOptions { receives: 1, ..pair_of_cores(3) };
    assert_eq!(milliseconds(one_comes, |flow| send(flow, &[(1, 0), (2, 0)])), 4.02);
}

/// Three messages go at once, the last for a task of priority 1; says when what takes them begins.
fn starts(mut options: ClusterOptions, pairs: [(usize, usize); 3]) -> Vec<u64> {
    for node in &mut options.nodes {
        node.machine = Arc::new(Machine::cores(3));
    }
    let run = Cluster::new(options).run(FlowOptions::default(), |flow| {
        flow.set_owners(Arc::new(ByRow));
        let made = pairs.map(|(from, _)| at(flow, from, MEGABYTE));
        made.iter().for_each(|&made| flow.submit(Make, &[(made, Access::W)], 0));
        for ((priority, made), (_, to)) in [0, 0, 1].into_iter().zip(made).zip(pairs) {
            let used = at(flow, to, 8);
            flow.submit(Use, &[(made, Access::R), (used, Access::RW)], priority);
        }
        flow.wait().expect("nothing fails");
    });
    let trace = run.trace.expect("it was recorded");
    let mut uses: Vec<_> = trace.records.iter().filter(|record| record.codelet == "Use").collect();
    uses.sort_by_key(|record| record.task);
    uses.iter().map(|record| record.start / (MS / 100)).collect()
}

#[test]
fn urgent_messages_overtake_where_they_leave() {
    let options =
        |message_priorities| ClusterOptions { sends: 1, message_priorities, ..pair_of_cores(2) };
    assert_eq!(starts(options(true), [(0, 1); 3]), [302, 403, 201]);
    assert_eq!(starts(options(false), [(0, 1); 3]), [201, 302, 403]);
}

#[test]
fn urgent_messages_overtake_where_they_come() {
    let options =
        |message_priorities| ClusterOptions { receives: 1, message_priorities, ..pair_of_cores(4) };
    let pairs = [(1, 0), (2, 0), (3, 0)];
    assert_eq!(starts(options(true), pairs), [201, 403, 302]);
    assert_eq!(starts(options(false), pairs), [201, 302, 403]);
}

#[test]
fn short_messages_pass_long_ones() {
    let options = ClusterOptions { sends: 1, ..pair_of_cores(2) };
    let run = Cluster::new(options).run(FlowOptions::default(), |flow| {
        flow.set_owners(Arc::new(ByRow));
        let (long, short) = (at(flow, 0, 100 * MEGABYTE), at(flow, 0, 8));
        for made in [long, short] {
            flow.submit(Make, &[(made, Access::W)], 0);
        }
        for made in [long, short] {
            let used = at(flow, 1, 8);
            flow.submit(Use, &[(made, Access::R), (used, Access::RW)], 0);
        }
        // Ranks meet while the message moves.
        flow.total([1, 0]).expect("ranks meet")
    });
    assert_eq!(run.answers, [[2, 0]; 2]);
    let trace = run.trace.expect("it was recorded");
    let ends: Vec<u64> = trace.messages.iter().map(|message| message.end() / MS).collect();
    assert_eq!(ends, [101, 1], "{:?}", trace.messages);
}

#[test]
fn what_an_accelerator_made_is_brought_to_the_ram_and_sent() {
    let mut options = pair_of_cores(2);
    let mut machine = Machine::cores(0);
    machine.add_accelerator(WorkerKind::Cuda, None, RATE, 1.0);
    options.nodes[0].machine = Arc::new(machine);
    let run = Cluster::new(options).run(FlowOptions::default(), |flow| {
        flow.set_owners(Arc::new(ByRow));
        send(flow, &[(0, 1)]);
        flow.wait().expect("nothing fails");
    });
    let trace = run.trace.as_ref().expect("it was recorded");
    let [transfer] = trace.transfers[..] else { panic!("{:?}", trace.transfers) };
    assert_eq!(run.makespan(), 3 * MS + 10_000 + transfer.end - transfer.start);
    assert!(transfer.end - transfer.start > MS);
    assert_eq!(run.traffic(), Traffic { messages: 1, bytes: MEGABYTE as u64 });
}

#[test]
fn a_rank_that_panics_ends_all() {
    let run = || {
        Cluster::new(pair_of_cores(3)).run(FlowOptions::default(), |flow| {
            flow.set_owners(Arc::new(ByRow));
            send(flow, &[(0, 1)]);
            assert!(flow.rank() != Rank(2), "out of cheese");
            flow.wait().expect("nothing fails");
        });
    };
    assert!(std::panic::catch_unwind(run).is_err());
}

#[test]
fn what_no_node_can_run_fails_on_all_ranks_alike() {
    struct NoUse;
    impl Durations for NoUse {
        fn nanoseconds(&self, codelet: &'static str, _: Cost, _: ClassId) -> Option<u64> {
            (codelet != "Use").then_some(MS)
        }
    }
    let mut options = pair_of_cores(3);
    options.nodes[1].durations = Arc::new(NoUse);
    let run = Cluster::new(options).run(FlowOptions::default(), |flow| {
        flow.set_owners(Arc::new(ByRow));
        send(flow, &[(0, 1), (2, 1)]);
        flow.wait().expect_err("rank 1 runs no such task").to_string()
    });
    assert!(run.answers.iter().all(|error| error.contains("Use (task 1)")), "{:?}", run.answers);
}

/// What all of three ranks, the first of which sends so many bytes to both others, say that fails.
fn refusals(options: ClusterOptions, bytes: usize) -> Vec<String> {
    let run = Cluster::new(options).run(FlowOptions::default(), |flow| {
        flow.set_owners(Arc::new(ByRow));
        let made = at(flow, 0, bytes);
        flow.submit(Make, &[(made, Access::W)], 0);
        for to in [1, 2] {
            let used = at(flow, to, 8);
            flow.submit(Use, &[(made, Access::R), (used, Access::RW)], 0);
        }
        flow.wait().expect_err("it does not fit").to_string()
    });
    run.answers
}

#[test]
fn what_does_not_fit_the_ram_of_a_node_fails_on_all_ranks_alike() {
    let limited = |rank: usize, machine: Machine, bytes: usize| {
        let (mut options, mut machine) = (pair_of_cores(3), machine);
        machine.limit_ram(bytes as u64 / 2, RATE, RATE);
        options.nodes[rank].machine = Arc::new(machine);
        options
    };
    let fails = |options: ClusterOptions, bytes: usize, what: &str| {
        let answers = refusals(options, bytes);
        let says = |error: &String| error.starts_with(what) && error.contains("a handle of");
        assert!(answers.iter().all(says), "{what}: {answers:?}");
    };
    // Longer and shorter than what travels in a frame.
    for bytes in [MEGABYTE, 1000] {
        fails(limited(1, Machine::cores(2), bytes), bytes, "receive (task 1)");
        // Its sender has it in the memory of an accelerator.
        let mut machine = Machine::cores(0);
        machine.add_accelerator(WorkerKind::Cuda, None, RATE, 1.0);
        fails(limited(0, machine, bytes), bytes, "send (task 1)");
    }
}

/// A task of a context without workers fails with a message, on its rank, and all ranks end.
#[test]
fn a_simulated_rank_tells_of_a_context_without_workers() {
    let options = ClusterOptions { contexts: true, ..pair_of_cores(2) };
    let run = Cluster::new(options).run(FlowOptions::default(), |flow| {
        let lws = policy("lws").expect("a listed policy");
        let empty = ContextSpec::new("empty", lws, Vec::new());
        let context = flow.add_context(empty).expect("made");
        let (name, start, work) = ("job".to_owned(), Start::Now, Work::default());
        let job = flow.add_job(JobSpec { name, context, start, work }).expect("made");
        let handle = flow.register_at(8, Spot { row: 0, column: 0, rows: 1, columns: 1 });
        flow.touch(handle);
        flow.within(job, |flow| flow.submit(Make, &[(handle, Access::W)], 0));
        flow.wait().expect_err("nobody runs it").to_string()
    });
    for answer in run.answers {
        assert!(answer.contains("context empty has no workers"), "{answer}");
    }
}
