//! What runs the tasks of a flow, as the flow sees it.

use std::sync::Arc;

use super::{FirstFailure, FlowError, Naming, Space};
use crate::ranks::{Contribution, Outcome, Traffic};
use crate::sched::View;
use crate::sched::contexts::{ContextError, Contexts};
use crate::trace::{Records, Site, TaskRecord, Totals};
use crate::types::Rank;

/// What can advance the tasks of a flow: see [`crate::exec`] and [`crate::sim`].
pub trait Engine: Send {
    /// Number of workers.
    fn workers(&self) -> usize;
    /// This rank, and how many there are.
    fn ranks(&self) -> (Rank, usize) {
        (Rank(0), 1)
    }
    /// How tasks and handles are numbered.
    fn naming(&self) -> Naming {
        Naming::alone()
    }
    /// Begins to work on these tasks and handles.
    fn start(self: Box<Self>, space: FlowSpace) -> Box<dyn Running>;
}

/// An engine at work on the tasks of one flow.
pub trait Running: Send {
    /// `tasks` may run now.
    fn ready(&mut self, tasks: ReadyTasks<'_>);
    /// Runs tasks until at most `unfinished` of the `submitted` ones are left.
    fn advance(&mut self, submitted: u64, unfinished: u64);
    /// The program, which has waited, goes on with the task at `index`.
    fn resume(&mut self, _index: u64) {}
    /// Whether it runs kernels.
    fn computes(&self) -> bool {
        true
    }
    /// The failure with the smallest program index since the last call, if there was one.
    fn take_failure(&mut self) -> Option<FlowError>;
    /// The failure of the task with program index `mark - 1`, as long as a handle is marked with
    /// it.
    fn failure(&self, mark: u64) -> Option<FlowError>;
    /// What was recorded since the last call; empty unless the engine records.
    fn take_records(&mut self) -> Records;
    /// Shows it the records of its tasks as the flow has completed them: for whoever takes those of
    /// all flows that share it.
    fn show_records(&mut self, _tasks: &[TaskRecord]) {}
    /// Names of its workers and memories.
    fn site(&self) -> Site;
    /// Notes that the program has given `handle` its contents, though nothing was written: for
    /// engines that only act as if.
    fn touch(&mut self, _handle: u32) {}
    /// Brings `handle` to the RAM, where the program itself reads or writes it until
    /// [`host_done`](Self::host_done).
    ///
    /// # Errors
    /// What ended the run, or that it does not fit, if it cannot be brought.
    fn host(&mut self, _handle: u32, _reads: bool, _writes: bool) -> Result<(), FlowError> {
        Ok(())
    }
    /// Ends the program's own use of the handle that was brought last.
    fn host_done(&mut self) {}
    /// Handles were unregistered: their buffers go now, before others take their places. Nothing is
    /// unfinished.
    fn unregistered(&mut self) {}
    /// Whether tasks that reduce work on copies private to their workers; else they commute.
    fn has_private_copies(&self) -> bool;
    /// Whether all workers share one memory without limit, so that copies of data cost no transfer.
    fn is_flat(&self) -> bool;
    /// Whether tasks work on the buffer of a handle where it is and nothing moves or replaces it,
    /// so that it may be memory of the caller's.
    fn works_in_place(&self) -> bool {
        false
    }
    /// What it does with other ranks, if there are any.
    fn peering(&self) -> Option<&dyn Peering> {
        None
    }
    /// What was run and moved so far, if the engine counts.
    fn totals(&self) -> Option<Totals> {
        None
    }
    /// Looks at its contexts, or changes them.
    ///
    /// # Errors
    /// Those of `look`, and that there are none.
    fn with_contexts(&mut self, _look: &mut LookAtContexts<'_>) -> Result<(), ContextError> {
        Err(ContextError::Off)
    }
}

/// What looks at contexts, or changes them.
pub type LookAtContexts<'a> = dyn FnMut(&mut Contexts, &View<'_>) -> Result<(), ContextError> + 'a;

/// What an engine does with other ranks.
pub trait Peering: Sync {
    /// Begins what all ranks do together before the first task, now that they have met.
    ///
    /// # Errors
    /// If another rank cannot be reached any more.
    fn begin(&self) -> Result<(), FlowError>;
    /// Waits until so many messages have come or gone.
    fn settle(&self, count: u64);
    /// The next barrier of all ranks: enters it, and waits for its end.
    ///
    /// # Errors
    /// If another rank cannot be reached any more.
    fn barrier(&self, contribution: Contribution) -> Result<Outcome, FlowError>;
    /// What this rank has sent to others.
    fn traffic(&self) -> Traffic;
    /// The failure with the smallest program index that this rank has met since
    /// [`Running::take_failure`].
    fn first_failure(&self) -> Option<FirstFailure>;
    /// Notes the failure of all ranks, so that [`Running::failure`] knows it.
    fn learn_failure(&self, mark: u64, error: &FlowError);
}

/// The tasks and handles of a flow, for an engine.
#[derive(Clone, Debug)]
pub struct FlowSpace(pub(crate) Arc<Space>);

/// Tasks that became ready, for an engine.
#[derive(Clone, Copy, Debug)]
pub struct ReadyTasks<'a>(pub(crate) &'a [u32]);
