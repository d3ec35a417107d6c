//! Drives the exchange of one rank: gives it what happened, and moves its messages with the transport.
//!
//! Whoever posts a message, or is idle, makes progress, one thread at a time; a thread of its own looks
//! now and then while all others are in tasks.

use std::collections::HashMap;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::thread::JoinHandle;
use std::time::Duration;

use super::ExecOptions;
use super::failures::Cause;
use super::mailbox::Mailbox;
use super::run::Runner;
use crate::comm::{Arrival, FRAME_BYTES, Line, Ticket, World};
use crate::flow::{Failure, FlowError, Kind, Outcome, Post, Space};
use crate::memory::OutOfMemory;
use crate::ranks::{Exchange, ExchangeOptions, Item, Key, Operation, PART_BYTES, Parcel, Rank};

/// What an engine does for its messenger.
pub(super) trait Host: Send + Sync {
    /// `tasks` became ready by messages; empty afterwards.
    fn release(&self, tasks: &mut Vec<u32>);
    /// What tasks run with.
    fn runner(&self) -> &Runner;
    /// Whether a worker has nothing to do.
    fn is_anyone_idle(&self) -> bool;
}

impl ExecOptions {
    /// What moves the messages of `space`, if there are other ranks.
    pub(super) fn messenger(&self, space: &Arc<Space>) -> Option<Arc<Messenger>> {
        let world = self.world.clone().filter(|world| world.ranks() > 1)?;
        let messenger = Arc::new(Messenger::new(world, space.clone(), self));
        let post: Arc<dyn Post> = messenger.clone();
        space.set_post(&post);
        Some(messenger)
    }
}

/// Moves the messages of one rank.
pub(super) struct Messenger {
    world: World,
    space: Arc<Space>,
    core: Mailbox<Core, Event>,
    host: OnceLock<Weak<dyn Host>>,
    /// Polls that found something to do.
    busy: AtomicU64,
    stop: AtomicBool,
}

enum Event {
    /// The message in this slot may come or go.
    Posted(u32),
}

struct Core {
    exchange: Exchange,
    tickets: HashMap<Ticket, Flight>,
    frames: Vec<Vec<u8>>,
    operations: Vec<Operation>,
    arrivals: Vec<Arrival>,
    ready: Vec<u32>,
    /// Why messages cannot be moved any more.
    fatal: Option<Arc<dyn std::error::Error + Send + Sync>>,
    /// Messages that have not ended, by slot, to be ended when there is no way on.
    open: HashMap<u32, Kind>,
}

/// A payload on its way.
#[derive(Clone, Copy, Debug)]
enum Flight {
    Out(u64),
    In(Key),
}

impl std::fmt::Debug for Messenger {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Messenger").field("world", &self.world).finish_non_exhaustive()
    }
}

impl Post for Messenger {
    fn post(&self, task: u32) {
        self.core.post(Event::Posted(task), |core, events| core.step(self, events));
    }
}

impl Messenger {
    /// Begins a flow over the ranks of `world`.
    fn new(world: World, space: Arc<Space>, options: &ExecOptions) -> Self {
        world.begin();
        let options = ExchangeOptions {
            room: options.receive_bytes,
            labels: world.labels(),
            priorities: options.message_priorities,
        };
        let core = Core {
            exchange: Exchange::new(world.rank(), world.ranks(), options),
            tickets: HashMap::new(),
            frames: vec![Vec::new(); world.ranks()],
            operations: Vec::new(),
            arrivals: Vec::new(),
            ready: Vec::new(),
            fatal: None,
            open: HashMap::new(),
        };
        Self {
            world,
            space,
            core: Mailbox::new(core),
            host: OnceLock::new(),
            busy: AtomicU64::new(0),
            stop: AtomicBool::new(false),
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

    /// Starts the thread that makes progress while nobody else does.
    pub(super) fn start(self: Arc<Self>) -> JoinHandle<()> {
        let thread = std::thread::Builder::new().name("messages".to_owned());
        thread.spawn(move || self.work()).expect("the system starts a thread")
    }

    /// Makes progress unless another thread does.
    pub(super) fn poll(&self) {
        self.core.drain(|core, events| core.step(self, events));
    }

    /// Life of that thread.
    fn work(&self) {
        let mut seen = 0;
        let mut quiet = 0u32;
        while !self.stop.load(Ordering::SeqCst) {
            self.poll();
            let busy = self.busy.load(Ordering::Relaxed);
            quiet = if busy == seen { quiet.saturating_add(1) } else { 0 };
            seen = busy;
            if !self.host().is_anyone_idle() {
                std::thread::sleep(BUSY);
            } else if quiet < PATIENCE {
                std::thread::yield_now();
            } else {
                std::thread::sleep(QUIET);
            }
        }
    }

    pub(super) fn stop(&self) {
        self.stop.store(true, Ordering::SeqCst);
    }

    /// Waits until so many messages have come or gone.
    pub(super) fn settle(&self, count: u64) {
        while self.space.completed_messages() < count {
            self.poll();
            std::thread::yield_now();
        }
    }

    /// Comes to the next meeting, and waits for its end.
    pub(super) fn meet(&self, agreed: u64, bytes: Vec<u8>) -> Result<Outcome, FlowError> {
        let step = |core: &mut Core, events: &mut Vec<Event>| core.step(self, events);
        let number = self.core.with(step, |core| core.exchange.meet(agreed, bytes));
        loop {
            let met = self.core.with(step, |core| match &core.fatal {
                Some(fatal) => Err(FlowError::Peers(fatal.clone())),
                None => Ok(core.exchange.met(number)),
            });
            if let Some(outcome) = met? {
                return Ok(outcome);
            }
            std::thread::yield_now();
        }
    }
}

/// Time between two looks while all workers are in tasks.
const BUSY: Duration = Duration::from_micros(200);
/// Time between two looks when nothing has come for a while.
const QUIET: Duration = Duration::from_micros(50);
/// Looks without effect after which nothing has come for a while.
const PATIENCE: u32 = 2000;

impl Drop for Messenger {
    fn drop(&mut self) {
        self.world.end();
    }
}

impl Core {
    /// Deals with `events` and with all that has come or gone.
    fn step(&mut self, messenger: &Messenger, events: &mut Vec<Event>) {
        let world = messenger.world.clone();
        let mut line = world.line();
        let mut any = !events.is_empty();
        for event in events.drain(..) {
            let Event::Posted(task) = event;
            self.post(messenger, task);
        }
        loop {
            self.exchange.take(&mut self.operations);
            let operations = std::mem::take(&mut self.operations);
            any |= !operations.is_empty();
            let is_done = operations.is_empty();
            for operation in operations {
                if let Err(error) = self.perform(messenger, &mut line, operation) {
                    self.give_up(messenger, error);
                }
            }
            if is_done {
                break;
            }
        }
        let polled = self.flush(&mut line).and_then(|()| Ok(line.poll(&mut self.arrivals)?));
        if let Err(error) = polled {
            self.give_up(messenger, error);
        }
        let has_come = !self.arrivals.is_empty();
        if let Err(error) = self.take_arrivals() {
            self.give_up(messenger, error);
        }
        drop(line);
        if !self.ready.is_empty() {
            messenger.host().release(&mut self.ready);
        }
        if any || has_come {
            messenger.busy.fetch_add(1, Ordering::Relaxed);
        }
        if has_come {
            self.step(messenger, events);
        }
    }

    /// Tells the exchange of a message that may come or go.
    fn post(&mut self, messenger: &Messenger, task: u32) {
        let space = &messenger.space;
        let data = space.task(task);
        let (letter, datum) = (data.letter(), data.handles[0]);
        let slot = space.handles.get(datum);
        if self.fatal.is_some() {
            self.open.insert(task, data.kind);
            self.abandon(messenger, task);
            return;
        }
        self.open.insert(task, data.kind);
        let parcel = Parcel {
            key: letter.key,
            node: task,
            datum,
            bytes: slot.bytes() as u64,
            priority: data.priority,
            index: data.index,
        };
        match data.kind {
            Kind::Send => self.exchange.offer(parcel, letter.peer, slot.poison()),
            Kind::Receive => self.exchange.request(parcel),
            _ => self.exchange.relay(task, letter.key),
        }
    }

    fn take_arrivals(&mut self) -> Result<(), Failure> {
        for arrival in self.arrivals.drain(..) {
            match arrival {
                Arrival::Frame { from, bytes } => self.exchange.frame(from, &bytes)?,
                Arrival::Sent(ticket) => {
                    if let Some(Flight::Out(number)) = self.tickets.remove(&ticket) {
                        self.exchange.sent(number);
                    }
                }
                Arrival::Received { ticket, bytes } => {
                    if let Some(Flight::In(key)) = self.tickets.remove(&ticket) {
                        self.exchange.received(key, bytes as u64);
                    }
                }
            }
        }
        Ok(())
    }

    #[allow(unsafe_code)]
    fn perform(
        &mut self,
        messenger: &Messenger,
        line: &mut Line,
        operation: Operation,
    ) -> Result<(), Failure> {
        let handles = &messenger.space.handles;
        match operation {
            Operation::Tell { to, item } => self.tell(line, to, &item)?,
            Operation::Post { key, node, label, bytes } => match room(&messenger.space, node) {
                Ok(memory) => {
                    self.receive(line, key, label, (memory, bytes))?;
                    self.exchange.posted(key);
                }
                Err(error) => {
                    self.exchange.refused(key);
                    self.fail(messenger, node, Cause::Failed(error.into()));
                }
            },
            Operation::Send { number, datum, to, label, first, bytes } => {
                let memory = handles.get(datum).buffer().unwrap_or(NonNull::dangling());
                // SAFETY: the message in the flow keeps the contents until it completes, which is
                // after this part has gone; no part reaches beyond them.
                let ticket = unsafe {
                    let part = memory.add(first as usize);
                    line.transport.send(to, label, part, bytes as usize)?
                };
                self.tickets.insert(ticket, Flight::Out(number));
            }
            Operation::Inline { key, datum, to } => {
                let slot = handles.get(datum);
                let contents = slot.buffer().map_or_else(Vec::new, |memory| {
                    // SAFETY: as above; the contents are copied here.
                    unsafe { std::slice::from_raw_parts(memory.as_ptr(), slot.bytes()) }.to_vec()
                });
                self.tell(line, to, &Item::Data { key, spoiled: 0, contents })?;
            }
            Operation::Deliver { node, contents } => match room(&messenger.space, node) {
                Ok(memory) => {
                    // SAFETY: the message in the flow alone has access to the memory, which is
                    // as long as the contents on every rank.
                    unsafe {
                        memory.copy_from_nonoverlapping(
                            NonNull::from(&contents[..]).cast(),
                            contents.len(),
                        );
                    }
                }
                Err(error) => self.fail(messenger, node, Cause::Failed(error.into())),
            },
            Operation::Complete { node, spoiled } => self.complete(messenger, node, spoiled),
        }
        Ok(())
    }

    /// Starts to receive all parts.
    #[allow(unsafe_code)]
    fn receive(
        &mut self,
        line: &mut Line,
        key: Key,
        label: u32,
        (memory, bytes): (NonNull<u8>, u64),
    ) -> Result<(), Failure> {
        for first in (0..bytes).step_by(PART_BYTES as usize) {
            let length = (bytes - first).min(PART_BYTES) as usize;
            // SAFETY: the message in the flow alone has access to the memory until it completes,
            // which is after this part has come.
            let ticket =
                unsafe { line.transport.receive(label, memory.add(first as usize), length)? };
            self.tickets.insert(ticket, Flight::In(key));
        }
        Ok(())
    }

    /// Appends `item` to the frame for `to`, which goes when it is full or nothing else is to be done.
    fn tell(&mut self, line: &mut Line, to: Rank, item: &Item) -> Result<(), Failure> {
        let frame = &mut self.frames[usize::from(to.0)];
        if frame.is_empty() {
            frame.extend(line.flow.to_le_bytes());
        }
        let before = frame.len();
        item.write(frame);
        if frame.len() > FRAME_BYTES {
            let rest = frame.split_off(before);
            line.transport.send_frame(to, frame)?;
            frame.truncate(4);
            frame.extend(rest);
        }
        Ok(())
    }

    fn flush(&mut self, line: &mut Line) -> Result<(), Failure> {
        for (to, frame) in self.frames.iter_mut().enumerate().filter(|(_, frame)| !frame.is_empty())
        {
            line.transport.send_frame(Rank(to as u16), frame)?;
            frame.clear();
        }
        Ok(())
    }

    /// Ends a message; what it received is spoiled unless the mark is 0.
    fn complete(&mut self, messenger: &Messenger, node: u32, spoiled: u64) {
        let Some(kind) = self.open.remove(&node) else { return };
        let space = &messenger.space;
        if kind == Kind::Receive {
            space.handles.get(space.task(node).handles[0]).set_poison(spoiled);
        }
        space.complete_message(node, &mut self.ready);
    }

    /// Ends a receive that failed here.
    fn fail(&mut self, messenger: &Messenger, node: u32, cause: Cause) {
        let index = messenger.space.task(node).index;
        messenger.host().runner().failures.raise(index + 1, "receive", cause);
        self.complete(messenger, node, index + 1);
    }

    /// Ends all messages: there is no way on.
    fn give_up(&mut self, messenger: &Messenger, error: Failure) {
        if self.fatal.is_none() {
            self.fatal = Some(Arc::from(error));
            let open: Vec<u32> = self.open.keys().copied().collect();
            open.into_iter().for_each(|node| self.abandon(messenger, node));
        }
    }

    fn abandon(&mut self, messenger: &Messenger, node: u32) {
        let fatal = self.fatal.clone().expect("there is no way on");
        if self.open.get(&node) == Some(&Kind::Receive) {
            self.fail(messenger, node, Cause::Failed(fatal.to_string().into()));
        } else {
            self.complete(messenger, node, 0);
        }
    }
}

/// The memory that a node receives into.
fn room(space: &Space, node: u32) -> Result<NonNull<u8>, OutOfMemory> {
    let slot = space.handles.get(space.task(node).handles[0]);
    slot.materialise(&space.handles.cache, true)
}
