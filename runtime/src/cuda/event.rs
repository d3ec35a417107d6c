//! Points in a stream that can be waited for.

use std::ffi::c_uint;
use std::ptr;
use std::sync::Arc;

use super::context::Context;
use super::driver::{DriverError, Handle, NOT_READY};
use super::stream::Stream;

/// How a thread waits for an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// It sleeps: `CU_EVENT_BLOCKING_SYNC`.
    Asleep,
    /// It spins, and the device notes when it passes the event.
    Timed,
}

/// A point in a stream, once it has been recorded.
#[derive(Debug)]
pub struct Event {
    context: Arc<Context>,
    handle: Handle,
}

// SAFETY: the driver lets all threads use an event.
#[allow(unsafe_code)]
unsafe impl Send for Event {}

impl Event {
    /// An event of nothing: it has passed.
    ///
    /// # Errors
    /// If the driver refuses.
    #[allow(unsafe_code)]
    pub fn new(context: &Arc<Context>, wait: Wait) -> Result<Self, DriverError> {
        context.bind()?;
        let driver = context.driver;
        let flags: c_uint = match wait {
            Wait::Asleep => 1,
            Wait::Timed => 0,
        };
        // SAFETY: it writes one handle.
        let create = |handle| unsafe { (driver.create_event)(handle, flags) };
        let handle = driver.made(ptr::null_mut(), create)?;
        Ok(Self { context: context.clone(), handle })
    }

    /// Makes it the point behind all that is on `stream`.
    ///
    /// # Errors
    /// If the driver refuses, as it does if the stream is of another context.
    #[allow(unsafe_code)]
    pub fn record(&self, stream: &Stream) -> Result<(), DriverError> {
        self.context.bind()?;
        let driver = self.context.driver;
        // SAFETY: both are there.
        driver.check(unsafe { (driver.record_event)(self.handle, stream.handle()) })
    }

    /// Waits until it has passed.
    ///
    /// # Errors
    /// If the driver refuses, or work before it failed.
    #[allow(unsafe_code)]
    pub fn wait(&self) -> Result<(), DriverError> {
        self.context.bind()?;
        // SAFETY: it is there.
        self.context.driver.check(unsafe { (self.context.driver.await_event)(self.handle) })
    }

    /// Nanoseconds on the device from `earlier` to this; less than 0 if it was the other way round.
    ///
    /// # Errors
    /// If one of them has not passed or notes no time.
    #[allow(unsafe_code)]
    pub fn nanoseconds_since(&self, earlier: &Self) -> Result<f64, DriverError> {
        let driver = self.context.driver;
        // SAFETY: both are there, and it writes one number.
        let ask = |time| unsafe { (driver.elapsed)(time, earlier.handle, self.handle) };
        Ok(f64::from(driver.made(0.0_f32, ask)?) * 1e6)
    }

    /// Whether it has passed.
    ///
    /// # Errors
    /// As [`wait`](Self::wait).
    #[allow(unsafe_code)]
    pub fn has_passed(&self) -> Result<bool, DriverError> {
        // SAFETY: it is there.
        match unsafe { (self.context.driver.query_event)(self.handle) } {
            NOT_READY => Ok(false),
            status => self.context.driver.check(status).map(|()| true),
        }
    }
}

impl Drop for Event {
    #[allow(unsafe_code)]
    fn drop(&mut self) {
        // A device that is broken has nothing left to give back.
        let _ = self.context.bind();
        // SAFETY: it was created here, and nobody uses it any more.
        let _ = unsafe { (self.context.driver.destroy_event)(self.handle) };
    }
}
