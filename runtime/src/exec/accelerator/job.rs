//! A task as it is handed to a device: it owns its arguments and may outlive the call.

use crate::flow::{
    Arguments, Buffers, Check, CodeletInfo, Failure, Launch, MAX_ACCESSES, RawBuffer, TaskData,
};

/// A task for a device, with the places of its buffers there.
#[derive(Debug)]
pub struct Job {
    info: &'static CodeletInfo,
    arguments: Arguments,
    buffers: [RawBuffer; MAX_ACCESSES],
    count: usize,
    worker: usize,
}

// SAFETY: it holds a codelet's value, which is `Send`, and addresses that nobody else uses as long
// as the task is under way; only unsafe functions look at them.
#[allow(unsafe_code)]
unsafe impl Send for Job {}

impl Job {
    /// The task of `data`, whose buffers are `buffers`, in the order of its accesses.
    pub(crate) fn new(data: &TaskData, buffers: &[RawBuffer], worker: usize) -> Self {
        let mut all = [RawBuffer::NONE; MAX_ACCESSES];
        all[..buffers.len()].copy_from_slice(buffers);
        Self {
            info: data.info,
            arguments: data.arguments(),
            buffers: all,
            count: buffers.len(),
            worker,
        }
    }

    /// Its kernel.
    #[must_use]
    pub fn codelet(&self) -> &'static CodeletInfo {
        self.info
    }

    /// Runs it on the calling core, for devices whose memory is the host's.
    ///
    /// # Errors
    /// Those of the kernel.
    ///
    /// # Safety
    /// The places of its buffers are addresses of this process, aligned to 64, and its accesses
    /// are respected.
    #[allow(unsafe_code)]
    pub unsafe fn run_on_host(&self) -> Result<(), Failure> {
        // SAFETY: the caller's promise.
        let buffers = unsafe { Buffers::new(&self.buffers[..self.count], self.worker) };
        // SAFETY: the arguments were stored for the codelet that `info` describes.
        unsafe { (self.info.cpu)(self.arguments.pointer(), &buffers) }
    }

    /// Puts it on a stream, with the tools of that and of its device; what is to be looked at when
    /// its work has ended.
    #[allow(unsafe_code)]
    pub(super) fn launch(
        &self,
        stream: &std::sync::Arc<crate::cuda::Stream>,
        tools: (&crate::flow::Tools, &crate::flow::Tools),
    ) -> Result<Vec<Check>, Failure> {
        let name = self.info.name;
        let cuda = self.info.cuda.ok_or_else(|| format!("{name} has no kernel for CUDA"))?;
        let launch = Launch::new(&self.buffers[..self.count], stream, tools);
        // SAFETY: the arguments were stored for the codelet that `info` describes.
        unsafe { cuda(self.arguments.pointer(), &launch) }?;
        Ok(launch.into_checks())
    }
}
