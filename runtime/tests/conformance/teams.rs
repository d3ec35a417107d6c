//! Parallel tasks: a task of a team has all workers of its context to itself.

use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::prelude::*;
use tegula_runtime::exec::{Exec, ExecOptions, Team};
use tegula_runtime::flow::{Access, Buffers, Codelet, Cost, Failure, Flow, FlowOptions};
use tegula_runtime::platform::{Machine, WorkerModel};
use tegula_runtime::sched::contexts::{ContextError, ContextSpec, JobSpec, Move, Start, Work};
use tegula_runtime::sched::{ContextId, JobId, WorkerId, policy};
use tegula_runtime::sim::{Sim, SimOptions};

const WORKERS: usize = 4;

/// Counts the workers that are busy while it runs, its team included, and works on all of them.
#[derive(Clone, Copy)]
struct Gathering {
    busy: &'static AtomicUsize,
    most: &'static AtomicUsize,
    nanoseconds: u64,
}

impl Gathering {
    fn new(nanoseconds: u64) -> Self {
        let counter = || &*Box::leak(Box::new(AtomicUsize::new(0)));
        Self { busy: counter(), most: counter(), nanoseconds }
    }
}

impl Codelet for Gathering {
    const NAME: &'static str = "gathering";
    const ACCESS: &'static [Access] = &[Access::RW];
    fn cost(&self) -> Cost {
        Cost { flops: self.nanoseconds as f64, bytes: 0.0 }
    }
    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let team = Team::current();
        let busy = self.busy.fetch_add(team.size(), Ordering::SeqCst) + team.size();
        self.most.fetch_max(busy, Ordering::SeqCst);
        let parts = team.run(|member| {
            let start = std::time::Instant::now();
            while (start.elapsed().as_nanos() as u64) < self.nanoseconds {
                std::hint::spin_loop();
            }
            member + 1
        });
        buffers.write::<u64>(0)[0] += parts.len() as u64;
        self.busy.fetch_sub(team.size(), Ordering::SeqCst);
        Ok(())
    }
}

fn workers(numbers: &[usize]) -> Vec<WorkerId> {
    numbers.iter().copied().map(WorkerId).collect()
}

fn job(context: ContextId) -> JobSpec {
    JobSpec { name: "job".to_owned(), context, start: Start::Now, work: Work::default() }
}

fn real() -> Flow {
    let options = ExecOptions { contexts: true, bind: false, ..ExecOptions::new(WORKERS) };
    Flow::new(Exec::new(options), FlowOptions::default())
}

fn simulated() -> Flow {
    let model = WorkerModel { gflops: 1.0, gbytes_per_second: 1.0, overhead_seconds: 0.0 };
    let lws = policy("lws").expect("a listed policy");
    let options = SimOptions::new(Machine::cores(WORKERS), vec![model], lws);
    Flow::new(Sim::new(SimOptions { contexts: true, ..options }), FlowOptions::default())
}

#[test]
fn a_task_has_all_cores_of_its_context() {
    let mut flow = real();
    let team = flow.add_context(ContextSpec::team("team", workers(&[1, 2, 3]))).expect("made");
    let job = flow.add_job(job(team)).expect("made");
    let (handle, gathering) = (flow.register_from(&[0u64]), Gathering::new(1000));
    flow.within(job, |flow| {
        (0..10).for_each(|_| flow.submit(gathering, &[(handle, Access::RW)], 0));
    });
    flow.submit(gathering, &[(handle, Access::RW)], 0);
    assert_eq!(flow.read::<u64>(handle).expect("nothing fails"), [31]);
}

#[test]
fn simulated_teams_are_as_much_faster_as_they_are_large() {
    let seconds = |members: &[usize]| {
        let mut flow = simulated();
        let team = flow.add_context(ContextSpec::team("team", workers(members))).expect("made");
        let job = flow.add_job(job(team)).expect("made");
        flow.within(job, |flow| {
            for _ in 0..5 {
                let handle = flow.register(8);
                flow.submit(Gathering::new(6_000), &[(handle, Access::RW)], 0);
            }
        });
        flow.wait().expect("nothing fails");
        flow.take_trace().records.iter().map(|record| record.end).max().expect("five tasks")
    };
    assert_eq!([seconds(&[2]), seconds(&[0, 3]), seconds(&[1, 2, 3])], [30_000, 15_000, 10_000]);
}

/// Nobody else works on a core of a team while that has a task, the context of all workers
/// included; and tasks of others do not keep a team waiting for ever.
#[test]
fn simulated_teams_have_their_workers_alone() {
    let mut flow = simulated();
    let team = flow.add_context(ContextSpec::team("team", workers(&[0, 1]))).expect("made");
    let jobs = [job(team), job(ContextId::ROOT)].map(|job| flow.add_job(job).expect("made"));
    for number in 0..20u64 {
        let own = flow.register(8);
        let gathering = Gathering::new(1000 + 100 * (number % 3));
        flow.within(jobs[(number % 2) as usize], |flow| {
            flow.submit(gathering, &[(own, Access::RW)], 0);
        });
    }
    flow.wait().expect("nothing fails");
    let records = flow.take_trace().records;
    assert_eq!(records.len(), 20);
    for record in records.iter().filter(|record| record.job == jobs[0].0) {
        assert_eq!(record.worker, 0, "the first worker is the master");
        let meets = |other: &&tegula_runtime::trace::TaskRecord| {
            other.worker < 2 && other.start < record.end && record.start < other.end
        };
        let met: Vec<_> = records.iter().filter(meets).collect();
        assert_eq!(met.len(), 1, "{record:?} is not alone: {met:?}");
    }
}

#[test]
fn what_is_no_team_is_refused() {
    let mut flow = real();
    let dmda = policy("dmda").expect("a listed policy");
    let spec = ContextSpec { policy: dmda, ..ContextSpec::team("team", workers(&[0])) };
    let error = flow.add_context(spec).expect_err("it chooses workers");
    assert_eq!(error, ContextError::TeamPlans { policy: "dmda" });
    assert!(error.to_string().contains("a team is one"), "{error}");
}

/// What a random program does.
#[derive(Clone, Debug)]
enum Step {
    /// Submits a task of this job, on this handle.
    Submit(usize, usize),
    /// Moves a worker from one context to another.
    Move(usize, usize, usize),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0..4usize, 0..6usize).prop_map(|(job, handle)| Step::Submit(job, handle)),
        1 => (1..WORKERS, 0..3usize, 0..3usize).prop_map(|(w, from, to)| Step::Move(w, from, to)),
    ]
}

/// Runs `steps` in two teams and a context, which may share workers, and in that of all.
fn run(
    mut flow: Flow,
    steps: &[Step],
    (bits, priorities): (&[u32], &[i32]),
    gathering: Gathering,
) -> Vec<u64> {
    let lws = policy("lws").expect("a listed policy");
    let mut contexts: Vec<ContextId> = Vec::new();
    for (number, (&bits, &priority)) in bits.iter().zip(priorities).enumerate() {
        let own = (0..WORKERS).filter(|worker| bits >> worker & 1 == 1 || *worker == 0);
        let own: Vec<usize> = own.collect();
        let spec = match number {
            2 => ContextSpec::new("context", lws, workers(&own)),
            _ => ContextSpec::team(&format!("team {number}"), workers(&own)),
        };
        let spec = ContextSpec { is_shared: true, priority, ..spec };
        contexts.push(flow.add_context(spec).expect("made"));
    }
    let all = contexts.iter().copied().chain([ContextId::ROOT]);
    let jobs: Vec<JobId> = all.map(|context| flow.add_job(job(context)).expect("made")).collect();
    let handles: Vec<_> = (0..6).map(|_| flow.register_from(&[0u64])).collect();
    for step in steps {
        match *step {
            Step::Submit(job, handle) => flow.within(jobs[job], |flow| {
                flow.submit(gathering, &[(handles[handle], Access::RW)], 0);
            }),
            Step::Move(worker, from, to) => {
                let (from, to) = (Some(contexts[from]), Some(contexts[to]));
                // A worker may be elsewhere.
                let _moved = flow.move_workers(&Move { from, to, workers: workers(&[worker]) });
            }
        }
    }
    for &job in &jobs {
        flow.close_job(job).expect("there is such a job");
    }
    flow.wait().expect("nothing fails");
    handles.iter().map(|&handle| flow.read::<u64>(handle).expect("it is whole")[0]).collect()
}

proptest! {
    #![proptest_config(crate::config())]

    #[test]
    fn no_core_has_two_busy_threads(
        steps in prop::collection::vec(step(), 1..60),
        bits in prop::collection::vec(any::<u32>(), 3),
        priorities in prop::collection::vec(-1..2i32, 3),
    ) {
        let gathering = Gathering::new(2000);
        let counts = run(real(), &steps, (&bits, &priorities), gathering);
        let most = gathering.most.load(Ordering::SeqCst);
        prop_assert!(most <= WORKERS, "{most} busy threads of {WORKERS} workers");
        let submitted = |handle: usize| {
            steps.iter().filter(|step| matches!(step, Step::Submit(_, at) if *at == handle)).count()
        };
        for (handle, &count) in counts.iter().enumerate() {
            // A task of a team counts its workers.
            let tasks = submitted(handle) as u64;
            prop_assert!((tasks..=WORKERS as u64 * tasks).contains(&count), "{handle}: {count}");
        }
        run(simulated(), &steps, (&bits, &priorities), gathering);
    }
}
