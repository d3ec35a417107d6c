//! Messages whose contents the dispatcher brings to the RAM.

use super::Shared;
use super::core::Core;
use super::fatal::Fatal;
use crate::exec::failures::Cause;
use crate::types::MemoryId;

impl Core {
    /// A message needs its contents in the RAM.
    pub(super) fn stage(&mut self, shared: &Shared, task: u32) {
        if let Some(fatal) = &self.fatal {
            return refuse(shared, task, fatal.clone().into_cause());
        }
        if let Err(error) =
            self.staging.enter(&mut self.dispatcher, &shared.programs.of_task(task).space, task)
        {
            refuse(shared, task, Cause::Failed(error.into()));
        }
    }

    /// A message has ended.
    pub(super) fn end_message(&mut self, shared: &Shared, task: u32) {
        if let Some(row) = self.staging.close(task)
            && self.fatal.is_none()
        {
            self.dispatcher.planner_mut().finish(&row, MemoryId::RAM);
        }
        let mut made = std::mem::take(&mut self.ready);
        shared.programs.of_task(task).space.complete_message(task, &mut made);
        self.hand_over(shared, &mut made, None);
        self.ready = made;
    }

    /// Lets messages go on whose contents have come; says whether any did.
    pub(super) fn start_staged(&mut self, shared: &Shared) -> bool {
        let mut started = Vec::new();
        self.staging.start(&mut self.dispatcher, &mut started);
        let messenger = shared.messenger.as_ref();
        for &task in &started {
            messenger.expect("messages have a messenger").admitted(task);
        }
        !started.is_empty()
    }

    /// There is no way on for messages whose contents are not there.
    pub(super) fn refuse_staged(&mut self, shared: &Shared, fatal: &Fatal) {
        for task in self.staging.take_waiting() {
            refuse(shared, task, fatal.clone().into_cause());
        }
    }
}

fn refuse(shared: &Shared, task: u32, cause: Cause) {
    shared.messenger.as_ref().expect("messages have a messenger").refused(task, cause);
}
