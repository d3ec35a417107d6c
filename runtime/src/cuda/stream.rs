//! Streams: what is put on one is done in order, while the host goes on.

use std::ffi::{c_uint, c_void};
use std::ptr;
use std::sync::Arc;

use super::context::Context;
use super::driver::{DriverError, Handle, Place};
use super::module::Function;

/// `CU_STREAM_NON_BLOCKING`: it does not wait for the stream that needs no name.
const NON_BLOCKING: c_uint = 1;

/// A stream of a context.
#[derive(Debug)]
pub struct Stream {
    context: Arc<Context>,
    handle: Handle,
}

// SAFETY: the driver lets all threads use a stream.
#[allow(unsafe_code)]
unsafe impl Send for Stream {}
// SAFETY: as above.
#[allow(unsafe_code)]
unsafe impl Sync for Stream {}

impl Stream {
    /// A stream with nothing on it.
    ///
    /// # Errors
    /// If the driver refuses.
    #[allow(unsafe_code)]
    pub fn new(context: &Arc<Context>) -> Result<Self, DriverError> {
        context.bind()?;
        let driver = context.driver;
        // SAFETY: it writes one handle.
        let create = |handle| unsafe { (driver.create_stream)(handle, NON_BLOCKING) };
        let handle = driver.made(ptr::null_mut(), create)?;
        Ok(Self { context: context.clone(), handle })
    }

    /// Its context.
    #[must_use]
    pub fn context(&self) -> &Arc<Context> {
        &self.context
    }

    /// The stream as the driver and NVIDIA's libraries know it, a `CUstream` or `cudaStream_t`; it
    /// is there as long as `self`.
    #[must_use]
    pub fn handle(&self) -> *mut c_void {
        self.handle
    }

    /// Waits until all that is on it is done.
    ///
    /// # Errors
    /// If the driver refuses, or some of the work failed.
    #[allow(unsafe_code)]
    pub fn wait(&self) -> Result<(), DriverError> {
        self.context.bind()?;
        // SAFETY: it is there.
        self.context.driver.check(unsafe { (self.context.driver.await_stream)(self.handle) })
    }

    /// Sets `bytes` bytes of the device from `place` on to zero.
    ///
    /// # Errors
    /// If the driver refuses.
    ///
    /// # Safety
    /// They are there, and nobody else uses them until it is done.
    #[allow(unsafe_code)]
    pub unsafe fn zero(&self, place: Place, bytes: usize) -> Result<(), DriverError> {
        let driver = self.context.driver;
        // SAFETY: the caller's promise.
        driver.check(unsafe { (driver.fill)(place, 0, bytes, self.handle) })
    }

    /// Copies `bytes` bytes from the address `from` of the host to the device.
    ///
    /// # Errors
    /// If the driver refuses.
    ///
    /// # Safety
    /// There is room for as many at `to`, and until it is done nobody else uses that, nor writes
    /// what is copied.
    #[allow(unsafe_code)]
    pub unsafe fn bring(
        &self,
        from: *const u8,
        to: Place,
        bytes: usize,
    ) -> Result<(), DriverError> {
        let driver = self.context.driver;
        // SAFETY: the caller's promise.
        driver.check(unsafe { (driver.copy_in)(to, from.cast(), bytes, self.handle) })
    }

    /// Copies `bytes` bytes of the device to the address `to` of the host.
    ///
    /// # Errors
    /// If the driver refuses.
    ///
    /// # Safety
    /// There is room for as many at `to`, and until it is done nobody else uses that, nor writes
    /// what is copied.
    #[allow(unsafe_code)]
    pub unsafe fn fetch(&self, from: Place, to: *mut u8, bytes: usize) -> Result<(), DriverError> {
        let driver = self.context.driver;
        // SAFETY: the caller's promise.
        driver.check(unsafe { (driver.copy_out)(to.cast(), from, bytes, self.handle) })
    }

    /// Copies `bytes` bytes of the device of `peer` to this one.
    ///
    /// # Errors
    /// If the driver refuses.
    ///
    /// # Safety
    /// There is room for as many at `to`, and until it is done nobody else uses that, nor writes
    /// what is copied.
    #[allow(unsafe_code)]
    pub unsafe fn bring_from(
        &self,
        peer: &Context,
        from: Place,
        to: Place,
        bytes: usize,
    ) -> Result<(), DriverError> {
        let (driver, mine, theirs) = (self.context.driver, self.context.handle(), peer.handle());
        // SAFETY: the caller's promise.
        driver.check(unsafe { (driver.copy_across)(to, mine, from, theirs, bytes, self.handle) })
    }

    /// Runs `function` with so many blocks of so many threads, each along two axes; `arguments` are
    /// the places of its arguments, which are copied at once.
    ///
    /// # Errors
    /// If the driver refuses.
    ///
    /// # Safety
    /// The arguments are those of the function, in number, order and size; what they point to lies
    /// on the device and is large enough.
    #[allow(unsafe_code)]
    pub unsafe fn launch(
        &self,
        function: &Function,
        (across, down): (u32, u32),
        (wide, high): (u32, u32),
        arguments: &mut [*mut c_void],
    ) -> Result<(), DriverError> {
        self.context.bind()?;
        let (driver, arguments) = (self.context.driver, arguments.as_mut_ptr());
        let (function, none) = (function.handle(), ptr::null_mut());
        // SAFETY: the caller's promise; without memory that blocks share beyond what the function
        // has.
        driver.check(unsafe {
            let stream = self.handle;
            (driver.launch)(function, across, down, 1, wide, high, 1, 0, stream, arguments, none)
        })
    }
}

impl Drop for Stream {
    #[allow(unsafe_code)]
    fn drop(&mut self) {
        // A device that is broken has nothing left to give back.
        let _ = self.context.bind();
        // SAFETY: it was created here, and nobody uses it any more.
        let _ = unsafe { (self.context.driver.destroy_stream)(self.handle) };
    }
}
