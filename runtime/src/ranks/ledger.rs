//! What is noted of messages for a trace: when each was asked for, began and ended, at this end.

use std::collections::{HashMap, VecDeque};

use super::{Item, Key, Message, Operation};
use crate::trace::{AFTER_MESSAGE, MessageRecord, Passage, PollRecord, Records};
use crate::types::{Kind, Rank};

/// Notes of one rank. It looks on: nothing of what it sees depends on it.
pub(crate) struct Ledger {
    me: Rank,
    /// Bytes of the parts that messages are sent in.
    part_bytes: u64,
    /// When what is noted happens.
    now: u64,
    /// Versions that are here for others and were not offered yet, by their nodes.
    posted: HashMap<u32, Offered>,
    /// Versions that were offered to others and not sent yet: their nodes, and since when.
    offered: HashMap<(Key, Rank), VecDeque<Offered>>,
    /// Messages that were announced, with no part sent yet.
    announced: HashMap<(Key, Rank), VecDeque<MessageRecord>>,
    /// Messages of which parts are sent: the parts that have not gone yet.
    leaving: HashMap<u64, (MessageRecord, u64)>,
    /// What this rank awaits.
    awaited: HashMap<Key, Awaited>,
    /// What came before it was awaited: who sent it.
    early: HashMap<Key, VecDeque<Rank>>,
    messages: Vec<MessageRecord>,
    polls: Vec<PollRecord>,
}

/// A version that this rank has for another.
struct Offered {
    message: Message,
    ready: u64,
    /// 1 + the program index of the task that wrote it; 0 if that is not known.
    after: u64,
}

/// A version that this rank awaits.
struct Awaited {
    message: Message,
    asked: u64,
    /// Who sends it, once that has said so.
    from: Option<Rank>,
    /// When the first part came.
    first: Option<u64>,
}

impl Ledger {
    /// Notes of rank `me`, which sends messages in parts of so many bytes.
    pub(crate) fn new(me: Rank, part_bytes: u64) -> Self {
        Self {
            me,
            part_bytes,
            now: 0,
            posted: HashMap::new(),
            offered: HashMap::new(),
            announced: HashMap::new(),
            leaving: HashMap::new(),
            awaited: HashMap::new(),
            early: HashMap::new(),
            messages: Vec::new(),
            polls: Vec::new(),
        }
    }

    /// What is noted from now on happens at `now`, in nanoseconds since the engine was made.
    pub(crate) fn at(&mut self, now: u64) -> &mut Self {
        self.now = now;
        self
    }

    /// When that is.
    pub(crate) fn now(&self) -> u64 {
        self.now
    }

    /// Messages were dealt with from `start` until now.
    pub(crate) fn note_poll(&mut self, start: u64) {
        let (rank, end) = (self.me.0.into(), self.now);
        self.polls.push(PollRecord { rank, start, end });
    }

    /// A message may go, since the task `after` has ended (its program index + 1), or come.
    pub(crate) fn note_posted(&mut self, kind: Kind, message: Message, after: u64) {
        let (key, now) = (message.key, self.now);
        match kind {
            Kind::Send => {
                let after = if after & AFTER_MESSAGE == 0 { after } else { 0 };
                self.posted.insert(message.node, Offered { message, ready: now, after });
            }
            Kind::Receive => {
                let early = self.take_early(key);
                let first = early.map(|_| now);
                self.awaited.insert(key, Awaited { message, asked: now, from: early, first });
            }
            _ => {}
        }
    }

    /// The message of `node`, which was posted, is offered to `peer`: at once, or when it was
    /// brought to the RAM, in any order.
    pub(crate) fn note_offered(&mut self, node: u32, peer: Rank) {
        let Some(offered) = self.posted.remove(&node) else { return };
        self.offered.entry((offered.message.key, peer)).or_default().push_back(offered);
    }

    /// Another rank has said `item`.
    pub(crate) fn note_item(&mut self, from: Rank, item: &Item) {
        let (key, first) = match *item {
            Item::Eager { key, .. } => (key, Some(self.now)),
            Item::Header { key, .. } => (key, None),
            _ => return,
        };
        match self.awaited.get_mut(&key) {
            Some(awaited) if awaited.from.is_none() => {
                awaited.from = Some(from);
                awaited.first = awaited.first.or(first);
            }
            // Not awaited yet, or once more what has just come.
            _ => self.early.entry(key).or_default().push_back(from),
        }
    }

    /// A part of `key` has come.
    pub(crate) fn note_part(&mut self, key: Key) {
        let now = self.now;
        self.awaited.get_mut(&key).into_iter().for_each(|awaited| {
            awaited.first.get_or_insert(now);
        });
    }

    /// `operation` is about to be done.
    pub(crate) fn note_operation(&mut self, operation: &Operation) {
        match *operation {
            Operation::SendEager { key, to, .. }
            | Operation::SendItem { to, item: Item::Eager { key, .. } } => {
                let mut record = self.announce(key, to);
                self.start(&mut record);
                self.messages.push(record);
            }
            Operation::SendItem { to, item: Item::Header { key, .. } } => {
                let record = self.announce(key, to);
                self.announced.entry((key, to)).or_default().push_back(record);
            }
            Operation::Send { number, key, to, .. } if !self.leaving.contains_key(&number) => {
                let announced = self.announced.get_mut(&(key, to)).and_then(VecDeque::pop_front);
                let Some(mut record) = announced else { return };
                self.start(&mut record);
                let parts = record.bytes.div_ceil(self.part_bytes).max(1);
                self.leaving.insert(number, (record, parts));
            }
            _ => {}
        }
    }

    /// A part of the sending `number` has gone.
    pub(crate) fn note_gone(&mut self, number: u64) {
        let now = self.now;
        let Some((record, parts)) = self.leaving.get_mut(&number) else { return };
        *parts -= 1;
        if *parts == 0 {
            record.sent.iter_mut().for_each(|passage| passage.end = now);
            self.messages.extend(self.leaving.remove(&number).map(|(record, _)| record));
        }
    }

    /// The node of a message has ended.
    pub(crate) fn note_end(&mut self, kind: Kind, node: u32, key: Key, peer: Rank) {
        match kind {
            // What another rank has passed on, or what nobody has room for, was not sent from here.
            Kind::Send => {
                self.posted.remove(&node);
                if let Some(offered) = self.offered.get_mut(&(key, peer)) {
                    offered.retain(|offered| offered.message.node != node);
                    if offered.is_empty() {
                        self.offered.remove(&(key, peer));
                    }
                }
            }
            Kind::Receive => self.receive(key),
            _ => {}
        }
    }

    /// Adds what was noted to `records`, and forgets it.
    pub(crate) fn take(&mut self, records: &mut Records) {
        records.messages.append(&mut self.messages);
        records.polls.append(&mut self.polls);
    }

    /// Who sent a version that came before it was awaited.
    fn take_early(&mut self, key: Key) -> Option<Rank> {
        let senders = self.early.get_mut(&key)?;
        let sender = senders.pop_front();
        if senders.is_empty() {
            self.early.remove(&key);
        }
        sender
    }

    /// A message that this rank will send: of its own, or one that it passes on.
    fn announce(&mut self, key: Key, to: Rank) -> MessageRecord {
        let now = self.now;
        let offered = self.offered.get_mut(&(key, to)).and_then(VecDeque::pop_front);
        let passed_on = || {
            let message = self.awaited.get(&key).map(|awaited| awaited.message);
            Offered {
                message: message.expect("what is passed on is awaited"),
                ready: now,
                after: 0,
            }
        };
        let Offered { message, ready, after } = offered.unwrap_or_else(passed_on);
        let Message { bytes, priority, .. } = message;
        MessageRecord {
            datum: key.name,
            version: key.version,
            bytes,
            from: self.me.0.into(),
            to: to.0.into(),
            priority,
            after,
            sent: Some(Passage { ready, start: now, end: now }),
            received: None,
        }
    }

    /// The first part of a message goes now.
    fn start(&self, record: &mut MessageRecord) {
        let now = self.now;
        record.sent.iter_mut().for_each(|passage| (passage.start, passage.end) = (now, now));
    }

    /// The receive of `key` has ended, well or not.
    fn receive(&mut self, key: Key) {
        let Some(Awaited { message, asked, from: Some(from), first }) = self.awaited.remove(&key)
        else {
            return;
        };
        let end = self.now;
        let received = Passage { ready: asked, start: first.unwrap_or(end), end };
        self.messages.push(MessageRecord {
            datum: key.name,
            version: key.version,
            bytes: message.bytes,
            from: from.0.into(),
            to: self.me.0.into(),
            priority: message.priority,
            after: 0,
            sent: None,
            received: Some(received),
        });
    }
}
