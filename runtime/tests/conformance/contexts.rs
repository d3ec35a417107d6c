//! Random programs in random contexts, whose workers are moved at random while tasks run: the
//! results of the sequential engine, and each task on a worker of its context.

use proptest::prelude::*;
use tegula_runtime::exec::{Exec, ExecOptions, Sequential};
use tegula_runtime::flow::{Flow, FlowOptions, Handle};
use tegula_runtime::platform::{Machine, WorkerKind, WorkerModel};
use tegula_runtime::sched::contexts::{ContextError, ContextSpec, JobSpec, Move, Start, Work};
use tegula_runtime::sched::hypervisor::{Hypervisor, HypervisorOptions, RESIZING};
use tegula_runtime::sched::{ContextId, JobId, POLICIES, Policy, WorkerId, policy};
use tegula_runtime::sim::{Sim, SimOptions};
use tegula_runtime::trace::{TaskRecord, Trace};

use crate::checks::{check_memories, check_once, check_order};
use crate::program::{End, HANDLES, Step, Tight, run, run_in, steps, submit, tight};

/// What is done between two steps of a program.
#[derive(Clone, Debug)]
struct Change {
    /// Before this step.
    before: usize,
    /// A worker, taken modulo those of the machine.
    worker: usize,
    /// Contexts, taken modulo those that there are.
    from: usize,
    to: usize,
}

/// Contexts for a program.
#[derive(Clone, Debug)]
struct Plan {
    /// For each context a policy, its workers as bits, its priority, and whether it is a team.
    contexts: Vec<(usize, u32, i32, bool)>,
    /// For each job its context, and the job after which it begins.
    jobs: Vec<(usize, Option<usize>)>,
    changes: Vec<Change>,
    hypervisor: Option<usize>,
    seed: u64,
}

fn plan() -> impl Strategy<Value = Plan> {
    // Half of them are of queues, which come first.
    let policy = prop_oneof![0..4usize, 0..POLICIES.len()];
    let context = (policy, any::<u32>(), -1..2i32, prop::bool::weighted(0.2));
    let change = (0..60usize, 0..8usize, 0..4usize, 0..4usize)
        .prop_map(|(before, worker, from, to)| Change { before, worker, from, to });
    let job = (0..4usize, prop::option::weighted(0.2, 0..4usize));
    (
        prop::collection::vec(context, 1..4),
        prop::collection::vec(job, 1..5),
        prop::collection::vec(change, 0..12),
        prop::option::of(0..RESIZING.len()),
        any::<u64>(),
    )
        .prop_map(|(contexts, jobs, changes, hypervisor, seed)| Plan {
            contexts,
            jobs,
            changes,
            hypervisor,
            seed,
        })
}

fn clock() -> u64 {
    0
}

/// Looks often, and moves on little.
fn nervous() -> HypervisorOptions {
    HypervisorOptions {
        watches: true,
        not_before: 0,
        idle_limit: 1000,
        window: 3000,
        samples: 1,
        speed_gap: 0.1,
        least_gain: 0.0,
        window_gain: 0.0,
        bounds_by_idleness: true,
    }
}

impl Plan {
    /// `program` as it may run: a task of a job that waits may have the turn of a group that
    /// commutes, and keep the others waiting.
    fn as_run(&self, program: &[Step]) -> Vec<Step> {
        let mut steps = program.to_vec();
        if self.jobs.iter().any(|job| job.1.is_some()) {
            let commuting = steps.iter_mut().filter(|step| (8..=10).contains(&step.kind));
            commuting.for_each(|step| step.kind = 3);
        }
        steps
    }

    /// Makes the contexts and jobs.
    fn make(&self, flow: &mut Flow, machine: &Machine) -> (Vec<ContextId>, Vec<JobId>) {
        let mut contexts = Vec::new();
        let workers = machine.workers.len();
        for (number, &(policy, bits, priority, is_team)) in self.contexts.iter().enumerate() {
            let mut own: Vec<WorkerId> =
                (0..workers).filter(|worker| bits >> worker & 1 == 1).map(WorkerId).collect();
            if own.is_empty() {
                own.push(WorkerId(number % workers));
            }
            // A core is in all of them, so that each can run everything.
            own.push(WorkerId(0));
            let name = format!("context {number}");
            let spec = if is_team {
                own.retain(|&worker| machine.kind(worker) == WorkerKind::Cpu);
                ContextSpec::team(&name, own)
            } else {
                ContextSpec::new(&name, &POLICIES[policy], own)
            };
            // Some are below the one before.
            let parent = contexts.last().copied().filter(|_| bits >> 9 & 3 == 0);
            let parent = parent.unwrap_or(ContextId::ROOT);
            let spec = ContextSpec { is_shared: true, priority, parent, seed: self.seed, ..spec };
            contexts.push(flow.add_context(spec).expect("there are such workers"));
        }
        if let Some(number) = self.hypervisor {
            let policy = Some(&RESIZING[number]);
            let hypervisor = Hypervisor::new(policy, nervous(), clock);
            flow.set_hypervisor(hypervisor).expect("there are contexts");
        }
        let mut jobs: Vec<JobId> = Vec::new();
        for (number, &(context, after)) in self.jobs.iter().enumerate() {
            let start = match after.filter(|&after| after < number) {
                Some(after) => Start::After(vec![jobs[after]]),
                None => Start::Now,
            };
            let spec = JobSpec {
                name: format!("job {number}"),
                context: contexts[context % contexts.len()],
                start,
                work: Work::default(),
            };
            jobs.push(flow.add_job(spec).expect("there is such a context"));
        }
        (contexts, jobs)
    }

    /// Moves a worker, as far as that is allowed; worker 0 stays.
    fn change(&self, flow: &mut Flow, contexts: &[ContextId], workers: usize, change: &Change) {
        let worker = WorkerId(change.worker % workers);
        if worker == WorkerId(0) {
            return;
        }
        let of = |number: usize| contexts.get(number % (contexts.len() + 1)).copied();
        let moved = Move { from: of(change.from), to: of(change.to), workers: vec![worker] };
        match flow.move_workers(&moved) {
            Ok(())
            | Err(
                ContextError::NotThere { .. }
                | ContextError::NoCore { .. }
                | ContextError::Starved { .. }
                | ContextError::Unknown(_),
            ) => {}
            Err(error) => panic!("{error}"),
        }
    }

    /// Runs `program` in `flow`, a step in each job in turn.
    fn run(&self, mut flow: Flow, program: &[Step], machine: &Machine) -> (End, Trace) {
        let handles: Vec<Handle> = (0..HANDLES).map(|_| flow.register(24)).collect();
        run_in(&mut flow, &handles, |flow| self.submit(flow, &handles, program, machine))
    }

    fn submit(&self, flow: &mut Flow, handles: &[Handle], program: &[Step], machine: &Machine) {
        let (contexts, jobs) = self.make(flow, machine);
        let workers = machine.workers.len();
        for (number, step) in program.iter().enumerate() {
            for change in self.changes.iter().filter(|change| change.before == number) {
                self.change(flow, &contexts, workers, change);
            }
            // Steps that wait for a later job would wait for ever, so that jobs that follow others
            // come after them.
            let job = number * jobs.len() / program.len().max(1);
            flow.within(jobs[job], |flow| submit(flow, handles, step));
        }
        for &job in &jobs {
            flow.close_job(job).expect("there is such a job");
        }
    }
}

/// Each task ran on a worker of its context, or on one that had just left it.
fn check_contexts(trace: &Trace) {
    let mut records: Vec<&TaskRecord> = trace.records.iter().collect();
    records.sort_unstable_by_key(|record| (record.start, record.end));
    for (place, record) in records.iter().enumerate() {
        let context = trace.contexts.of_job(record.job);
        if context == 0 {
            continue;
        }
        // The last time at which the worker was in the context, and the contexts that it was in
        // until then: theirs are the only tasks that may still come in between.
        let (mut own, mut left) = (vec![0], None);
        for resize in trace.contexts.resizes.iter().take_while(|r| r.time <= record.start) {
            let before = own.clone();
            for moved in resize.moved.iter().filter(|moved| moved.worker == record.worker) {
                own.retain(|&other| other == 0 || other != moved.left);
                own.push(moved.joined);
            }
            if before.contains(&context) && !own.contains(&context) {
                left = Some((resize.time, before));
            }
        }
        let is_late = |(time, before): &(u64, Vec<usize>)| {
            records[..place].iter().any(|other| {
                other.worker == record.worker
                    && other.start > *time
                    && !before.contains(&trace.contexts.of_job(other.job))
            })
        };
        assert!(
            own.contains(&context) || left.as_ref().is_some_and(|left| !is_late(left)),
            "{record:?} ran on a worker that is not in context {context}: {:?}",
            trace.contexts
        );
    }
}

fn machine(tight: &Tight) -> Machine {
    tight.machine(WorkerKind::Emulated)
}

/// The policy of all workers: one of queues, where all contexts have such.
fn of_all(plan: &Plan) -> &'static Policy {
    let is_queue =
        |&(policy, _, _, is_team): &(usize, u32, i32, bool)| is_team || !POLICIES[policy].plans();
    let name = if plan.contexts.iter().all(is_queue) { "lws" } else { "dmdas" };
    policy(name).expect("a listed policy")
}

fn exec(tight: &Tight, plan: &Plan) -> Exec {
    let options = ExecOptions::on(machine(tight));
    let (scratch, policy, seed) = (Some(std::env::temp_dir()), of_all(plan), plan.seed);
    Exec::new(ExecOptions { policy, seed, scratch, trace: true, contexts: true, ..options })
}

fn sim(tight: &Tight, plan: &Plan) -> Sim {
    let seed = plan.seed;
    let machine = machine(tight);
    let model = WorkerModel { gflops: 1.0, gbytes_per_second: 1.0, overhead_seconds: 0.0 };
    let models = vec![model; machine.classes.len()];
    let options = SimOptions::new(machine, models, of_all(plan));
    Sim::new(SimOptions { seed, noise: 0.1, contexts: true, ..options })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4 * crate::config().cases, ..crate::config() })]

    #[test]
    fn contexts_change_no_result(
        program in steps(60, false), tight in tight(), plan in plan(), window in 8..64u64,
    ) {
        let program = plan.as_run(&program);
        let (expected, _) = run(Sequential::new(), FlowOptions::default(), &program);
        // A job that waits for another must not fill the window before.
        let window = if plan.jobs.iter().any(|job| job.1.is_some()) { 1000 } else { window };
        let options = FlowOptions { window, ..FlowOptions::default() };
        let flow = Flow::new(exec(&tight, &plan), options);
        let (end, trace) = plan.run(flow, &program, &machine(&tight));
        prop_assert_eq!(&end, &expected);
        check_once(&trace, &program);
        check_order(&trace, &tight.as_run(&program));
        check_memories(&trace, &program);
        check_contexts(&trace);
    }

    #[test]
    fn failures_in_contexts_are_those_of_the_sequential_engine(
        program in steps(60, true), tight in tight(), plan in plan(),
    ) {
        let mut program = plan.as_run(&program);
        program.iter_mut().filter(|step| step.kind == 10).for_each(|step| step.kind = 3);
        let (expected, _) = run(Sequential::new(), FlowOptions::default(), &program);
        let flow = Flow::new(exec(&tight, &plan), FlowOptions::default());
        let (end, _) = plan.run(flow, &program, &machine(&tight));
        prop_assert_eq!(&end, &expected);
    }

    #[test]
    fn simulated_contexts_repeat(
        program in steps(100, false), tight in tight(), plan in plan(),
    ) {
        let program = plan.as_run(&program);
        let simulate = || {
            let mut flow = Flow::new(sim(&tight, &plan), FlowOptions::default());
            let handles: Vec<Handle> = (0..HANDLES).map(|_| flow.register(24)).collect();
            handles.iter().for_each(|&handle| flow.touch(handle));
            plan.submit(&mut flow, &handles, &program, &machine(&tight));
            flow.wait().expect("nothing fails");
            let jobs = flow.with_contexts(|contexts, _| Ok(contexts.jobs())).expect("there are");
            (flow.take_trace(), jobs)
        };
        let (trace, jobs) = simulate();
        check_once(&trace, &program);
        check_order(&trace, &tight.as_run(&program));
        check_memories(&trace, &program);
        check_contexts(&trace);
        for job in &jobs[1..] {
            prop_assert!(job.ended.is_some(), "{} has not ended", job.name);
        }
        let (again, _) = simulate();
        prop_assert_eq!(&trace.contexts, &again.contexts);
        prop_assert_eq!((trace.records, trace.transfers), (again.records, again.transfers));
    }
}

/// A flow of `workers` cores with contexts, in virtual time.
fn cores(workers: usize) -> Flow {
    let model = WorkerModel { gflops: 1.0, gbytes_per_second: 1.0, overhead_seconds: 0.0 };
    let policy = policy("lws").expect("a listed policy");
    let options = SimOptions::new(Machine::cores(workers), vec![model], policy);
    Flow::new(Sim::new(SimOptions { contexts: true, ..options }), FlowOptions::default())
}

fn job(context: ContextId) -> JobSpec {
    JobSpec { name: "job".to_owned(), context, start: Start::Now, work: Work::default() }
}

#[test]
fn a_context_without_workers_fails_its_tasks_and_leaves_the_others_alone() {
    let mut flow = cores(2);
    let lws = policy("lws").expect("a listed policy");
    let all = vec![WorkerId(0), WorkerId(1)];
    let full = flow.add_context(ContextSpec::new("full", lws, all)).expect("made");
    let empty = flow.add_context(ContextSpec::new("empty", lws, Vec::new())).expect("made");
    let handles: Vec<Handle> = (0..HANDLES).map(|_| flow.register(24)).collect();
    let (good, stuck) = (flow.add_job(job(full)), flow.add_job(job(empty)));
    let (good, stuck) = (good.expect("made"), stuck.expect("made"));
    flow.within(good, |flow| submit(flow, &handles, &Step::update(0, 1)));
    flow.within(stuck, |flow| submit(flow, &handles, &Step::update(1, 1)));
    let error = flow.wait().expect_err("nobody runs it").to_string();
    assert!(error.contains("context empty has no workers"), "{error}");
    assert_eq!(flow.take_trace().records.len(), 1, "the other one ran");
}

#[test]
fn workers_of_a_context_that_ends_go_where_work_is() {
    let mut flow = cores(4);
    let lws = policy("lws").expect("a listed policy");
    let of = |range: std::ops::Range<usize>| range.map(WorkerId).collect();
    let short = flow.add_context(ContextSpec::new("short", lws, of(0..2))).expect("made");
    let long = flow.add_context(ContextSpec::new("long", lws, of(2..4))).expect("made");
    let handles: Vec<Handle> = (0..40).map(|_| flow.register(24)).collect();
    let jobs = [flow.add_job(job(short)), flow.add_job(job(long))].map(|job| job.expect("made"));
    for (number, _) in handles.iter().enumerate() {
        let place = usize::from(number >= 4);
        let step = Step::update(number, 0);
        flow.within(jobs[place], |flow| submit(flow, &handles, &step));
    }
    jobs.iter().for_each(|&job| flow.close_job(job).expect("made"));
    flow.wait().expect("nothing fails");
    let trace = flow.take_trace();
    let counts = trace.contexts.worker_counts(4);
    assert!(counts.iter().any(|(_, of)| of[2] == 4), "all work for the long one: {counts:?}");
    let helped = trace.records.iter().filter(|record| record.job == 2 && record.worker < 2);
    assert!(helped.count() > 10);
    // 40 tasks of 6 microseconds on 4 cores.
    assert_eq!(trace.makespan(), 60_000);
}

#[test]
fn a_job_begins_at_its_time_or_after_another() {
    let mut flow = cores(2);
    let lws = policy("lws").expect("a listed policy");
    let context = ContextSpec::new("all of it", lws, vec![WorkerId(0), WorkerId(1)]);
    let context = flow.add_context(context).expect("made");
    let handles: Vec<Handle> = (0..HANDLES).map(|_| flow.register(24)).collect();
    let late = JobSpec { start: Start::At(1_000_000), ..job(context) };
    let late = flow.add_job(late).expect("made");
    let last = JobSpec { start: Start::After(vec![late]), ..job(context) };
    let last = flow.add_job(last).expect("made");
    flow.within(last, |flow| submit(flow, &handles, &Step::update(0, 0)));
    flow.within(late, |flow| submit(flow, &handles, &Step::update(1, 0)));
    flow.close_job(late).expect("made");
    flow.close_job(last).expect("made");
    flow.wait().expect("nothing fails");
    let jobs = flow.with_contexts(|contexts, _| Ok(contexts.jobs())).expect("there are");
    assert_eq!(jobs[1].began, Some(1_000_000));
    assert_eq!(jobs[2].began, jobs[1].ended);
    assert!(jobs[1].ended > jobs[1].began && jobs[2].ended > jobs[2].began);
}

#[test]
fn changes_that_cannot_be_are_refused() {
    let mut flow = cores(2);
    let lws = policy("lws").expect("a listed policy");
    let context = flow.add_context(ContextSpec::new("own", lws, vec![WorkerId(1)])).expect("made");
    let refused = |flow: &mut Flow, change: Move| {
        flow.move_workers(&change).expect_err("it cannot be").to_string()
    };
    let unknown = Move { from: None, to: Some(ContextId(7)), workers: vec![WorkerId(0)] };
    assert!(refused(&mut flow, unknown).contains("no context 7"));
    let absent = Move { from: Some(context), to: None, workers: vec![WorkerId(0)] };
    assert!(refused(&mut flow, absent).contains("worker 0 is not in context own"));
    let none = Move { from: None, to: Some(context), workers: vec![WorkerId(2)] };
    assert!(refused(&mut flow, none).contains("no worker 2"));
    let root = Move { from: Some(ContextId::ROOT), to: Some(context), workers: Vec::new() };
    assert!(refused(&mut flow, root).contains("keeps them"));
    let mut plain = Flow::new(Exec::with_workers(1), FlowOptions::default());
    let error = plain.add_context(ContextSpec::new("none", lws, Vec::new()));
    assert_eq!(error, Err(ContextError::Off));
}
