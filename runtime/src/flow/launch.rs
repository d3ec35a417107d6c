//! What a kernel sees when it runs on a CUDA device: a stream, the places of its buffers there, and
//! tools that are made once per device or stream.

use std::any::{Any, TypeId};
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use bytemuck::Pod;

use super::codelet::{Failure, RawBuffer, elements};
use crate::cuda::{Context, Stream};

/// What kernels make once and keep, for a device or for one of its streams: compiled code, handles
/// of libraries, workspaces.
#[derive(Default)]
pub struct Tools(Mutex<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>);

impl std::fmt::Debug for Tools {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Tools")
    }
}

impl Tools {
    /// The tool of type `S`, made by `make` at its first use.
    fn get<S: Any + Send + Sync>(
        &self,
        make: impl FnOnce() -> Result<S, Failure>,
    ) -> Result<Arc<S>, Failure> {
        let mut tools = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(tool) = tools.get(&TypeId::of::<S>()) {
            return Ok(tool.clone().downcast().expect("a tool is kept under its own type"));
        }
        let tool = Arc::new(make()?);
        tools.insert(TypeId::of::<S>(), tool.clone());
        Ok(tool)
    }
}

/// Looks, after the work of a task has ended on its device, whether it went well.
pub type Check = Box<dyn FnOnce() -> Result<(), Failure> + Send>;

/// A task on its way to a CUDA device.
///
/// Whatever the kernel puts on [`stream`](Self::stream) is the task's work; the task is done when
/// that has ended. The context of the device is current on the calling thread.
pub struct Launch<'a> {
    buffers: &'a [RawBuffer],
    stream: &'a Arc<Stream>,
    /// Those of the stream, and those of the device.
    tools: (&'a Tools, &'a Tools),
    checks: RefCell<Vec<Check>>,
}

impl std::fmt::Debug for Launch<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Launch").field("buffers", &self.buffers).finish_non_exhaustive()
    }
}

impl<'a> Launch<'a> {
    pub(crate) fn new(
        buffers: &'a [RawBuffer],
        stream: &'a Arc<Stream>,
        tools: (&'a Tools, &'a Tools),
    ) -> Self {
        Self { buffers, stream, tools, checks: RefCell::default() }
    }

    pub(crate) fn into_checks(self) -> Vec<Check> {
        self.checks.into_inner()
    }

    /// The stream that the task is for: one of several that compute on the device at a time.
    #[must_use]
    pub fn stream(&self) -> &'a Arc<Stream> {
        self.stream
    }

    /// Where buffer `index` lies on the device, to read, and how many numbers it holds.
    ///
    /// # Panics
    /// If its size is not a multiple of `T`'s.
    #[must_use]
    pub fn read<T: Pod>(&self, index: usize) -> (*const T, usize) {
        let buffer = &self.buffers[index];
        (buffer.pointer.cast::<T>().cast_const(), elements::<T>(buffer, index))
    }

    /// Where buffer `index` lies on the device, to write, and how many numbers it holds.
    ///
    /// # Panics
    /// If the access mode does not allow writing, or its size is not a multiple of `T`'s.
    #[must_use]
    pub fn write<T: Pod>(&self, index: usize) -> (*mut T, usize) {
        let buffer = &self.buffers[index];
        assert!(buffer.writable, "buffer {index} is declared read-only");
        (buffer.pointer.cast(), elements::<T>(buffer, index))
    }

    /// The tool of type `S` of this stream, made by `make` at its first use: one task after the
    /// other uses it.
    ///
    /// # Errors
    /// Those of `make`.
    pub fn tool<S: Any + Send + Sync>(
        &self,
        make: impl FnOnce(&Arc<Stream>) -> Result<S, Failure>,
    ) -> Result<Arc<S>, Failure> {
        self.tools.0.get(|| make(self.stream))
    }

    /// The tool of type `S` of the device, made by `make` at its first use: tasks use it that run
    /// at a time.
    ///
    /// # Errors
    /// Those of `make`.
    pub fn device_tool<S: Any + Send + Sync>(
        &self,
        make: impl FnOnce(&Arc<Context>) -> Result<S, Failure>,
    ) -> Result<Arc<S>, Failure> {
        self.tools.1.get(|| make(self.stream.context()))
    }

    /// Has `check` look, when the work on the stream has ended, whether it went well.
    pub fn check(&self, check: impl FnOnce() -> Result<(), Failure> + Send + 'static) {
        self.checks.borrow_mut().push(Box::new(check));
    }
}
