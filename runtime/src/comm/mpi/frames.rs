//! Buffers of frames: a ring of receives that are always posted, and a pool to send from.

use std::ptr::NonNull;

use super::abi::{Abi, Status};
use super::calls::Calls;
use super::transport::Segment;
use crate::comm::{Arrival, FRAME_BYTES, TransportError};
use crate::types::Rank;

/// Receives of frames that are posted at any time.
const RING: usize = 32;

/// Buffers to send from that are kept when they are not used.
const KEPT: usize = 256;

/// Tag of frames.
const TAG: i32 = 0;

/// A buffer that MPI reads or writes. It is freed by [`Buffer::free`] only, so that what is under
/// way when a rank fails keeps its memory.
#[derive(Clone, Copy)]
struct Buffer(NonNull<[u8; FRAME_BYTES]>);

impl Buffer {
    fn new() -> Self {
        Self(NonNull::from(Box::leak(Box::new([0; FRAME_BYTES]))))
    }

    fn segment(self, bytes: usize) -> Segment {
        Segment { memory: self.0.cast(), bytes: bytes as i32, tag: TAG }
    }

    /// # Safety
    /// MPI does not use it, and nobody will.
    unsafe fn free(self) {
        // SAFETY: it came from a box, and is freed once.
        drop(unsafe { Box::from_raw(self.0.as_ptr()) });
    }
}

/// Receives in the order in which they were posted, which is that in which frames are handed over:
/// frames of one sender fill them in the order in which they were sent.
pub(super) struct Ring<A: Abi> {
    slots: Vec<(Buffer, A::Handle)>,
    /// The one that was posted first.
    first: usize,
}

impl<A: Abi> Ring<A> {
    pub(super) fn post(calls: &Calls<A>, communicator: A::Handle) -> Result<Self, TransportError> {
        let slot = |_| {
            let buffer = Buffer::new();
            Ok((buffer, Self::receive(buffer, calls, communicator)?))
        };
        let slots: Result<_, TransportError> = (0..RING).map(slot).collect();
        Ok(Self { slots: slots?, first: 0 })
    }

    fn receive(
        buffer: Buffer,
        calls: &Calls<A>,
        communicator: A::Handle,
    ) -> Result<A::Handle, TransportError> {
        // SAFETY: the buffer is read only after the request is complete, and freed only then.
        unsafe { calls.irecv(buffer.segment(FRAME_BYTES), communicator) }
    }

    /// Hands over the frames that have come, a ring of them at most.
    pub(super) fn poll(
        &mut self,
        calls: &Calls<A>,
        communicator: A::Handle,
        arrivals: &mut Vec<Arrival>,
    ) -> Result<(), TransportError> {
        for _ in 0..RING {
            let (buffer, request) = &mut self.slots[self.first];
            let Some(status) = calls.test(request)? else { break };
            let length = calls.bytes(&status)?;
            // SAFETY: the receive is complete, and the next is posted after this.
            let bytes = unsafe { buffer.0.as_ref()[..length].to_vec() };
            *request = Self::receive(*buffer, calls, communicator)?;
            arrivals.push(Arrival::Frame { from: Rank(status.source() as u16), bytes });
            self.first = (self.first + 1) % RING;
        }
        Ok(())
    }

    /// Takes all receives back and frees their memory.
    pub(super) fn take_back(&mut self, calls: &Calls<A>) -> Result<(), TransportError> {
        for (buffer, mut request) in self.slots.drain(..) {
            calls.take_back(&mut request)?;
            // SAFETY: its only request is complete.
            unsafe { buffer.free() };
        }
        Ok(())
    }
}

/// Buffers to send from, by number.
#[derive(Default)]
pub(super) struct Pool {
    buffers: Vec<Option<Buffer>>,
    /// Numbers of buffers that are there and not used.
    free: Vec<usize>,
    /// Numbers that have no buffer.
    empty: Vec<usize>,
}

impl Pool {
    /// Copies a frame into a buffer that is not used: its number, and what to send.
    pub(super) fn fill(&mut self, frame: &[u8]) -> (usize, Segment) {
        let number = self.free.pop().unwrap_or_else(|| self.grow());
        let buffer = self.buffers[number].expect("a free buffer is there");
        // SAFETY: nobody uses the buffer, and a frame is not longer than it.
        unsafe {
            let target: NonNull<u8> = buffer.0.cast();
            target.copy_from_nonoverlapping(NonNull::from(frame).cast(), frame.len());
        }
        (number, buffer.segment(frame.len()))
    }

    fn grow(&mut self) -> usize {
        let number = self.empty.pop().unwrap_or(self.buffers.len());
        let buffer = Some(Buffer::new());
        match self.buffers.get_mut(number) {
            Some(place) => *place = buffer,
            None => self.buffers.push(buffer),
        }
        number
    }

    /// Takes a buffer back that was sent.
    pub(super) fn give_back(&mut self, number: usize) {
        if self.free.len() < KEPT {
            self.free.push(number);
        } else if let Some(buffer) = self.buffers[number].take() {
            // SAFETY: its only request is complete.
            unsafe { buffer.free() };
            self.empty.push(number);
        }
    }

    /// Frees the buffers that are not used.
    pub(super) fn clear(&mut self) {
        for number in self.free.drain(..) {
            if let Some(buffer) = self.buffers[number].take() {
                // SAFETY: nobody uses the buffer.
                unsafe { buffer.free() };
                self.empty.push(number);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_are_used_again() {
        let mut pool = Pool::default();
        let (first, segment) = pool.fill(&[1, 2, 3]);
        // SAFETY: three bytes were written there.
        assert_eq!(unsafe { *segment.memory.cast::<[u8; 3]>().as_ptr() }, [1, 2, 3]);
        assert_eq!((segment.bytes, segment.tag), (3, TAG));
        assert_ne!(pool.fill(&[4]).0, first);
        pool.give_back(first);
        assert_eq!(pool.fill(&[0; FRAME_BYTES]).0, first);
        pool.give_back(0);
        pool.give_back(1);
        pool.clear();
    }

    #[test]
    fn a_burst_is_not_kept() {
        let mut pool = Pool::default();
        let numbers: Vec<usize> = (0..KEPT + 10).map(|_| pool.fill(&[7]).0).collect();
        numbers.into_iter().for_each(|number| pool.give_back(number));
        assert_eq!((pool.free.len(), pool.empty.len()), (KEPT, 10));
        assert_eq!(pool.buffers.iter().flatten().count(), KEPT);
        let last = (0..=KEPT).map(|_| pool.fill(&[7]).0).last();
        assert_eq!((pool.free.len(), pool.empty.len()), (0, 9));
        assert!(last.is_some_and(|last| last < KEPT + 10), "{last:?} was not used before");
    }
}
