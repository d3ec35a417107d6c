//! Tasks that commute on handles, and the arbiters of these.

use super::space::Space;
use super::task::{MAX_ACCESSES, TaskData};
use crate::memory::Arbiter;
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

    /// Takes the arbiters that `task` needs, unless it has them; false if it was queued at one and
    /// will be ready again when it has all.
    pub(crate) fn enter_arbiters(&self, task: u32) -> bool {
        let has_them = &self.slot(task).has_arbiters;
        if has_them.load(Ordering::Relaxed) != 0 {
            return true;
        }
        let mut room = [0; MAX_ACCESSES];
        let handles = commuting(self.task(task), &mut room);
        let taken = Arbiter::take_all::<MAX_ACCESSES>(task, self.arbiters(handles));
        if taken && !handles.is_empty() {
            has_them.store(1, Ordering::Relaxed);
        }
        taken
    }

    /// Leaves the arbiters of `data`'s task; tasks that take them over join `ready`.
    pub(crate) fn leave_arbiters(&self, data: &TaskData, ready: &mut Vec<u32>) {
        let mut room = [0; MAX_ACCESSES];
        let handles = commuting(data, &mut room);
        Arbiter::leave_all(self.arbiters(handles), |task| self.enter_arbiters(task), ready);
    }

    fn arbiters<'a>(&'a self, handles: &'a [u32]) -> impl Iterator<Item = &'a Arbiter> + Clone {
        handles.iter().map(|&handle| &self.handles.get(handle).arbiter)
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
