//! Who runs what, where, and what moves for it: a policy and the planner of transfers in one state
//! machine, which the real engine and the simulator both drive.
//!
//! An engine tells what happened (tasks are ready or done, transfers have ended), calls
//! [`Dispatcher::pump`], and does the actions that come out. Nothing here waits, and nothing here
//! knows whether time is real.
//!
//! A task passes through: the policy's own queues; a worker's committed queue, for good; admission
//! to the worker's memory, with all its data or not at all; its start, when all data has come.

mod caps;
mod hand;
mod intake;

use std::sync::Arc;

use caps::Caps;
use hand::{Ahead, Hand, Woken};

use crate::memory::{Operation, Planner, Plans};
use crate::platform::{ClassId, Durations, Machine, MemoryId};
use crate::sched::{Eviction, HandleId, Scheduler, Task, TaskId, Tasks, View, WorkerId};

/// What an engine must do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Something about buffers.
    Move(Operation),
    /// Run `task` on `worker`, which has a slot free; its data is there.
    Start {
        /// What.
        task: TaskId,
        /// Where.
        worker: WorkerId,
    },
}

/// Refusals of one task's admission after which it is the only one to be admitted to its memory,
/// so that smaller ones do not pass it for ever.
const PATIENCE: u32 = 64;

/// A task that needs more at once than any memory holds.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "it works on {bytes} bytes at once, and no memory of a worker that can run it holds more than \
     {most}: allow more memory, or use smaller tiles"
)]
pub struct TooLarge {
    /// What it needs.
    pub bytes: u64,
    /// What the largest memory with a limit holds.
    pub most: u64,
}

/// The dispatcher.
pub struct Dispatcher {
    machine: Arc<Machine>,
    scheduler: Box<dyn Scheduler>,
    planner: Planner,
    durations: Arc<dyn Durations>,
    tasks: Tasks,
    hands: Vec<Hand>,
    busy_until: Vec<u64>,
    ahead: Vec<Ahead>,
    woken: Woken,
    /// By memory, the worker whose first task alone may be admitted.
    barrier: Vec<Option<usize>>,
    /// By memory, tasks whose data may be brought before they are committed.
    wishes: Vec<std::collections::VecDeque<(TaskId, u64)>>,
    /// By task slot, the memory that it was hinted to, plus 1.
    hinted: Vec<u8>,
    /// Workers of each memory.
    workers_of: Vec<Vec<usize>>,
    operations: Vec<Operation>,
    changes: Vec<(HandleId, MemoryId, bool)>,
    hints: Vec<(WorkerId, TaskId)>,
    batch: Vec<TaskId>,
    sequence: u64,
    caps: Caps,
    /// Whether no replica needs to be kept track of.
    is_light: bool,
    /// Memories whose next wish had no room, a bit each.
    blocked: u32,
    now: u64,
}

impl std::fmt::Debug for Dispatcher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Dispatcher").field("now", &self.now).finish_non_exhaustive()
    }
}

/// Looks at the parts of a dispatcher that a policy may see.
macro_rules! view {
    ($self:ident) => {
        View {
            now: $self.now,
            machine: &$self.machine,
            tasks: &$self.tasks,
            replicas: $self.planner.replicas(),
            busy_until: &$self.busy_until,
        }
    };
}

impl Dispatcher {
    /// A dispatcher for the workers of `machine`, which are all idle.
    ///
    /// # Panics
    /// If the parts of the machine do not fit together.
    #[must_use]
    pub fn new(
        machine: Arc<Machine>,
        scheduler: Box<dyn Scheduler>,
        eviction: Box<dyn Eviction>,
        durations: Arc<dyn Durations>,
    ) -> Self {
        let (workers, memories) = (machine.workers.len(), machine.memories.len());
        let of = |memory| {
            let on = |&worker: &usize| machine.workers[worker].memory.0 == memory;
            (0..workers).filter(on).collect()
        };
        Self {
            planner: Planner::new(machine.clone(), eviction),
            tasks: Tasks::new(machine.classes.len()),
            hands: (0..workers).map(|_| Hand::default()).collect(),
            busy_until: vec![0; workers],
            ahead: machine.workers.iter().map(|worker| Ahead::new(worker, &*scheduler)).collect(),
            woken: Woken::new(workers),
            barrier: vec![None; memories],
            wishes: vec![Default::default(); memories],
            hinted: Vec::new(),
            workers_of: (0..memories).map(of).collect(),
            operations: Vec::new(),
            changes: Vec::new(),
            hints: Vec::new(),
            batch: Vec::new(),
            sequence: 0,
            is_light: machine.is_flat() && machine.is_free() && !scheduler.looks_at_data(),
            caps: Caps::new(&machine),
            blocked: 0,
            now: 0,
            machine,
            scheduler,
            durations,
        }
    }

    /// The machine.
    #[must_use]
    pub fn machine(&self) -> &Arc<Machine> {
        &self.machine
    }

    /// Plans what moves.
    #[must_use]
    pub fn planner(&self) -> &Planner {
        &self.planner
    }

    /// How long tasks are expected to take.
    #[must_use]
    pub fn durations(&self) -> &dyn Durations {
        &*self.durations
    }

    /// Plans what moves, and what it may look at to choose.
    pub(crate) fn planner_and_plans(&mut self) -> (&mut Planner, Plans<'_>) {
        (&mut self.planner, Plans { scheduler: &*self.scheduler, committed: &|_, _| None })
    }

    /// Plans what moves, for a host that uses data itself; [`pump`](Self::pump) must follow.
    pub fn planner_mut(&mut self) -> &mut Planner {
        &mut self.planner
    }

    /// Tasks that are ready and that no worker was given yet.
    #[must_use]
    pub fn backlog(&self) -> usize {
        self.scheduler.backlog()
    }

    /// The row of a ready task.
    #[must_use]
    pub fn task(&self, id: TaskId) -> &Task {
        self.tasks.get(id)
    }

    /// Expected time of a task on a worker, in nanoseconds.
    #[must_use]
    pub fn predict(&self, id: TaskId, worker: WorkerId) -> Option<u64> {
        self.tasks.nanoseconds(id, self.machine.workers[worker.0].class)
    }

    /// Sets the time, in nanoseconds since the engine began; it never goes back.
    pub fn set_time(&mut self, now: u64) {
        self.now = now;
        self.planner.set_time(now);
    }

    /// Enters a task that is about to be ready.
    ///
    /// # Errors
    /// If it fits no memory of a worker that can run it.
    pub fn enter(
        &mut self,
        id: TaskId,
        task: Task,
        codelet: &'static str,
        cost: crate::flow::Cost,
    ) -> Result<(), TooLarge> {
        self.enter_where(id, task, codelet, cost, &|_| true)
    }

    /// As [`enter`](Self::enter), for a task that only the classes run that `runs` holds for.
    pub(crate) fn enter_where(
        &mut self,
        id: TaskId,
        task: Task,
        codelet: &'static str,
        cost: crate::flow::Cost,
        runs: &dyn Fn(ClassId) -> bool,
    ) -> Result<(), TooLarge> {
        let Self { machine, durations, .. } = self;
        let expected = |class| durations.nanoseconds(codelet, cost, class).filter(|_| runs(class));
        if self.is_light {
            self.tasks.enter(id, task, expected);
            return Ok(());
        }
        self.caps.enter(id, codelet);
        let footprint = self.planner.footprint(&task);
        let mut fits = false;
        let duration = |class| {
            let mut on = machine.workers.iter().filter(|worker| worker.class == class);
            let has_room = on.any(|worker| {
                machine.memories[worker.memory.0].capacity.is_none_or(|most| footprint <= most)
            });
            let runs = machine.classes[class.0].runs(codelet);
            expected(class).filter(|_| has_room && runs)
        };
        self.tasks.enter(id, task, duration);
        for class in 0..machine.classes.len() {
            fits |= self.tasks.nanoseconds(id, ClassId(class)).is_some();
        }
        if fits { Ok(()) } else { Err(self.too_large(footprint)) }
    }

    fn too_large(&self, bytes: u64) -> TooLarge {
        let machine = &self.machine;
        let memories = machine.workers.iter().map(|worker| &machine.memories[worker.memory.0]);
        TooLarge { bytes, most: memories.filter_map(|memory| memory.capacity).max().unwrap_or(0) }
    }

    /// `tasks`, which were entered, are ready, by the end of a task on `by` or by submission.
    pub fn ready(&mut self, tasks: &[TaskId], by: Option<WorkerId>) {
        self.scheduler.ready(tasks, by, &view!(self));
        if !self.is_light {
            self.take_hints();
        }
    }

    /// `task` is done on `worker`.
    pub fn finished(&mut self, task: TaskId, worker: WorkerId) {
        let memory = self.machine.workers[worker.0].memory;
        let row = *self.tasks.get(task);
        let hand = &mut self.hands[worker.0];
        let place = hand.running.iter().position(|&running| running == task);
        hand.running.remove(place.expect("a task ends on the worker that it was started on"));
        hand.work -=
            self.tasks.nanoseconds(task, self.machine.workers[worker.0].class).unwrap_or(0);
        self.busy_until[worker.0] = self.now + hand.work;
        if !self.is_light {
            self.planner.finish(&row, memory);
            self.planner.commit(&row, memory, -1);
            if self.caps.give_back(task) {
                self.hands.iter().enumerate().for_each(|(other, _)| self.woken.wake(other));
            }
        }
        self.scheduler.finished(task, worker, &view!(self));
        self.woken.wake(worker.0);
    }

    /// The transfer of `handle` from `src` to `dst` has ended.
    pub fn arrived(&mut self, handle: HandleId, src: MemoryId, dst: MemoryId) {
        self.planner.arrive(handle, src, dst);
    }

    /// Lets everything go on that can, and appends what is to be done to `actions`, in order.
    pub fn pump(&mut self, actions: &mut Vec<Action>) {
        loop {
            self.tell_changes();
            self.wake_touched();
            let refilled = self.scheduler.backlog() > 0 && self.refill();
            let moved = self.advance_woken(actions);
            self.flush(actions);
            if !refilled && !moved {
                break;
            }
        }
    }

    /// For each worker, the nanoseconds in which it had tasks and ran none, for want of data or of
    /// room for it.
    pub fn waited(&self) -> impl Iterator<Item = u64> + '_ {
        self.hands.iter().map(|hand| hand.waited)
    }

    fn flush(&mut self, actions: &mut Vec<Action>) {
        self.planner.take_operations(&mut self.operations);
        actions.extend(self.operations.drain(..).map(Action::Move));
    }

    /// Tells the policy what came to which memory and what left it.
    fn tell_changes(&mut self) {
        if self.is_light {
            return;
        }
        let mut changes = std::mem::take(&mut self.changes);
        self.planner.take_changes(&mut changes);
        for (handle, memory, came) in changes.drain(..) {
            if came {
                self.scheduler.arrived(handle, memory, &view!(self));
            } else {
                self.scheduler.evicted(handle, memory, &view!(self));
            }
        }
        self.changes = changes;
    }

    /// Wakes workers that wait for something in a memory where something changed.
    fn wake_touched(&mut self) {
        if self.is_light {
            return;
        }
        let touched = self.planner.take_touched();
        self.blocked &= !touched;
        for (memory, workers) in self.workers_of.iter().enumerate() {
            if touched >> memory & 1 == 1 {
                for &worker in workers {
                    if !self.hands[worker].committed.is_empty() {
                        self.woken.wake(worker);
                    }
                }
            }
        }
    }

    /// Commits tasks to workers with room: first one to each that has none, then as many as each
    /// looks ahead.
    fn refill(&mut self) -> bool {
        let mut any = false;
        for worker in 0..self.hands.len() {
            if self.hands[worker].is_empty() {
                any |= self.commit(worker, 1);
                if self.scheduler.backlog() == 0 {
                    return any;
                }
            }
        }
        for worker in 0..self.hands.len() {
            let Ahead { low, most } = self.ahead[worker];
            let held = self.hands[worker].len();
            if held > 0 && held < low {
                any |= self.commit(worker, most - held);
                if self.scheduler.backlog() == 0 {
                    return any;
                }
            }
        }
        any
    }

    /// Commits up to `room` tasks to `worker`; says whether there were any.
    fn commit(&mut self, worker: usize, room: usize) -> bool {
        let mut batch = std::mem::take(&mut self.batch);
        self.scheduler.refill(WorkerId(worker), room, &view!(self), &mut batch);
        let Machine { workers, .. } = &*self.machine;
        let (class, memory) = (workers[worker].class, workers[worker].memory);
        let hand = &mut self.hands[worker];
        let mut work = 0;
        for &task in &batch {
            let time = self.tasks.nanoseconds(task, class);
            work += time.expect("policies commit tasks to workers that can run them");
            self.sequence += 1;
            hand.committed.push_back((task, self.sequence));
        }
        hand.work += work;
        self.busy_until[worker] = self.busy_until[worker].max(self.now) + work;
        let tracked = if self.is_light { &[][..] } else { &batch };
        for &task in tracked {
            let row = *self.tasks.get(task);
            self.planner.commit(&row, memory, 1);
            self.unhint(task, &row);
        }
        let any = !batch.is_empty();
        batch.clear();
        self.batch = batch;
        if any {
            self.woken.wake(worker);
        }
        any
    }

    /// Lets every woken worker admit and start tasks; says whether any did.
    fn advance_woken(&mut self, actions: &mut Vec<Action>) -> bool {
        let mut any = false;
        while let Some(worker) = self.woken.next() {
            any |= self.advance(worker, actions);
        }
        if !self.is_light {
            any |= self.grant_wishes();
        }
        any
    }

    fn advance(&mut self, worker: usize, actions: &mut Vec<Action>) -> bool {
        let memory = self.machine.workers[worker].memory;
        let mut any = self.admit(worker, memory);
        while self.hands[worker].running.len() < self.machine.workers[worker].slots
            && let Some(task) = self.take_set(worker, memory)
        {
            if !self.is_light {
                let row = *self.tasks.get(task);
                self.planner.start(&row, memory);
                self.flush(actions);
            }
            actions.push(Action::Start { task, worker: WorkerId(worker) });
            self.hands[worker].running.push(task);
            self.admit(worker, memory);
            any = true;
        }
        if !self.is_light {
            any |= self.prefetch_committed(worker, memory);
            self.hands[worker].note_wait(self.now);
        }
        any
    }

    /// Admits the next committed tasks of `worker` as far as there is room.
    fn admit(&mut self, worker: usize, memory: MemoryId) -> bool {
        let pipeline = self.machine.workers[worker].pipeline;
        let mut any = false;
        loop {
            let hand = &self.hands[worker];
            let holds = hand.admitted + hand.running.len();
            if holds >= pipeline || hand.admitted == hand.committed.len() {
                return any;
            }
            if self.barrier[memory.0].is_some_and(|first| first != worker) {
                return any;
            }
            if self.is_light {
                self.hands[worker].admitted += 1;
                any = true;
                continue;
            }
            let row = *self.tasks.get(hand.committed[hand.admitted].0);
            let (hands, workers_of) = (&self.hands, &self.workers_of);
            let tasks = &self.tasks;
            let committed = |handle, memory| first_use(hands, workers_of, tasks, handle, memory);
            let plans = Plans { scheduler: &*self.scheduler, committed: &committed };
            if !self.planner.admit(&row, memory, plans) {
                self.refuse(worker, memory);
                return any;
            }
            let hand = &mut self.hands[worker];
            hand.admitted += 1;
            hand.refusals = 0;
            hand.prefetched = hand.prefetched.max(hand.admitted);
            if self.barrier[memory.0] == Some(worker) {
                self.barrier[memory.0] = None;
                self.workers_of[memory.0].iter().for_each(|&other| self.woken.wake(other));
            }
            any = true;
        }
    }

    fn refuse(&mut self, worker: usize, memory: MemoryId) {
        let hand = &mut self.hands[worker];
        hand.refusals += 1;
        if hand.refusals > PATIENCE && self.barrier[memory.0].is_none() {
            self.barrier[memory.0] = Some(worker);
        }
    }

    /// Takes the first admitted task of `worker` whose data has all come.
    fn take_set(&mut self, worker: usize, memory: MemoryId) -> Option<TaskId> {
        let hand = &mut self.hands[worker];
        for place in 0..hand.admitted {
            let task = hand.committed[place].0;
            let is_set = || self.planner.is_set(self.tasks.get(task), memory);
            if self.is_light || (is_set() && self.caps.take(task)) {
                hand.committed.remove(place);
                hand.admitted -= 1;
                hand.prefetched = hand.prefetched.saturating_sub(1);
                return Some(task);
            }
        }
        None
    }

    /// Orders data of tasks that are committed to `worker` and not admitted yet, in their order.
    fn prefetch_committed(&mut self, worker: usize, memory: MemoryId) -> bool {
        let mut any = false;
        while self.hands[worker].prefetched < self.hands[worker].committed.len() {
            let task = self.hands[worker].committed[self.hands[worker].prefetched].0;
            if !self.prefetch(task, memory, true) {
                return any;
            }
            self.hands[worker].prefetched += 1;
            any = true;
        }
        any
    }

    /// Orders data of tasks that a policy hinted at, in their order.
    fn grant_wishes(&mut self) -> bool {
        let mut any = false;
        for memory in (0..self.wishes.len()).map(MemoryId) {
            if self.blocked >> memory.0 & 1 == 1 {
                continue;
            }
            while let Some(&(task, index)) = self.wishes[memory.0].front() {
                let is_current = self.hinted[task.0 as usize] == memory.0 as u8 + 1
                    && self.tasks.get(task).index == index;
                if is_current && !self.prefetch(task, memory, false) {
                    self.blocked |= 1 << memory.0;
                    break;
                }
                any |= is_current;
                self.wishes[memory.0].pop_front();
            }
        }
        any
    }

    /// Orders the inputs of `task` for `memory`; says whether there was room for all of them.
    fn prefetch(&mut self, task: TaskId, memory: MemoryId, evicts: bool) -> bool {
        let row = *self.tasks.get(task);
        let (hands, workers_of, tasks) = (&self.hands, &self.workers_of, &self.tasks);
        let committed = |handle, memory| first_use(hands, workers_of, tasks, handle, memory);
        let plans = Plans { scheduler: &*self.scheduler, committed: &committed };
        let planner = &mut self.planner;
        let plans = evicts.then_some(plans);
        row.inputs().all(|handle| planner.prefetch(handle, memory, row.priority, plans))
    }

    fn take_hints(&mut self) {
        let mut hints = std::mem::take(&mut self.hints);
        self.scheduler.hints(&mut hints);
        for (worker, task) in hints.drain(..) {
            let memory = self.machine.workers[worker.0].memory;
            let row = *self.tasks.get(task);
            let slot = task.0 as usize;
            if slot >= self.hinted.len() {
                self.hinted.resize((slot + 1).next_power_of_two(), 0);
            }
            self.unhint(task, &row);
            self.hinted[slot] = memory.0 as u8 + 1;
            self.planner.hint(&row, memory, 1);
            self.wishes[memory.0].push_back((task, row.index));
        }
        self.hints = hints;
    }

    fn unhint(&mut self, task: TaskId, row: &Task) {
        let Some(hinted) = self.hinted.get_mut(task.0 as usize) else { return };
        if let Some(memory) = std::mem::take(hinted).checked_sub(1) {
            self.planner.hint(row, MemoryId(memory as usize), -1);
        }
    }
}

/// Position, in the order of commitment, of the first task committed to a worker of `memory` that
/// uses `handle`.
fn first_use(
    hands: &[Hand],
    workers_of: &[Vec<usize>],
    tasks: &Tasks,
    handle: HandleId,
    memory: MemoryId,
) -> Option<u64> {
    let uses = |task: TaskId| tasks.get(task).handles().any(|used| used == handle);
    let first = |&worker: &usize| {
        let hand = &hands[worker];
        let running = hand.running.iter().any(|&task| uses(task)).then_some(0);
        let mut queue = hand.committed.iter();
        running.or_else(|| queue.find(|(task, _)| uses(*task)).map(|&(_, position)| position))
    };
    workers_of[memory.0].iter().filter_map(first).min()
}
