//! What a flow records of a run: its tasks, when the program waited, and the trace of the engine.

use super::{Flow, Space, TaskData};
use crate::memory::MemoryUse;
use crate::trace::{Outcome, Records, TaskRecord, Trace};
use crate::types::Spot;

impl Space {
    /// A record of the task in slot `task`, times still to be filled in.
    pub(crate) fn task_record(&self, task: u32, worker: usize, outcome: Outcome) -> TaskRecord {
        let data = self.task(task);
        TaskRecord {
            task: data.index,
            codelet: data.info.name,
            phase: data.phase,
            job: self.job(task).0,
            worker,
            priority: data.priority,
            iteration: self.iteration(task),
            spot: self.spot(data),
            after: self.after(task),
            start: 0,
            end: 0,
            outcome,
        }
    }

    /// Where what a task works on lies in its grid.
    fn spot(&self, data: &TaskData) -> Option<Spot> {
        let spot = |(handle, _)| self.handles.get(handle).rare().spot;
        let mut written = data.accesses().filter(|(_, access)| access.writes());
        written.find_map(spot).or_else(|| data.accesses().filter_map(spot).last())
    }
}

impl Flow {
    /// Memory that the buffers of this flow take.
    #[must_use]
    pub fn memory(&self) -> MemoryUse {
        self.graph.space().handles.cache.usage()
    }

    /// What the engine recorded since the last call, after everything submitted has run.
    pub fn take_trace(&mut self) -> Trace {
        self.drain();
        let records = self.take_records();
        Trace::new(records, self.engine.site(), &self.phases)
    }

    /// Likewise, when nothing is unfinished.
    pub(super) fn take_records(&mut self) -> Records {
        let mut records = self.engine.take_records();
        follow_waits(&mut records.tasks, &std::mem::take(&mut self.waits));
        self.engine.show_records(&records.tasks);
        records
    }

    /// Notes, if the run is recorded, that the program has waited for all that it has submitted.
    pub(super) fn note_wait(&mut self) {
        let submitted = self.graph.program_index();
        if self.graph.space().is_recorded() && self.waits.last() != Some(&submitted) {
            self.waits.push(submitted);
        }
    }
}

/// Lets each task that was ready when it was submitted come after the one that ended last of
/// those that the program had waited for; `waits` are, in their order, the numbers of tasks
/// submitted when it had waited for all of them.
///
/// An evaluation that follows another needs none of its data, but the program reads the outcome
/// of one before it submits the next.
fn follow_waits(tasks: &mut [TaskRecord], waits: &[u64]) {
    tasks.sort_unstable_by_key(|record| record.task);
    let mut waits = waits.iter().peekable();
    // End and name of the task that ended last so far; the name of the one that the program
    // waited for.
    let (mut last, mut awaited) = ((0, 0), 0);
    for record in tasks {
        while waits.next_if(|&&wait| wait <= record.task).is_some() {
            awaited = last.1;
        }
        last = last.max((record.end, record.task + 1));
        if record.after == 0 {
            record.after = awaited;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A task from `start` to `end`, after the task `after` if that is some.
    fn task(task: u64, (start, end): (u64, u64), after: i64) -> TaskRecord {
        let after = u64::try_from(after + 1).expect("-1 or an index");
        let (codelet, phase, job, worker, priority, iteration) = ("potrf", 0, 0, 0, 0, 0);
        let (spot, outcome) = (None, Outcome::Done);
        #[rustfmt::skip]
        let record = TaskRecord {
            task, codelet, phase, job, worker, priority, iteration, spot, after, start, end, outcome,
        };
        record
    }

    #[test]
    fn what_follows_a_wait_follows_the_task_that_ended_last() {
        let mut tasks = [
            task(0, (0, 10), -1),
            task(1, (5, 30), -1),
            // The program waited here.
            task(2, (40, 50), -1),
            task(3, (50, 52), 2),
            task(4, (51, 53), -1),
            // And here, twice.
            task(5, (60, 64), -1),
        ];
        follow_waits(&mut tasks, &[2, 5, 5, 6]);
        assert_eq!(tasks.map(|task| task.after), [0, 0, 2, 3, 2, 5]);
    }
}
