//! Names of memories.

/// A memory of a machine, by number. Memory 0 is the RAM.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MemoryId(pub usize);

impl MemoryId {
    /// The RAM, from which the program itself reads and writes.
    pub const RAM: Self = Self(0);
}

/// Most memories of a machine.
pub const MAX_MEMORIES: usize = 32;
