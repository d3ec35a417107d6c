//! Handles on memory of the caller's, on which tasks work in place.
//!
//! Where tasks work on the only copy of what a handle stands for (cores that share one memory
//! without limit, under a policy of queues; the sequential engine), a handle may stand for a
//! *block* of the program's own memory: lines of equal length at equal distances, such as the
//! columns of a part of an array. The runtime never allocates, moves or frees it. Blocks
//! interleave, so kernels reach them through [`Buffers::region`](super::Buffers::region), which
//! says where the lines lie; a slice is handed out only of a block without gaps. Such a handle
//! cannot be reduced, and a discard leaves its contents alone.
//!
//! Over ranks a block is lent by the rank that owns it; the others have copies in buffers of the
//! runtime's, without gaps.

use super::{Flow, Handle};
use crate::memory::Block;
use crate::ranks::Change;
use crate::types::Rank;

impl Flow {
    /// Whether tasks work on the only copy of what a handle stands for, where it is: the engine of
    /// cores alone under a policy of queues, and the sequential one. Only such a flow takes
    /// memory that is [lent](Self::lend).
    #[must_use]
    pub fn works_in_place(&self) -> bool {
        self.engine.works_in_place()
    }

    /// Names a block of the caller's memory, on which tasks then work in place. What it holds
    /// counts as written.
    ///
    /// Kernels reach it through [`Buffers::region`](super::Buffers::region); it is lent as a slice
    /// (to kernels, and by [`read`](Self::read) and its like) only if it [is
    /// one](Block::is_slice). The runtime never frees, moves or replaces it:
    /// [`done_with`](Self::done_with) leaves the contents alone, and
    /// [`unregister`](Self::unregister) and the end of the flow hand the block back as the last
    /// task has left it. It cannot be reduced; tasks that ask for it as `Scratch` get other memory.
    ///
    /// # Safety
    /// From now until the handle is unregistered or the flow is dropped, each line of the block is
    /// valid for reads and writes through its pointer, from any thread, and initialised. While a
    /// task that uses the handle is unfinished, or a slice of it lent, nothing but this handle
    /// writes the lines, nor reads them if the task writes; other handles of the flow may
    /// lend what lies between the lines. The memory outlives the flow if the handle is
    /// not unregistered before.
    ///
    /// # Panics
    /// If the engine does not [work in place](Self::works_in_place), there are several ranks, or
    /// the block is empty or its lines overlap.
    #[allow(unsafe_code)]
    pub unsafe fn lend(&mut self, block: Block) -> Handle {
        assert!(self.ranks() == 1, "of several ranks, which lends the block?");
        // SAFETY: the caller's promise.
        unsafe { self.lend_at(Rank(0), block.bytes(), || block) }
    }

    /// Names a block of `bytes` bytes in the memory of `owner`, which it makes known; the others
    /// name it, too. As [`lend`](Self::lend), on each rank.
    ///
    /// Tasks that write it run there, unless another datum that they write comes first.
    ///
    /// # Safety
    /// That of [`lend`](Self::lend), on `owner`.
    ///
    /// # Panics
    /// As [`lend`](Self::lend); if there is no such rank, or the block has another size.
    #[allow(unsafe_code)]
    pub unsafe fn lend_at(
        &mut self,
        owner: Rank,
        bytes: usize,
        block: impl FnOnce() -> Block,
    ) -> Handle {
        assert!(
            self.works_in_place(),
            "memory can be lent only to cores that share one memory without limit, under a policy of queues"
        );
        let handle = self.register(bytes);
        if owner == self.rank() {
            let block = block();
            block.check();
            assert!(block.bytes() == bytes, "a block of {} bytes, not {bytes}", block.bytes());
            self.graph.space().handles.get(handle.index).lend(block);
        }
        self.set_owner(handle, owner);
        self.note(Change::Assign(handle, false));
        handle
    }
}
