//! Drives the exchange of one rank: gives it what happened, and moves its messages with the
//! transport.
//!
//! Whoever posts a message makes progress, one thread at a time, and so does a worker after a task.
//! An idle worker [watches](Messenger::watch), so that it has what comes for it at once; a thread
//! of its own looks now and then while all others are in tasks, and watches where no worker does.
//! Where one thread alone may call the transport ([`Transport::is_funneled`]), which is the one
//! that submits, it does so after each of its tasks and while it waits, and the others only tell
//! it.
//!
//! [`Transport::is_funneled`]: crate::comm::Transport::is_funneled
//!
//! Where memories are limited, contents are brought to the RAM and pinned for a message that the
//! other side is ready for, and for no other.

mod core;
mod gaps;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::thread::{JoinHandle, ThreadId};
use std::time::{Duration, Instant};

use self::core::Core;
use super::ExecOptions;
use super::event_queue::EventQueue;
use super::failures::Cause;
use super::run::Runner;
use crate::comm::World;
use crate::flow::{FirstFailure, FlowError, Peering, Post, Space};
use crate::ranks::{
    Contribution, EAGER_BYTES, Exchange, ExchangeOptions, Ledger, Outcome, PART_BYTES,
    PARTS_UNDER_WAY, Traffic,
};
use crate::trace::Records;
use crate::types::{Kind, Rank};

/// What an engine does for its messenger.
pub(super) trait Host: Send + Sync {
    /// Ends a message; tasks that became ready by it may join `ready`.
    fn complete(&self, task: u32, ready: &mut Vec<u32>);
    /// `tasks` became ready by messages; empty afterwards.
    fn release(&self, _tasks: &mut Vec<u32>) {}
    /// Has the contents of a message brought to the RAM and kept there until it is complete, and
    /// then says [`Messenger::admitted`] or [`Messenger::refused`]: where they are not there all
    /// the time.
    fn admit(&self, _task: u32) {}
    /// What tasks run with.
    fn runner(&self) -> &Runner;
    /// Whether a worker has nothing to do.
    fn is_anyone_idle(&self) -> bool;
}

impl ExecOptions {
    /// What moves the messages of `space`, if there are other ranks, for an engine made at
    /// `origin`. It `lends` memory for a message at a time, or its workers poll `soon` after the
    /// ends of tasks by which messages may go.
    pub(super) fn messenger(
        &self,
        space: &Arc<Space>,
        (lends, soon): (bool, bool),
        origin: Instant,
    ) -> Option<Arc<Messenger>> {
        let world = self.world.clone().filter(|world| world.ranks() > 1)?;
        let how = (lends, soon, origin);
        let messenger = Arc::new(Messenger::new(world, space.clone(), self, how));
        let post: Arc<dyn Post> = messenger.clone();
        space.set_post(&post);
        Some(messenger)
    }
}

/// Moves the messages of one rank.
pub(super) struct Messenger {
    world: World,
    space: Arc<Space>,
    core: EventQueue<Core, Event>,
    host: OnceLock<Weak<dyn Host>>,
    /// Polls that found something to do.
    busy: AtomicU64,
    is_watched: AtomicBool,
    stop: AtomicBool,
    /// Whether workers poll soon after a task by whose end a message may go.
    soon: bool,
    /// When its engine was made, if messages are recorded.
    origin: Option<Instant>,
    /// The only thread that may move messages, if not all may.
    caller: Option<ThreadId>,
}

enum Event {
    /// The message in this slot may come or go.
    Posted(u32),
    /// Its contents are in the RAM.
    Admitted(u32),
    /// They cannot be brought there.
    Refused(u32, Cause),
}

impl std::fmt::Debug for Messenger {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Messenger").field("world", &self.world).finish_non_exhaustive()
    }
}

impl Post for Messenger {
    fn post(&self, task: u32, by_worker: bool) {
        let data = self.space.task(task);
        let is_short = || {
            let bytes = self.space.handles.get(data.handles[0]).bytes();
            bytes as u64 <= EAGER_BYTES
        };
        // What is short comes unasked, and whoever looks for it learns that it is awaited. Of what
        // short tasks send, several go in one frame.
        let may_wait = match data.kind {
            Kind::Receive => true,
            _ => self.soon && by_worker,
        };
        if may_wait && is_short() {
            self.core.note(Event::Posted(task));
        } else {
            self.tell(Event::Posted(task));
        }
    }
}

impl Messenger {
    /// Begins a flow over the ranks of `world`.
    fn new(
        world: World,
        space: Arc<Space>,
        options: &ExecOptions,
        (lends, soon, origin): (bool, bool, Instant),
    ) -> Self {
        world.begin();
        let origin = options.trace.then_some(origin);
        let ledger = origin.map(|origin| (origin, Ledger::new(world.rank(), PART_BYTES)));
        // A memory that is limited has most of its room for tasks.
        let share = options.machine.memories[0].capacity.map_or(u64::MAX, |most| most / 4);
        let options = ExchangeOptions {
            room: options.receive_bytes.min(share),
            labels: world.labels(),
            priorities: options.message_priorities,
            lends,
            part_bytes: PART_BYTES,
            parts_under_way: PARTS_UNDER_WAY,
        };
        let exchange = Exchange::new(world.rank(), world.ranks(), options);
        let core = Core::new(exchange, &world, lends, ledger);
        let caller = world.is_funneled().then(|| std::thread::current().id());
        Self {
            caller,
            world,
            space,
            core: EventQueue::new(core),
            host: OnceLock::new(),
            busy: AtomicU64::new(0),
            is_watched: AtomicBool::new(false),
            stop: AtomicBool::new(false),
            soon,
            origin,
        }
    }

    /// Sets for whom it works, before the first message.
    pub(super) fn set_host(&self, host: &Arc<dyn Host>) {
        let was_set = self.host.set(Arc::downgrade(host));
        debug_assert!(was_set.is_ok(), "a messenger has one host");
    }

    fn host(&self) -> Arc<dyn Host> {
        let host = self.host.get().and_then(Weak::upgrade);
        host.expect("a messenger is stopped before its host")
    }

    /// Starts the thread that makes progress while nobody else does, if any thread may.
    pub(super) fn start(self: Arc<Self>) -> Option<JoinHandle<()>> {
        if self.caller.is_some() {
            return None;
        }
        let thread = std::thread::Builder::new().name("messages".to_owned());
        Some(thread.spawn(move || self.work()).expect("the system starts a thread"))
    }

    /// Whether this thread may move messages.
    fn may_call(&self) -> bool {
        self.caller.is_none_or(|caller| caller == std::thread::current().id())
    }

    fn tell(&self, event: Event) {
        self.core.note(event);
        self.poll();
    }

    /// The contents of the message in slot `task` are in the RAM.
    pub(super) fn admitted(&self, task: u32) {
        self.tell(Event::Admitted(task));
    }

    /// The contents of the message in slot `task` cannot be brought to the RAM.
    pub(super) fn refused(&self, task: u32, cause: Cause) {
        self.tell(Event::Refused(task, cause));
    }

    /// Adds what was recorded since the last call to `records`.
    pub(super) fn take_records(&self, records: &mut Records) {
        let Some(origin) = self.origin else { return };
        records.origin = origin.saturating_duration_since(self.world.epoch()).as_nanos() as u64;
        let step = |core: &mut Core, events: &mut Vec<Event>| core.step(self, events);
        self.core.with(step, |core| {
            core.notes().into_iter().for_each(|ledger| ledger.take(records));
        });
    }

    /// Makes progress unless another thread does, or this one may not.
    pub(super) fn poll(&self) {
        if self.may_call() {
            self.core.drain(|core, events| core.step(self, events));
        }
    }

    /// Begins to watch for an idle worker, unless another does or this one may not.
    pub(super) fn watch(&self) -> Option<Watch<'_>> {
        let is_free = self.may_call() && !self.is_watched.swap(true, Ordering::SeqCst);
        is_free.then(|| Watch { messenger: self, pace: Pace::default() })
    }

    /// Life of that thread.
    fn work(&self) {
        let mut pace = Pace::default();
        let mut told = (Instant::now(), 0);
        while !self.stop.load(Ordering::SeqCst) {
            self.report_progress(&mut told);
            if self.host().is_anyone_idle() && !self.is_watched.load(Ordering::Relaxed) {
                self.look(&mut pace);
            } else {
                // What others find they find without it.
                pace.seen = self.busy.load(Ordering::Relaxed);
                self.poll();
                pace.note(self);
                std::thread::sleep(BUSY * (1 << pace.quiet.min(DOUBLINGS)));
            }
        }
    }

    /// Makes progress, and lets others have the core for a moment: longer when nothing comes.
    fn look(&self, pace: &mut Pace) {
        self.poll();
        pace.note(self);
        if pace.quiet < PATIENCE {
            std::thread::yield_now();
        } else {
            std::thread::sleep(QUIET);
        }
    }

    /// Tells rank 0 how many tasks are done, if it asks and was not told for a while; `told` is
    /// when it was, and how many.
    fn report_progress(&self, told: &mut (Instant, u64)) {
        if self.world.rank() == Rank(0) || !self.world.reports_progress() || told.0.elapsed() < TELL
        {
            return;
        }
        let done = self.space.completed();
        if done != told.1 {
            self.world.report_done(done);
        }
        *told = (Instant::now(), done);
    }

    pub(super) fn stop(&self) {
        self.stop.store(true, Ordering::SeqCst);
    }
}

impl Peering for Messenger {
    fn settle(&self, count: u64) {
        while self.space.completed_messages() < count {
            self.poll();
            std::thread::yield_now();
        }
    }

    fn begin(&self) -> Result<(), FlowError> {
        if self.origin.is_none() {
            return Ok(());
        }
        self.world.compare_clocks().map_err(|error| FlowError::Peers(Arc::new(error)))
    }

    fn traffic(&self) -> Traffic {
        self.core.with(|core, events| core.step(self, events), |core| core.exchange.traffic())
    }

    fn barrier(&self, contribution: Contribution) -> Result<Outcome, FlowError> {
        let step = |core: &mut Core, events: &mut Vec<Event>| core.step(self, events);
        if self.world.reports_progress() {
            // Exact at barriers, between which steps of a program lie.
            self.world.report_done(self.space.completed());
        }
        let number = self.core.with(step, |core| core.exchange.enter_barrier(contribution));
        loop {
            let met = self.core.with(step, |core| match &core.fatal {
                Some(fatal) => Err(FlowError::Peers(fatal.clone())),
                None => Ok(core.exchange.barrier_outcome(number)),
            });
            if let Some(outcome) = met? {
                return Ok(outcome);
            }
            std::thread::yield_now();
        }
    }

    fn first_failure(&self) -> Option<FirstFailure> {
        self.host().runner().failures.first()
    }

    fn learn_failure(&self, mark: u64, error: &FlowError) {
        self.host().runner().failures.learn(mark, error);
    }
}

/// What an idle worker has who looks for messages as long as there is nothing else to do.
pub(super) struct Watch<'a> {
    messenger: &'a Messenger,
    pace: Pace,
}

impl Watch<'_> {
    /// Looks once.
    pub(super) fn look(&mut self) {
        self.messenger.look(&mut self.pace);
    }
}

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        self.messenger.is_watched.store(false, Ordering::SeqCst);
    }
}

/// How often to look.
#[derive(Default)]
struct Pace {
    /// Of `busy`, at the last look.
    seen: u64,
    /// Looks in vain since.
    quiet: u32,
}

impl Pace {
    /// After a look.
    fn note(&mut self, messenger: &Messenger) {
        let busy = messenger.busy.load(Ordering::Relaxed);
        self.quiet = if busy == self.seen { self.quiet.saturating_add(1) } else { 0 };
        self.seen = busy;
    }
}

/// Least time between two words about how many tasks are done.
const TELL: Duration = Duration::from_secs(1);
/// Least time between two looks while all workers are in tasks, or one of them watches. Each look
/// takes a core from a worker for a moment, and some of what it has in its caches.
const BUSY: Duration = Duration::from_micros(200);
/// How often that time is doubled while nothing comes.
const DOUBLINGS: u32 = 4;
/// Time between two looks when nothing has come for a while.
const QUIET: Duration = Duration::from_micros(50);
/// Looks without effect after which nothing has come for a while.
const PATIENCE: u32 = 2000;

impl Drop for Messenger {
    fn drop(&mut self) {
        self.world.end();
    }
}
