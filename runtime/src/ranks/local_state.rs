//! What a rank has to do with a datum.

use crate::types::Access;

/// Why a datum is this rank's business, in one byte: whether a task is, is then seen from few cache
/// lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LocalState(u8);

impl LocalState {
    /// Nothing is of it; if every rank may hold it, it reads as zero.
    pub(super) const NONE: Self = Self(0);
    /// A buffer is here, since a task has used it as scratch.
    pub(super) const ROOM: Self = Self(1);
    /// The current version is here.
    pub(super) const CONTENTS: Self = Self(2);
    /// Whatever is here.
    pub(super) const HELD: Self = Self::ROOM.or(Self::CONTENTS);
    /// This rank has written the current version, so it is who sends it.
    pub(super) const WRITTEN: Self = Self(4);
    /// Tasks add to it side by side, here or elsewhere.
    pub(super) const REDUCED: Self = Self(8);
    /// What a reduction does is always noted.
    const ALWAYS: Self = Self(16);

    pub(super) const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether any of `local_states` is this one's.
    pub(super) const fn has(self, local_states: Self) -> bool {
        self.0 & local_states.0 != 0
    }

    pub(super) const fn set(&mut self, local_states: Self) {
        self.0 |= local_states.0;
    }

    pub(super) const fn clear(&mut self, local_states: Self) {
        self.0 &= !local_states.0;
    }

    /// Whether a task of another rank that uses the datum so is this one's business.
    #[inline(always)]
    pub(super) const fn matters_to(self, access: Access) -> bool {
        let what = match access {
            Access::R => Self::WRITTEN.or(Self::REDUCED),
            Access::W | Access::RW | Access::Commute => {
                Self::HELD.or(Self::WRITTEN).or(Self::REDUCED)
            }
            Access::Reduce => Self::ALWAYS,
            Access::Scratch => Self::NONE,
        };
        self.or(Self::ALWAYS).has(what)
    }
}
