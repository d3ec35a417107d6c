//! Commuting: a task takes the arbiters of the handles it commutes on, one after the other.
//!
//! Arbiters are taken in the order of their handles and kept while waiting for the next, so tasks
//! that wait for each other never form a circle.

use super::space::Space;
use super::task::{MAX_ACCESSES, TaskData};
use crate::sync::Ordering;
use crate::types::Access;

impl Space {
    /// Goes through tasks that the graph has made ready; `ready` is empty afterwards. Those that
    /// must wait for a commuting handle come back later. Where `goes_on` says that a task has ended
    /// already, what that makes ready joins; `worker` is who ends it.
    pub(crate) fn take_in(
        &self,
        ready: &mut Vec<u32>,
        worker: usize,
        mut goes_on: impl FnMut(u32) -> bool,
    ) {
        let mut place = 0;
        while let Some(&task) = ready.get(place) {
            place += 1;
            if self.enter_arbiters(task) && !goes_on(task) {
                self.finish(task, worker, ready);
            }
        }
        ready.clear();
    }

    /// Completes `task` and leaves its arbiters; what that makes ready joins `ready`.
    pub(crate) fn finish(&self, task: u32, worker: usize, ready: &mut Vec<u32>) {
        self.leave_arbiters(self.task(task), ready);
        self.complete(task, worker, ready);
    }

    /// Takes the arbiters that `task` still needs; false if it was queued at one and will be ready
    /// again when that one is handed over.
    pub(crate) fn enter_arbiters(&self, task: u32) -> bool {
        let mut room = [0; MAX_ACCESSES];
        let arbiters = commuting(self.task(task), &mut room);
        let held = &self.slot(task).arbiters;
        while let Some(&handle) = arbiters.get(held.load(Ordering::Relaxed) as usize) {
            if !self.handles.get(handle).rare().arbiter.enter(task) {
                return false;
            }
            held.store(held.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        }
        true
    }

    /// Leaves the arbiters of `data`'s task; tasks that they were handed over to join `ready`.
    pub(crate) fn leave_arbiters(&self, data: &TaskData, ready: &mut Vec<u32>) {
        let mut room = [0; MAX_ACCESSES];
        for &handle in commuting(data, &mut room) {
            let mut rare = self.handles.get(handle).rare();
            if let Some(next) = rare.arbiter.leave() {
                self.slot(next).arbiters.fetch_add(1, Ordering::Relaxed);
                ready.push(next);
            }
        }
    }
}

/// The handles that `data` commutes on, in ascending order.
fn commuting<'a>(data: &TaskData, room: &'a mut [u32; MAX_ACCESSES]) -> &'a [u32] {
    let mut count = 0;
    for (handle, access) in data.accesses() {
        if access == Access::Commute {
            room[count] = handle;
            count += 1;
        }
    }
    room[..count].sort_unstable();
    &room[..count]
}
