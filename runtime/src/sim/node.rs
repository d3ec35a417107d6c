//! One node in virtual time: a dispatcher, workers that run what it says, and transfers between
//! their memories.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::error::Error;
use std::sync::Arc;

use super::SimOptions;
use super::allocations::Allocations;
use super::costs::{Decider, Submission};
use super::network::{Landed, Network};
use crate::dispatch::{Action, Dispatcher, Operation};
use crate::flow::{FirstFailure, FlowError, Space};
use crate::platform::WorkerKind;
use crate::random::SplitMix64;
use crate::sched::contexts::Contexts;
use crate::sched::{PolicyOptions, Scheduler};
use crate::trace::{Gauge, Outcome, Records, Sample, TaskRecord, Totals};
use crate::types::{HandleId, TaskId, WorkerId};

pub(super) struct Node {
    pub(super) dispatcher: Dispatcher,
    network: Network,
    clock: u64,
    /// Whether something has happened since it last [acted](Self::act).
    is_stirred: bool,
    /// Ends of running tasks: time, order of their starts, worker, task.
    running: BinaryHeap<Reverse<(u64, u64, usize, u32)>>,
    starts: u64,
    /// Work beside tasks that cores have still to do.
    chores: u64,
    noise: Option<(f64, SplitMix64)>,
    is_recording: bool,
    /// Of the tasks that fit no memory, and the messages, the first of the program.
    failure: Option<(u64, FlowError)>,
    records: Records,
    totals: Totals,
    actions: Vec<Action>,
    landed: Vec<Landed>,
    ready: Vec<u32>,
    batch: Vec<TaskId>,
    discards: Vec<u32>,
    /// The buffers, if they are counted.
    pub(super) buffers: Option<Allocations>,
    decider: Decider,
    submission: Submission,
    /// Nanoseconds for each byte of memory that is new.
    new_byte: f64,
}

impl Node {
    /// A node whose workers are all idle.
    ///
    /// # Panics
    /// If the parts of the machine do not fit together.
    pub(super) fn new(options: SimOptions) -> Self {
        let SimOptions {
            mut machine,
            durations,
            policy,
            eviction,
            seed,
            noise,
            trace,
            contexts,
            order,
            costs,
        } = options;
        // A simulated worker is given its next task the moment that the last one ends.
        if machine.workers.iter().any(|worker| worker.slots > 1) {
            Arc::make_mut(&mut machine).workers.iter_mut().for_each(|worker| worker.slots = 1);
        }
        let (workers, memories) = (machine.workers.len(), machine.memories.len());
        let scheduler: Box<dyn Scheduler> = match contexts {
            true => Box::new(Contexts::new(machine.clone(), policy, seed)),
            false => policy.scheduler(&PolicyOptions { workers, seed, order }),
        };
        Self {
            network: Network::new(&machine),
            dispatcher: Dispatcher::new(machine, scheduler, eviction, durations),
            clock: 0,
            is_stirred: true,
            running: BinaryHeap::new(),
            starts: 0,
            chores: 0,
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
            buffers: costs.new_bytes_per_second.map(|_| Allocations::default()),
            decider: Decider::new(costs.deciding),
            submission: Submission::new(costs.submission_seconds),
            new_byte: costs.new_bytes_per_second.map_or(0.0, |rate| 1e9 / rate),
        }
    }

    /// Begins to work on the tasks of `space`.
    pub(super) fn begin(&self, space: &Space) {
        space.handles.note_discards();
        if self.is_recording {
            space.record();
        }
    }

    /// Its time, in nanoseconds.
    pub(super) fn clock(&self) -> u64 {
        self.clock
    }

    /// When something ends next; `u64::MAX` if nothing is under way.
    pub(super) fn next(&mut self) -> u64 {
        let task_end = self.running.peek().map_or(u64::MAX, |Reverse((end, ..))| *end);
        let wake = self.dispatcher.wakes_at().map_or(u64::MAX, |time| time.max(self.clock + 1));
        let ordered = self.decider.next().min(self.submission.next());
        task_end.min(self.network.next()).min(wake).min(ordered)
    }

    /// Ends the tasks that wait for workers which nothing under way can give them; says whether
    /// there were any.
    pub(super) fn refuse_stuck(&mut self, space: &Space) -> bool {
        let mut stuck = Vec::new();
        let Some(why) = self.dispatcher.take_stuck(&mut stuck) else { return false };
        for task in stuck {
            let data = space.task(task.0);
            keep_first(&mut self.failure, data.index, data.info.name, why.clone());
            self.dispatcher.skipped(space.job(task.0));
            let mut ready = std::mem::take(&mut self.ready);
            space.finish(task.0, 0, &mut ready);
            self.hand_over(space, &mut ready, None);
            self.ready = ready;
        }
        true
    }

    /// Whether something has happened since it last [acted](Self::act).
    pub(super) fn is_stirred(&self) -> bool {
        self.is_stirred
    }

    /// Something happened that the dispatcher was told.
    pub(super) fn stir(&mut self) {
        self.is_stirred = true;
    }

    /// Whether at most `unfinished` of `submitted` tasks are left. When a flow is to be at rest
    /// nothing is under way either: handles may be given other sizes.
    pub(super) fn has_run(&self, space: &Space, submitted: u64, unfinished: u64) -> bool {
        submitted - space.completed() <= unfinished && (unfinished > 0 || self.is_quiet())
    }

    /// Whether nothing moves or is about to.
    fn is_quiet(&self) -> bool {
        self.network.next() == u64::MAX && self.decider.next() == u64::MAX && !self.is_stirred
    }

    /// The program, which has waited, goes on with the task at `index`.
    pub(super) fn resume(&mut self, index: u64) {
        self.submission.resume(index, self.clock);
    }

    /// The contents of `handle` are given by the program, though nothing was written.
    pub(super) fn touch(&mut self, space: &Space, handle: u32) {
        self.forget_discarded(space);
        self.dispatcher.place(space, HandleId(handle));
        self.stir();
    }

    /// Goes on to `time`, and ends all that ends then.
    pub(super) fn step(&mut self, space: &Space, time: u64) {
        self.set_time(time);
        self.stir();
        while let Some(operation) = self.decider.due(time) {
            self.perform(operation);
        }
        if self.network.next() == time {
            self.land();
        }
        self.release(space);
        while let Some(&Reverse((end, _, worker, task))) = self.running.peek() {
            if end > time {
                break;
            }
            self.running.pop();
            self.end(space, worker, task);
        }
    }

    /// Hands over what is submitted by now, and was ready before.
    fn release(&mut self, space: &Space) {
        let mut ready = std::mem::take(&mut self.ready);
        self.submission.release(self.clock, &mut ready);
        if !ready.is_empty() {
            self.hand_over(space, &mut ready, None);
        }
        self.ready = ready;
    }

    /// Goes on to `time`, up to which nothing ends.
    pub(super) fn set_time(&mut self, time: u64) {
        self.clock = time;
        self.dispatcher.set_time(time);
    }

    /// Hands `tasks` over, which were submitted and are ready.
    pub(super) fn submit(&mut self, space: &Space, tasks: &[u32]) {
        let mut ready = std::mem::take(&mut self.ready);
        ready.extend_from_slice(tasks);
        self.hand_over(space, &mut ready, None);
        self.ready = ready;
    }

    /// Hands tasks over that the graph has made ready; `tasks` is empty afterwards. Those that no
    /// worker can run end here.
    pub(super) fn hand_over(&mut self, space: &Space, tasks: &mut Vec<u32>, by: Option<WorkerId>) {
        self.stir();
        self.forget_discarded(space);
        self.submission.hold(tasks, |task| space.task(task).index, self.clock);
        let begin = self.decider.begin();
        let Self { dispatcher, failure, batch, .. } = self;
        space.take_in(tasks, by.map_or(0, |worker| worker.0), |task| {
            if let Err(no_place) = dispatcher.take_in(space, task, &|_| true) {
                let data = space.task(task);
                keep_first(failure, data.index, data.info.name, no_place);
                dispatcher.skipped(space.job(task));
                return false;
            }
            batch.push(TaskId(task));
            true
        });
        if !self.batch.is_empty() {
            self.dispatcher.ready(&self.batch, by);
            self.batch.clear();
        }
        self.decider.end(begin);
    }

    /// A core must do something else for so many nanoseconds: one that is idle now, or the next
    /// that begins a task.
    pub(super) fn burden(&mut self, nanoseconds: u64) {
        let workers = 0..self.dispatcher.machine().workers.len();
        let cores = workers.filter(|&worker| self.is_core(worker)).count();
        let busy = self.running.iter().filter(|Reverse((_, _, worker, _))| self.is_core(*worker));
        if busy.count() == cores {
            self.chores += nanoseconds;
        }
    }

    /// What was to be done for the task at `index` of the program cannot be done.
    pub(super) fn fail(&mut self, index: u64, what: &'static str, error: FlowError) {
        keep_first(&mut self.failure, index, what, error);
    }

    /// Contents that are needed no more go, before anything else takes their places; of those that
    /// the program has looked at, with what it was shown.
    pub(super) fn forget_discarded(&mut self, space: &Space) {
        space.handles.take_discards(&mut self.discards);
        for handle in self.discards.drain(..) {
            space.handles.get(handle).free_buffer(&space.handles.cache);
            self.dispatcher.planner_mut().discard(HandleId(handle));
            self.buffers.iter_mut().for_each(|buffers| buffers.release(handle));
        }
    }

    /// Does what can be done at this time.
    pub(super) fn act(&mut self, space: &Space) {
        self.is_stirred = false;
        self.forget_discarded(space);
        let mut actions = std::mem::take(&mut self.actions);
        self.decide(&mut actions);
        for action in actions.drain(..) {
            match action {
                Action::Start { task, worker } => self.start(space, task, worker),
                Action::Move(operation) if self.decider.is_free() => self.perform(operation),
                Action::Move(operation) => self.decider.order(operation),
            }
        }
        while let Some(operation) = self.decider.due(self.clock) {
            self.perform(operation);
        }
        self.actions = actions;
        self.is_stirred |= self.dispatcher.rescue();
        if self.is_recording {
            self.sample(Gauge::Ready, self.dispatcher.backlog() as u64);
        }
    }

    /// Asks what can be done, which takes as long as it costs.
    fn decide(&mut self, actions: &mut Vec<Action>) {
        let (begin, ready) = (self.decider.begin(), self.dispatcher.backlog());
        self.dispatcher.pump(actions);
        self.decider.end(begin);
        if !self.decider.is_free() {
            let starts = actions.iter().filter(|action| matches!(action, Action::Start { .. }));
            self.decider.decide(self.clock, ready, starts.count() as u64);
        }
    }

    fn perform(&mut self, operation: Operation) {
        match operation {
            Operation::Copy(transfer) => self.network.send(transfer, self.clock),
            Operation::Hurry { handle, dst } => self.network.hurry(handle, dst),
            Operation::Allocate { memory, .. } | Operation::Free { memory, .. } => {
                if self.is_recording && !self.dispatcher.machine().is_flat() {
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
        // A team is taken to do as much more as it has workers.
        let team = self.dispatcher.team_of(task).len().max(1) as u64;
        let time = (time / team).max(1);
        let chores = if self.is_core(worker.0) { std::mem::take(&mut self.chores) } else { 0 };
        let new = self.buffers.as_mut().map_or(0, |buffers| buffers.serve(space, task.0, worker.0));
        let time = time + chores + (self.new_byte * new as f64).round() as u64;
        let start = self.decider.start(self.clock);
        let end = start + time;
        if self.is_recording {
            let record = space.task_record(task.0, worker.0, Outcome::Done);
            self.records.tasks.push(TaskRecord { start, end, ..record });
        }
        self.totals.count_task(worker.0, time, end);
        let class = self.dispatcher.machine().workers[worker.0].class.0;
        self.totals.count_computed(space.task(task.0).info.name, class, team * time);
        self.running.push(Reverse((end, self.starts, worker.0, task.0)));
        self.starts += 1;
    }

    fn is_core(&self, worker: usize) -> bool {
        self.dispatcher.machine().kind(WorkerId(worker)) == WorkerKind::Cpu
    }

    fn end(&mut self, space: &Space, worker: usize, task: u32) {
        let begin = self.decider.begin();
        self.dispatcher.finished(TaskId(task), WorkerId(worker));
        self.decider.end(begin);
        let mut ready = std::mem::take(&mut self.ready);
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

    /// The failure since [`take_failure`](Self::take_failure), by its mark.
    pub(super) fn first_failure(&self) -> Option<FirstFailure> {
        self.failure.as_ref().map(|(task, error)| (task + 1, Some(error.clone())))
    }

    pub(super) fn take_failure(&mut self) -> Option<FlowError> {
        self.failure.take().map(|(_, error)| error)
    }

    pub(super) fn take_records(&mut self) -> Records {
        let contexts = self.dispatcher.context_records();
        Records { contexts, ..std::mem::take(&mut self.records) }
    }

    pub(super) fn totals(&self) -> Totals {
        let waited = self.dispatcher.waited().collect();
        let (hits, misses) = self.dispatcher.hits().unzip();
        Totals { waited, hits, misses, ..self.totals.clone() }
    }
}

/// Makes the failure of `task` the one that is told of, unless an earlier task of the program has
/// failed.
fn keep_first(
    failure: &mut Option<(u64, FlowError)>,
    task: u64,
    codelet: &'static str,
    error: impl Error + Send + Sync + 'static,
) {
    if failure.as_ref().is_none_or(|(first, _)| task < *first) {
        *failure = Some((task, FlowError::Task { codelet, task, source: Arc::new(error) }));
    }
}
