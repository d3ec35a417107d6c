//! Access modes: what a task declares about each handle that it uses.

use super::handle::Handle;
use super::task::MAX_ACCESSES;

/// Declared use of a handle by a task, from which the graph is inferred.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// Reads; runs after the last writer, beside other readers.
    R,
    /// Overwrites without reading; the old contents (and their failure, if any) are forgotten.
    W,
    /// Reads and writes, in program order.
    RW,
    /// Reads and writes; neighbours in the program with the same mode run in any order, one at a
    /// time.
    Commute,
    /// Accumulates into a copy private to the worker; neighbours with the same mode run side by
    /// side and the copies are folded before the next use of another mode.
    Reduce,
    /// Private working memory of the task: no contents before or after.
    Scratch,
}

impl Access {
    /// Whether the task works on memory that is not the handle's own.
    pub(crate) const fn is_private(self) -> bool {
        matches!(self, Self::Reduce | Self::Scratch)
    }

    /// Whether a task with this access may change the buffer that it is given.
    #[must_use]
    pub const fn writes(self) -> bool {
        !matches!(self, Self::R)
    }
}

/// Room for the accesses of a task.
pub(super) const NO_ACCESSES: [(Handle, Access); MAX_ACCESSES] =
    [(Handle { index: u32::MAX, generation: u32::MAX }, Access::R); MAX_ACCESSES];

/// `accesses` with modes replaced: all that leave the order open by `RW` where the flow is deterministic, else
/// reductions by `Commute`, for workers that have no private copies.
pub(super) fn stricter<'a>(
    is_deterministic: bool,
    accesses: &[(Handle, Access)],
    room: &'a mut [(Handle, Access); MAX_ACCESSES],
) -> &'a [(Handle, Access)] {
    let room = &mut room[..accesses.len()];
    for (ordered, &(handle, access)) in room.iter_mut().zip(accesses) {
        let stricter = match access {
            Access::Commute | Access::Reduce if is_deterministic => Access::RW,
            Access::Reduce => Access::Commute,
            kept => kept,
        };
        *ordered = (handle, stricter);
    }
    room
}
