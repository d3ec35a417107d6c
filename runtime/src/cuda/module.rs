//! Code for a device, loaded.

use std::ffi::CStr;
use std::ptr;
use std::sync::Arc;

use super::context::Context;
use super::driver::{DriverError, Handle};

/// Code of a device.
#[derive(Debug)]
pub struct Module {
    context: Arc<Context>,
    handle: Handle,
}

// SAFETY: the driver lets all threads use a module.
#[allow(unsafe_code)]
unsafe impl Send for Module {}
// SAFETY: as above.
#[allow(unsafe_code)]
unsafe impl Sync for Module {}

impl Module {
    /// Loads `code`, machine code or text in PTX that ends with a zero, as the compiler made it.
    ///
    /// # Errors
    /// If the driver refuses it.
    ///
    /// # Safety
    /// It is one of these, and whole.
    #[allow(unsafe_code)]
    pub unsafe fn new(context: &Arc<Context>, code: &[u8]) -> Result<Self, DriverError> {
        context.bind()?;
        let driver = context.driver;
        // SAFETY: it reads the code, which says itself how long it is, and writes one handle.
        let load = |handle| unsafe { (driver.load_module)(handle, code.as_ptr().cast()) };
        let handle = driver.made(ptr::null_mut(), load)?;
        Ok(Self { context: context.clone(), handle })
    }

    /// Its function called `name`.
    ///
    /// # Errors
    /// If it has none.
    #[allow(unsafe_code)]
    pub fn function(self: &Arc<Self>, name: &CStr) -> Result<Function, DriverError> {
        self.context.bind()?;
        let driver = self.context.driver;
        // SAFETY: it reads a name and writes one handle.
        let find = |handle| unsafe { (driver.function)(handle, self.handle, name.as_ptr()) };
        let handle = driver.made(ptr::null_mut(), find)?;
        Ok(Function { _module: self.clone(), handle })
    }
}

impl Drop for Module {
    #[allow(unsafe_code)]
    fn drop(&mut self) {
        // A device that is broken has nothing left to give back.
        let _ = self.context.bind();
        // SAFETY: it was loaded here, and its functions have gone.
        let _ = unsafe { (self.context.driver.unload_module)(self.handle) };
    }
}

/// A function of a module that [`Stream::launch`](super::Stream::launch) runs.
#[derive(Clone, Debug)]
pub struct Function {
    _module: Arc<Module>,
    handle: Handle,
}

// SAFETY: the driver lets all threads use a function.
#[allow(unsafe_code)]
unsafe impl Send for Function {}

impl Function {
    pub(super) fn handle(&self) -> Handle {
        self.handle
    }
}
