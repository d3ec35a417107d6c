//! Ready tasks as planning policies see them, in a table with one row per task slot.

use crate::platform::Machine;
use crate::types::{ClassId, HandleId, JobId, TaskId, WorkerId};

/// Most handles of one task.
const MAX_HANDLES: usize = 8;

/// A ready task.
#[derive(Clone, Copy, Debug, Default)]
pub struct Task {
    /// Position in the program.
    pub index: u64,
    /// Higher first.
    pub priority: i32,
    /// Bytes of working memory besides its handles.
    pub scratch_bytes: u64,
    inputs: u8,
    count: u8,
    handles: [u32; MAX_HANDLES],
    /// A bit for each handle that is written.
    written: u8,
}

impl Task {
    /// A task at `index` in the program that uses `handles`: whether it needs their contents, and
    /// whether it writes them. A handle named twice counts once.
    #[must_use]
    pub fn new(index: u64, priority: i32, handles: &[(HandleId, bool, bool)]) -> Self {
        let mut task = Self { index, priority, ..Self::default() };
        for pass in [true, false] {
            for &(handle, _, writes) in handles.iter().filter(|(_, reads, _)| *reads == pass) {
                if !task.handles().any(|known| known == handle) {
                    task.handles[task.count as usize] = handle.0;
                    task.written |= u8::from(writes) << task.count;
                    task.count += 1;
                    task.inputs += u8::from(pass);
                }
            }
        }
        task
    }

    /// The handles whose contents it needs, each once.
    pub fn inputs(&self) -> impl ExactSizeIterator<Item = HandleId> + '_ {
        self.handles[..self.inputs as usize].iter().copied().map(HandleId)
    }

    /// All its handles, each once, the inputs first.
    pub fn handles(&self) -> impl ExactSizeIterator<Item = HandleId> + '_ {
        self.handles[..self.count as usize].iter().copied().map(HandleId)
    }

    /// The handles that it writes.
    pub fn outputs(&self) -> impl Iterator<Item = HandleId> + '_ {
        let written = self.written;
        self.handles()
            .enumerate()
            .filter(move |(place, _)| written >> place & 1 == 1)
            .map(|(_, handle)| handle)
    }
}

/// Every ready task, and how long it is expected to take on each class of workers.
#[derive(Debug, Default)]
pub struct Tasks {
    rows: Vec<Task>,
    /// By slot, the job of a task and its operations, if contexts ask.
    notes: Vec<(JobId, f64)>,
    classes: usize,
    /// Expected nanoseconds, by slot and class.
    durations: Vec<u64>,
}

/// Stands for "cannot run there".
const NEVER: u64 = u64::MAX;

impl Tasks {
    /// An empty table for a machine with `classes` classes of workers.
    #[must_use]
    pub fn new(classes: usize) -> Self {
        Self { rows: Vec::new(), notes: Vec::new(), classes, durations: Vec::new() }
    }

    /// Enters `task`, with its expected time on each class.
    pub fn enter(
        &mut self,
        id: TaskId,
        task: Task,
        mut duration: impl FnMut(ClassId) -> Option<u64>,
    ) {
        let slot = id.0 as usize;
        if slot >= self.rows.len() {
            self.rows.resize((slot + 1).next_power_of_two(), Task::default());
            self.durations.resize(self.rows.len() * self.classes, NEVER);
        }
        self.rows[slot] = task;
        for class in 0..self.classes {
            self.durations[slot * self.classes + class] = duration(ClassId(class)).unwrap_or(NEVER);
        }
    }

    /// Notes the job that `id` belongs to, and its operations.
    pub(crate) fn note(&mut self, id: TaskId, job: JobId, flops: f64) {
        let slot = id.0 as usize;
        if slot >= self.notes.len() {
            self.notes.resize((slot + 1).next_power_of_two(), (JobId::default(), 0.0));
        }
        self.notes[slot] = (job, flops);
    }

    /// The job that `id` belongs to.
    #[must_use]
    pub fn job(&self, id: TaskId) -> JobId {
        self.notes.get(id.0 as usize).map_or(JobId::default(), |note| note.0)
    }

    /// The operations of `id`, if contexts ask for them.
    #[must_use]
    pub fn flops(&self, id: TaskId) -> f64 {
        self.notes.get(id.0 as usize).map_or(0.0, |note| note.1)
    }

    /// The task `id`.
    #[must_use]
    pub fn get(&self, id: TaskId) -> &Task {
        &self.rows[id.0 as usize]
    }

    /// Expected time of `id` on a worker of `class`, in nanoseconds; none if it cannot run there.
    #[must_use]
    pub fn nanoseconds(&self, id: TaskId, class: ClassId) -> Option<u64> {
        let duration = self.durations[id.0 as usize * self.classes + class.0];
        (duration != NEVER).then_some(duration)
    }

    /// Expected times of `id` on every class, in nanoseconds; `u64::MAX` where it cannot run.
    #[must_use]
    pub(crate) fn all_nanoseconds(&self, id: TaskId) -> &[u64] {
        &self.durations[id.0 as usize * self.classes..][..self.classes]
    }

    /// Whether `id` can run on `worker`.
    #[must_use]
    pub fn can_run(&self, id: TaskId, worker: WorkerId, machine: &Machine) -> bool {
        self.nanoseconds(id, machine.workers[worker.0].class).is_some()
    }
}
