//! What the submitter and the engine share: task slots, handles, and the way slots come back.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock, Weak};

use super::edge::edge_task;
use super::lane::Lane;
use super::task::{TaskData, TaskSlot};
use crate::memory::{BufferCache, HandleTable, Numbers, Slab};
use crate::sched::TaskView;
use crate::sync::Ordering;
use crate::trace::AFTER_MESSAGE;
use crate::types::{JobId, Kind, WorkerId};

/// Who is told of messages that may come or go.
pub(crate) trait Post: Send + Sync + std::fmt::Debug {
    /// The message in slot `task` may come or go; whether this is told `by_worker`, at the end of a
    /// task.
    fn post(&self, task: u32, by_worker: bool);
}

/// How the tasks and handles of a flow are numbered: flows that share an engine share the numbers,
/// so that a number says whose it is.
#[derive(Clone, Debug)]
pub struct Naming {
    pub(crate) tasks: Arc<Numbers>,
    pub(crate) handles: Arc<Numbers>,
    pub(crate) owner: u16,
    /// The job that tasks belong to unless the program says another.
    pub(crate) job: JobId,
}

impl Naming {
    /// Numbers of one flow alone.
    pub(crate) fn alone() -> Self {
        let numbers = || Arc::new(Numbers::new());
        Self { tasks: numbers(), handles: numbers(), owner: 0, job: JobId::default() }
    }
}

/// Task slots and handles of one flow.
#[derive(Debug)]
pub(crate) struct Space {
    pub(crate) naming: Naming,
    tasks: Slab<TaskSlot>,
    pub(crate) handles: HandleTable,
    /// One for each worker, one for the submitter, which completes what needs no worker, and one
    /// for messages.
    lanes: Vec<Lane>,
    workers: usize,
    /// Who is told of messages that may come or go.
    post: OnceLock<Weak<dyn Post>>,
    /// Whether tasks note whose end made them ready.
    is_recorded: AtomicBool,
}

impl Space {
    /// Room for tasks run by `workers` workers.
    pub(crate) fn new(workers: usize, cache: BufferCache, naming: Naming) -> Self {
        Self {
            naming,
            tasks: Slab::new(),
            handles: HandleTable::new(cache),
            lanes: (0..workers + 2).map(|_| Lane::new()).collect(),
            workers,
            post: OnceLock::new(),
            is_recorded: AtomicBool::new(false),
        }
    }

    /// Workers that run its tasks.
    pub(crate) fn workers(&self) -> usize {
        self.workers
    }

    pub(crate) fn slot(&self, task: u32) -> &TaskSlot {
        self.tasks.get(task)
    }

    /// Step of the outermost loop that `task` belongs to.
    pub(crate) fn iteration(&self, task: u32) -> u32 {
        self.slot(task).iteration.load(Ordering::Relaxed)
    }

    /// The job that `task` belongs to.
    pub(crate) fn job(&self, task: u32) -> JobId {
        JobId(self.slot(task).job.load(Ordering::Relaxed))
    }

    /// What a task is called by those that its end makes ready; 0 if nobody asks.
    fn name(&self, task: u32) -> u64 {
        if !self.is_recorded() {
            return 0;
        }
        let data = self.task(task);
        match data.kind {
            kind if kind.is_work() => data.index + 1,
            Kind::Receive => AFTER_MESSAGE | u64::from(data.envelope().key.name),
            // What the graph inserted stands for the task that made it ready.
            _ => self.after(task),
        }
    }

    /// Has every task note whose end made it ready.
    pub(crate) fn record(&self) {
        self.is_recorded.store(true, Ordering::Relaxed);
    }

    /// Whether tasks note whose end made them ready.
    pub(crate) fn is_recorded(&self) -> bool {
        self.is_recorded.load(Ordering::Relaxed)
    }

    /// 1 + the program index of the task whose end made `task` ready; 0 if none did.
    pub(crate) fn after(&self, task: u32) -> u64 {
        self.slot(task).after.load(Ordering::Relaxed)
    }

    /// What is known of a submitted, unfinished task.
    pub(crate) fn task(&self, task: u32) -> &TaskData {
        // SAFETY: engines name only tasks that were published and not completed.
        #[allow(unsafe_code)]
        unsafe {
            self.slot(task).data()
        }
    }

    /// Adds a chunk of task slots; returns the first.
    pub(crate) fn grow_tasks(&self) -> u32 {
        self.tasks.grow(&self.naming.tasks, self.naming.owner, TaskSlot::new)
    }

    /// Adds a chunk of handles; returns the first.
    pub(crate) fn grow_handles(&self) -> u32 {
        self.handles.grow(&self.naming.handles, self.naming.owner)
    }

    /// Takes every slot that came back, calling `each` with it.
    pub(crate) fn take_freed(&self, mut each: impl FnMut(u32)) {
        for lane in &self.lanes {
            lane.take(&mut each);
        }
    }

    /// Completes `task` on `worker`: appends the tasks that became ready to `ready`.
    ///
    /// Join and discard tasks that became ready complete here as well.
    pub(crate) fn complete(&self, task: u32, worker: usize, ready: &mut Vec<u32>) {
        let first = ready.len();
        self.close(task, worker, ready);
        self.finish_inline(first, worker, ready);
        self.lanes[worker].count_completed();
    }

    /// Appends the successors of `task` that became ready, and frees its slot, which comes back by
    /// `lane`.
    fn close(&self, task: u32, lane: usize, ready: &mut Vec<u32>) {
        let next = |edge| self.slot(edge_task(edge)).edges.next(edge);
        let slot = self.slot(task);
        let name = self.name(task);
        slot.successors.close(next, |edge| {
            let successor = self.slot(edge_task(edge));
            if successor.pending.fetch_sub(1, Ordering::AcqRel) == 1 {
                if name != 0 {
                    successor.after.store(name, Ordering::Relaxed);
                }
                ready.push(edge_task(edge));
            }
        });
        self.lanes[lane].give(task);
    }

    /// Completes the tasks in `ready`, from `position` on, that no worker needs to run. Called by
    /// the submitter.
    pub(crate) fn finish_submitted(&self, position: usize, ready: &mut Vec<u32>) {
        self.finish_inline(position, self.workers, ready);
    }

    /// Has `post` told of every message that may come or go from now on.
    pub(crate) fn set_post(&self, post: &Arc<dyn Post>) {
        let was_set = self.post.set(Arc::downgrade(post));
        debug_assert!(was_set.is_ok(), "a flow has one post");
    }

    /// Completes a message, and appends the tasks that became ready to `ready`. One thread at a
    /// time calls this.
    pub(crate) fn complete_message(&self, task: u32, ready: &mut Vec<u32>) {
        let (first, lane) = (ready.len(), self.workers + 1);
        self.close(task, lane, ready);
        self.finish_inline(first, lane, ready);
        self.lanes[lane].count_completed();
    }

    /// How many messages were completed.
    pub(crate) fn completed_messages(&self) -> u64 {
        self.lanes[self.workers + 1].completed()
    }

    /// Completes the tasks in `ready`, from `position` on, that no worker needs to run; their slots
    /// come back by `lane`.
    fn finish_inline(&self, mut position: usize, lane: usize, ready: &mut Vec<u32>) {
        while let Some(&task) = ready.get(position) {
            let data = self.task(task);
            if data.kind.is_work() {
                position += 1;
                continue;
            }
            ready.swap_remove(position);
            if data.kind.is_message() {
                let post = self.post.get().and_then(Weak::upgrade);
                post.expect("messages have a post while the engine runs")
                    .post(task, lane < self.workers);
                continue;
            }
            if data.kind == Kind::Discard {
                self.handles.discard(data.handles[0]);
            }
            self.close(task, lane, ready);
        }
    }

    /// How many tasks were completed in all.
    pub(crate) fn completed(&self) -> u64 {
        self.completed_by_worker().sum()
    }

    /// How many tasks each worker completed.
    pub(crate) fn completed_by_worker(&self) -> impl Iterator<Item = u64> {
        self.lanes[..self.workers].iter().map(Lane::completed)
    }
}

/// The ready task in slot `task` as a policy sees it.
pub(crate) fn task_view(space: &Space, task: u32) -> TaskView {
    let data = space.task(task);
    let written = data.accesses().find(|(_, access)| access.writes());
    let home = written.and_then(|(handle, _)| space.handles.get(handle).home()).map(WorkerId);
    TaskView { priority: data.priority, index: data.index, home }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::graph::Graph;

    #[test]
    fn the_submitter_gives_slots_back_by_a_lane_of_its_own() {
        let mut graph = Graph::new(1, BufferCache::new(false), Naming::alone());
        let handle = graph.register(8);
        assert!(graph.discard(handle).is_empty(), "nobody uses it, so it goes at once");
        let back = |lane: usize| {
            let mut count = 0;
            graph.space().lanes[lane].take(|_| count += 1);
            count
        };
        assert_eq!((back(0), back(1)), (0, 1));
    }
}
