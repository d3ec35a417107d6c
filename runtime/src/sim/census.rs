//! What a program consists of: its tasks by type, and how long it takes where workers never lack.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use crate::flow::{Engine, FlowError, FlowSpace, ReadyTasks, Running, Space};
use crate::memory::rounded;
use crate::platform::{Durations, Machine, WorkerClass};
use crate::trace::{Records, Site};
use crate::types::{Access, ClassId, Cost};

/// Tasks that take equally long on workers of one class.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskType {
    /// How many there are.
    pub tasks: u64,
    /// For each class of workers the duration of one in seconds; none: it cannot run there.
    pub seconds: Vec<Option<f64>>,
}

/// Tasks of a program, and the length of its longest chain.
#[derive(Clone, Debug, Default)]
pub struct Contents {
    /// Tasks that take equally long on every class of workers; a class without workers, or whose
    /// memory is smaller than what such a task works on, cannot run it.
    pub types: Vec<TaskType>,
    /// For each type the codelet and the cost of its tasks.
    pub codelets: Vec<(&'static str, Cost)>,
    /// Operations of all tasks.
    pub flops: f64,
    /// Tasks in all.
    pub tasks: u64,
    /// Data that they read and do not write, each counted for every task.
    pub reads: u64,
    /// Bytes that the largest of them works on.
    pub largest_task_bytes: u64,
    /// Longest chain of tasks that wait for each other, each on the class that is fastest at it, in
    /// seconds.
    pub critical_path_seconds: f64,
}

/// An engine that runs each task as soon as it is ready, on a worker of the fastest class, of which
/// there is always one more: it counts, and finds the critical path.
pub struct Census {
    durations: Arc<dyn Durations>,
    /// For each class that has workers the bytes that the memory of each holds.
    classes: Vec<(WorkerClass, Option<u64>)>,
    space: Option<Arc<Space>>,
    /// Ends of running tasks.
    running: BinaryHeap<Reverse<(u64, u32)>>,
    clock: u64,
    workers: usize,
    is_flat: bool,
    /// By codelet, cost and bytes the place in the types.
    places: HashMap<(&'static str, u64, u64, u64), usize>,
    contents: Arc<Mutex<Contents>>,
}

impl std::fmt::Debug for Census {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Census").field("clock", &self.clock).finish_non_exhaustive()
    }
}

impl Census {
    /// An engine that counts with the `durations` of the classes of `machine`, and where it writes
    /// what it finds whenever the flow waits.
    #[must_use]
    pub fn new(durations: Arc<dyn Durations>, machine: &Machine) -> (Self, Arc<Mutex<Contents>>) {
        let room = |class| {
            let room = machine.room_of_class(ClassId(class))?;
            Some(room.unwrap_or(u64::MAX))
        };
        let classes = machine.classes.iter().cloned().enumerate();
        let classes = classes.map(|(number, class)| (class, room(number))).collect();
        let contents = Arc::<Mutex<Contents>>::default();
        let census = Self {
            durations,
            classes,
            space: None,
            running: BinaryHeap::new(),
            clock: 0,
            workers: 1,
            is_flat: false,
            places: HashMap::new(),
            contents: contents.clone(),
        };
        (census, contents)
    }

    /// An engine that programs see as one of so many workers, which share one memory without limit
    /// or not; else as one worker that shares nothing, for which no algorithm makes copies.
    #[must_use]
    pub fn acting_for(self, workers: usize, is_flat: bool) -> Self {
        Self { workers, is_flat, ..self }
    }

    fn start(&mut self, space: &Space, task: u32) {
        if !space.enter_arbiters(task) {
            return;
        }
        let data = space.task(task);
        let (codelet, cost) = (data.info.name, data.cost());
        let bytes = footprint(space, task);
        let time = |(number, (class, room)): (usize, &(WorkerClass, Option<u64>))| {
            let is_able = class.runs(codelet) && room.is_some_and(|room| bytes <= room);
            self.durations.nanoseconds(codelet, cost, ClassId(number)).filter(|_| is_able)
        };
        let times: Vec<Option<u64>> = self.classes.iter().enumerate().map(time).collect();
        let fastest = times.iter().flatten().min().copied().unwrap_or(0);
        self.running.push(Reverse((self.clock + fastest, task)));
        let mut contents = self.contents.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (codelet, cost.flops.to_bits(), cost.bytes.to_bits(), bytes);
        let place = *self.places.entry(key).or_insert_with(|| {
            let seconds = times.iter().map(|time| time.map(|time| 1e-9 * time as f64)).collect();
            contents.types.push(TaskType { tasks: 0, seconds });
            contents.codelets.push((codelet, cost));
            contents.types.len() - 1
        });
        contents.types[place].tasks += 1;
        contents.tasks += 1;
        contents.reads += data.accesses().filter(|(_, access)| *access == Access::R).count() as u64;
        contents.largest_task_bytes = contents.largest_task_bytes.max(bytes);
        contents.flops += cost.flops;
    }
}

/// Bytes that a task holds while it runs; a private copy for a reduction stays with its worker.
fn footprint(space: &Space, task: u32) -> u64 {
    let held = space.task(task).accesses().filter(|(_, access)| *access != Access::Reduce);
    held.map(|(handle, _)| rounded(space.handles.get(handle).bytes()) as u64).sum()
}

impl Engine for Census {
    fn workers(&self) -> usize {
        self.workers
    }

    fn start(mut self: Box<Self>, space: FlowSpace) -> Box<dyn Running> {
        self.space = Some(space.0);
        self
    }
}

impl Running for Census {
    fn ready(&mut self, tasks: ReadyTasks<'_>) {
        let Some(space) = self.space.clone() else { return };
        tasks.0.iter().for_each(|&task| self.start(&space, task));
    }

    fn advance(&mut self, submitted: u64, unfinished: u64) {
        let Some(space) = self.space.clone() else { return };
        let mut ready = Vec::new();
        while submitted - space.completed() > unfinished {
            let Reverse((end, task)) = self.running.pop().expect("unfinished tasks run");
            self.clock = end;
            space.finish(task, 0, &mut ready);
            ready.drain(..).for_each(|task| self.start(&space, task));
        }
        let mut contents = self.contents.lock().unwrap_or_else(PoisonError::into_inner);
        contents.critical_path_seconds = 1e-9 * self.clock as f64;
    }

    fn has_private_copies(&self) -> bool {
        true
    }

    fn computes(&self) -> bool {
        false
    }

    fn take_failure(&mut self) -> Option<FlowError> {
        None
    }

    fn failure(&self, _mark: u64) -> Option<FlowError> {
        None
    }

    fn take_records(&mut self) -> Records {
        Records::default()
    }

    fn site(&self) -> Site {
        Site::cores(1)
    }

    fn is_flat(&self) -> bool {
        self.is_flat
    }
}
