//! What the submitter and the engine share: task slots, handles, and the way slots come back.

use std::sync::atomic::AtomicU64;

use super::edge::edge_task;
use super::slab::Slab;
use super::task::{Kind, TaskData, TaskSlot};
use crate::memory::{BufferCache, HandleTable};
use crate::sched::{TaskView, WorkerId};
use crate::sync::{AtomicU32, Ordering};

const NONE: u32 = u32::MAX;

/// A value on a cache line of its own.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct Padded<T>(pub(crate) T);

/// What one worker gives back to the submitter.
#[derive(Debug)]
struct Lane {
    /// Newest of the slots that the worker freed; the others hang on it.
    freed: AtomicU32,
    /// Tasks that the worker completed; only it writes.
    completed: AtomicU64,
}

/// Task slots and handles of one flow.
#[derive(Debug)]
pub(crate) struct Space {
    tasks: Slab<TaskSlot>,
    pub(crate) handles: HandleTable,
    lanes: Vec<Padded<Lane>>,
}

impl Space {
    /// Room for tasks run by `workers` workers.
    pub(crate) fn new(workers: usize, cache: BufferCache) -> Self {
        let lane = || Padded(Lane { freed: AtomicU32::new(NONE), completed: AtomicU64::new(0) });
        Self {
            tasks: Slab::new(),
            handles: HandleTable::new(cache),
            lanes: (0..workers).map(|_| lane()).collect(),
        }
    }

    pub(crate) fn slot(&self, task: u32) -> &TaskSlot {
        self.tasks.get(task)
    }

    /// What is known of a submitted, unfinished task.
    pub(crate) fn task(&self, task: u32) -> &TaskData {
        // SAFETY: engines name only tasks that were published and not completed.
        #[allow(unsafe_code)]
        unsafe {
            self.slot(task).data()
        }
    }

    /// Adds task slots after the first `length`; returns how many there are then.
    pub(crate) fn grow_tasks(&self, length: usize) -> usize {
        self.tasks.grow(length, TaskSlot::new)
    }

    /// Takes every slot that came back, calling `each` with it.
    pub(crate) fn take_freed(&self, mut each: impl FnMut(u32)) {
        for lane in &self.lanes {
            if lane.0.freed.load(Ordering::Relaxed) == NONE {
                continue;
            }
            let mut task = lane.0.freed.swap(NONE, Ordering::Acquire);
            while task != NONE {
                let next = self.slot(task).next_free.load(Ordering::Relaxed);
                each(task);
                task = next;
            }
        }
    }

    /// Completes `task` on `worker`: appends the tasks that became ready to `ready`.
    ///
    /// Join and discard tasks that became ready complete here as well.
    pub(crate) fn complete(&self, task: u32, worker: usize, ready: &mut Vec<u32>) {
        let first = ready.len();
        self.close(task, worker, ready);
        self.finish_inline(first, worker, ready);
        let completed = &self.lanes[worker].0.completed;
        completed.store(completed.load(Ordering::Relaxed) + 1, Ordering::Release);
    }

    /// Appends the successors of `task` that became ready, and frees its slot.
    fn close(&self, task: u32, worker: usize, ready: &mut Vec<u32>) {
        let next = |edge| self.slot(edge_task(edge)).edges.next(edge);
        self.slot(task).successors.close(next, |edge| {
            let successor = edge_task(edge);
            if self.slot(successor).pending.fetch_sub(1, Ordering::AcqRel) == 1 {
                ready.push(successor);
            }
        });
        self.free(task, worker);
    }

    /// Completes the tasks in `ready`, from `position` on, that no worker needs to run.
    pub(crate) fn finish_inline(&self, mut position: usize, worker: usize, ready: &mut Vec<u32>) {
        while let Some(&task) = ready.get(position) {
            let data = self.task(task);
            match data.kind {
                Kind::Run | Kind::Fold => {
                    position += 1;
                    continue;
                }
                Kind::Join => {}
                Kind::Discard => self.handles.discard(data.handles[0]),
            }
            ready.swap_remove(position);
            self.close(task, worker, ready);
        }
    }

    fn free(&self, task: u32, worker: usize) {
        let (slot, freed) = (self.slot(task), &self.lanes[worker].0.freed);
        let mut head = freed.load(Ordering::Relaxed);
        loop {
            slot.next_free.store(head, Ordering::Relaxed);
            match freed.compare_exchange_weak(head, task, Ordering::Release, Ordering::Relaxed) {
                Ok(_) => return,
                Err(now) => head = now,
            }
        }
    }

    /// How many tasks were completed in all.
    pub(crate) fn completed(&self) -> u64 {
        self.lanes.iter().map(|lane| lane.0.completed.load(Ordering::Acquire)).sum()
    }
}

/// The ready task in slot `task` as a policy sees it.
pub(crate) fn task_view(space: &Space, task: u32) -> TaskView {
    let data = space.task(task);
    let written = data.accesses().find(|(_, access)| access.writes());
    let home = written.and_then(|(handle, _)| space.handles.get(handle).home()).map(WorkerId);
    TaskView { priority: data.priority, index: data.index, home }
}
