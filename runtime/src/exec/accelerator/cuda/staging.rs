//! Copies between the host's memory and a device: straight where that memory is pinned, else
//! through two pinned buffers, one of which is copied by the host while the other is on its way.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::cuda::{Context, DriverError, Event, Pinned, Place, Stream, Wait};

/// Bytes of one pinned buffer. A device has eight: pinned memory cannot be swapped, so that there
/// should be little of it.
const CHUNK: usize = 4 << 20;

/// Copies in one direction that are under way at a time: while one waits for its end, the next
/// begins.
const LANES: usize = 2;

/// One direction between the host and a device.
pub(super) struct Lanes([Mutex<Lane>; LANES]);

impl Lanes {
    pub(super) fn new(context: &Arc<Context>) -> Result<Self, DriverError> {
        Ok(Self([Mutex::new(Lane::new(context)?), Mutex::new(Lane::new(context)?)]))
    }

    /// A lane that is free, or the first one as soon as it is.
    pub(super) fn take(&self) -> MutexGuard<'_, Lane> {
        let free = self.0.iter().find_map(|lane| lane.try_lock().ok());
        free.unwrap_or_else(|| self.0[0].lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// One copy at a time.
pub(super) struct Lane {
    stream: Stream,
    slots: [Slot; 2],
}

struct Slot {
    buffer: Pinned,
    /// Recorded after the copy that uses the buffer.
    done: Event,
}

impl Slot {
    fn new(context: &Arc<Context>) -> Result<Self, DriverError> {
        let done = Event::new(context, Wait::Asleep)?;
        Ok(Self { buffer: Pinned::new(context, CHUNK)?, done })
    }
}

impl Lane {
    fn new(context: &Arc<Context>) -> Result<Self, DriverError> {
        let slots = [Slot::new(context)?, Slot::new(context)?];
        Ok(Self { stream: Stream::new(context)?, slots })
    }

    /// Copies `from` to the address `to` of the device, and waits for the end.
    ///
    /// # Safety
    /// There is room for as many bytes, and nobody else uses it.
    #[allow(unsafe_code)]
    pub(super) unsafe fn bring(
        &mut self,
        from: &[u8],
        to: Place,
        is_pinned: bool,
    ) -> Result<(), DriverError> {
        let Self { stream, slots } = self;
        if is_pinned {
            let done = &slots[0].done;
            // SAFETY: the caller's promise; it is done when this returns.
            unsafe { stream.bring(from.as_ptr(), to, from.len()) }?;
            done.record(stream)?;
            return done.wait();
        }
        for (turn, chunk) in from.chunks(CHUNK).enumerate() {
            let slot = &mut slots[turn % 2];
            slot.done.wait()?;
            let pinned = slot.buffer.bytes(chunk.len());
            pinned.copy_from_slice(chunk);
            let place = to + (turn * CHUNK) as Place;
            // SAFETY: the caller's promise; the pinned buffer is not touched before `done`.
            unsafe { stream.bring(pinned.as_ptr(), place, chunk.len()) }?;
            slot.done.record(stream)?;
        }
        slots.iter().try_for_each(|slot| slot.done.wait())
    }

    /// Copies from the address `from` of the device, and waits for the end.
    ///
    /// # Safety
    /// There are as many bytes, and nobody writes them.
    #[allow(unsafe_code)]
    pub(super) unsafe fn fetch(
        &mut self,
        from: Place,
        to: &mut [u8],
        is_pinned: bool,
    ) -> Result<(), DriverError> {
        let Self { stream, slots } = self;
        if is_pinned {
            let done = &slots[0].done;
            // SAFETY: the caller's promise; it is done when this returns.
            unsafe { stream.fetch(from, to.as_mut_ptr(), to.len()) }?;
            done.record(stream)?;
            return done.wait();
        }
        let count = to.len().div_ceil(CHUNK);
        let length = |chunk: usize| CHUNK.min(to.len() - chunk * CHUNK);
        let lengths: Vec<usize> = (0..count).map(length).collect();
        for turn in 0..=count {
            if turn < count {
                let slot = &mut slots[turn % 2];
                let pinned = slot.buffer.bytes(lengths[turn]);
                let place = from + (turn * CHUNK) as Place;
                // SAFETY: the caller's promise; the pinned buffer is not touched before `done`.
                unsafe { stream.fetch(place, pinned.as_mut_ptr(), lengths[turn]) }?;
                slot.done.record(stream)?;
            }
            if let Some(last) = turn.checked_sub(1) {
                let slot = &mut slots[last % 2];
                slot.done.wait()?;
                let pinned = slot.buffer.bytes(lengths[last]);
                to[last * CHUNK..][..lengths[last]].copy_from_slice(pinned);
            }
        }
        Ok(())
    }
}
