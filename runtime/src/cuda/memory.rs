//! Memory that is given back when its owner goes: on a device, and of the host where devices reach
//! it.

use std::ptr::{self, NonNull};
use std::sync::Arc;

use super::context::Context;
use super::driver::{DriverError, Place};
use super::stream::Stream;

/// Memory of a device, for work on one stream.
#[derive(Debug)]
pub struct OnDevice {
    stream: Arc<Stream>,
    place: Place,
    bytes: usize,
}

impl OnDevice {
    /// `bytes` bytes, at least one; what they hold is not known.
    ///
    /// # Errors
    /// If there are not as many, even where buffers for later are given back, or the driver
    /// refuses.
    pub fn new(stream: &Arc<Stream>, bytes: usize) -> Result<Self, DriverError> {
        let place = stream.context().allocate_of_spare(bytes)?;
        Ok(Self { stream: stream.clone(), place, bytes })
    }

    /// Where they are.
    #[must_use]
    pub fn place(&self) -> Place {
        self.place
    }

    /// How many there are.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Drop for OnDevice {
    #[allow(unsafe_code)]
    fn drop(&mut self) {
        // A device that is broken has nothing left to give back.
        let _ = self.stream.wait();
        // SAFETY: it was taken in `new`, and what used it on the stream has ended.
        let _ = unsafe { self.stream.context().free(self.place) };
    }
}

/// Memory of the host that stays where it is, so that devices read and write it by themselves.
#[derive(Debug)]
pub struct Pinned {
    context: Arc<Context>,
    pointer: NonNull<u8>,
    bytes: usize,
}

// SAFETY: it owns its memory, which is plain bytes.
#[allow(unsafe_code)]
unsafe impl Send for Pinned {}
// SAFETY: nothing reads or writes it through a shared reference but by the pointer, whose user
// answers for that.
#[allow(unsafe_code)]
unsafe impl Sync for Pinned {}

impl Pinned {
    /// `bytes` bytes, at least one, all zero.
    ///
    /// # Errors
    /// If there are not as many, or the driver refuses.
    #[allow(unsafe_code)]
    pub fn new(context: &Arc<Context>, bytes: usize) -> Result<Self, DriverError> {
        context.bind()?;
        let driver = context.driver;
        // SAFETY: it writes one address.
        let take = |pointer| unsafe { (driver.allocate_host)(pointer, bytes, 0) };
        let pointer = driver.made(ptr::null_mut(), take)?.cast::<u8>();
        let pointer = NonNull::new(pointer).ok_or_else(DriverError::out_of_memory)?;
        // SAFETY: there are as many bytes, and nobody else has them.
        unsafe { pointer.write_bytes(0, bytes) };
        Ok(Self { context: context.clone(), pointer, bytes })
    }

    /// Where they are.
    #[must_use]
    pub fn pointer(&self) -> NonNull<u8> {
        self.pointer
    }

    /// The first `count` bytes.
    ///
    /// # Panics
    /// If there are fewer.
    #[allow(unsafe_code)]
    pub fn bytes(&mut self, count: usize) -> &mut [u8] {
        let all = self.bytes;
        assert!(count <= all, "{count} bytes of a pinned buffer of {all}");
        // SAFETY: there are as many, `new` has written them, and any pattern is a byte.
        unsafe { std::slice::from_raw_parts_mut(self.pointer.as_ptr(), count) }
    }
}

impl Drop for Pinned {
    #[allow(unsafe_code)]
    fn drop(&mut self) {
        // A device that is broken has nothing left to give back.
        let _ = self.context.bind();
        // SAFETY: it was taken in `new`, and its user has waited for all copies.
        let _ = unsafe { (self.context.driver.free_host)(self.pointer.as_ptr().cast()) };
    }
}
