//! What one thread at a time does with events: it asks the dispatcher, and hands out work.

use super::fatal::Fatal;
use super::full_disk::Sacrifices;
use super::kept::Kept;
use super::programs::Program;
use super::{Event, Shared};
use crate::dispatch::{Action, Dispatcher, Operation, Staging};
use crate::exec::ExecOptions;
use crate::exec::failures::Cause;
use crate::flow::FlowError;
use crate::flow::LookAtContexts;
use crate::memory::Transfer;
use crate::sched::contexts::{ContextError, Contexts};
use crate::sched::{PolicyOptions, Scheduler, Task};
use crate::trace::{Gauge, Outcome, Records, Sample, TaskRecord, Totals};
use crate::types::{HandleId, MemoryId, TaskId, WorkerId};

/// The dispatcher and all that belongs under its lock.
pub(super) struct Core {
    pub(super) dispatcher: Dispatcher,
    actions: Vec<Action>,
    pub(super) ready: Vec<u32>,
    batch: Vec<TaskId>,
    discards: Vec<u32>,
    /// By task slot, whether the dispatcher has the task.
    pub(super) is_held: Vec<Hold>,
    /// Transfers under way, by the number of the flow.
    flying: Vec<usize>,
    /// The buffer that was made last, if it is known to be zero.
    zeroed: Option<(HandleId, MemoryId)>,
    /// Why no more tasks can be run.
    pub(super) fatal: Option<Fatal>,
    /// Flows that share a full disk with others, and gave theirs up.
    pub(super) sacrifices: Sacrifices,
    is_recording: bool,
    has_contexts: bool,
    records: Records,
    /// Records of flows that share the engine.
    pub(super) kept: Kept,
    totals: Totals,
    /// By the number of each flow, the handle that its program waits for.
    host: Vec<Option<Task>>,
    /// Messages whose contents must be in the RAM.
    pub(super) staging: Staging,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Hold {
    #[default]
    None,
    Waiting,
    Running,
}

impl Core {
    pub(super) fn new(options: &ExecOptions) -> Self {
        let ExecOptions { machine, durations, policy, eviction, seed, trace, contexts, .. } =
            options;
        let (workers, memories) = (machine.workers.len(), machine.memories.len());
        let scheduler: Box<dyn Scheduler> = match contexts {
            true => Box::new(Contexts::new(machine.clone(), policy, *seed)),
            false => policy.scheduler(&PolicyOptions { workers, seed: *seed, order: &[] }),
        };
        let dispatcher = Dispatcher::new(machine.clone(), scheduler, eviction, durations.clone());
        Self {
            dispatcher,
            actions: Vec::new(),
            ready: Vec::new(),
            batch: Vec::new(),
            discards: Vec::new(),
            is_held: Vec::new(),
            flying: Vec::new(),
            zeroed: None,
            fatal: None,
            sacrifices: Sacrifices::default(),
            is_recording: *trace,
            has_contexts: *contexts,
            records: Records::default(),
            kept: Kept::default(),
            totals: Totals::new(workers, memories),
            host: Vec::new(),
            staging: Staging::default(),
        }
    }

    /// Whether any transfer is under way, of the flow of this number if that is given.
    pub(super) fn is_moving(&self, program: Option<usize>) -> bool {
        match program {
            Some(number) => self.flying.get(number).is_some_and(|&count| count > 0),
            None => self.flying.iter().any(|&count| count > 0),
        }
    }

    pub(super) fn count_flight(&mut self, shared: &Shared, handle: HandleId, by: isize) {
        let number = shared.programs.of_handle(handle).number();
        if number >= self.flying.len() {
            self.flying.resize(number + 1, 0);
        }
        let count = self.flying[number].checked_add_signed(by);
        self.flying[number] = count.expect("a transfer ends once");
    }

    pub(super) fn take_records(&mut self) -> Records {
        let contexts = self.dispatcher.context_records();
        let mut records = Records { contexts, ..std::mem::take(&mut self.records) };
        records.tasks.append(&mut self.kept.take());
        records
    }

    /// When something is to be done although nothing happens.
    pub(super) fn wakes_at(&mut self) -> Option<u64> {
        self.dispatcher.wakes_at()
    }

    pub(super) fn totals(&self) -> Totals {
        let waited = self.dispatcher.waited().collect();
        let (hits, misses) = self.dispatcher.hits().unzip();
        Totals { waited, hits, misses, ..self.totals.clone() }
    }

    /// Deals with `events`, and has everything done that can be done now.
    pub(super) fn step(&mut self, shared: &Shared, events: &mut Vec<Event>) {
        let now = shared.now();
        self.dispatcher.set_time(now);
        for event in events.drain(..) {
            match event {
                Event::Ready(mut tasks) => self.hand_over(shared, &mut tasks, None),
                Event::Done { task, worker, nanoseconds, is_whole } => {
                    self.totals.count_task(worker.0, nanoseconds, now);
                    let sample = is_whole.then_some(nanoseconds);
                    self.end(shared, task, worker, sample);
                }
                Event::Stage(task) => self.stage(shared, task),
                Event::Closed(task) => self.end_message(shared, task),
                Event::Landed { transfer, start, end, result } => {
                    self.land(shared, &transfer, (start, end), result);
                }
            }
        }
        self.act(shared);
        self.totals.deciding += shared.now() - now;
        shared.programs.for_each(Program::notify_waiter);
    }

    /// Deals with the end of a task, which took so many nanoseconds if it did its work.
    fn end(&mut self, shared: &Shared, task: TaskId, worker: WorkerId, sample: Option<u64>) {
        self.is_held[task.0 as usize] = Hold::None;
        if let Some(nanoseconds) = sample {
            let class = self.dispatcher.machine().workers[worker.0].class;
            let program = shared.programs.of_task(task.0);
            let data = program.space.task(task.0);
            self.dispatcher.durations().record(data.info.name, data.cost(), class, nanoseconds);
        }
        if self.fatal.is_none() {
            self.dispatcher.finished(task, worker);
            self.abandon_data_of(shared, task);
        }
        self.complete(shared, task.0, Some(worker));
    }

    /// Completes a task in the graph and hands over what that made ready.
    pub(super) fn complete(&mut self, shared: &Shared, task: u32, by: Option<WorkerId>) {
        let mut made = std::mem::take(&mut self.ready);
        let program = shared.programs.of_task(task);
        program.space.finish(task, by.map_or(0, |worker| worker.0), &mut made);
        self.hand_over(shared, &mut made, by);
        self.ready = made;
    }

    /// Hands tasks over that the graph has made ready; `tasks` is empty afterwards. Those that
    /// cannot run, or read what is spoiled, end here.
    pub(super) fn hand_over(
        &mut self,
        shared: &Shared,
        tasks: &mut Vec<u32>,
        by: Option<WorkerId>,
    ) {
        self.forget_discarded(shared);
        // All of them are of one flow.
        let Some(&first) = tasks.first() else { return };
        let program = shared.programs.of_task(first);
        let (space, runner) = (&program.space, &program.runner);
        let mut batch = std::mem::take(&mut self.batch);
        space.take_in(tasks, by.map_or(0, |worker| worker.0), |task| {
            let data = space.task(task);
            if runner.skip(space, data) {
                self.record(shared, task, by, Outcome::Skipped);
                self.dispatcher.skipped(space.job(task));
                return false;
            }
            if let Some(cause) = self.refusal(shared, task) {
                runner.fail(space, data, cause);
                self.record(shared, task, by, Outcome::Failed);
                self.dispatcher.skipped(space.job(task));
                return false;
            }
            self.hold(TaskId(task), Hold::Waiting);
            batch.push(TaskId(task));
            true
        });
        if !batch.is_empty() {
            self.dispatcher.ready(&batch, by);
            batch.clear();
        }
        self.batch = batch;
    }

    /// Records a task that no worker ran.
    pub(super) fn record(
        &mut self,
        shared: &Shared,
        task: u32,
        by: Option<WorkerId>,
        outcome: Outcome,
    ) {
        if self.is_recording {
            let worker = by.map_or(0, |worker| worker.0);
            let program = shared.programs.of_task(task);
            let record = program.space.task_record(task, worker, outcome);
            if let Some(recorder) = &program.runner.recorder {
                recorder.note(TaskRecord { start: shared.now(), end: shared.now(), ..record });
            }
        }
    }

    /// Why `task` cannot be run, or else enters it.
    fn refusal(&mut self, shared: &Shared, task: u32) -> Option<Cause> {
        if let Some(fatal) = &self.fatal {
            return Some(fatal.clone().into_cause());
        }
        let program = shared.programs.of_task(task);
        let data = program.space.task(task);
        let runs = |class| shared.runs(data, class);
        let no_place = self.dispatcher.take_in(&program.space, task, &runs).err()?;
        Some(Cause::Failed(no_place.into()))
    }

    pub(super) fn hold(&mut self, task: TaskId, hold: Hold) {
        let slot = task.0 as usize;
        if slot >= self.is_held.len() {
            self.is_held.resize((slot + 1).next_power_of_two(), Hold::None);
        }
        self.is_held[slot] = hold;
    }

    fn forget_discarded(&mut self, shared: &Shared) {
        let discards = &mut self.discards;
        shared.programs.for_each(|program| program.space.handles.take_discards(discards));
        if self.fatal.is_none() {
            for handle in self.discards.drain(..) {
                self.dispatcher.planner_mut().discard(HandleId(handle));
            }
        } else if !self.is_moving(None) {
            // The planner has not heard of what ended since, and plans no more.
            for handle in self.discards.drain(..).map(HandleId) {
                let program = shared.programs.of_handle(handle);
                shared.stores.free_everywhere(&program.space, handle);
            }
        }
    }

    fn land(
        &mut self,
        shared: &Shared,
        transfer: &Transfer,
        (start, end): (u64, u64),
        result: Result<(), Fatal>,
    ) {
        self.count_flight(shared, transfer.handle, -1);
        match result {
            Err(Fatal::Scratch(error)) if self.fatal.is_none() && shared.programs.are_several() => {
                return self.lose(shared, transfer, error);
            }
            Err(error) => self.give_up(shared, error),
            Ok(()) => {}
        }
        if self.fatal.is_some() {
            return;
        }
        let record = transfer.record(start, end);
        self.dispatcher.arrived(transfer.handle, transfer.src, transfer.dst);
        self.note_written(shared, transfer.handle);
        self.totals.count_transfer(&record);
        if self.is_recording {
            self.records.transfers.push(record);
        }
    }

    /// Does what can be done now.
    fn act(&mut self, shared: &Shared) {
        self.forget_discarded(shared);
        if self.fatal.is_some() {
            return;
        }
        loop {
            self.retry_lost(shared);
            if self.fatal.is_some() {
                return;
            }
            self.staging.admit(&mut self.dispatcher);
            self.pump(shared);
            if self.fatal.is_some() || !self.start_staged(shared) {
                break;
            }
        }
        if self.has_contexts && self.fatal.is_none() && !self.is_moving(None) {
            self.refuse_stuck(shared);
        }
        if self.is_recording {
            self.sample(shared, Gauge::Ready, self.dispatcher.backlog() as u64);
        }
    }

    /// Does what the dispatcher says.
    pub(super) fn pump(&mut self, shared: &Shared) {
        let mut actions = std::mem::take(&mut self.actions);
        self.dispatcher.pump(&mut actions);
        for action in actions.drain(..) {
            let result = match action {
                Action::Start { task, worker } => {
                    self.hold(task, Hold::Running);
                    let team = self.dispatcher.team_of(task);
                    let cores = team.iter().map(|member| shared.cores[member.0]).collect();
                    shared.give(task, worker, cores);
                    Ok(())
                }
                Action::Move(operation) => self.perform(shared, operation),
            };
            if let Err(error) = result {
                self.give_up(shared, error);
                break;
            }
        }
        actions.clear();
        self.actions = actions;
    }

    fn perform(&mut self, shared: &Shared, operation: Operation) -> Result<(), Fatal> {
        match operation {
            Operation::Allocate { handle, memory } => {
                let space = &shared.programs.of_handle(handle).space;
                let is_zero = shared.stores.allocate(space, handle, memory)?;
                self.zeroed = is_zero.then_some((handle, memory));
                self.sample_memory(shared, memory);
            }
            Operation::Zero { handle, memory } => {
                if self.zeroed != Some((handle, memory)) {
                    let space = &shared.programs.of_handle(handle).space;
                    shared.stores.zero(space, handle, memory)?;
                }
            }
            Operation::Free { handle, memory } => {
                if self.is_given_up(shared, handle) {
                    shared.stores.empty(handle, memory);
                }
                shared.stores.free(&shared.programs.of_handle(handle).space, handle, memory);
                self.sample_memory(shared, memory);
            }
            Operation::Copy(transfer) => {
                self.count_flight(shared, transfer.handle, 1);
                shared.copiers.send(transfer);
            }
            Operation::Hurry { handle, dst } => shared.copiers.hurry(handle, dst),
        }
        Ok(())
    }

    /// Looks at contexts, or changes them, and does what then can be done.
    pub(super) fn with_contexts(
        &mut self,
        shared: &Shared,
        look: &mut LookAtContexts<'_>,
    ) -> Result<(), ContextError> {
        self.dispatcher.set_time(shared.now());
        let result = self.dispatcher.with_contexts(look);
        self.act(shared);
        result
    }

    /// Ends the tasks that wait for workers which nothing under way can give them.
    fn refuse_stuck(&mut self, shared: &Shared) {
        if self.dispatcher.rescue() {
            self.pump(shared);
        }
        let mut stuck = Vec::new();
        while let Some(why) = self.dispatcher.take_stuck(&mut stuck) {
            for task in stuck.drain(..) {
                self.hold(task, Hold::None);
                let program = shared.programs.of_task(task.0);
                let data = program.space.task(task.0);
                let job = program.space.job(task.0);
                program.runner.fail(&program.space, data, Cause::Failed(why.clone().into()));
                self.record(shared, task.0, None, Outcome::Failed);
                self.dispatcher.skipped(job);
                self.complete(shared, task.0, None);
            }
            self.pump(shared);
        }
    }

    fn sample_memory(&mut self, shared: &Shared, memory: MemoryId) {
        if self.is_recording && !self.dispatcher.machine().is_flat() {
            let bytes = self.dispatcher.planner().occupied(memory);
            self.sample(shared, Gauge::Memory(memory.0), bytes);
        }
    }

    fn sample(&mut self, shared: &Shared, gauge: Gauge, value: u64) {
        Sample::push(&mut self.records.samples, Sample { time: shared.now(), gauge, value });
    }

    /// Ends every task that has not started: there is no way on.
    fn give_up(&mut self, shared: &Shared, fatal: Fatal) {
        if self.fatal.is_some() {
            return;
        }
        self.fatal = Some(fatal.clone());
        self.forget_lost(shared);
        self.refuse_staged(shared, &fatal);
        for slot in 0..self.is_held.len() {
            if self.is_held[slot] == Hold::Waiting {
                self.is_held[slot] = Hold::None;
                let program = shared.programs.of_task(slot as u32);
                let data = program.space.task(slot as u32);
                program.runner.fail(&program.space, data, fatal.clone().into_cause());
                self.record(shared, slot as u32, None, Outcome::Failed);
                self.complete(shared, slot as u32, None);
            }
        }
    }

    /// Brings what `task`, which stands for the program itself, uses to the RAM; says whether it is
    /// there.
    ///
    /// # Errors
    /// What ended the run.
    pub(super) fn host(
        &mut self,
        shared: &Shared,
        program: &Program,
        task: &Task,
    ) -> Result<bool, FlowError> {
        if !self.dispatcher.has_replicas() {
            return Ok(true);
        }
        let number = program.number();
        if number >= self.host.len() {
            self.host.resize(number + 1, None);
        }
        if let Some(fatal) = self.fatal.clone().or_else(|| self.sacrifices.why(number)) {
            let waiting = self.host[number].take().filter(|_| self.fatal.is_none());
            waiting
                .iter()
                .for_each(|task| self.dispatcher.planner_mut().dismiss(task, MemoryId::RAM));
            return Err(fatal.into_error());
        }
        if self.host[number].is_none() {
            for handle in task.handles() {
                self.dispatcher.enter_handle(&program.space, handle);
            }
            self.dispatcher.check_host(task)?;
            if !self.dispatcher.admit_host(task) {
                self.act(shared);
                return Ok(false);
            }
            self.host[number] = Some(*task);
        }
        self.act(shared);
        let is_set = self.dispatcher.planner().is_set(task, MemoryId::RAM);
        if is_set {
            self.dispatcher.planner_mut().start(task, MemoryId::RAM);
            self.act(shared);
            self.host[number] = None;
        }
        Ok(is_set)
    }

    /// Forgets all data of a flow that has ended.
    pub(super) fn forget(&mut self, shared: &Shared, program: &Program) {
        if self.fatal.is_none() && self.dispatcher.has_replicas() {
            for handle in program.space.handles.indices() {
                self.dispatcher.planner_mut().discard(HandleId(handle));
            }
        }
        self.act(shared);
        self.sacrifices.forget(program.number());
    }

    /// Ends the program's use of what `task` stands for.
    pub(super) fn release_host(&mut self, task: &Task) {
        if self.fatal.is_none() && self.dispatcher.has_replicas() {
            self.dispatcher.planner_mut().finish(task, MemoryId::RAM);
        }
    }
}
