//! Messages of one rank: what the graph posts goes to the exchange, what the exchange says is done.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::Member;
use crate::flow::{FlowError, Post};
use crate::ranks::{Item, Key, Message, Operation};
use crate::sim::cluster::wire::{NetworkMessage, Wire};
use crate::types::{Kind, MemoryId, Rank};

/// Messages that may come or go, as the graph says while the node is at work.
#[derive(Debug, Default)]
pub(super) struct Posted(Mutex<Vec<u32>>);

impl Post for Posted {
    fn post(&self, task: u32, _by_worker: bool) {
        self.tasks().push(task);
    }
}

impl Posted {
    fn tasks(&self) -> MutexGuard<'_, Vec<u32>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.tasks().is_empty()
    }

    /// Moves them to the end of `tasks`.
    fn take(&self, tasks: &mut Vec<u32>) {
        tasks.append(&mut self.tasks());
    }
}

/// A message that waits for its contents to be in the RAM.
#[derive(Clone, Copy, Debug)]
pub(super) enum Staged {
    /// To be received.
    Post(Key),
    /// Has come.
    Deliver,
    /// To be sent.
    Offer,
}

impl Member {
    /// Tells the exchange of messages that may come or go.
    pub(super) fn take_posted(&mut self) {
        let mut tasks = std::mem::take(&mut self.tasks);
        self.posted.take(&mut tasks);
        for task in tasks.drain(..) {
            let (kind, envelope) = (self.space.task(task).kind, self.space.task(task).envelope());
            let (message, after) = (self.message(task), self.space.after(task));
            if let Some(ledger) = self.notes() {
                ledger.note_posted(kind, message, after);
            }
            match kind {
                Kind::Send if self.lends => {
                    if self.exchange.is_wanted(envelope.key, envelope.peer) {
                        self.hold(task, Staged::Offer);
                    } else {
                        self.exchange.announce(message, envelope.peer);
                        let parked = self.parked.entry((envelope.key, envelope.peer));
                        parked.or_default().push_back(task);
                    }
                }
                Kind::Send => self.offer(message, envelope.peer, 0),
                Kind::Receive => self.exchange.request(message),
                _ => self.exchange.relay(task, envelope.key),
            }
        }
        self.tasks = tasks;
    }

    /// What a message carries is here for `peer`; spoiled by a failure unless that is 0.
    fn offer(&mut self, message: Message, peer: Rank, spoiled: u64) {
        self.notes().into_iter().for_each(|ledger| ledger.note_offered(message.node, peer));
        self.exchange.offer(message, peer, spoiled);
    }

    /// What a message carries.
    fn message(&self, task: u32) -> Message {
        let data = self.space.task(task);
        let datum = data.handles[0];
        Message {
            key: data.envelope().key,
            node: task,
            datum,
            bytes: self.space.handles.get(datum).bytes() as u64,
            priority: data.priority,
            index: data.index,
        }
    }

    /// Does what the exchange says; what is to be sent goes to `wire`.
    pub(super) fn perform(&mut self, operation: Operation, wire: &mut Wire) {
        self.notes().into_iter().for_each(|ledger| ledger.note_operation(&operation));
        match operation {
            Operation::SendItem { to, item } => self.send_item(to, item, 0, wire),
            Operation::Post { key, node, .. } if self.lends => self.hold(node, Staged::Post(key)),
            Operation::Post { key, .. } => self.exchange.posted(key),
            Operation::Send { number, key, to, bytes, priority, .. } => {
                let message = NetworkMessage { from: self.me, to, number, key, bytes, priority };
                wire.send(message, self.node.clock());
            }
            Operation::SendEager { key, datum, to } => {
                let bytes = self.space.handles.get(datum).bytes() as u64;
                self.send_item(
                    to,
                    Item::Eager { key, spoiled: 0, contents: Vec::new() },
                    bytes,
                    wire,
                );
            }
            Operation::Deliver { node, .. } if self.lends => self.hold(node, Staged::Deliver),
            Operation::Deliver { node, .. } | Operation::Complete { node, .. } => {
                self.complete(node);
            }
            Operation::Wanted { key, by } => {
                let Some(parked) = self.parked.get_mut(&(key, by)) else { return };
                let task = parked.pop_front();
                if parked.is_empty() {
                    self.parked.remove(&(key, by));
                }
                task.into_iter().for_each(|task| self.hold(task, Staged::Offer));
            }
        }
    }

    /// Sends a frame that says `item`, which carries so many bytes besides.
    fn send_item(&mut self, to: Rank, item: Item, bytes: u64, wire: &mut Wire) {
        self.frame.clear();
        item.write(&mut self.frame);
        let bytes = bytes + self.frame.len() as u64;
        wire.send_item(self.me, to, item, bytes, self.node.clock());
    }

    /// Has the contents of a message brought to the RAM, and kept there until it ends.
    fn hold(&mut self, task: u32, staged: Staged) {
        let dispatcher = &mut self.node.dispatcher;
        if let Err(error) = self.staging.enter(dispatcher, &self.space, task) {
            return self.refuse(task, staged, error);
        }
        self.staged.insert(task, staged);
        self.node.stir();
    }

    /// The contents of a message do not fit the RAM: what would have been sent is spoiled.
    fn refuse(&mut self, task: u32, staged: Staged, error: FlowError) {
        let index = self.space.task(task).index;
        let what = if let Staged::Offer = staged { "send" } else { "receive" };
        self.node.fail(index, what, error);
        match staged {
            Staged::Post(key) => {
                self.exchange.refused(key);
                self.complete(task);
            }
            Staged::Deliver => self.complete(task),
            Staged::Offer => {
                let peer = self.space.task(task).envelope().peer;
                self.offer(self.message(task), peer, index + 1);
            }
        }
    }

    /// The contents of a message are in the RAM.
    pub(super) fn let_go(&mut self, task: u32) {
        match self.staged.remove(&task).expect("its contents were asked for") {
            Staged::Post(key) => self.exchange.posted(key),
            Staged::Deliver => self.complete(task),
            Staged::Offer => {
                let peer = self.space.task(task).envelope().peer;
                self.offer(self.message(task), peer, 0);
            }
        }
    }

    /// Ends a message.
    fn complete(&mut self, task: u32) {
        let (kind, envelope) = (self.space.task(task).kind, self.space.task(task).envelope());
        if let Some(ledger) = self.notes() {
            ledger.note_end(kind, task, envelope.key, envelope.peer);
        }
        if let Some(row) = self.staging.close(task) {
            self.node.dispatcher.planner_mut().finish(&row, MemoryId::RAM);
            self.node.stir();
        }
        let mut ready = std::mem::take(&mut self.ready);
        self.space.complete_message(task, &mut ready);
        if !ready.is_empty() {
            self.node.hand_over(&self.space, &mut ready, None);
        }
        self.ready = ready;
    }
}
