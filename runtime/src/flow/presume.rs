//! Tasks that are taken for granted: for simulations of what comes after them.

use super::access::NO_ACCESSES;
use super::{Access, Flow, Handle};

/// What there is after tasks that were taken for granted: by datum, whether this rank holds it.
#[derive(Debug, Default)]
pub(super) struct Presumed(Vec<bool>);

impl Presumed {
    pub(super) fn set(&mut self, handle: u32, is_here: bool) {
        let place = handle as usize;
        if place >= self.0.len() {
            self.0.resize(place + 1, false);
        }
        self.0[place] = is_here;
    }

    fn here(self) -> impl Iterator<Item = u32> {
        let held = self.0.into_iter().enumerate().filter(|&(_, is_here)| is_here);
        held.map(|(handle, _)| handle as u32)
    }
}

impl Flow {
    /// Takes the tasks that `program` submits for granted, on an engine that runs no kernel: none
    /// of them runs, nothing moves and no time passes. What each would have written lies in the RAM
    /// of the rank that would have run it, and copies are with the ranks that would have been sent
    /// some.
    ///
    /// What was submitted before runs first.
    pub fn presume(&mut self, program: impl FnOnce(&mut Self)) {
        self.drain();
        self.presumed = Some(Presumed::default());
        self.note_presumed(true);
        program(self);
        self.note_presumed(false);
        // What was dropped is gone before what lies there now is placed.
        self.drain();
        let presumed = self.presumed.take().expect("it is set until here");
        presumed.here().for_each(|handle| self.engine.touch(handle));
    }

    /// Takes a task with these `accesses` for granted.
    pub(super) fn presume_task(&mut self, accesses: &[(Handle, Access)]) {
        let mut room = NO_ACCESSES;
        let room = &mut room[..accesses.len()];
        room.copy_from_slice(accesses);
        // Of shares nothing is left but their sum.
        let reduced = room.iter_mut().filter(|(_, access)| *access == Access::Reduce);
        reduced.for_each(|(_, access)| *access = Access::RW);
        if !self.runs_here(room, 0) {
            return;
        }
        self.graph.skip();
        let is_left = |access: Access| access.writes() && access != Access::Scratch;
        let written = room.iter().filter(|(_, access)| is_left(*access));
        for (handle, _) in written {
            self.graph.check(*handle);
            self.presumed.iter_mut().for_each(|presumed| presumed.set(handle.index, true));
        }
    }
}
