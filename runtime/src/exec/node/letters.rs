//! Messages in memories that may be too small: what they carry is brought to the RAM, and kept there
//! until they have come or gone.

use std::collections::{HashMap, VecDeque};

use super::Shared;
use super::core::Core;
use super::fatal::Fatal;
use crate::exec::failures::Cause;
use crate::flow::Kind;
use crate::platform::MemoryId;
use crate::sched::{HandleId, Task};

/// Messages by how far they are.
#[derive(Default)]
pub(super) struct Letters {
    /// Without room.
    waiting: VecDeque<(u32, Task)>,
    /// With room; their contents are on the way.
    admitted: Vec<(u32, Task)>,
    /// Their contents are there.
    open: HashMap<u32, Task>,
}

impl Core {
    /// A message needs its contents in the RAM.
    pub(super) fn take_letter(&mut self, shared: &Shared, task: u32) {
        let data = shared.space.task(task);
        let is_received = data.kind == Kind::Receive;
        let handle = HandleId(data.handles[0]);
        let row = Task::new(data.index, i32::MAX, &[(handle, !is_received, is_received)]);
        if let Some(fatal) = &self.fatal {
            return refuse(shared, task, fatal.clone().into_cause());
        }
        self.dispatcher.enter_handle(&shared.space, handle);
        match self.dispatcher.check_host(&row) {
            Ok(()) => self.letters.waiting.push_back((task, row)),
            Err(error) => refuse(shared, task, Cause::Failed(error.into())),
        }
    }

    /// A message has ended.
    pub(super) fn close_letter(&mut self, shared: &Shared, task: u32) {
        if let Some(row) = self.letters.open.remove(&task)
            && self.fatal.is_none()
        {
            self.dispatcher.planner_mut().finish(&row, MemoryId::RAM);
        }
        let mut made = std::mem::take(&mut self.ready);
        shared.space.complete_message(task, &mut made);
        self.hand_over(shared, &mut made, None);
        self.ready = made;
    }

    /// Gives room to messages as far as there is any.
    pub(super) fn admit_letters(&mut self, _shared: &Shared) {
        for _ in 0..self.letters.waiting.len() {
            let Some((task, row)) = self.letters.waiting.pop_front() else { break };
            if self.dispatcher.admit_host(&row) {
                self.letters.admitted.push((task, row));
            } else {
                self.letters.waiting.push_back((task, row));
            }
        }
    }

    /// Lets messages go on whose contents have come; says whether any did.
    pub(super) fn start_letters(&mut self, shared: &Shared) -> bool {
        let mut any = false;
        let mut place = 0;
        while let Some(&(task, row)) = self.letters.admitted.get(place) {
            if !self.dispatcher.planner().is_set(&row, MemoryId::RAM) {
                place += 1;
                continue;
            }
            self.letters.admitted.swap_remove(place);
            self.dispatcher.planner_mut().start(&row, MemoryId::RAM);
            self.letters.open.insert(task, row);
            shared.messenger.as_ref().expect("messages have a messenger").admitted(task);
            any = true;
        }
        any
    }

    /// There is no way on for messages whose contents are not there.
    pub(super) fn refuse_letters(&mut self, shared: &Shared, fatal: &Fatal) {
        let waiting = self.letters.waiting.drain(..).chain(self.letters.admitted.drain(..));
        for (task, _) in waiting {
            refuse(shared, task, fatal.clone().into_cause());
        }
    }
}

fn refuse(shared: &Shared, task: u32, cause: Cause) {
    shared.messenger.as_ref().expect("messages have a messenger").refused(task, cause);
}
