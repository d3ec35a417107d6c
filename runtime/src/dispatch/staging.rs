//! Staging of messages where memories may be too small: what they carry is brought to the RAM, and
//! kept there until they have come or gone. So is what the program itself uses.

use std::collections::{HashMap, VecDeque};

use super::Dispatcher;
use super::Plans;
use crate::flow::{FlowError, Space};
use crate::sched::Task;
use crate::types::{HandleId, Kind, MemoryId};

/// Messages whose contents are staged, by how far they are.
#[derive(Default)]
pub(crate) struct Staging {
    /// Without room.
    waiting: VecDeque<(u32, Task)>,
    /// With room; their contents are on the way.
    admitted: Vec<(u32, Task)>,
    /// Their contents are there.
    open: HashMap<u32, Task>,
}

impl Staging {
    /// The message `task` of `space` needs its contents in the RAM.
    ///
    /// # Errors
    /// If they do not fit it.
    pub(crate) fn enter(
        &mut self,
        dispatcher: &mut Dispatcher,
        space: &Space,
        task: u32,
    ) -> Result<(), FlowError> {
        let data = space.task(task);
        let is_received = data.kind == Kind::Receive;
        let handle = HandleId(data.handles[0]);
        let row = Task::new(data.index, i32::MAX, &[(handle, !is_received, is_received)]);
        dispatcher.enter_handle(space, handle);
        dispatcher.check_host(&row)?;
        self.waiting.push_back((task, row));
        Ok(())
    }

    /// Gives room to messages as far as there is any.
    pub(crate) fn admit(&mut self, dispatcher: &mut Dispatcher) {
        for _ in 0..self.waiting.len() {
            let Some((task, row)) = self.waiting.pop_front() else { break };
            if dispatcher.admit_host(&row) {
                self.admitted.push((task, row));
            } else {
                self.waiting.push_back((task, row));
            }
        }
    }

    /// Appends the messages whose contents have come to `started`.
    pub(crate) fn start(&mut self, dispatcher: &mut Dispatcher, started: &mut Vec<u32>) {
        let mut place = 0;
        while let Some(&(task, row)) = self.admitted.get(place) {
            if !dispatcher.planner().is_set(&row, MemoryId::RAM) {
                place += 1;
                continue;
            }
            self.admitted.swap_remove(place);
            dispatcher.planner_mut().start(&row, MemoryId::RAM);
            self.open.insert(task, row);
            started.push(task);
        }
    }

    /// The message `task` has ended; says what it used of the RAM, if anything.
    pub(crate) fn close(&mut self, task: u32) -> Option<Task> {
        self.open.remove(&task)
    }

    /// Takes the messages whose contents are not there.
    pub(crate) fn take_waiting(&mut self) -> impl Iterator<Item = u32> + '_ {
        self.waiting.drain(..).chain(self.admitted.drain(..)).map(|(task, _)| task)
    }
}

impl Dispatcher {
    /// # Errors
    /// If what the program itself wants to use does not fit the RAM.
    pub(crate) fn check_host(&self, task: &Task) -> Result<(), FlowError> {
        let bytes = self.planner().footprint(task);
        match self.machine().memories[MemoryId::RAM.0].capacity {
            Some(most) if bytes > most => Err(FlowError::TooLarge { bytes, most }),
            _ => Ok(()),
        }
    }

    /// Admits the program itself to the RAM.
    pub(crate) fn admit_host(&mut self, task: &Task) -> bool {
        let (planner, plans): (_, Plans<'_>) = self.planner_and_plans();
        planner.admit(task, MemoryId::RAM, plans)
    }
}
