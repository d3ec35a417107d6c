//! The exchange: when which message goes, as a state machine without clock or transport.
//!
//! Long versions go by rendezvous: a receiver that has room for one clears its source to send it;
//! the source sends when it has the version *and* was cleared. So nothing comes unexpected, whoever
//! is ahead. Room for what is on its way is bounded; only a receive that is earlier in the program
//! than all others under way is given room beyond that, so that the earliest unfinished task of all
//! ranks always goes on. Versions that are short go [eagerly](eager), in frames, as long as their
//! receiver has given credits.
//!
//! What one version owes several ranks when it is sent goes down a [`tree`](super::tree): the first
//! receivers pass on, part by part, what they get.

mod barrier;
mod eager;
mod operation;
mod outbound;
mod room;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::frame::Item;
use super::tree::{Shape, fold, tree, unfold};
use super::{Key, Rank, Traffic};
use barrier::Barrier;
pub use barrier::{Contribution, Outcome};
use eager::{Eager, Found};
pub use operation::{Message, Operation};
use outbound::{Outbound, Owed, Version};
pub use outbound::{PART_BYTES, PARTS_UNDER_WAY};

/// Bytes that may be on their way to a rank, unless told otherwise. What is not sent yet takes
/// room, too, so that with few bytes what is ready waits for what is not: simulated factorisations
/// of 75 x 75 tiles of 7 MB on 46 nodes, whose owners were shuffled, took a quarter longer with 256
/// MiB.
pub const RECEIVE_BYTES: u64 = 1 << 30;

use room::Room;

/// Contents of up to so many bytes travel in a frame.
pub const EAGER_BYTES: u64 = 1024;

/// Receivers of one tree.
const MOST_RECEIVERS: usize = 256;

/// A receive under way, or whose datum is still passed on.
#[derive(Debug)]
struct Inbound {
    message: Message,
    label: u32,
    parts_in: usize,
    /// What its header has said: 0, or the mark of the failure that spoiled it.
    header: Option<u64>,
    is_done: bool,
    /// Sendings to others that have not ended.
    passing: usize,
    /// The node that waits for them.
    relay: Option<u32>,
}

/// A version that is here and that ranks are to get.
#[derive(Debug, Default)]
struct Offer {
    datum: u32,
    bytes: u64,
    spoiled: u64,
    /// Nodes that wait for it to be sent, by receiver; one that has dropped its copy is sent
    /// another.
    nodes: BTreeMap<Rank, VecDeque<u32>>,
}

/// The exchange of one rank; see the module.
pub struct Exchange {
    me: Rank,
    inbound: BTreeMap<Key, Inbound>,
    offers: BTreeMap<Key, Offer>,
    /// Who has room for what is not here yet, or not sent yet: label and priority.
    wants: BTreeMap<Key, BTreeMap<Rank, (u32, i32)>>,
    /// Keys to look at: something is new about them.
    touched: BTreeSet<Key>,
    eager: Eager,
    room: Room,
    outbound: Outbound,
    barrier: Barrier,
    operations: Vec<Operation>,
    traffic: Traffic,
    has_relays: bool,
    uses_priorities: bool,
    lends: bool,
}

impl std::fmt::Debug for Exchange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Exchange").field("me", &self.me).finish_non_exhaustive()
    }
}

/// How an exchange behaves.
#[derive(Clone, Copy, Debug)]
pub struct ExchangeOptions {
    /// Bytes of receives under way, beyond which there is room only for the earliest.
    pub room: u64,
    /// Labels of messages.
    pub labels: u32,
    /// Whether what is urgent goes first.
    pub priorities: bool,
    /// Whether memory is lent for a message at a time: versions are offered only when they are
    /// wanted, and what comes is not passed on.
    pub lends: bool,
    /// Bytes of the parts that a message is sent in: [`PART_BYTES`], unless messages go whole.
    pub part_bytes: u64,
    /// Parts that leave a rank at a time: [`PARTS_UNDER_WAY`], if it runs.
    pub parts_under_way: usize,
}

impl Exchange {
    /// The exchange of rank `me` of `ranks`.
    #[must_use]
    pub fn new(me: Rank, ranks: usize, options: ExchangeOptions) -> Self {
        Self {
            me,
            inbound: BTreeMap::new(),
            offers: BTreeMap::new(),
            wants: BTreeMap::new(),
            touched: BTreeSet::new(),
            eager: Eager::new(ranks),
            room: Room::new(options.room, options.labels),
            outbound: Outbound::new(me, options.part_bytes, options.parts_under_way),
            barrier: Barrier::new(me, ranks),
            operations: Vec::new(),
            traffic: Traffic::default(),
            has_relays: ranks > 2,
            uses_priorities: options.priorities,
            lends: options.lends,
        }
    }

    /// Whether a receive of `bytes` bytes is followed by a node that waits until it was passed on.
    #[must_use]
    pub fn passes_on(ranks: usize, bytes: u64) -> bool {
        ranks > 2 && bytes > EAGER_BYTES
    }

    /// A version is in memory that is lent, and can be offered to `to` when that wants it.
    pub fn announce(&mut self, message: Message, to: Rank) {
        // Of what is not short, a rank says by itself when it has room.
        if message.bytes <= EAGER_BYTES {
            self.send_item(to, Item::RequestToSend { key: message.key });
        }
    }

    /// A version is here for `to`; `spoiled` by a failure unless that is 0.
    pub fn offer(&mut self, message: Message, to: Rank, spoiled: u64) {
        if message.bytes <= EAGER_BYTES {
            // What is lent was wanted.
            if self.lends || self.eager.may_send(to) {
                self.send_eager(message, to, spoiled);
            } else {
                self.eager.hold_back(message, to, spoiled);
                self.send_item(to, Item::RequestToSend { key: message.key });
            }
            return;
        }
        let Message { key, node, datum, bytes, .. } = message;
        let offer = self.offers.entry(key).or_default();
        (offer.datum, offer.bytes, offer.spoiled) = (datum, bytes, spoiled);
        offer.nodes.entry(to).or_default().push_back(node);
        self.touched.insert(key);
    }

    /// Whether `by` has room for a version.
    #[must_use]
    pub fn is_wanted(&self, key: Key, by: Rank) -> bool {
        self.wants.get(&key).is_some_and(|wants| wants.contains_key(&by))
    }

    /// A node awaits a version.
    pub fn request(&mut self, mut message: Message) {
        if !self.uses_priorities {
            message.priority = 0;
        }
        if message.bytes > EAGER_BYTES {
            return self.room.ask(message);
        }
        let Message { key, node, priority, .. } = message;
        match self.eager.post_receive(key, node) {
            Found::Here(contents) => self.take_eager(key.origin, node, contents),
            Found::Requested => self.clear_to_send(key, Item::EAGER, priority),
            Found::Nothing => {}
        }
    }

    /// The memory of `key` is ready and receives.
    pub fn posted(&mut self, key: Key) {
        let inbound = &self.inbound[&key];
        let leaf = if self.lends { Item::LEAF } else { 0 };
        let Message { key, priority, .. } = inbound.message;
        self.clear_to_send(key, inbound.label | leaf, priority);
    }

    /// There is no memory for `key`; its node is complete for the host.
    pub fn refused(&mut self, key: Key) {
        let inbound = self.inbound.remove(&key).expect("it was to be posted");
        self.room.give_back(&inbound.message, inbound.label);
        self.clear_to_send(key, Item::REFUSED, inbound.message.priority);
    }

    /// A node that follows the receive of `key` waits until it was passed on.
    pub fn relay(&mut self, node: u32, key: Key) {
        match self.inbound.get_mut(&key) {
            Some(inbound) if inbound.passing > 0 => inbound.relay = Some(node),
            _ => {
                self.inbound.remove(&key);
                self.complete(node, 0);
            }
        }
    }

    /// A part of `key` has come.
    pub fn received(&mut self, key: Key) {
        let inbound = self.inbound.get_mut(&key).expect("parts come to what was posted");
        inbound.parts_in += 1;
        let here = inbound.parts_in;
        if inbound.passing > 0 {
            self.outbound.advance(key, here);
        }
        self.settle(key);
    }

    /// A part of the sending `number` has gone.
    pub fn sent(&mut self, number: u64) {
        let Some(owed) = self.outbound.sent(number) else { return };
        match owed {
            Owed::Node(node) => self.complete(node, 0),
            Owed::Passing(key) => {
                let inbound = self.inbound.get_mut(&key).expect("it is being passed on");
                inbound.passing -= 1;
                if inbound.passing == 0
                    && let Some(node) = inbound.relay
                {
                    self.inbound.remove(&key);
                    self.complete(node, 0);
                }
            }
        }
    }

    /// Another rank has said `item`.
    pub fn handle(&mut self, from: Rank, item: Item) {
        match item {
            Item::ClearToSend { key, label: Item::EAGER, .. } if !self.lends => {
                let unsent = self.eager.take_unsent(key, from);
                let (message, spoiled) = unsent.expect("what is asked for is held");
                self.send_eager(message, from, spoiled);
            }
            Item::ClearToSend { key, label: Item::EAGER, .. } => {
                self.operations.push(Operation::Wanted { key, by: from });
            }
            Item::RequestToSend { key } => {
                if self.eager.note_request(key) {
                    self.clear_to_send(key, Item::EAGER, 0);
                }
            }
            Item::Credits { count } => self.eager.note_taken(from, count),
            Item::ClearToSend { key, label, priority } => {
                self.wants.entry(key).or_default().insert(from, (label, priority));
                self.touched.insert(key);
                if self.lends {
                    self.operations.push(Operation::Wanted { key, by: from });
                }
            }
            Item::Eager { key, spoiled, contents } => {
                let taken = self.eager.match_receive(key, (spoiled, contents));
                if let Some((node, contents)) = taken {
                    self.take_eager(from, node, contents);
                }
            }
            Item::Header { key, spoiled, branches } => self.take_header(key, spoiled, &branches),
            Item::EnterBarrier { number, agreed, amounts, bytes } => {
                let contribution = Contribution { agreed, amounts, bytes };
                self.barrier.arrive(from, number, contribution, &mut self.operations);
            }
            Item::LeaveBarrier { number, dissent, amounts, bytes } => {
                self.barrier.end(number, Outcome { dissent, amounts, bytes });
            }
        }
    }

    /// Enters the next barrier of all ranks; returns its number.
    pub fn enter_barrier(&mut self, contribution: Contribution) -> u32 {
        self.barrier.enter(contribution, &mut self.operations)
    }

    /// The outcome of a barrier, once it has ended.
    pub fn barrier_outcome(&mut self, number: u32) -> Option<Outcome> {
        self.barrier.outcome(number)
    }

    /// Versions, and bytes of them, that this rank has sent.
    #[must_use]
    pub fn traffic(&self) -> Traffic {
        self.traffic
    }

    /// Moves all that is to be done now to `operations`, in order.
    pub fn take(&mut self, operations: &mut Vec<Operation>) {
        while let Some(key) = self.touched.pop_first() {
            self.serve(key);
        }
        while let Some((message, label)) = self.room.grant() {
            self.expect(message, label);
            let Message { key, node, bytes, .. } = message;
            self.operations.push(Operation::Post { key, node, label, bytes });
        }
        self.outbound.start(&mut self.operations);
        operations.append(&mut self.operations);
    }

    fn complete(&mut self, node: u32, spoiled: u64) {
        self.operations.push(Operation::Complete { node, spoiled });
    }

    fn send_item(&mut self, to: Rank, item: Item) {
        debug_assert_ne!(to, self.me, "{item:?} to oneself");
        self.operations.push(Operation::SendItem { to, item });
    }

    fn clear_to_send(&mut self, key: Key, label: u32, priority: i32) {
        self.send_item(key.origin, Item::ClearToSend { key, label, priority });
    }

    fn expect(&mut self, message: Message, label: u32) {
        let (parts_in, header, is_done) = (0, None, false);
        let inbound =
            Inbound { message, label, parts_in, header, is_done, passing: 0, relay: None };
        let old = self.inbound.insert(message.key, inbound);
        debug_assert!(old.is_none(), "{:?} is received twice", message.key);
    }

    /// Sends a version that is here to all who have room for it.
    fn serve(&mut self, key: Key) {
        let (Some(offer), Some(wants)) = (self.offers.get_mut(&key), self.wants.get_mut(&key))
        else {
            return;
        };
        let (datum, bytes, spoiled) = (offer.datum, offer.bytes, offer.spoiled);
        let mut ready: Vec<(Rank, u32, (u32, i32))> = Vec::new();
        wants.retain(|&rank, &mut want| {
            let node = offer.nodes.get_mut(&rank).and_then(VecDeque::pop_front);
            ready.extend(node.map(|node| (rank, node, want)));
            node.is_none()
        });
        offer.nodes.retain(|_, nodes| !nodes.is_empty());
        if offer.nodes.is_empty() {
            self.offers.remove(&key);
        }
        if wants.is_empty() {
            self.wants.remove(&key);
        }
        ready.sort_by_key(|&(rank, _, (_, priority))| (std::cmp::Reverse(priority), rank));
        let mut receivers = Vec::new();
        for (to, node, (label, priority)) in ready {
            match label {
                Item::REFUSED => self.complete(node, 0),
                _ => receivers.push((to, label, node, priority)),
            }
        }
        let version =
            Version { key, datum, bytes, is_empty: spoiled != 0, here: self.outbound.parts(bytes) };
        // A frame names as many.
        for some in receivers.chunks(MOST_RECEIVERS) {
            self.send(key, version, spoiled, some);
        }
    }

    /// Sends a message to `receivers`, or to some who pass it on.
    fn send(
        &mut self,
        key: Key,
        version: Version,
        spoiled: u64,
        receivers: &[(Rank, u32, u32, i32)],
    ) {
        let list = receivers.iter().map(|&(to, label, ..)| (to, label));
        let (leaves, inner): (Vec<_>, Vec<_>) =
            list.partition(|(_, label)| label & Item::LEAF != 0);
        let shape =
            if self.has_relays { Shape::of(inner.len(), version.here) } else { Shape::Star };
        let mut branches = tree(shape, &inner);
        branches.extend(tree(Shape::Star, &leaves));
        for &(to, _, node, priority) in receivers {
            let Some(branch) = branches.iter().find(|branch| branch.rank == to) else {
                // Another receiver passes it on to this one.
                self.complete(node, 0);
                continue;
            };
            let below = fold(&branch.below);
            self.send_item(to, Item::Header { key, spoiled, branches: below });
            self.traffic.count(version.bytes);
            let to = (to, branch.label & !Item::LEAF);
            self.outbound.add(Owed::Node(node), version, to, priority);
        }
    }

    /// Sends a version in a frame.
    fn send_eager(&mut self, message: Message, to: Rank, spoiled: u64) {
        let Message { key, node, datum, bytes, .. } = message;
        self.eager.note_sent(to);
        self.traffic.count(bytes);
        if spoiled == 0 {
            self.operations.push(Operation::SendEager { key, datum, to });
        } else {
            self.send_item(to, Item::Eager { key, spoiled, contents: Vec::new() });
        }
        self.complete(node, 0);
    }

    /// Gives a node what came for it from `from`.
    fn take_eager(&mut self, from: Rank, node: u32, (spoiled, contents): eager::Contents) {
        if let Some(count) = self.eager.count_taken(from) {
            self.send_item(from, Item::Credits { count });
        }
        if spoiled == 0 {
            self.operations.push(Operation::Deliver { node, contents });
        } else {
            self.complete(node, spoiled);
        }
    }

    fn take_header(&mut self, key: Key, spoiled: u64, list: &[(Rank, u32, u16)]) {
        let inbound = self.inbound.get_mut(&key).expect("a header comes to those who have room");
        inbound.header = Some(spoiled);
        let Message { datum, priority, .. } = inbound.message;
        let branches = unfold(list);
        inbound.passing = branches.len();
        let (bytes, here) = (inbound.message.bytes, inbound.parts_in);
        let version = Version { key, datum, bytes, is_empty: spoiled != 0, here };
        for branch in branches {
            let to = (branch.rank, branch.label);
            self.send_item(
                branch.rank,
                Item::Header { key, spoiled, branches: fold(&branch.below) },
            );
            self.traffic.count(bytes);
            self.outbound.add(Owed::Passing(key), version, to, priority);
        }
        self.settle(key);
    }

    /// Completes a receive of which all has come.
    fn settle(&mut self, key: Key) {
        let inbound = self.inbound.get_mut(&key).expect("it is under way");
        let Some(spoiled) = inbound.header else { return };
        if inbound.is_done || inbound.parts_in < self.outbound.parts(inbound.message.bytes) {
            return;
        }
        inbound.is_done = true;
        let (message, label) = (inbound.message, inbound.label);
        if inbound.passing == 0 {
            self.inbound.remove(&key);
        }
        self.room.give_back(&message, label);
        self.complete(message.node, spoiled);
    }
}
