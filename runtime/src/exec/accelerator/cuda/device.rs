//! One CUDA device: a stream that computes, one for copies in, one for copies out, and its memory.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, PoisonError};

use cudarc::driver::{CudaContext, CudaEvent, CudaStream, DriverError, result};

use super::guard::{guarded, is_out_of_memory};
use super::staging::Lane;
use super::{NoCuda, is_driver_there};
use crate::exec::accelerator::{Accelerator, DeviceError, Flight, Job};
use crate::flow::{Check, CodeletInfo, Failure, Tools};

/// Bytes of a device that are left to libraries and their workspaces, beside a sixteenth of it.
const HEADROOM: u64 = 256 << 20;

/// A CUDA device, opened.
pub struct Cuda {
    number: usize,
    name: String,
    model: String,
    free_bytes: u64,
    context: Arc<CudaContext>,
    compute: Arc<CudaStream>,
    /// For zeros and copies from other devices.
    side: Mutex<Arc<CudaStream>>,
    inward: Mutex<Lane>,
    outward: Mutex<Lane>,
    tools: Tools,
    events: Arc<Mutex<Vec<CudaEvent>>>,
}

impl std::fmt::Debug for Cuda {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cuda").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Cuda {
    /// Opens device `number`.
    ///
    /// # Errors
    /// If the driver is missing or refuses.
    pub fn open(number: usize) -> Result<Self, NoCuda> {
        if !is_driver_there() {
            return Err(NoCuda("libcuda is not there".to_owned()));
        }
        let device = guarded(|| Self::try_open(number));
        device.map_err(|reason| NoCuda(format!("device {number} cannot be opened: {reason}")))
    }

    #[allow(unsafe_code)]
    fn try_open(number: usize) -> Result<Self, DriverError> {
        let context = CudaContext::new(number)?;
        // SAFETY: the engine orders all uses of all buffers itself.
        unsafe { context.disable_event_tracking() };
        let (inward, outward) = (Lane::new(&context)?, Lane::new(&context)?);
        let free = context.mem_get_info()?.0 as u64;
        let model = context.name()?;
        Ok(Self {
            number,
            name: format!("CUDA device {number} ({model})"),
            model,
            free_bytes: free.saturating_sub(HEADROOM + free / 16),
            compute: context.new_stream()?,
            side: Mutex::new(context.new_stream()?),
            inward: Mutex::new(inward),
            outward: Mutex::new(outward),
            tools: Tools::default(),
            events: Arc::default(),
            context,
        })
    }

    /// Its number.
    #[must_use]
    pub fn number(&self) -> usize {
        self.number
    }

    /// What it is called by its maker: equal devices have equal names.
    #[must_use]
    pub fn model(&self) -> &str {
        &self.model
    }

    /// Bytes of its memory that buffers may take: what was free when it was opened, less what
    /// libraries are left.
    #[must_use]
    pub fn free_bytes(&self) -> u64 {
        self.free_bytes
    }

    /// Does `call` with the device's context on this thread.
    fn attempt<T>(
        &self,
        action: &'static str,
        call: impl FnOnce() -> Result<T, DriverError>,
    ) -> Result<T, DeviceError> {
        let result = guarded(|| {
            self.context.bind_to_thread()?;
            call()
        });
        let device = self.name.clone();
        result.map_err(|reason| DeviceError::Failed { device, action, reason })
    }

    /// An event that nobody uses.
    fn event(&self) -> Result<CudaEvent, DriverError> {
        let spare = self.events.lock().unwrap_or_else(PoisonError::into_inner).pop();
        spare.map_or_else(|| self.context.new_event(None), Ok)
    }
}

/// The address of a place, as the driver writes it.
fn address(place: NonNull<u8>) -> u64 {
    place.as_ptr() as u64
}

impl Accelerator for Cuda {
    fn name(&self) -> &str {
        &self.name
    }

    fn runs(&self, codelet: &CodeletInfo) -> bool {
        codelet.has_cuda()
    }

    #[allow(unsafe_code)]
    fn allocate(&self, bytes: usize) -> Result<NonNull<u8>, DeviceError> {
        // SAFETY: a fresh allocation in the context that is current.
        let place = self.attempt("allocate memory", || unsafe { result::malloc_sync(bytes) });
        let device = self.name.clone();
        match place {
            Ok(place) => {
                NonNull::new(place as *mut u8).ok_or(DeviceError::OutOfMemory { device, bytes })
            }
            Err(DeviceError::Failed { reason, .. }) if is_out_of_memory(&reason) => {
                Err(DeviceError::OutOfMemory { device, bytes })
            }
            Err(error) => Err(error),
        }
    }

    #[allow(unsafe_code)]
    unsafe fn free(&self, place: NonNull<u8>, _bytes: usize) {
        // SAFETY: the caller's promise. A device that is broken has nothing left to give back.
        let _ = self.attempt("free memory", || unsafe { result::free_sync(address(place)) });
    }

    #[allow(unsafe_code)]
    unsafe fn zero(&self, place: NonNull<u8>, bytes: usize) -> Result<(), DeviceError> {
        let side = self.side.lock().unwrap_or_else(PoisonError::into_inner);
        self.attempt("set memory to zero", || {
            // SAFETY: the caller's promise.
            unsafe { result::memset_d8_async(address(place), 0, bytes, side.cu_stream()) }?;
            side.synchronize()
        })
    }

    #[allow(unsafe_code)]
    unsafe fn bring(&self, from: &[u8], to: NonNull<u8>) -> Result<(), DeviceError> {
        let mut lane = self.inward.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the caller's promise.
        self.attempt("take data in", || unsafe { lane.bring(from, address(to)) })
    }

    #[allow(unsafe_code)]
    unsafe fn fetch(&self, from: NonNull<u8>, to: &mut [u8]) -> Result<(), DeviceError> {
        let mut lane = self.outward.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the caller's promise.
        self.attempt("give data out", || unsafe { lane.fetch(address(from), to) })
    }

    #[allow(unsafe_code)]
    unsafe fn bring_from(
        &self,
        peer: &dyn Accelerator,
        from: NonNull<u8>,
        to: NonNull<u8>,
        bytes: usize,
    ) -> Option<Result<(), DeviceError>> {
        let peer = peer.as_any().downcast_ref::<Self>()?;
        let side = self.side.lock().unwrap_or_else(PoisonError::into_inner);
        let (mine, theirs) = (self.context.cu_ctx(), peer.context.cu_ctx());
        Some(self.attempt("copy from another device", || {
            let (to, from) = (address(to), address(from));
            // SAFETY: the caller's promise.
            unsafe { result::memcpy_peer_async(mine, to, theirs, from, bytes, side.cu_stream()) }?;
            side.synchronize()
        }))
    }

    #[allow(unsafe_code)]
    unsafe fn enqueue(&self, job: Job) -> Result<Box<dyn Flight>, Failure> {
        self.attempt("start a task", || Ok(()))?;
        let launch = || {
            let checks = job.launch(&self.compute, &self.tools)?;
            let event = self.attempt("note the end of a task", || {
                let event = self.event()?;
                event.record(&self.compute)?;
                Ok(event)
            })?;
            Ok::<_, Failure>(InStream { event: Some(event), checks, spare: self.events.clone() })
        };
        let launched = catch_unwind(AssertUnwindSafe(launch));
        if !matches!(launched, Ok(Ok(_))) {
            // What the kernel did start must not go on in buffers that others are given.
            self.attempt("end a task that failed", || self.compute.synchronize())?;
        }
        Ok(Box::new(launched.unwrap_or_else(|payload| resume_unwind(payload))?))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// A task on the stream.
struct InStream {
    event: Option<CudaEvent>,
    checks: Vec<Check>,
    spare: Arc<Mutex<Vec<CudaEvent>>>,
}

impl Flight for InStream {
    fn poll(&mut self) -> Option<Result<(), Failure>> {
        let event = self.event.as_ref()?;
        match guarded(|| event.try_is_complete()) {
            Ok(false) => return None,
            Ok(true) => {}
            Err(reason) => return Some(Err(format!("the device failed: {reason}").into())),
        }
        let event = self.event.take();
        self.spare.lock().unwrap_or_else(PoisonError::into_inner).extend(event);
        Some(self.checks.drain(..).try_for_each(|check| check()))
    }
}
