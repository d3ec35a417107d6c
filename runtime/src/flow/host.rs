//! What the program itself reads and writes of handles, between tasks.

use bytemuck::Pod;

use super::{Flow, FlowError, Handle};
use crate::ranks::Change;
use crate::types::Rank;

impl Flow {
    /// Names a copy of `contents`, which over ranks all have.
    ///
    /// # Panics
    /// If there is no memory for the copy.
    pub fn register_from<T: Pod>(&mut self, contents: &[T]) -> Handle {
        let handle = self.register(size_of_val(contents));
        let buffer =
            self.host_buffer(handle, false, true).unwrap_or_else(|error| panic!("{error}"));
        buffer.copy_from_slice(bytemuck::cast_slice(contents));
        self.end_loan();
        handle
    }

    /// Waits, then lends the contents of `handle`.
    ///
    /// # Errors
    /// As [`wait`](Self::wait); the failure that spoiled the contents, also if it was met before;
    /// or if there is no memory for contents that were never written.
    ///
    /// Over ranks all get them.
    pub fn read<T: Pod>(&mut self, handle: Handle) -> Result<&[T], FlowError> {
        self.spread(handle)?;
        self.check_whole(handle)?;
        Ok(bytemuck::cast_slice(self.host_buffer(handle, true, false)?))
    }

    /// Has the contents of `handle` brought to `rank`, beside whatever else runs: for several that
    /// [`read_at`](Self::read_at) then reads there.
    ///
    /// # Panics
    /// If there is no such rank.
    pub fn bring(&mut self, handle: Handle, rank: Rank) {
        let ranks = self.ranks();
        assert!(self.is_listening() || usize::from(rank.0) < ranks, "rank {rank} of {ranks}");
        self.settle(handle);
        self.note(Change::Bring(handle, rank));
    }

    /// Waits, then lends the contents of `handle` on `rank` alone, and nothing on the others, who
    /// call this as well and receive none of them.
    ///
    /// # Errors
    /// As [`read`](Self::read), on all ranks; only the want of memory is that of `rank` alone.
    ///
    /// # Panics
    /// If there is no such rank.
    pub fn read_at<T: Pod>(
        &mut self,
        handle: Handle,
        rank: Rank,
    ) -> Result<Option<&[T]>, FlowError> {
        self.bring(handle, rank);
        self.wait()?;
        self.check_whole_at(handle, rank)?;
        if self.rank() != rank {
            return Ok(None);
        }
        Ok(Some(bytemuck::cast_slice(self.host_buffer(handle, true, false)?)))
    }

    /// Waits, then lends the contents of `handle` to be changed.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    ///
    /// Over ranks all get them, and all must change them alike.
    pub fn write<T: Pod>(&mut self, handle: Handle) -> Result<&mut [T], FlowError> {
        self.spread(handle)?;
        self.check_whole(handle)?;
        self.note(Change::Assign(handle, true));
        Ok(bytemuck::cast_slice_mut(self.host_buffer(handle, true, true)?))
    }

    /// Waits until every rank has the contents of `handle`.
    fn spread(&mut self, handle: Handle) -> Result<(), FlowError> {
        self.settle(handle);
        self.note(Change::Spread(handle));
        self.wait()
    }

    /// Waits, then replaces the contents of `handle`; a failure that spoiled the old ones is
    /// forgotten.
    ///
    /// Over ranks its owner keeps them, or all do if nobody owns it.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    ///
    /// # Panics
    /// If `contents` has another size.
    pub fn overwrite<T: Pod>(&mut self, handle: Handle, contents: &[T]) -> Result<(), FlowError> {
        self.settle(handle);
        self.wait()?;
        self.note(Change::Assign(handle, false));
        if self.is_owner(handle) {
            self.host_buffer(handle, false, true)?.copy_from_slice(bytemuck::cast_slice(contents));
        }
        self.end_loan();
        self.graph.space().handles.get(handle.index).set_poison(0);
        Ok(())
    }

    /// # Errors
    /// The failure that spoiled the contents of `handle`, if one did.
    fn check_whole(&mut self, handle: Handle) -> Result<(), FlowError> {
        self.graph.check(handle);
        let mark = self.graph.space().handles.get(handle.index).poison();
        self.check_mark(mark)
    }

    /// As [`check_whole`](Self::check_whole), of contents that only `rank` has.
    fn check_whole_at(&mut self, handle: Handle, rank: Rank) -> Result<(), FlowError> {
        let Some(peers) = self.peers.as_ref().filter(|_| !self.is_listening()) else {
            return self.check_whole(handle);
        };
        if !peers.has_failed {
            // Without a failure nothing is spoiled, and all know alike that there was none.
            return Ok(());
        }
        self.graph.check(handle);
        let mark = self.graph.space().handles.get(handle.index).poison();
        let mine = if self.rank() == rank { mark } else { 0 };
        let [mark, _] = self.total([mine, 0])?;
        self.check_mark(mark)
    }

    /// # Errors
    /// The failure that `mark` stands for, unless it is 0; all ranks have it.
    fn check_mark(&mut self, mark: u64) -> Result<(), FlowError> {
        if mark == 0 {
            return Ok(());
        }
        if self.peers.is_some() {
            return Err(self.ask(mark)?);
        }
        Err(self.engine.failure(mark).expect("a failure is known as long as a handle is marked"))
    }

    /// Ends the program's own use of what it was lent, before anything else can be done with it.
    pub(super) fn end_loan(&mut self) {
        if self.is_lent {
            self.is_lent = false;
            self.engine.host_done();
        }
    }

    /// The bytes of `handle`, lent until [`end_loan`](Self::end_loan); nothing else uses them,
    /// since everything has run.
    #[allow(unsafe_code)]
    fn host_buffer(
        &mut self,
        handle: Handle,
        reads: bool,
        writes: bool,
    ) -> Result<&mut [u8], FlowError> {
        self.graph.check(handle);
        self.end_loan();
        self.engine.host(handle.index, reads, writes)?;
        self.is_lent = true;
        // The next task ends the loan.
        self.credit = 0;
        let table = &self.graph.space().handles;
        let slot = table.get(handle.index);
        let pointer = slot.materialise(&table.cache, false)?;
        slot.check_slice(handle.index);
        // SAFETY: the buffer has this size, without gaps, and is initialised; no task is unfinished
        // (or none uses a handle that was just registered), and the borrow of the flow forbids new
        // ones.
        Ok(unsafe { std::slice::from_raw_parts_mut(pointer.as_ptr(), slot.bytes()) })
    }
}
