//! Streams, each a thread that does what is put on it in order, and events.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::abi::{NOT_READY, Outcome, Status, mistake};
use crate::devices::Device;
use crate::host::{Random, locked, named};
use crate::memory::{Allocation, Region};
use crate::settings::{Kind, Settings};

/// One thing that is put on a stream.
pub(crate) struct Work {
    pub(crate) what: String,
    /// Device memory that it uses.
    pub(crate) uses: Vec<Arc<Allocation>>,
    pub(crate) action: Box<dyn FnOnce() -> Outcome + Send>,
    /// What is done even when the device has failed: nobody is left to wait.
    pub(crate) is_signal: bool,
    /// Whether it computes, which takes longer on a slow device.
    pub(crate) computes: bool,
}

impl Work {
    /// Work that uses these regions.
    pub(crate) fn new(
        what: &str,
        regions: &[Region],
        action: impl FnOnce() -> Outcome + Send + 'static,
    ) -> Self {
        Self {
            what: what.to_owned(),
            uses: regions.iter().filter_map(|region| region.of.clone()).collect(),
            action: Box::new(action),
            is_signal: false,
            computes: false,
        }
    }

    /// Work that nothing waits for in vain.
    pub(crate) fn signal(what: &str, action: impl FnOnce() + Send + 'static) -> Self {
        let action = move || {
            action();
            Ok(())
        };
        Self { is_signal: true, ..Self::new(what, &[], action) }
    }
}

/// A stream.
pub(crate) struct Stream {
    pub(crate) device: &'static Device,
    queue: Mutex<Queue>,
    changed: Condvar,
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<Work>,
    /// Whether something is being done.
    is_busy: bool,
    has_ended: bool,
}

impl Stream {
    /// A stream with nothing on it; `number` makes its delays its own.
    pub(crate) fn new(device: &'static Device, number: u64) -> Arc<Self> {
        let stream = Arc::new(Self { device, queue: Mutex::default(), changed: Condvar::new() });
        let (played, seed) = (stream.clone(), Settings::get().seed);
        let delays = seed.map(|seed| Random(seed.wrapping_mul(1_000_003).wrapping_add(number)));
        let name = format!("stand-in-{}", device.number);
        let spawned = thread::Builder::new().name(name).spawn(move || played.play(delays));
        if spawned.is_err() {
            mistake!("the host has no thread for another stream");
        }
        stream
    }

    /// Puts `work` behind all that is there.
    pub(crate) fn put(&self, work: Work) {
        locked(&self.queue).waiting.push_back(work);
        self.changed.notify_all();
    }

    /// Whether everything is done.
    pub(crate) fn is_idle(&self) -> bool {
        let queue = locked(&self.queue);
        queue.waiting.is_empty() && !queue.is_busy
    }

    /// Waits until everything that is there now, or comes before that is done, is done.
    pub(crate) fn wait(&self) {
        let mut queue = locked(&self.queue);
        while queue.is_busy || !queue.waiting.is_empty() {
            queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// No more will come: the thread ends when all is done.
    pub(crate) fn end(&self) {
        locked(&self.queue).has_ended = true;
        self.changed.notify_all();
    }

    /// What its thread does.
    fn play(&self, mut delays: Option<Random>) {
        while let Some(work) = self.next() {
            if let Some(random) = &mut delays {
                pause(random);
            }
            self.perform(work);
            locked(&self.queue).is_busy = false;
            self.changed.notify_all();
        }
    }

    fn next(&self) -> Option<Work> {
        let mut queue = locked(&self.queue);
        loop {
            if let Some(work) = queue.waiting.pop_front() {
                queue.is_busy = true;
                return Some(work);
            }
            if queue.has_ended {
                return None;
            }
            queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn perform(&self, work: Work) {
        let Work { what, uses, action, is_signal, computes } = work;
        if self.device.check().is_err() && !is_signal {
            return;
        }
        let check = || {
            if uses.iter().any(|allocation| allocation.is_free()) {
                mistake!("memory is freed before {what}, which uses it, has ended");
            }
        };
        check();
        let start = Instant::now();
        let counted = if computes { self.device.count(Kind::Run) } else { Ok(()) };
        if let Err(status) = counted.and_then(|()| named(&what, action)) {
            self.device.fail(status);
        }
        if computes && self.device.slowness > 1.0 {
            thread::sleep(start.elapsed().mul_f64(self.device.slowness - 1.0));
        }
        check();
    }
}

/// Now and then a short while, and seldom a longer one, as when a device has other work.
fn pause(random: &mut Random) {
    let number = random.next();
    let microseconds = match number % 64 {
        0 => 2000,
        1..=15 => number >> 8 & 255,
        _ => return,
    };
    thread::sleep(Duration::from_micros(microseconds));
}

/// A point in a stream.
#[derive(Default)]
pub(crate) struct Event {
    state: Mutex<Passed>,
    changed: Condvar,
}

#[derive(Default)]
struct Passed {
    /// How often it was recorded, and the last of these that has passed.
    recorded: u64,
    passed: u64,
    device: Option<&'static Device>,
    at: Option<Instant>,
}

impl Event {
    /// Makes it the point behind all that is on `stream`.
    pub(crate) fn record(self: &Arc<Self>, stream: &Stream) {
        let mut state = locked(&self.state);
        state.recorded += 1;
        state.device = Some(stream.device);
        let (event, number) = (self.clone(), state.recorded);
        stream.put(Work::signal("an event", move || {
            let mut state = locked(&event.state);
            state.passed = state.passed.max(number);
            state.at = Some(Instant::now());
            event.changed.notify_all();
        }));
    }

    /// What has become of the device that it was recorded on.
    fn status(&self) -> Outcome {
        locked(&self.state).device.map_or(Ok(()), Device::check)
    }

    /// Whether it has passed.
    pub(crate) fn query(&self) -> Outcome {
        let has_passed = {
            let state = locked(&self.state);
            state.passed >= state.recorded
        };
        self.status()?;
        if has_passed { Ok(()) } else { Err(NOT_READY) }
    }

    /// Waits until it has passed, as it was last recorded.
    pub(crate) fn wait(&self) -> Outcome {
        let number = locked(&self.state).recorded;
        self.wait_for(number);
        self.status()
    }

    fn wait_for(&self, number: u64) {
        let mut state = locked(&self.state);
        while state.passed < number {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Has `stream` go on only when it has passed, as it was last recorded.
    pub(crate) fn hold(self: &Arc<Self>, stream: &Stream) {
        let (event, number) = (self.clone(), locked(&self.state).recorded);
        stream.put(Work::signal("a wait for an event", move || event.wait_for(number)));
    }

    /// Milliseconds from `start` to this.
    pub(crate) fn since(&self, start: &Self) -> Outcome<f32> {
        start.query()?;
        self.query()?;
        let at = |event: &Self| -> Result<Instant, Status> {
            locked(&event.state).at.ok_or(crate::abi::INVALID_HANDLE)
        };
        Ok(at(self)?.saturating_duration_since(at(start)?).as_secs_f32() * 1e3)
    }
}
