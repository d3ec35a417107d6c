//! What one thread at a time does with messages: it asks the exchange, and calls the transport.

use std::collections::VecDeque;
use std::collections::hash_map::{Entry, HashMap};
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use super::gaps::{Landed, fill, without_gaps};
use super::{Event, Messenger};
use crate::comm::{Arrival, Channel, FRAME_BYTES, Ticket, World};
use crate::exec::failures::Cause;
use crate::flow::{Failure, Space};
use crate::memory::OutOfMemory;
use crate::ranks::{Exchange, Item, Items, Key, Ledger, Message, Operation, PART_BYTES};
use crate::types::{Kind, Rank};

/// Looks at what has come, one after the other, before a thread does something else.
const ROUNDS: usize = 64;

/// The exchange and all that belongs under its lock.
pub(super) struct Core {
    pub(super) exchange: Exchange,
    tickets: HashMap<Ticket, InFlight>,
    /// By rank, the frame that is written for it, and the ranks for which there is one.
    frames: Vec<Vec<u8>>,
    begun: Vec<Rank>,
    operations: Vec<Operation>,
    arrivals: Vec<Arrival>,
    ready: Vec<u32>,
    /// Why messages cannot be moved any more.
    pub(super) fatal: Option<Arc<dyn std::error::Error + Send + Sync>>,
    /// By slot, messages that have not ended, to be ended when there is no way on.
    open: Vec<Option<Kind>>,
    /// Whether contents must be brought to the RAM.
    lends: bool,
    /// Messages whose contents are being brought there.
    staged: HashMap<u32, Staged>,
    /// What comes for contents with gaps.
    landed: Landed,
    /// Messages that nobody wants yet.
    parked: HashMap<(Key, Rank), VecDeque<u32>>,
    /// What is noted for a trace, if there is to be one, since when.
    ledger: Option<(Instant, Ledger)>,
}

/// A message on its way.
enum InFlight {
    /// A part, with the copy that goes where the contents have gaps.
    Out {
        number: u64,
        _copy: Option<Box<[u8]>>,
    },
    In(Key),
}

/// A message that waits for its contents to be in the RAM.
enum Staged {
    /// To be received.
    Post { key: Key, label: u32, bytes: u64 },
    /// Has come.
    Deliver(Vec<u8>),
    /// To be sent.
    Offer,
}

impl Core {
    pub(super) fn new(
        exchange: Exchange,
        world: &World,
        lends: bool,
        ledger: Option<(Instant, Ledger)>,
    ) -> Self {
        Self {
            exchange,
            tickets: HashMap::new(),
            frames: vec![Vec::new(); world.ranks()],
            begun: Vec::new(),
            operations: Vec::new(),
            arrivals: Vec::new(),
            ready: Vec::new(),
            fatal: None,
            open: Vec::new(),
            lends,
            staged: HashMap::new(),
            landed: Landed::default(),
            parked: HashMap::new(),
            ledger,
        }
    }

    /// Where to note what happens now, if anything is to be noted.
    pub(super) fn notes(&mut self) -> Option<&mut Ledger> {
        let (origin, ledger) = self.ledger.as_mut()?;
        Some(ledger.at(origin.elapsed().as_nanos() as u64))
    }

    /// Deals with `events` and with all that has come or gone.
    pub(super) fn step(&mut self, messenger: &Messenger, events: &mut Vec<Event>) {
        let start = self.notes().map(|ledger| ledger.now());
        let mut channel = messenger.world.channel();
        let is_busy = self.exchange_all(messenger, &mut channel, events);
        drop(channel);
        if !self.ready.is_empty() {
            messenger.host().release(&mut self.ready);
        }
        if is_busy {
            messenger.busy.fetch_add(1, Ordering::Relaxed);
            if let (Some(ledger), Some(start)) = (self.notes(), start) {
                ledger.note_poll(start);
            }
        }
    }

    /// Deals with `events`, and with what comes and goes as long as anything does; says whether
    /// there was anything.
    fn exchange_all(
        &mut self,
        messenger: &Messenger,
        channel: &mut Channel,
        events: &mut Vec<Event>,
    ) -> bool {
        let mut any = !events.is_empty();
        for event in events.drain(..) {
            let outcome = match event {
                Event::Posted(task) => {
                    self.post(messenger, task);
                    Ok(())
                }
                Event::Admitted(task) => self.take_admitted(messenger, channel, task),
                Event::Refused(task, cause) => {
                    self.take_refused(messenger, task, cause);
                    Ok(())
                }
            };
            if let Err(error) = outcome {
                self.give_up(messenger, error);
            }
        }
        for _ in 0..ROUNDS {
            any |= self.perform_all(messenger, channel);
            let polled = self.flush(channel).and_then(|()| Ok(channel.poll(&mut self.arrivals)?));
            let has_come = !self.arrivals.is_empty();
            if let Err(error) = polled.and_then(|()| self.take_arrivals()) {
                self.give_up(messenger, error);
            }
            if !has_come {
                break;
            }
            any = true;
        }
        any
    }

    /// Does what the exchange says until that is all; says whether it was anything.
    fn perform_all(&mut self, messenger: &Messenger, channel: &mut Channel) -> bool {
        let mut any = false;
        loop {
            let mut operations = std::mem::take(&mut self.operations);
            self.exchange.take(&mut operations);
            if operations.is_empty() {
                return any;
            }
            any = true;
            for operation in operations.drain(..) {
                if let Err(error) = self.perform(messenger, channel, operation) {
                    self.give_up(messenger, error);
                }
            }
            self.operations = operations;
        }
    }

    /// Tells the exchange of a message that may come or go.
    fn post(&mut self, messenger: &Messenger, task: u32) {
        let space = &messenger.space;
        let data = space.task(task);
        let (envelope, slot) = (data.envelope(), space.handles.get(data.handles[0]));
        let slots = self.open.len().max(task as usize + 1);
        self.open.resize(slots, None);
        self.open[task as usize] = Some(data.kind);
        if self.fatal.is_some() {
            return self.abandon(messenger, task);
        }
        let message = message_of(space, task);
        if let Some(ledger) = self.notes() {
            ledger.note_posted(data.kind, message, space.after(task));
        }
        match data.kind {
            Kind::Send if self.lends && slot.poison() == 0 => {
                if self.exchange.is_wanted(envelope.key, envelope.peer) {
                    self.hold(messenger, task, Staged::Offer);
                } else {
                    self.exchange.announce(message, envelope.peer);
                    self.parked.entry((envelope.key, envelope.peer)).or_default().push_back(task);
                }
            }
            Kind::Send => self.offer(message, envelope.peer, slot.poison()),
            Kind::Receive => self.exchange.request(message),
            _ => self.exchange.relay(task, envelope.key),
        }
    }

    /// What a message carries is here for `peer`; spoiled by a failure unless that is 0.
    fn offer(&mut self, message: Message, peer: Rank, spoiled: u64) {
        self.notes().into_iter().for_each(|ledger| ledger.note_offered(message.node, peer));
        self.exchange.offer(message, peer, spoiled);
    }

    /// Has the contents of a message brought to the RAM.
    fn hold(&mut self, messenger: &Messenger, task: u32, staged: Staged) {
        self.staged.insert(task, staged);
        messenger.host().admit(task);
    }

    /// The contents of a message are in the RAM.
    fn take_admitted(
        &mut self,
        messenger: &Messenger,
        channel: &mut Channel,
        task: u32,
    ) -> Result<(), Failure> {
        let Some(staged) = self.staged.remove(&task) else { return Ok(()) };
        match staged {
            Staged::Post { key, label, bytes } => {
                let memory = room(&messenger.space, task)?;
                self.receive(channel, key, label, (memory, bytes))?;
                self.exchange.posted(key);
            }
            Staged::Deliver(contents) => self.deliver(messenger, task, &contents),
            Staged::Offer => {
                let envelope = messenger.space.task(task).envelope();
                self.offer(message_of(&messenger.space, task), envelope.peer, 0);
            }
        }
        Ok(())
    }

    /// The contents of a message cannot be in the RAM: what would have been sent is spoiled.
    fn take_refused(&mut self, messenger: &Messenger, task: u32, cause: Cause) {
        let Some(staged) = self.staged.remove(&task) else { return };
        match staged {
            Staged::Post { key, .. } => {
                self.exchange.refused(key);
                self.fail(messenger, task, cause);
            }
            Staged::Deliver(_) => self.fail(messenger, task, cause),
            Staged::Offer => {
                let data = messenger.space.task(task);
                messenger.host().runner().failures.raise(data.index + 1, "send", cause);
                let message = message_of(&messenger.space, task);
                self.offer(message, data.envelope().peer, data.index + 1);
            }
        }
    }

    fn take_arrivals(&mut self) -> Result<(), Failure> {
        let mut arrivals = std::mem::take(&mut self.arrivals);
        let outcome = arrivals.drain(..).try_for_each(|arrival| self.take_arrival(arrival));
        self.arrivals = arrivals;
        outcome
    }

    fn take_arrival(&mut self, arrival: Arrival) -> Result<(), Failure> {
        match arrival {
            Arrival::Frame { from, bytes } => {
                for item in Items::of(&bytes) {
                    let item = item?;
                    self.notes().into_iter().for_each(|ledger| ledger.note_item(from, &item));
                    self.exchange.handle(from, item);
                }
            }
            Arrival::Sent(ticket) => {
                if let Some(InFlight::Out { number, .. }) = self.tickets.remove(&ticket) {
                    self.notes().into_iter().for_each(|ledger| ledger.note_gone(number));
                    self.exchange.sent(number);
                }
            }
            Arrival::Received { ticket, .. } => {
                if let Some(InFlight::In(key)) = self.tickets.remove(&ticket) {
                    self.notes().into_iter().for_each(|ledger| ledger.note_part(key));
                    self.exchange.received(key);
                }
            }
        }
        Ok(())
    }

    #[allow(unsafe_code)]
    fn perform(
        &mut self,
        messenger: &Messenger,
        channel: &mut Channel,
        operation: Operation,
    ) -> Result<(), Failure> {
        let handles = &messenger.space.handles;
        self.notes().into_iter().for_each(|ledger| ledger.note_operation(&operation));
        match operation {
            Operation::SendItem { to, item } => self.send_item(channel, to, &item)?,
            Operation::Post { key, node, label, bytes } if self.lends => {
                self.hold(messenger, node, Staged::Post { key, label, bytes });
            }
            Operation::Deliver { node, contents } if self.lends => {
                self.hold(messenger, node, Staged::Deliver(contents));
            }
            Operation::Wanted { key, by } => {
                if let Entry::Occupied(mut parked) = self.parked.entry((key, by)) {
                    let task = parked.get_mut().pop_front();
                    if parked.get().is_empty() {
                        parked.remove();
                    }
                    task.into_iter().for_each(|task| self.hold(messenger, task, Staged::Offer));
                }
            }
            Operation::Post { key, node, label, bytes } => match room(&messenger.space, node) {
                Ok(memory) => {
                    let memory = self.landed.room(&messenger.space, node).unwrap_or(memory);
                    self.receive(channel, key, label, (memory, bytes))?;
                    self.exchange.posted(key);
                }
                Err(error) => {
                    self.exchange.refused(key);
                    self.fail(messenger, node, Cause::Failed(error.into()));
                }
            },
            Operation::Send { number, datum, to, label, first, bytes, .. } => {
                let slot = handles.get(datum);
                let memory = slot.buffer().unwrap_or(NonNull::dangling());
                let (first, bytes) = (first as usize, bytes as usize);
                let mut copy = without_gaps(slot, first, bytes);
                // SAFETY: the message in the flow keeps the contents until it completes, which is
                // after this part has gone; no part reaches beyond them. A copy is kept as long.
                let ticket = unsafe {
                    let part = match &mut copy {
                        Some(copy) => NonNull::from(&mut **copy).cast(),
                        None => memory.add(first),
                    };
                    channel.transport.send(to, label, part, bytes)?
                };
                self.tickets.insert(ticket, InFlight::Out { number, _copy: copy });
            }
            Operation::SendEager { key, datum, to } => {
                let slot = handles.get(datum);
                let copy = without_gaps(slot, 0, slot.bytes());
                let contents: &[u8] = match (&copy, slot.buffer()) {
                    (Some(copy), _) => copy,
                    // SAFETY: as above; the contents are copied into the frame.
                    (None, Some(memory)) => unsafe {
                        std::slice::from_raw_parts(memory.as_ptr(), slot.bytes())
                    },
                    (None, None) => &[],
                };
                self.append(channel, to, |frame| Item::write_eager(frame, key, 0, contents))?;
            }
            Operation::Deliver { node, contents } => self.deliver(messenger, node, &contents),
            Operation::Complete { node, spoiled } => self.complete(messenger, node, spoiled),
        }
        Ok(())
    }

    /// Gives what a node receives its contents.
    fn deliver(&mut self, messenger: &Messenger, node: u32, contents: &[u8]) {
        match room(&messenger.space, node) {
            Ok(memory) => {
                let slot = messenger.space.handles.get(messenger.space.task(node).handles[0]);
                fill(slot, memory, contents);
                self.complete(messenger, node, 0);
            }
            Err(error) => self.fail(messenger, node, Cause::Failed(error.into())),
        }
    }

    /// Starts to receive all parts.
    #[allow(unsafe_code)]
    fn receive(
        &mut self,
        channel: &mut Channel,
        key: Key,
        label: u32,
        (memory, bytes): (NonNull<u8>, u64),
    ) -> Result<(), Failure> {
        for first in (0..bytes).step_by(PART_BYTES as usize) {
            let length = (bytes - first).min(PART_BYTES) as usize;
            // SAFETY: the message in the flow alone has access to the memory until it completes,
            // which is after this part has come.
            let ticket =
                unsafe { channel.transport.receive(label, memory.add(first as usize), length)? };
            self.tickets.insert(ticket, InFlight::In(key));
        }
        Ok(())
    }

    /// Appends `item` to the frame for `to`, which goes when it is full or nothing else is to be
    /// done.
    fn send_item(&mut self, channel: &mut Channel, to: Rank, item: &Item) -> Result<(), Failure> {
        self.append(channel, to, |frame| item.write(frame))
    }

    fn append(
        &mut self,
        channel: &mut Channel,
        to: Rank,
        write: impl FnOnce(&mut Vec<u8>),
    ) -> Result<(), Failure> {
        let frame = &mut self.frames[usize::from(to.0)];
        if frame.is_empty() {
            frame.extend(channel.flow.to_le_bytes());
            self.begun.push(to);
        }
        let before = frame.len();
        write(frame);
        if frame.len() > FRAME_BYTES {
            let rest = frame.split_off(before);
            channel.transport.send_frame(to, frame)?;
            frame.truncate(4);
            frame.extend(rest);
        }
        Ok(())
    }

    fn flush(&mut self, channel: &mut Channel) -> Result<(), Failure> {
        for to in self.begun.drain(..) {
            let frame = &mut self.frames[usize::from(to.0)];
            channel.transport.send_frame(to, frame)?;
            frame.clear();
        }
        Ok(())
    }

    /// Ends a message; what it received is spoiled unless the mark is 0.
    fn complete(&mut self, messenger: &Messenger, node: u32, spoiled: u64) {
        let Some(kind) = self.open[node as usize].take() else { return };
        let space = &messenger.space;
        if let Some(ledger) = self.notes() {
            let envelope = space.task(node).envelope();
            ledger.note_end(kind, node, envelope.key, envelope.peer);
        }
        if kind == Kind::Receive {
            if self.fatal.is_none() {
                self.landed.take(space, node);
            }
            space.handles.get(space.task(node).handles[0]).set_poison(spoiled);
        }
        self.staged.remove(&node);
        messenger.host().complete(node, &mut self.ready);
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
            (0..self.open.len() as u32).for_each(|node| self.abandon(messenger, node));
        }
    }

    fn abandon(&mut self, messenger: &Messenger, node: u32) {
        let fatal = self.fatal.clone().expect("there is no way on");
        if self.open[node as usize] == Some(Kind::Receive) {
            self.fail(messenger, node, Cause::Failed(fatal.to_string().into()));
        } else {
            self.complete(messenger, node, 0);
        }
    }
}

/// What a message carries, for the exchange.
fn message_of(space: &Space, task: u32) -> Message {
    let data = space.task(task);
    let datum = data.handles[0];
    Message {
        key: data.envelope().key,
        node: task,
        datum,
        bytes: space.handles.get(datum).bytes() as u64,
        priority: data.priority,
        index: data.index,
    }
}

/// The memory that a node receives into.
fn room(space: &Space, node: u32) -> Result<NonNull<u8>, OutOfMemory> {
    let slot = space.handles.get(space.task(node).handles[0]);
    slot.materialise(&space.handles.cache, true)
}
