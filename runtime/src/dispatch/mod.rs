//! Who runs what, where, and what moves for it: a policy and the planner of transfers in one state
//! machine, which the real engine and the simulator both drive.
//!
//! An engine tells what happened (tasks are ready or done, transfers have ended), calls
//! [`Dispatcher::pump`], and does the actions that come out. Nothing here waits, and nothing here
//! knows whether time is real.
//!
//! A task passes through
//!
//! 1. the policy's own queues, where it may still be moved;
//! 2. the *committed* queue of one worker, for good: as many as the policy looks ahead, refilled
//!    when half are gone. Their data is prefetched in order;
//! 3. *admission*: room for everything that it uses is reserved in the worker's memory, all or
//!    nothing, and pinned. As many tasks as the worker's `pipeline` are admitted at once;
//! 4. its start, when its data has come and no transfer reads what it will write.
//!
//! In the real engine events go on a list; who gets the dispatcher's lock works the list off, and
//! no worker waits for that lock (`exec::event_queue`, which `loom` checks). What a policy must not
//! do (hand a task to a worker that cannot run it, keep tasks back while all workers are idle) ends
//! the run with a message.

mod caps;
mod commit;
mod contexts;
mod intake;
mod planner;
mod prefetch;
mod recall;
mod staging;
mod start;
mod worker;

use std::sync::Arc;

use caps::Caps;
pub use planner::{Operation, Planner, Plans};
pub(crate) use staging::Staging;
use worker::{Ahead, WorkerSet, WorkerTasks};

use crate::memory::Amount;
use crate::platform::{Durations, Machine};
use crate::sched::{EvictionPolicy, Scheduler, Task, Tasks, View};
use crate::types::{ClassId, Cost, HandleId, MemoryId, TaskId, WorkerId};

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

/// Why no worker of a machine can run a task.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoPlace {
    /// It needs more at once than the memory of any worker that can run it holds.
    #[error(
        "it works on {} at once, and no memory of a worker that can run it holds more than {}: \
         allow more memory, or use smaller tiles",
        Amount(*bytes),
        Amount(*most)
    )]
    TooLarge {
        /// Bytes that it needs.
        bytes: u64,
        /// Bytes of the largest memory of a worker that can run it.
        most: u64,
    },
    /// Every worker is of a kind that does not run it.
    #[error(
        "no worker can run '{codelet}' here: it needs a core, or a device that has this kernel"
    )]
    NoWorker {
        /// Name of its codelet.
        codelet: &'static str,
    },
    /// The context of its job has workers, none of which runs it.
    #[error("no worker of context {context} can run '{codelet}': give the context one that does")]
    NotInContext {
        /// Name of the context.
        context: String,
        /// Name of the codelet.
        codelet: &'static str,
    },
    /// By the order that is given, it or what it waits for stands behind a task that waits for it.
    #[error("the order cannot be followed: {waiting} first, which waits for a task behind it")]
    OutOfOrder {
        /// Which worker is to run which task.
        waiting: String,
    },
    /// The context of its job has no workers, and nothing happens that would give it some.
    #[error("context {context} has no workers, and nothing that runs will give it any")]
    EmptyContext {
        /// Name of the context.
        context: String,
    },
}

/// The dispatcher.
pub struct Dispatcher {
    machine: Arc<Machine>,
    scheduler: Box<dyn Scheduler>,
    planner: Planner,
    durations: Arc<dyn Durations>,
    tasks: Tasks,
    worker_tasks: Vec<WorkerTasks>,
    busy_until: Vec<u64>,
    ahead: Vec<Ahead>,
    woken: WorkerSet,
    /// By memory, the worker whose first task alone may be admitted.
    barrier: Vec<Option<usize>>,
    /// By memory, tasks whose data may be brought before they are committed.
    wishes: Vec<std::collections::VecDeque<(TaskId, u64)>>,
    /// By task slot, the memory that it was hinted to, plus 1.
    hinted: Vec<u8>,
    /// By class, bytes of the memory of each of its workers; none if it has none.
    rooms: Vec<Option<u64>>,
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
    /// Whether the policy is one of several, in contexts.
    has_contexts: bool,
    /// By memory, data that were there for tasks given to its workers, and data that were not.
    hits: Vec<(u64, u64)>,
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
use view;

impl Dispatcher {
    /// A dispatcher for the workers of `machine`, which are all idle.
    ///
    /// # Panics
    /// If the parts of the machine do not fit together.
    #[must_use]
    pub fn new(
        machine: Arc<Machine>,
        mut scheduler: Box<dyn Scheduler>,
        eviction: &'static EvictionPolicy,
        durations: Arc<dyn Durations>,
    ) -> Self {
        let (workers, memories) = (machine.workers.len(), machine.memories.len());
        let of = |memory| {
            let on = |&worker: &usize| machine.workers[worker].memory.0 == memory;
            (0..workers).filter(on).collect()
        };
        let room =
            |class| machine.room_of_class(ClassId(class)).map(|most| most.unwrap_or(u64::MAX));
        Self {
            rooms: (0..machine.classes.len()).map(room).collect(),
            planner: Planner::new(machine.clone(), eviction),
            tasks: Tasks::new(machine.classes.len()),
            worker_tasks: (0..workers).map(|_| WorkerTasks::default()).collect(),
            busy_until: vec![0; workers],
            ahead: machine.workers.iter().map(|worker| Ahead::new(worker, &*scheduler)).collect(),
            woken: WorkerSet::new(workers),
            barrier: vec![None; memories],
            wishes: vec![Default::default(); memories],
            hinted: Vec::new(),
            workers_of: (0..memories).map(of).collect(),
            operations: Vec::new(),
            changes: Vec::new(),
            hints: Vec::new(),
            batch: Vec::new(),
            sequence: 0,
            has_contexts: scheduler.contexts().is_some(),
            is_light: machine.is_flat() && machine.is_free() && !scheduler.looks_at_data(),
            caps: Caps::new(&machine),
            hits: vec![(0, 0); memories],
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

    /// Whether data have to be where tasks and messages use them: else all is in one memory.
    #[must_use]
    pub fn has_replicas(&self) -> bool {
        !self.is_light
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

    /// Enters a task that is about to be ready, which only the classes run that `runs` holds for.
    ///
    /// # Errors
    /// If it fits no memory of a worker that can run it.
    pub(crate) fn enter(
        &mut self,
        id: TaskId,
        task: Task,
        codelet: &'static str,
        cost: Cost,
        runs: &dyn Fn(ClassId) -> bool,
    ) -> Result<(), NoPlace> {
        let Self { machine, durations, rooms, .. } = self;
        let expected = |class| durations.nanoseconds(codelet, cost, class).filter(|_| runs(class));
        if self.is_light {
            let mut can_run = false;
            self.tasks.enter(id, task, |class| expected(class).inspect(|_| can_run = true));
            return if can_run {
                self.admit_to_context(id, codelet)
            } else {
                Err(NoPlace::NoWorker { codelet })
            };
        }
        self.caps.enter(id, codelet);
        let footprint = self.planner.footprint(&task);
        // The largest memory of a worker that could run it if all memories were large enough.
        let mut most = None;
        let duration = |class: ClassId| {
            let time = expected(class).filter(|_| machine.classes[class.0].runs(codelet))?;
            let room = rooms[class.0]?;
            most = most.max(Some(room));
            (footprint <= room).then_some(time)
        };
        self.tasks.enter(id, task, duration);
        match most {
            None => Err(NoPlace::NoWorker { codelet }),
            Some(most) if most < footprint => Err(NoPlace::TooLarge { bytes: footprint, most }),
            Some(_) => self.admit_to_context(id, codelet),
        }
    }

    /// `tasks`, which were entered, are ready, by the end of a task on `by` or by submission.
    pub fn ready(&mut self, tasks: &[TaskId], by: Option<WorkerId>) {
        self.scheduler.ready(tasks, by, &view!(self));
        self.take_hints();
    }

    /// `task` is done on `worker`.
    pub fn finished(&mut self, task: TaskId, worker: WorkerId) {
        let memory = self.machine.workers[worker.0].memory;
        let row = *self.tasks.get(task);
        let own = &mut self.worker_tasks[worker.0];
        let place = own.running.iter().position(|&running| running == task);
        own.running.remove(place.expect("a task ends on the worker that it was started on"));
        own.work -= self.tasks.nanoseconds(task, self.machine.workers[worker.0].class).unwrap_or(0);
        self.busy_until[worker.0] = self.now + own.work;
        if !self.is_light {
            self.planner.finish(&row, memory);
            self.planner.commit(&row, memory, -1);
            if self.caps.give_back(task) {
                (0..self.worker_tasks.len()).for_each(|other| self.woken.wake(other));
            }
        }
        self.scheduler.finished(task, worker, &view!(self));
        if self.has_contexts {
            // A context that gets other workers asks for its data again.
            self.take_hints();
        }
        self.woken.wake(worker.0);
    }

    /// The transfer of `handle` from `src` to `dst` has ended.
    pub fn arrived(&mut self, handle: HandleId, src: MemoryId, dst: MemoryId) {
        if let (true, Some(contexts)) = (self.has_contexts, self.scheduler.contexts()) {
            contexts.count_bytes(handle, self.planner.replicas().bytes(handle));
        }
        self.planner.arrive(handle, src, dst);
    }

    /// Lets everything go on that can, and appends what is to be done to `actions`, in order.
    pub fn pump(&mut self, actions: &mut Vec<Action>) {
        if self.has_contexts {
            self.scheduler.tick(&view!(self));
            self.take_hints();
        }
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
        self.worker_tasks.iter().map(|own| own.waited)
    }

    /// By memory, how often what a task reads was there when the task was given to a worker of it,
    /// and how often not.
    pub fn hits(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.hits.iter().copied()
    }

    /// Counts what `task` finds in `memory`, to whose workers it goes: where there are contexts,
    /// which this tells apart.
    fn count_hits(&mut self, task: &Task, memory: MemoryId) {
        if !self.has_contexts {
            return;
        }
        let (hits, misses) = &mut self.hits[memory.0];
        for handle in task.inputs() {
            let is_here = self.planner.replicas().is_here(handle, memory);
            *(if is_here { &mut *hits } else { &mut *misses }) += 1;
        }
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
                    if !self.worker_tasks[worker].committed.is_empty() {
                        self.woken.wake(worker);
                    }
                }
            }
        }
    }
}

/// Position, in the order of commitment, of the first task committed to a worker of `memory` that
/// uses `handle`.
fn first_use(
    worker_tasks: &[WorkerTasks],
    workers_of: &[Vec<usize>],
    tasks: &Tasks,
    handle: HandleId,
    memory: MemoryId,
) -> Option<u64> {
    let uses = |task: TaskId| tasks.get(task).handles().any(|used| used == handle);
    let first = |&worker: &usize| {
        let own = &worker_tasks[worker];
        let running = own.running.iter().any(|&task| uses(task)).then_some(0);
        let mut queue = own.committed.iter();
        running.or_else(|| queue.find(|(task, _)| uses(*task)).map(|&(_, position)| position))
    };
    workers_of[memory.0].iter().filter_map(first).min()
}
