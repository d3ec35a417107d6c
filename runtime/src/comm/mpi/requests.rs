//! The requests that are under way besides those of frames to receive, each with what it is for.

use std::ffi::c_int;

use super::abi::Abi;
use super::calls::Calls;
use crate::comm::TransportError;

/// Requests that one poll asks for at most: with MPICH, each costs some nanoseconds.
const WINDOW: usize = 128;

/// What a request is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// It sends a frame from this buffer.
    Frame(usize),
    /// It moves a piece of at most `bytes` bytes of this message.
    Piece {
        /// Which message.
        message: usize,
        /// Bytes of memory.
        bytes: usize,
    },
}

/// Requests side by side, as MPI wants them; allocates only when there are more than ever before.
/// Polls go through them in turn.
pub(super) struct Requests<A: Abi> {
    handles: Vec<A::Handle>,
    roles: Vec<Role>,
    /// Where the next poll starts.
    next: usize,
    /// Room for the indices of requests that are complete.
    done: Vec<c_int>,
    /// Room for what they say.
    states: Vec<A::Status>,
}

impl<A: Abi> Requests<A> {
    pub(super) fn new() -> Self {
        Self {
            handles: Vec::new(),
            roles: Vec::new(),
            next: 0,
            done: vec![0; WINDOW],
            states: vec![A::Status::default(); WINDOW],
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.handles.is_empty()
    }

    pub(super) fn add(&mut self, handle: A::Handle, role: Role) {
        self.handles.push(handle);
        self.roles.push(role);
    }

    /// Asks once for the requests whose turn it is; those that are complete go, and `then` hears of
    /// each.
    pub(super) fn poll(
        &mut self,
        calls: &Calls<A>,
        mut then: impl FnMut(Role, &A::Status) -> Result<(), TransportError>,
    ) -> Result<(), TransportError> {
        let live = self.handles.len();
        if live == 0 {
            return Ok(());
        }
        let first = if self.next < live { self.next } else { 0 };
        let asked = WINDOW.min(live - first);
        let (done, states) = (&mut self.done[..asked], &mut self.states[..asked]);
        let handles = &mut self.handles[first..first + asked];
        let count = calls.test_some(handles, done, states)?;
        for (&index, status) in done[..count].iter().zip(&*states) {
            then(self.roles[first + index as usize], status)?;
        }
        // From the last to the first, so that what fills a gap is still under way.
        done[..count].sort_unstable();
        for &index in done[..count].iter().rev() {
            self.handles.swap_remove(first + index as usize);
            self.roles.swap_remove(first + index as usize);
        }
        self.next = first + asked;
        Ok(())
    }
}
