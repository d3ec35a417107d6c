//! The accesses of a task: room for them, and the modes that a flow uses in place of those
//! declared.

use super::task::MAX_ACCESSES;
use crate::types::{Access, Handle};

/// Room for the accesses of a task.
pub(super) const NO_ACCESSES: [(Handle, Access); MAX_ACCESSES] =
    [(Handle { index: u32::MAX, generation: u32::MAX }, Access::R); MAX_ACCESSES];

/// `accesses` with modes replaced: all that leave the order open by `RW` where the flow is
/// deterministic, else reductions by `Commute`, for workers that have no private copies.
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
