//! The reference engine: each task runs when it is submitted, in program order.

use std::time::Instant;

use super::run::Runner;
use crate::flow::{Engine, FlowError, FlowSpace, ReadyTasks, Running};
use crate::trace::{Recorder, Records, Site};

/// Runs tasks one after the other on the submitting thread, as the program says; what every other
/// engine is compared with.
#[derive(Default)]
pub struct Sequential {
    space: Option<FlowSpace>,
    runner: Option<Runner>,
}

impl std::fmt::Debug for Sequential {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Sequential")
    }
}

impl Sequential {
    /// A sequential engine.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl Engine for Sequential {
    fn workers(&self) -> usize {
        1
    }

    fn start(mut self: Box<Self>, space: FlowSpace) -> Box<dyn Running> {
        let recorder = Some(Recorder::new(1, Instant::now()));
        self.runner = Some(Runner::new(recorder));
        space.0.record();
        self.space = Some(space);
        self
    }
}

impl Running for Sequential {
    fn ready(&mut self, tasks: ReadyTasks<'_>) {
        let (Some(FlowSpace(space)), Some(runner)) = (&self.space, &self.runner) else { return };
        let mut queue = tasks.0.to_vec();
        while let Some(task) = queue.pop() {
            runner.run(space, task, 0, &mut queue);
        }
    }

    fn advance(&mut self, _submitted: u64, _unfinished: u64) {}

    fn has_private_copies(&self) -> bool {
        true
    }

    fn is_flat(&self) -> bool {
        true
    }

    fn works_in_place(&self) -> bool {
        true
    }

    fn take_failure(&mut self) -> Option<FlowError> {
        let (Some(FlowSpace(space)), Some(runner)) = (&self.space, &self.runner) else {
            return None;
        };
        runner.failures.take(space, false)
    }

    fn failure(&self, mark: u64) -> Option<FlowError> {
        self.runner.as_ref()?.failures.find(mark)
    }

    fn site(&self) -> Site {
        Site::cores(1)
    }

    fn take_records(&mut self) -> Records {
        self.runner
            .as_ref()
            .and_then(|runner| runner.recorder.as_ref())
            .map_or_else(Records::default, Recorder::take)
    }
}
