//! The simulated engine: the same graph, policies and planner of transfers as [`crate::exec`], in
//! virtual time.
//!
//! No kernel runs and no byte moves: a task takes the time that a model says, a transfer what its
//! share of the links allows. The outcome is deterministic, to the last record. Submission and
//! decisions take no time.

mod census;
mod network;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

pub use census::{Census, Contents};
use network::{Landed, Network};

use crate::dispatch::{Action, Dispatcher};
use crate::flow::{Engine, FlowError, FlowSpace, ReadyTasks, Running, Space};
use crate::memory::Operation;
use crate::platform::{Durations, Machine};
use crate::random::SplitMix64;
use crate::sched::{EvictionPolicy, HandleId, Policy, PolicyOptions, TaskId, WorkerId, eviction};
use crate::trace::{Gauge, Outcome, Records, Sample, Site, TaskRecord, Totals};

/// What is simulated.
#[derive(Clone)]
pub struct SimOptions {
    /// The machine.
    pub machine: Arc<Machine>,
    /// How long tasks take, and how long policies expect them to take.
    pub durations: Arc<dyn Durations>,
    /// Who runs what.
    pub policy: &'static Policy,
    /// What leaves a memory that is full.
    pub eviction: &'static EvictionPolicy,
    /// For policies that draw at random, and for noise.
    pub seed: u64,
    /// Coefficient of variation of task times around the model; 0: none.
    pub noise: f64,
    /// Records every task and transfer.
    pub trace: bool,
}

impl std::fmt::Debug for SimOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SimOptions").field("policy", &self.policy).finish_non_exhaustive()
    }
}

impl SimOptions {
    /// `policy` on `machine` with the eviction policy that suits it, recorded, without noise.
    ///
    /// # Panics
    /// If the policy names an eviction policy that is not listed.
    #[must_use]
    pub fn new(
        machine: Machine,
        durations: impl Durations + 'static,
        policy: &'static Policy,
    ) -> Self {
        Self {
            machine: Arc::new(machine),
            durations: Arc::new(durations),
            policy,
            eviction: eviction(policy.eviction).expect("a policy names a listed eviction policy"),
            seed: 0,
            noise: 0.0,
            trace: true,
        }
    }
}

/// The simulated engine.
pub struct Sim {
    dispatcher: Dispatcher,
    network: Network,
    space: Option<Arc<Space>>,
    clock: u64,
    /// Ends of running tasks: time, order of their starts, worker, task.
    running: BinaryHeap<Reverse<(u64, u64, usize, u32)>>,
    starts: u64,
    noise: Option<(f64, SplitMix64)>,
    is_recording: bool,
    /// The first task that fits no memory, in time.
    failure: Option<FlowError>,
    records: Records,
    totals: Totals,
    actions: Vec<Action>,
    landed: Vec<Landed>,
    ready: Vec<u32>,
    batch: Vec<TaskId>,
    discards: Vec<u32>,
}

impl std::fmt::Debug for Sim {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sim").field("clock", &self.clock).finish_non_exhaustive()
    }
}

impl Sim {
    /// A simulation.
    ///
    /// # Panics
    /// If the parts of the machine do not fit together.
    #[must_use]
    pub fn new(options: SimOptions) -> Self {
        let SimOptions { mut machine, durations, policy, eviction, seed, noise, trace } = options;
        // A simulated worker is given its next task the moment that the last one ends.
        if machine.workers.iter().any(|worker| worker.slots > 1) {
            Arc::make_mut(&mut machine).workers.iter_mut().for_each(|worker| worker.slots = 1);
        }
        let (workers, memories) = (machine.workers.len(), machine.memories.len());
        let scheduler = policy.scheduler(&PolicyOptions { workers, seed });
        Self {
            network: Network::new(&machine),
            dispatcher: Dispatcher::new(machine, scheduler, eviction, durations),
            space: None,
            clock: 0,
            running: BinaryHeap::new(),
            starts: 0,
            noise: (noise > 0.0).then(|| (noise, SplitMix64::new(seed ^ 0x5eed))),
            is_recording: trace,
            failure: None,
            records: Records::default(),
            totals: Totals::new(workers, memories),
            actions: Vec::new(),
            landed: Vec::new(),
            ready: Vec::new(),
            batch: Vec::new(),
            discards: Vec::new(),
        }
    }

    /// Hands tasks over that the graph has made ready; `tasks` is empty afterwards. Those that no
    /// worker can run end here.
    fn hand_over(&mut self, space: &Space, tasks: &mut Vec<u32>, by: Option<WorkerId>) {
        self.forget_discarded(space);
        let Self { dispatcher, failure, batch, .. } = self;
        space.take_in(tasks, by.map_or(0, |worker| worker.0), |task| {
            if let Err(no_place) = dispatcher.take_in(space, task, &|_| true) {
                let data = space.task(task);
                failure.get_or_insert_with(|| FlowError::Task {
                    codelet: data.info.name,
                    task: data.index,
                    source: Arc::new(no_place),
                });
                return false;
            }
            batch.push(TaskId(task));
            true
        });
        if !self.batch.is_empty() {
            self.dispatcher.ready(&self.batch, by);
            self.batch.clear();
        }
    }

    fn forget_discarded(&mut self, space: &Space) {
        space.handles.take_discards(&mut self.discards);
        for handle in self.discards.drain(..) {
            self.dispatcher.planner_mut().discard(HandleId(handle));
        }
    }

    /// Does what can be done at this time.
    fn act(&mut self, space: &Space) {
        let mut actions = std::mem::take(&mut self.actions);
        self.dispatcher.pump(&mut actions);
        for action in actions.drain(..) {
            match action {
                Action::Start { task, worker } => self.start(space, task, worker),
                Action::Move(operation) => self.perform(operation),
            }
        }
        self.actions = actions;
        if self.is_recording {
            self.sample(Gauge::Ready, self.dispatcher.backlog() as u64);
        }
    }

    fn perform(&mut self, operation: Operation) {
        match operation {
            Operation::Copy(transfer) => self.network.send(transfer, self.clock),
            Operation::Hurry { handle, dst } => self.network.hurry(handle, dst),
            Operation::Allocate { memory, .. } | Operation::Free { memory, .. } => {
                if self.is_recording && !self.is_flat() {
                    let bytes = self.dispatcher.planner().occupied(memory);
                    self.sample(Gauge::Memory(memory.0), bytes);
                }
            }
            Operation::Zero { .. } => {}
        }
    }

    fn sample(&mut self, gauge: Gauge, value: u64) {
        Sample::push(&mut self.records.samples, Sample { time: self.clock, gauge, value });
    }

    fn start(&mut self, space: &Space, task: TaskId, worker: WorkerId) {
        let expected = self.dispatcher.predict(task, worker).expect("it was committed there");
        let time = self.noise.as_mut().map_or(expected, |(noise, random)| {
            // Log-normal with mean 1.
            let variance = (1.0 + *noise * *noise).ln();
            let factor = (variance.sqrt() * random.normal() - 0.5 * variance).exp();
            ((expected as f64 * factor) as u64).max(1)
        });
        let end = self.clock + time;
        if self.is_recording {
            let record = TaskRecord::new(space, task.0, worker.0, Outcome::Done);
            self.records.tasks.push(TaskRecord { start: self.clock, end, ..record });
        }
        self.totals.count_task(worker.0, time, end);
        self.running.push(Reverse((end, self.starts, worker.0, task.0)));
        self.starts += 1;
    }

    /// Goes on to the next time at which something ends, and ends all that ends then.
    fn step(&mut self, space: &Space) {
        let task_end = self.running.peek().map_or(u64::MAX, |Reverse((end, ..))| *end);
        let time = task_end.min(self.network.next());
        assert!(
            time < u64::MAX,
            "nothing runs or moves, and tasks are left: the policy keeps {} back",
            self.dispatcher.backlog()
        );
        self.clock = time;
        self.dispatcher.set_time(time);
        if self.network.next() == time {
            self.land();
        }
        while let Some(&Reverse((end, _, worker, task))) = self.running.peek() {
            if end > time {
                break;
            }
            self.running.pop();
            self.end(space, worker, task);
        }
    }

    fn end(&mut self, space: &Space, worker: usize, task: u32) {
        self.dispatcher.finished(TaskId(task), WorkerId(worker));
        let mut ready = std::mem::take(&mut self.ready);
        // A task that was handed a gate has the others still to enter.
        space.finish(task, worker, &mut ready);
        self.hand_over(space, &mut ready, Some(WorkerId(worker)));
        self.ready = ready;
    }

    fn land(&mut self) {
        let mut landed = std::mem::take(&mut self.landed);
        self.network.advance(self.clock, &mut landed);
        for Landed { transfer, start } in landed.drain(..) {
            let record = transfer.record(start, self.clock);
            self.dispatcher.arrived(transfer.handle, transfer.src, transfer.dst);
            self.totals.count_transfer(&record);
            if self.is_recording {
                self.records.transfers.push(record);
            }
        }
        self.landed = landed;
    }
}

impl Engine for Sim {
    fn workers(&self) -> usize {
        self.totals.busy.len()
    }

    fn start(mut self: Box<Self>, space: FlowSpace) -> Box<dyn Running> {
        space.0.handles.note_discards();
        if self.is_recording {
            space.0.record();
        }
        self.space = Some(space.0);
        self
    }
}

impl Running for Sim {
    fn ready(&mut self, tasks: ReadyTasks<'_>) {
        let Some(space) = self.space.clone() else { return };
        let mut ready = std::mem::take(&mut self.ready);
        ready.extend_from_slice(tasks.0);
        self.hand_over(&space, &mut ready, None);
        self.ready = ready;
    }

    fn advance(&mut self, submitted: u64, unfinished: u64) {
        let Some(space) = self.space.clone() else { return };
        while submitted - space.completed() > unfinished {
            self.act(&space);
            self.step(&space);
        }
        // Nothing is under way when a flow is at rest: handles may be given other sizes.
        while unfinished == 0 && self.network.next() < u64::MAX {
            self.clock = self.network.next();
            self.dispatcher.set_time(self.clock);
            self.land();
            self.act(&space);
        }
    }

    fn take_failure(&mut self) -> Option<FlowError> {
        self.failure.take()
    }

    fn failure(&self, _mark: u64) -> Option<FlowError> {
        None
    }

    fn take_records(&mut self) -> Records {
        std::mem::take(&mut self.records)
    }

    fn site(&self) -> Site {
        self.dispatcher.machine().site()
    }

    fn touch(&mut self, handle: u32) {
        let Some(space) = self.space.clone() else { return };
        self.forget_discarded(&space);
        self.dispatcher.place(&space, HandleId(handle));
    }

    fn unregistered(&mut self) {
        let Some(space) = self.space.clone() else { return };
        self.forget_discarded(&space);
        self.act(&space);
    }

    fn has_private_copies(&self) -> bool {
        self.dispatcher.machine().is_flat()
    }

    fn is_flat(&self) -> bool {
        self.dispatcher.machine().is_flat()
    }

    fn totals(&self) -> Option<Totals> {
        let waited = self.dispatcher.waited().collect();
        Some(Totals { waited, ..self.totals.clone() })
    }
}
