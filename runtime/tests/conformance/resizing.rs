//! A resizing policy of the program's own: what it is told, and what it has done.

use std::sync::{Arc, Mutex};

use tegula_runtime::exec::{Exec, ExecOptions};
use tegula_runtime::flow::{Flow, FlowOptions, Handle};
use tegula_runtime::platform::{Machine, WorkerModel};
use tegula_runtime::sched::contexts::{ContextSpec, JobSpec, Start, Work};
use tegula_runtime::sched::hypervisor::{
    Choice, Hypervisor, HypervisorOptions, Notice, Outlook, Resizing, Trigger,
};
use tegula_runtime::sched::{ContextId, WorkerId, policy};
use tegula_runtime::sim::{Sim, SimOptions};
use tegula_runtime::trace::Trace;

use crate::program::{Step, submit};

/// Tasks of each context.
const TASKS: usize = 60;
/// Tasks of the first context after which the policy wants to choose.
const EARLY: usize = 10;

/// What the policy was told, by context where it is of one.
#[derive(Clone, Debug, Default, PartialEq)]
struct Told {
    ready: [usize; 3],
    given: [usize; 3],
    done: [usize; 3],
    idle: usize,
    ended: Vec<ContextId>,
    /// What it was asked for.
    triggers: Vec<Trigger>,
}

/// Has all workers but one in context 2 once some tasks of context 1 are done.
struct Custom(Arc<Mutex<Told>>);

impl Resizing for Custom {
    fn choose(&mut self, outlook: &Outlook) -> Option<Choice> {
        self.0.lock().expect("nobody panics").triggers.push(outlook.trigger);
        let all: usize = outlook.workers.iter().sum();
        let place =
            |number| outlook.contexts.iter().position(|own| own.context == ContextId(number));
        let (first, second) = (place(1)?, place(2)?);
        if outlook.trigger != Trigger::Policy {
            return None;
        }
        let mut workers = vec![vec![0]; outlook.contexts.len()];
        (workers[first][0], workers[second][0]) = (1, all - 1);
        Some(Choice { workers, seconds: (1.0, 1.0) })
    }

    fn notice(&mut self, what: Notice) -> bool {
        let mut told = self.0.lock().expect("nobody panics");
        let place = |context: ContextId| usize::from(context.0);
        match what {
            Notice::Ready { context, tasks } => told.ready[place(context)] += tasks,
            Notice::Given { context, tasks, worker } => {
                assert!(worker.0 < 4);
                told.given[place(context)] += tasks;
            }
            Notice::Done { context, flops, .. } => {
                assert!(flops >= 0.0);
                told.done[place(context)] += 1;
                assert!(told.done[place(context)] <= told.given[place(context)]);
                return context == ContextId(1) && told.done[1] == EARLY;
            }
            Notice::Idle { .. } => told.idle += 1,
            Notice::Ended { context } => told.ended.push(context),
        }
        false
    }
}

/// Runs two contexts of two workers each.
fn run(mut flow: Flow) -> (Told, Trace) {
    let told = Arc::new(Mutex::new(Told::default()));
    let options = HypervisorOptions { watches: false, ..HypervisorOptions::default() };
    let custom = Box::new(Custom(told.clone()));
    flow.set_hypervisor(Hypervisor::custom("custom", Some(custom), options, || 0)).expect("made");
    let lws = policy("lws").expect("a listed policy");
    let jobs = [0..2, 2..4].map(|workers| {
        let own = workers.map(WorkerId).collect();
        let context = flow.add_context(ContextSpec::new("half", lws, own)).expect("made");
        let (name, start, work) = ("job".to_owned(), Start::Now, Work::default());
        flow.add_job(JobSpec { name, context, start, work }).expect("made")
    });
    let handles: Vec<Handle> = (0..2 * TASKS).map(|_| flow.register(24)).collect();
    for number in 0..2 * TASKS {
        flow.within(jobs[number % 2], |flow| submit(flow, &handles, &Step::update(number, 0)));
    }
    jobs.iter().for_each(|&job| flow.close_job(job).expect("made"));
    flow.wait().expect("nothing fails");
    let trace = flow.take_trace();
    drop(flow);
    let told = told.lock().expect("nobody panics").clone();
    (told, trace)
}

/// Everything was told once; the policy was obeyed, if both contexts were there when it chose: of
/// a real engine's one may have ended before.
fn check((told, trace): (Told, Trace), is_real: bool) {
    let all = [0, TASKS, TASKS];
    assert_eq!((told.ready, told.given, told.done), (all, all, all));
    assert!(told.idle > 0);
    let mut ended = told.ended;
    ended.sort_unstable();
    assert_eq!(ended, [ContextId(1), ContextId(2)]);
    let asked = told.triggers.iter().filter(|&&trigger| trigger == Trigger::Policy).count();
    if is_real && asked == 0 {
        return;
    }
    assert_eq!(asked, 1, "{:?}", told.triggers);
    let resize = trace.contexts.resizes.iter().find(|resize| resize.trigger == "policy");
    let resize = resize.expect("a worker moved");
    let moved = &resize.moved;
    assert_eq!((moved.len(), moved[0].left, moved[0].joined), (1, 1, 2), "{moved:?}");
}

#[test]
fn a_policy_of_the_program_is_told_and_obeyed() {
    let lws = policy("lws").expect("a listed policy");
    for seed in 0..crate::config().cases as u64 / 8 {
        let options = ExecOptions::on(Machine::cores(4));
        let options = ExecOptions { policy: lws, seed, trace: true, contexts: true, ..options };
        check(run(Flow::new(Exec::new(options), FlowOptions::default())), true);
    }
    let model = WorkerModel { gflops: 1.0, gbytes_per_second: 1.0, overhead_seconds: 0.0 };
    let options = SimOptions::new(Machine::cores(4), vec![model], lws);
    let simulated = Sim::new(SimOptions { contexts: true, ..options });
    check(run(Flow::new(simulated, FlowOptions::default())), false);
}
