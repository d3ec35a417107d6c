//! Random programs side by side on shared workers, each submitted by a thread of its own.

use std::path::PathBuf;

use proptest::prelude::*;
use tegula_runtime::exec::{ExecOptions, Pool, Sequential};
use tegula_runtime::flow::{Access, Flow, FlowError, FlowOptions, Handle};
use tegula_runtime::memory::Reduction;
use tegula_runtime::platform::{Machine, WorkerKind};
use tegula_runtime::sched::contexts::{ContextSpec, Move};
use tegula_runtime::sched::hypervisor::{Hypervisor, HypervisorOptions, RESIZING};
use tegula_runtime::sched::{ContextId, POLICIES, PolicyOptions, WorkerId, policy};

use crate::checks::{check_once, check_order};
use crate::program::{End, HANDLES, Mix, Step, Tight, Update, run, run_in, steps, submit, tight};

fn pool(tight: &Tight, policies: &[usize], trace: bool, seed: u64) -> Pool {
    let options = ExecOptions::on(tight.machine(WorkerKind::Emulated));
    let scratch = Some(std::env::temp_dir());
    let is_queue = |&policy: &usize| {
        POLICIES[policy].queue(&PolicyOptions { workers: 1, seed: 0, order: &[] }).is_some()
    };
    let name = if policies.iter().all(is_queue) { "lws" } else { "dmdas" };
    let policy = policy(name).expect("a listed policy");
    Pool::new(ExecOptions { policy, seed, scratch, trace, ..options })
}

/// Runs `program` in `flow`.
fn run_flow(mut flow: Flow, program: &[Step]) -> (End, tegula_runtime::trace::Trace) {
    let handles: Vec<Handle> = (0..HANDLES).map(|_| flow.register(24)).collect();
    run_in(&mut flow, &handles, |flow| {
        program.iter().for_each(|step| submit(flow, &handles, step));
    })
}

fn clock() -> u64 {
    0
}

/// Contexts of two workers each, which overlap; of all workers, where there is one.
fn contexts(pool: &Pool, workers: usize, policies: &[usize]) -> Vec<ContextId> {
    let of = |(number, &policy): (usize, &usize)| {
        let own = vec![WorkerId(0), WorkerId(number % workers)];
        let spec = ContextSpec::new(&format!("context {number}"), &POLICIES[policy], own);
        pool.add_context(ContextSpec { is_shared: true, ..spec }).expect("there are such workers")
    };
    policies.iter().enumerate().map(of).collect()
}

/// Runs each of `programs` by `run` in a flow of its own, in its context, and `meanwhile` on this
/// thread.
fn side_by_side<T: Send>(
    pool: &Pool,
    programs: &[(Vec<Step>, usize, u64)],
    contexts: &[ContextId],
    run: impl Fn(Flow, &[Step]) -> T + Copy + Send,
    meanwhile: impl FnOnce(),
) -> Vec<T> {
    std::thread::scope(|scope| {
        let threads: Vec<_> = programs
            .iter()
            .zip(contexts)
            .map(|((program, _, window), &context)| {
                let engine = pool.engine("program", context).expect("there is such a context");
                let options = FlowOptions { window: *window, ..FlowOptions::default() };
                scope.spawn(move || run(Flow::new(engine, options), program))
            })
            .collect();
        meanwhile();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    })
}

proptest! {
    #![proptest_config(crate::config())]

    /// Each flow ends as alone, or says what is wrong with the disk; none hangs.
    #[test]
    fn programs_on_a_full_disk_end_as_alone_or_say_so(
        programs in prop::collection::vec((steps(30, false), prop_oneof![0..4usize, 0..POLICIES.len()], 1..64u64), 1..5),
        tight in tight(), seed in any::<u64>(),
    ) {
        let run = |mut flow: Flow, program: &[Step]| {
            let handles: Vec<Handle> = (0..HANDLES).map(|_| flow.register(24)).collect();
            for &handle in &handles {
                flow.set_reduction(handle, Reduction::sum::<std::num::Wrapping<u64>>());
            }
            // Handles that a program drops are another test's.
            let kept = program.iter().filter(|step| step.kind < 10);
            kept.for_each(|step| submit(&mut flow, &handles, step));
            flow.wait()?;
            let mut contents = Vec::new();
            for handle in handles {
                contents.push(flow.read::<u64>(handle)?.to_vec());
            }
            Ok::<_, FlowError>(contents)
        };
        let scratch = Some(PathBuf::from("/nonexistent folder"));
        let policies: Vec<usize> = programs.iter().map(|&(_, policy, _)| policy).collect();
        let machine = tight.machine(WorkerKind::Emulated);
        let workers = machine.workers.len();
        let policy = policy("dmdas").expect("a listed policy");
        let pool = Pool::new(ExecOptions { scratch, policy, seed, ..ExecOptions::on(machine) });
        let contexts = contexts(&pool, workers, &policies);
        let ends = side_by_side(&pool, &programs, &contexts, run, || {});
        for (end, (program, ..)) in ends.into_iter().zip(&programs) {
            let alone = Flow::new(Sequential::new(), FlowOptions::default());
            match end {
                Ok(contents) => prop_assert_eq!(contents, run(alone, program).expect("it ends")),
                Err(error) => prop_assert!(error.to_string().contains("scratch file"), "{}", error),
            }
        }
    }

    #[test]
    fn programs_side_by_side_end_as_alone(
        programs in prop::collection::vec((steps(40, true), prop_oneof![0..4usize, 0..POLICIES.len()], 1..64u64), 1..5),
        tight in tight(), hypervisor in prop::option::of(0..RESIZING.len()), seed in any::<u64>(),
        moves in prop::collection::vec((0..8usize, 0..4usize), 0..20),
    ) {
        let plain = |program: &[Step]| -> Vec<Step> {
            let mut steps = program.to_vec();
            steps.iter_mut().filter(|step| step.kind == 10).for_each(|step| step.kind = 3);
            steps
        };
        let programs: Vec<_> =
            programs.iter().map(|(program, p, window)| (plain(program), *p, *window)).collect();
        let expected: Vec<End> = programs
            .iter()
            .map(|(program, ..)| run(Sequential::new(), FlowOptions::default(), program).0)
            .collect();
        let policies: Vec<usize> = programs.iter().map(|&(_, policy, _)| policy).collect();
        let pool = pool(&tight, &policies, true, seed);
        let workers = tight.machine(WorkerKind::Emulated).workers.len();
        let contexts = contexts(&pool, workers, &policies);
        if let Some(number) = hypervisor {
            let options = HypervisorOptions {
                idle_limit: 1000, window: 3000, samples: 1, window_gain: 0.0,
                ..HypervisorOptions::default()
            };
            let policy = Some(&RESIZING[number]);
            pool.with_contexts(|contexts, _| {
                contexts.set_hypervisor(Hypervisor::new(policy, options, clock));
                Ok(())
            }).expect("a pool has contexts");
        }
        let ends = side_by_side(&pool, &programs, &contexts, run_flow, || {
            for &(worker, to) in &moves {
                // Worker 0 stays in all of them.
                let worker = WorkerId(worker % workers);
                if worker.0 > 0 {
                    let to = contexts.get(to % (contexts.len() + 1)).copied();
                    let moved = Move { from: None, to, workers: vec![worker] };
                    // A context that has ended takes none.
                    let _result = pool
                        .with_contexts(|contexts, view| contexts.move_workers(&moved, view));
                }
            }
        });
        for (((end, trace), expected), (program, ..)) in ends.iter().zip(&expected).zip(&programs) {
            prop_assert_eq!(end, expected);
            check_once(trace, program);
            check_order(trace, &tight.as_run(program));
        }
    }
}

#[test]
fn a_failure_in_one_flow_leaves_the_others_alone() {
    let tight = Tight::flat(2);
    let pool = pool(&tight, &[0, 2], false, 0);
    let contexts = contexts(&pool, 2, &[0, 2]);
    let bad: Vec<Step> = (0..50)
        .map(|number| {
            let mut step = Step::update(number % HANDLES, number as u64);
            step.mix.fails = number == 20;
            step
        })
        .collect();
    let good: Vec<Step> =
        (0..500).map(|number| Step::update(number % HANDLES, number as u64)).collect();
    let (expected, _) = run(Sequential::new(), FlowOptions::default(), &good);
    std::thread::scope(|scope| {
        let engines = contexts.iter().map(|&context| pool.engine("job", context).expect("made"));
        let [one, two] = <[_; 2]>::try_from(engines.collect::<Vec<_>>()).expect("two");
        let failing = scope.spawn(move || {
            let mut flow = Flow::new(one, FlowOptions::default());
            let handles: Vec<Handle> = (0..HANDLES).map(|_| flow.register(24)).collect();
            bad.iter().for_each(|step| submit(&mut flow, &handles, step));
            flow.wait().expect_err("a task fails").to_string()
        });
        let passing = scope.spawn(|| run_flow(Flow::new(two, FlowOptions::default()), &good));
        assert!(failing.join().expect("no panic").contains("told to fail"));
        assert_eq!(passing.join().expect("no panic").0, expected);
    });
    let jobs = pool.with_contexts(|contexts, _| Ok(contexts.jobs())).expect("a pool has contexts");
    assert!(jobs[1..].iter().all(|job| job.ended.is_some()), "{jobs:?}");
}

/// Numbers of tasks and handles come back, so that a pool outlives any number of flows.
#[test]
fn flows_come_and_go() {
    let pool = pool(&Tight::flat(2), &[2], false, 0);
    let context = contexts(&pool, 2, &[2])[0];
    let program: Vec<Step> =
        (0..10).map(|number| Step::update(number % 3, number as u64)).collect();
    let (expected, _) = run(Sequential::new(), FlowOptions::default(), &program);
    // The context is kept by a job that does not end before the last flow.
    let keeper = pool.engine("keeper", context).expect("made");
    for number in 0..16_500 {
        let engine = pool.engine("job", context).expect("made");
        let (end, _) = run_flow(Flow::new(engine, FlowOptions::default()), &program);
        assert_eq!(end, expected, "flow {number}");
    }
    drop(Flow::new(keeper, FlowOptions::default()));
}

/// A flow that goes on after others have ended is given their numbers, which may lie before its
/// own.
#[test]
fn numbers_of_a_flow_may_come_in_any_order() {
    let pool = pool(&Tight::flat(2), &[2, 2], false, 0);
    let contexts = contexts(&pool, 2, &[2, 2]);
    let engine = |context: usize| pool.engine("job", contexts[context]).expect("made");
    let keeper = engine(0);
    let whole = FlowOptions { window: u64::MAX, ..FlowOptions::default() };
    let mut first = Flow::new(engine(0), FlowOptions::default());
    let mut second = Flow::new(engine(1), whole);
    let submit_to = |flow: &mut Flow, handles: &[Handle], count: usize| {
        for number in 0..count {
            submit(flow, handles, &Step::update(number % handles.len(), number as u64));
        }
    };
    let few: Vec<Handle> = (0..HANDLES).map(|_| first.register(24)).collect();
    submit_to(&mut first, &few, 10);
    let many: Vec<Handle> = (0..1000).map(|_| second.register(24)).collect();
    submit_to(&mut second, &many, 1000);
    first.wait().expect("nothing fails");
    drop(first);
    let others: Vec<Handle> = (0..1000).map(|_| second.register(24)).collect();
    submit_to(&mut second, &others, 3000);
    submit_to(&mut second, &many, 3000);
    second.wait().expect("nothing fails");
    let mut alone = Flow::new(Sequential::new(), FlowOptions::default());
    let expected: Vec<Handle> = (0..1000).map(|_| alone.register(24)).collect();
    submit_to(&mut alone, &expected, 1000);
    submit_to(&mut alone, &expected, 3000);
    for (&handle, &expected) in many.iter().zip(&expected) {
        let found = second.read::<u64>(handle).expect("nothing fails").to_vec();
        assert_eq!(found, alone.read::<u64>(expected).expect("nothing fails"));
    }
    drop(Flow::new(keeper, FlowOptions::default()));
}

/// Two flows share a RAM and a disk that takes nothing: the large one, whose data do not fit, ends
/// with the disk's message, the small one as if it were alone.
#[test]
fn a_full_disk_ends_the_flow_that_fills_it() {
    const BYTES: usize = 4096;
    let program = |handles: usize, count: usize| -> Vec<(usize, u64)> {
        (0..count).map(|number| (number * 7 % handles, number as u64)).collect()
    };
    let run = |mut flow: Flow, handles: usize, program: &[(usize, u64)]| {
        let handles: Vec<Handle> = (0..handles).map(|_| flow.register(BYTES)).collect();
        for &(handle, seed) in program {
            flow.submit(
                Update(Mix { salt: seed, fails: false }),
                &[(handles[handle], Access::RW)],
                0,
            );
        }
        flow.wait()?;
        let mut contents = Vec::new();
        for handle in handles {
            contents.push(flow.read::<u64>(handle)?.to_vec());
        }
        Ok::<_, FlowError>(contents)
    };
    let (large, small) = (&program(64, 2000)[..], &program(4, 600)[..]);
    let alone = Flow::new(Sequential::new(), FlowOptions::default());
    let expected = run(alone, 4, small).expect("nothing fails");
    for (number, seed) in (0..POLICIES.len()).cycle().zip(0..150) {
        let mut machine = Machine::cores(3);
        machine.limit_ram(16 * BYTES as u64, 1e9, 1e9);
        let scratch = Some(PathBuf::from("/nonexistent folder"));
        let policy = &POLICIES[number];
        let pool = Pool::new(ExecOptions { scratch, policy, seed, ..ExecOptions::on(machine) });
        let context = |name: &str, workers: &[usize]| {
            let workers = workers.iter().map(|&worker| WorkerId(worker)).collect();
            let context = pool.add_context(ContextSpec::new(name, policy, workers));
            pool.engine(name, context.expect("there are such workers")).expect("it was made")
        };
        let run = |engine, handles, program: &[_]| {
            run(Flow::new(engine, FlowOptions::default()), handles, program)
        };
        let (one, two) = (context("large", &[0, 1]), context("small", &[2]));
        std::thread::scope(|scope| {
            let failing = scope.spawn(move || run(one, 64, large));
            let passing = scope.spawn(move || run(two, 4, small));
            let error = failing.join().expect("no panic").expect_err("it does not fit");
            assert!(error.to_string().contains("scratch file"), "{}: {error}", policy.name);
            let found = passing.join().expect("no panic");
            assert_eq!(found.expect(policy.name), expected, "{}, {seed}", policy.name);
        });
        // Others come after, and have the room to themselves.
        let found = run(context("later", &[0, 1, 2]), 4, small);
        assert_eq!(found.expect("it fits"), expected);
    }
}
