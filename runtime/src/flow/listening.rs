//! A flow that runs nothing, for counting what a program would send.

use super::engine::{ReadyTasks, Running};
use super::graph::Graph;
use super::peers::Peers;
use super::{Flow, FlowError, FlowOptions, Naming};
use crate::memory::BufferCache;
use crate::trace::{Records, Site};

impl Flow {
    /// A flow that runs nothing: what the program does is only noted, to be
    /// [counted](crate::ranks::count()). Whatever is read is zero.
    #[must_use]
    pub fn listening() -> Self {
        Self::listening_for(1, true)
    }

    /// The same of ranks with so many [workers](Self::workers), whose memory is
    /// [flat](Self::is_flat) or not: programs ask.
    #[must_use]
    pub fn listening_for(workers: usize, is_flat: bool) -> Self {
        let mut flow = Self::of(
            Graph::new(workers, BufferCache::new(true), Naming::alone()),
            workers,
            Box::new(RecordOnly { is_flat }),
            FlowOptions::default(),
        );
        flow.peers = Some(Peers::listening());
        flow
    }
}

/// The engine of a flow that only notes what the program does.
struct RecordOnly {
    /// Whether it acts for workers that share one memory without limit.
    is_flat: bool,
}

impl Running for RecordOnly {
    fn ready(&mut self, _tasks: ReadyTasks<'_>) {}
    fn advance(&mut self, _submitted: u64, _unfinished: u64) {}
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
    fn has_private_copies(&self) -> bool {
        self.is_flat
    }
    fn is_flat(&self) -> bool {
        self.is_flat
    }
}
