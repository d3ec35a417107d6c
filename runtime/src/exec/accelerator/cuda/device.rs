//! One CUDA device: streams that compute, others for copies in and out, and its memory.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use super::NoCuda;
use super::staging::Lanes;
use crate::cuda::{Context, Device, DriverError, Event, Place, Spare, Stream, Wait};
use crate::exec::accelerator::{Accelerator, DeviceError, InFlight, Job};
use crate::flow::{Check, Failure, TaskKernel, Tools};

/// Bytes of a device that are left to libraries and their workspaces, beside a sixteenth of it.
const HEADROOM: u64 = 256 << 20;

/// Streams that compute at a time: what keeps few multiprocessors busy, as a solve with a triangle
/// does, goes on beside other tasks.
const STREAMS: usize = 4;

/// Tasks that a device is given before the first has ended: two for each stream.
pub const SLOTS: usize = 2 * STREAMS;

/// A CUDA device, opened.
pub struct Cuda {
    number: usize,
    name: Arc<str>,
    model: String,
    free_bytes: u64,
    double_rate: f64,
    context: Arc<Context>,
    compute: Vec<Compute>,
    /// For zeros and copies from other devices.
    side: Mutex<Stream>,
    /// Numbers of the devices whose memory this one was let reach, where it can.
    reached: Mutex<Vec<usize>>,
    inward: Lanes,
    outward: Lanes,
    tools: Tools,
    events: Arc<Events>,
}

/// Events of the tasks of a device.
#[derive(Default)]
struct Events {
    spare: Mutex<Vec<Event>>,
    /// The end of the task that ended last.
    last: Mutex<Option<Event>>,
}

impl Events {
    /// One that nobody uses.
    fn take(&self, context: &Arc<Context>) -> Result<Event, DriverError> {
        let spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner).pop();
        spare.map_or_else(|| Event::new(context, Wait::Timed), Ok)
    }

    /// Takes back those of a task that has ended; nanoseconds that passed from its start or from
    /// the end of the last one before it, whichever was later.
    fn give(&self, start: Event, end: Event) -> Option<f64> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let since_last = last.as_ref().and_then(|last| end.nanoseconds_since(last).ok());
        let own = end.nanoseconds_since(&start).ok();
        let mut spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        spare.push(start);
        if since_last.is_none_or(|time| time > 0.0) {
            spare.extend(last.replace(end));
        } else {
            spare.push(end);
        }
        own.map(|own| since_last.unwrap_or(own).min(own).max(0.0))
    }
}

/// A stream that computes.
struct Compute {
    stream: Arc<Stream>,
    tools: Tools,
    /// Tasks on it that nobody has found to have ended.
    load: Arc<AtomicUsize>,
}

impl Compute {
    fn new(context: &Arc<Context>) -> Result<Self, DriverError> {
        let stream = Arc::new(Stream::new(context)?);
        Ok(Self { stream, tools: Tools::default(), load: Arc::default() })
    }
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
        let what = || format!("device {number} cannot be opened");
        Self::try_open(number).map_err(|error| NoCuda::new(&what(), &error))
    }

    fn try_open(number: usize) -> Result<Self, DriverError> {
        let device = Device::new(number)?;
        let context = Arc::new(Context::new(device)?);
        let (inward, outward) = (Lanes::new(&context)?, Lanes::new(&context)?);
        let compute = (0..STREAMS).map(|_| Compute::new(&context)).collect::<Result<_, _>>()?;
        let free = context.free_bytes()?;
        let model = device.name()?;
        Ok(Self {
            number,
            name: format!("CUDA device {number} ({model})").into(),
            model,
            double_rate: device.double_rate()?,
            free_bytes: free.saturating_sub(HEADROOM + free / 16),
            compute,
            side: Mutex::new(Stream::new(&context)?),
            reached: Mutex::default(),
            inward,
            outward,
            tools: Tools::default(),
            events: Arc::default(),
            context,
        })
    }

    /// The same, which lends at most `bytes` bytes of its memory to buffers.
    #[must_use]
    pub fn limited(self, bytes: u64) -> Self {
        Self { free_bytes: self.free_bytes.min(bytes), ..self }
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

    /// Operations per second at most, in double precision.
    #[must_use]
    pub fn double_rate(&self) -> f64 {
        self.double_rate
    }

    /// Sees to it, once, that `peer` is copied from over the bus if it can be.
    fn reach(&self, peer: &Self) -> Result<(), DriverError> {
        let mut reached = self.reached.lock().unwrap_or_else(PoisonError::into_inner);
        if !reached.contains(&peer.number) {
            self.context.reach(&peer.context)?;
            reached.push(peer.number);
        }
        Ok(())
    }

    /// Does `call` with the device's context on this thread.
    fn attempt<T>(
        &self,
        action: &'static str,
        call: impl FnOnce() -> Result<T, DriverError>,
    ) -> Result<T, DeviceError> {
        let result = self.context.bind().and_then(|()| call());
        result.map_err(|error| self.failed(action, &error))
    }

    fn failed(&self, action: &'static str, error: &DriverError) -> DeviceError {
        DeviceError::Failed { device: self.name.to_string(), action, reason: error.to_string() }
    }

    /// An event on `stream`, as of now.
    fn mark(&self, stream: &Stream) -> Result<Event, DeviceError> {
        self.attempt("note the time of a task", || {
            let event = self.events.take(&self.context)?;
            event.record(stream)?;
            Ok(event)
        })
    }
}

/// The address of a place, as the driver writes it.
fn address(place: NonNull<u8>) -> Place {
    place.as_ptr() as Place
}

impl Accelerator for Cuda {
    fn name(&self) -> &str {
        &self.name
    }

    fn runs(&self, kernel: TaskKernel<'_>) -> bool {
        kernel.runs_on_cuda()
    }

    fn allocate(&self, bytes: usize) -> Result<NonNull<u8>, DeviceError> {
        let device = self.name.to_string();
        match self.context.allocate(bytes) {
            Ok(place) => {
                NonNull::new(place as *mut u8).ok_or(DeviceError::OutOfMemory { device, bytes })
            }
            Err(error) if error.is_out_of_memory() => {
                Err(DeviceError::OutOfMemory { device, bytes })
            }
            Err(error) => Err(self.failed("allocate memory", &error)),
        }
    }

    fn add_spare(&self, spare: Weak<dyn Spare>) {
        self.context.add_spare(spare);
    }

    #[allow(unsafe_code)]
    unsafe fn free(&self, place: NonNull<u8>, _bytes: usize) {
        // SAFETY: the caller's promise. A device that is broken has nothing left to give back.
        let _ = unsafe { self.context.free(address(place)) };
    }

    #[allow(unsafe_code)]
    unsafe fn zero(&self, place: NonNull<u8>, bytes: usize) -> Result<(), DeviceError> {
        let side = self.side.lock().unwrap_or_else(PoisonError::into_inner);
        self.attempt("set memory to zero", || {
            // SAFETY: the caller's promise.
            unsafe { side.zero(address(place), bytes) }?;
            side.wait()
        })
    }

    #[allow(unsafe_code)]
    unsafe fn bring(
        &self,
        from: &[u8],
        to: NonNull<u8>,
        is_pinned: bool,
    ) -> Result<(), DeviceError> {
        let mut lane = self.inward.take();
        // SAFETY: the caller's promise.
        self.attempt("take data in", || unsafe { lane.bring(from, address(to), is_pinned) })
    }

    #[allow(unsafe_code)]
    unsafe fn fetch(
        &self,
        from: NonNull<u8>,
        to: &mut [u8],
        is_pinned: bool,
    ) -> Result<(), DeviceError> {
        let mut lane = self.outward.take();
        // SAFETY: the caller's promise.
        self.attempt("give data out", || unsafe { lane.fetch(address(from), to, is_pinned) })
    }

    #[allow(unsafe_code)]
    unsafe fn pin(&self, place: NonNull<u8>, bytes: usize) -> bool {
        // SAFETY: the caller's promise.
        unsafe { self.context.pin(place, bytes) }.is_ok()
    }

    #[allow(unsafe_code)]
    unsafe fn unpin(&self, place: NonNull<u8>) {
        // SAFETY: the caller's promise. A device that is broken has nothing left to give back.
        let _ = unsafe { self.context.unpin(place) };
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
        Some(self.attempt("copy from another device", || {
            self.reach(peer)?;
            let (to, from) = (address(to), address(from));
            // SAFETY: the caller's promise.
            unsafe { side.bring_from(&peer.context, from, to, bytes) }?;
            side.wait()
        }))
    }

    #[allow(unsafe_code)]
    unsafe fn enqueue(&self, job: Job) -> Result<Box<dyn InFlight>, Failure> {
        self.attempt("start a task", || Ok(()))?;
        let least = self.compute.iter().min_by_key(|one| one.load.load(Ordering::Relaxed));
        let Compute { stream, tools, load } = least.ok_or("a device without a stream")?;
        let launch = || {
            let start = self.mark(stream)?;
            let checks = job.launch(stream, (tools, &self.tools))?;
            let marks = Some((start, self.mark(stream)?));
            load.fetch_add(1, Ordering::Relaxed);
            let (device, load, events) = (self.name.clone(), load.clone(), self.events.clone());
            Ok::<_, Failure>(InStream { device, marks, checks, load, events, busy: None })
        };
        let launched = catch_unwind(AssertUnwindSafe(launch));
        if !matches!(launched, Ok(Ok(_))) {
            // What the kernel did start must not go on in buffers that others are given.
            self.attempt("end a task that failed", || stream.wait())?;
        }
        Ok(Box::new(launched.unwrap_or_else(|payload| resume_unwind(payload))?))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// A task on the stream.
struct InStream {
    device: Arc<str>,
    /// Its start and its end.
    marks: Option<(Event, Event)>,
    checks: Vec<Check>,
    load: Arc<AtomicUsize>,
    events: Arc<Events>,
    busy: Option<Duration>,
}

impl InFlight for InStream {
    fn poll(&mut self) -> Option<Result<(), Failure>> {
        let (_, end) = self.marks.as_ref()?;
        match end.has_passed() {
            Ok(false) => return None,
            Ok(true) => {}
            Err(reason) => return Some(Err(format!("{} failed: {reason}", self.device).into())),
        }
        let busy = self.marks.take().and_then(|(start, end)| self.events.give(start, end));
        self.busy = busy.map(|nanoseconds| Duration::from_nanos(nanoseconds as u64));
        self.load.fetch_sub(1, Ordering::Relaxed);
        Some(self.checks.drain(..).try_for_each(|check| check()))
    }

    fn busy(&self) -> Option<Duration> {
        self.busy
    }
}
