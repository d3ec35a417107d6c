//! A device that is none: its memory is the host's, threads of its own run its queue with the
//! kernels of a core, and it fails when it is told to.

use std::alloc::{Layout, alloc, dealloc};
use std::any::Any;
use std::collections::HashMap;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use tegula_runtime::exec::accelerator::{Accelerator, DeviceError, InFlight, Job};
use tegula_runtime::flow::{Failure, TaskKernel};

/// What goes wrong.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Trouble {
    /// Copies to and from it that succeed before all others fail.
    pub(crate) copies: Option<usize>,
    /// Allocations that succeed before it has no more room.
    pub(crate) allocations: Option<usize>,
    /// Tasks that it takes before it refuses all others.
    pub(crate) tasks: Option<usize>,
    /// How long each task takes beside its work.
    pub(crate) delay: Duration,
    /// Tasks that it computes at a time, less one.
    pub(crate) more_streams: usize,
    /// Whether it copies from other devices without the host.
    pub(crate) peers: bool,
    /// The codelet that it cannot run.
    pub(crate) lacks: Option<&'static str>,
}

/// The device.
pub(crate) struct StandIn {
    capacity: usize,
    trouble: Trouble,
    /// Sizes of live buffers by address.
    live: Mutex<HashMap<usize, usize>>,
    /// Sizes of pinned buffers of the host by address, and how many copies used one.
    pinned: Mutex<HashMap<usize, usize>>,
    straight: AtomicUsize,
    copies: AtomicUsize,
    allocations: AtomicUsize,
    tasks: AtomicUsize,
    /// Tasks in the queue now, and the most that there were.
    depth: Arc<AtomicUsize>,
    deepest: AtomicUsize,
    queue: Option<Sender<Order>>,
    threads: Vec<JoinHandle<()>>,
}

type Order = (Job, Sender<Result<(), Failure>>);

impl StandIn {
    /// A device whose buffers take at most `capacity` bytes.
    pub(crate) fn new(capacity: u64, trouble: Trouble) -> Self {
        let (queue, orders) = channel::<Order>();
        let (orders, depth) = (Arc::new(Mutex::new(orders)), Arc::new(AtomicUsize::new(0)));
        let streams = 0..=trouble.more_streams;
        let threads = streams.map(|_| stream(orders.clone(), depth.clone(), trouble.delay));
        let threads = threads.collect();
        Self {
            capacity: capacity as usize,
            trouble,
            live: Mutex::default(),
            pinned: Mutex::default(),
            straight: AtomicUsize::new(0),
            copies: AtomicUsize::new(0),
            allocations: AtomicUsize::new(0),
            tasks: AtomicUsize::new(0),
            depth,
            deepest: AtomicUsize::new(0),
            queue: Some(queue),
            threads,
        }
    }

    /// Devices of these capacities.
    pub(crate) fn fleet(capacities: &[u64], trouble: Trouble) -> Vec<Arc<dyn Accelerator>> {
        capacities.iter().map(|&bytes| Arc::new(Self::new(bytes, trouble)) as _).collect()
    }

    /// Most tasks that its queue held.
    pub(crate) fn deepest(&self) -> usize {
        self.deepest.load(Ordering::Relaxed)
    }

    /// Copies that used a pinned buffer.
    pub(crate) fn straight(&self) -> usize {
        self.straight.load(Ordering::Relaxed)
    }

    /// Counts a copy of memory of the host that is said to be pinned.
    fn note_pinned(&self, place: *const u8, bytes: usize, is_pinned: bool) {
        if is_pinned {
            let size = self.pinned.lock().expect("no test panics here")[&(place as usize)];
            assert!(bytes <= size, "a copy of {bytes} bytes and {size} that are pinned");
            self.straight.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn refuse(&self, action: &'static str) -> DeviceError {
        let (device, reason) = (self.name().to_owned(), "told to".to_owned());
        DeviceError::Failed { device, action, reason }
    }

    /// Counts a use of something of which there are `most`.
    fn spend(&self, used: &AtomicUsize, most: Option<usize>) -> bool {
        let used = used.fetch_add(1, Ordering::Relaxed);
        most.is_none_or(|most| used < most)
    }

    fn copy(&self, place: NonNull<u8>, bytes: usize) -> Result<(), DeviceError> {
        let size = self.live.lock().expect("no test panics here")[&(place.as_ptr() as usize)];
        assert!(bytes <= size, "a copy of {bytes} bytes and a buffer of {size}");
        let is_well = self.spend(&self.copies, self.trouble.copies);
        if is_well { Ok(()) } else { Err(self.refuse("copy")) }
    }
}

/// A thread that runs what is in the queue.
fn stream(
    orders: Arc<Mutex<Receiver<Order>>>,
    depth: Arc<AtomicUsize>,
    delay: Duration,
) -> JoinHandle<()> {
    let next = move || orders.lock().expect("no test panics here").recv().ok();
    std::thread::spawn(move || {
        while let Some((job, answer)) = next() {
            std::thread::sleep(delay);
            // SAFETY: the memory of this device is the host's.
            #[allow(unsafe_code)]
            let run = || unsafe { job.run_on_host() };
            let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run));
            let result = result.unwrap_or_else(|_| Err("the kernel panicked".into()));
            depth.fetch_sub(1, Ordering::Relaxed);
            answer.send(result).expect("somebody waits for the task");
        }
    })
}

fn layout(bytes: usize) -> Layout {
    Layout::from_size_align(bytes, 64).expect("a small buffer")
}

#[allow(unsafe_code)]
impl Accelerator for StandIn {
    fn name(&self) -> &str {
        "stand-in"
    }

    fn runs(&self, kernel: TaskKernel<'_>) -> bool {
        self.trouble.lacks != Some(kernel.codelet().name)
    }

    fn allocate(&self, bytes: usize) -> Result<NonNull<u8>, DeviceError> {
        let mut live = self.live.lock().expect("no test panics here");
        let is_room = live.values().sum::<usize>() + bytes <= self.capacity;
        if !is_room || !self.spend(&self.allocations, self.trouble.allocations) {
            return Err(DeviceError::OutOfMemory { device: self.name().to_owned(), bytes });
        }
        // SAFETY: the size is not zero.
        let place = NonNull::new(unsafe { alloc(layout(bytes)) }).expect("the host has room");
        // What a device hands out is full of something.
        // SAFETY: just allocated.
        unsafe { place.as_ptr().write_bytes(0xa5, bytes) };
        live.insert(place.as_ptr() as usize, bytes);
        Ok(place)
    }

    unsafe fn free(&self, place: NonNull<u8>, bytes: usize) {
        let mut live = self.live.lock().expect("no test panics here");
        assert_eq!(live.remove(&(place.as_ptr() as usize)), Some(bytes), "a buffer that was freed");
        // SAFETY: allocated with this layout.
        unsafe { dealloc(place.as_ptr(), layout(bytes)) };
    }

    unsafe fn zero(&self, place: NonNull<u8>, bytes: usize) -> Result<(), DeviceError> {
        // SAFETY: the caller's promise.
        unsafe { place.as_ptr().write_bytes(0, bytes) };
        Ok(())
    }

    unsafe fn pin(&self, place: NonNull<u8>, bytes: usize) -> bool {
        let mut pinned = self.pinned.lock().expect("no test panics here");
        let before = pinned.insert(place.as_ptr() as usize, bytes);
        assert_eq!(before, None, "what is pinned already");
        true
    }

    unsafe fn unpin(&self, place: NonNull<u8>) {
        let mut pinned = self.pinned.lock().expect("no test panics here");
        pinned.remove(&(place.as_ptr() as usize)).expect("it is pinned");
    }

    unsafe fn bring(
        &self,
        from: &[u8],
        to: NonNull<u8>,
        is_pinned: bool,
    ) -> Result<(), DeviceError> {
        self.note_pinned(from.as_ptr(), from.len(), is_pinned);
        self.copy(to, from.len())?;
        // SAFETY: the caller's promise.
        unsafe { to.as_ptr().copy_from_nonoverlapping(from.as_ptr(), from.len()) };
        Ok(())
    }

    unsafe fn fetch(
        &self,
        from: NonNull<u8>,
        to: &mut [u8],
        is_pinned: bool,
    ) -> Result<(), DeviceError> {
        self.note_pinned(to.as_ptr(), to.len(), is_pinned);
        self.copy(from, to.len())?;
        // SAFETY: the caller's promise.
        unsafe { from.as_ptr().copy_to_nonoverlapping(to.as_mut_ptr(), to.len()) };
        Ok(())
    }

    unsafe fn bring_from(
        &self,
        peer: &dyn Accelerator,
        from: NonNull<u8>,
        to: NonNull<u8>,
        bytes: usize,
    ) -> Option<Result<(), DeviceError>> {
        let peer = peer.as_any().downcast_ref::<Self>().filter(|_| self.trouble.peers)?;
        Some(peer.copy(from, bytes).and_then(|()| self.copy(to, bytes)).map(|()| {
            // SAFETY: the caller's promise.
            unsafe { to.as_ptr().copy_from_nonoverlapping(from.as_ptr(), bytes) }
        }))
    }

    unsafe fn enqueue(&self, job: Job) -> Result<Box<dyn InFlight>, Failure> {
        if !self.spend(&self.tasks, self.trouble.tasks) {
            return Err(self.refuse("start a task").into());
        }
        let depth = self.depth.fetch_add(1, Ordering::Relaxed) + 1;
        self.deepest.fetch_max(depth, Ordering::Relaxed);
        let (sender, receiver) = channel();
        let queue = self.queue.as_ref().expect("the queue is open");
        queue.send((job, sender)).expect("the thread lives");
        Ok(Box::new(Waiting(receiver)))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

struct Waiting(Receiver<Result<(), Failure>>);

impl InFlight for Waiting {
    fn poll(&mut self) -> Option<Result<(), Failure>> {
        self.0.try_recv().ok()
    }
}

impl Drop for StandIn {
    fn drop(&mut self) {
        self.queue = None;
        for thread in self.threads.drain(..) {
            thread.join().expect("the queue ends well");
        }
        let pinned = self.pinned.get_mut().expect("no test panics here");
        assert!(pinned.is_empty() || std::thread::panicking(), "{} are pinned", pinned.len());
        let live = self.live.get_mut().expect("no test panics here");
        assert!(live.is_empty() || std::thread::panicking(), "{} buffers are left", live.len());
    }
}
