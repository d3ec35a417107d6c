//! Names and kinds of tasks.

/// A task, by the number of its slot; the number is used again after the task is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TaskId(pub u32);

/// What completing a task means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Runs a codelet.
    Run,
    /// Folds the private copies of a reduction into its handle.
    Fold,
    /// Waits for its predecessors, does nothing.
    Join,
    /// Gives the buffer of its handle back.
    Discard,
    /// Starts the contents of its handle as a private copy of a reduction starts.
    Start,
    /// Folds its first handle, a share of a reduction, into its second.
    Add,
    /// Sends its handle to another rank.
    Send,
    /// Receives its handle from another rank.
    Receive,
    /// Waits until what it has received was passed on to other ranks.
    Relay,
}

impl Kind {
    /// Whether a worker runs such tasks.
    pub(crate) const fn is_work(self) -> bool {
        matches!(self, Self::Run | Self::Fold | Self::Start | Self::Add)
    }

    /// Whether such tasks end when a message has come or gone.
    pub(crate) const fn is_message(self) -> bool {
        matches!(self, Self::Send | Self::Receive | Self::Relay)
    }
}
