//! Copies between pageable memory and a device through two pinned buffers, one of which is copied
//! by the host while the other is on its way.

use std::sync::Arc;

use crate::cuda::{Context, DriverError, Event, Pinned, Place, Stream, Wait};

/// Bytes of one pinned buffer. A device has four: pinned memory cannot be swapped, so that there
/// should be little of it.
const CHUNK: usize = 4 << 20;

/// One direction between the host and a device.
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
    pub(super) fn new(context: &Arc<Context>) -> Result<Self, DriverError> {
        let slots = [Slot::new(context)?, Slot::new(context)?];
        Ok(Self { stream: Stream::new(context)?, slots })
    }

    /// Copies `from` to the address `to` of the device, and waits for the end.
    ///
    /// # Safety
    /// There is room for as many bytes, and nobody else uses it.
    #[allow(unsafe_code)]
    pub(super) unsafe fn bring(&mut self, from: &[u8], to: Place) -> Result<(), DriverError> {
        let Self { stream, slots } = self;
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
    pub(super) unsafe fn fetch(&mut self, from: Place, to: &mut [u8]) -> Result<(), DriverError> {
        let Self { stream, slots } = self;
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
