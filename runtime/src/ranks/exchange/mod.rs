//! The exchange: when which message goes, as a state machine without clock or transport.
//!
//! A receiver that has room for a version tells its source so; the source sends when it has the
//! version *and* knows of the room. So nothing comes unexpected, whoever is ahead. Room for what is on
//! its way is bounded; only a receive that is earlier in the program than all others under way is
//! given room beyond that, so that the earliest unfinished task of all ranks always goes on.
//!
//! What one version owes several ranks when it is sent goes down a [`tree`](super::tree): the first
//! receivers pass on, part by part, what they get.

mod meeting;
mod outbound;
mod room;

use std::collections::{BTreeMap, BTreeSet};

use super::frame::{Item, ItemError, Items};
use super::tree::{Shape, fold, tree, unfold};
use super::{Key, Rank};
use meeting::Meeting;
pub use outbound::PART_BYTES;
use outbound::{Outbound, Owed};
use room::Room;

/// Contents of up to so many bytes travel in a frame.
pub const INLINE_BYTES: u64 = 1024;

/// Parts of a datum of so many bytes.
fn parts(bytes: u64) -> usize {
    bytes.div_ceil(PART_BYTES).max(1) as usize
}

/// What the host of an exchange must do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Send `item` to `to`.
    Tell {
        /// To whom.
        to: Rank,
        /// What.
        item: Item,
    },
    /// Find memory for the datum, start to receive its parts under `label`, and say
    /// [`Exchange::posted`] or [`Exchange::refused`].
    Post {
        /// What is received.
        key: Key,
        /// The node that receives it.
        node: u32,
        /// Label of all parts.
        label: u32,
        /// Bytes in all.
        bytes: u64,
    },
    /// Send one part, and say [`Exchange::sent`] when it has gone.
    Send {
        /// Number of the sending, for [`Exchange::sent`].
        number: u64,
        /// The datum, by the number of its handle.
        datum: u32,
        /// To whom.
        to: Rank,
        /// Under which label.
        label: u32,
        /// First byte.
        first: u64,
        /// Bytes; none if the datum is spoiled.
        bytes: u64,
    },
    /// Send the contents of the datum in a frame.
    Inline {
        /// What.
        key: Key,
        /// The datum, by the number of its handle.
        datum: u32,
        /// To whom.
        to: Rank,
    },
    /// The contents of what the node receives.
    Deliver {
        /// The node.
        node: u32,
        /// The contents.
        contents: Vec<u8>,
    },
    /// The node is done; what it received is spoiled by the failure with this mark, unless it is 0.
    Complete {
        /// The node.
        node: u32,
        /// The mark.
        spoiled: u64,
    },
}

/// A version that a node offers or awaits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parcel {
    /// What.
    pub key: Key,
    /// The node.
    pub node: u32,
    /// The datum, by the number of its handle.
    pub datum: u32,
    /// Bytes.
    pub bytes: u64,
    /// How urgent it is.
    pub priority: i32,
    /// Program index of the task that it is for.
    pub index: u64,
}

/// A receive under way, or whose datum is still passed on.
#[derive(Debug)]
struct Inbound {
    parcel: Parcel,
    label: u32,
    parts_in: usize,
    head: Option<Head>,
    is_done: bool,
    /// Sendings to others that have not ended.
    passing: usize,
    /// The node that waits for them.
    relay: Option<u32>,
}

#[derive(Debug)]
struct Head {
    spoiled: u64,
}

/// A version that is here and that ranks are to get.
#[derive(Debug, Default)]
struct Offer {
    datum: u32,
    bytes: u64,
    spoiled: u64,
    /// Nodes that wait for it to be sent, by receiver.
    nodes: BTreeMap<Rank, u32>,
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
    room: Room,
    outbound: Outbound,
    meeting: Meeting,
    operations: Vec<Operation>,
    has_relays: bool,
    uses_priorities: bool,
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
    /// Labels of payloads.
    pub labels: u32,
    /// Whether what is urgent goes first.
    pub priorities: bool,
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
            room: Room::new(options.room, options.labels),
            outbound: Outbound::default(),
            meeting: Meeting::new(me, ranks),
            operations: Vec::new(),
            has_relays: ranks > 2,
            uses_priorities: options.priorities,
        }
    }

    /// Whether a receive of `bytes` bytes is followed by a node that waits until it was passed on.
    #[must_use]
    pub fn passes_on(ranks: usize, bytes: u64) -> bool {
        ranks > 2 && bytes > INLINE_BYTES
    }

    /// A version is here for `to`; `spoiled` by a failure unless that is 0.
    pub fn offer(&mut self, parcel: Parcel, to: Rank, spoiled: u64) {
        let Parcel { key, node, datum, bytes, .. } = parcel;
        let offer = self.offers.entry(key).or_default();
        (offer.datum, offer.bytes, offer.spoiled) = (datum, bytes, spoiled);
        let old = offer.nodes.insert(to, node);
        debug_assert!(old.is_none(), "{key:?} is offered to rank {to} twice");
        self.touched.insert(key);
    }

    /// A node awaits a version.
    pub fn request(&mut self, mut parcel: Parcel) {
        if !self.uses_priorities {
            parcel.priority = 0;
        }
        if parcel.bytes <= INLINE_BYTES {
            self.expect(parcel, Item::INLINE);
            self.want(parcel, Item::INLINE);
        } else {
            self.room.ask(parcel);
        }
    }

    /// The memory of `key` is ready and receives.
    pub fn posted(&mut self, key: Key) {
        let inbound = &self.inbound[&key];
        self.want(inbound.parcel, inbound.label);
    }

    /// There is no memory for `key`; its node is complete for the host.
    pub fn refused(&mut self, key: Key) {
        let inbound = self.inbound.remove(&key).expect("it was to be posted");
        self.room.give_back(&inbound.parcel, inbound.label);
        self.want(inbound.parcel, Item::REFUSED);
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

    /// A part of `key` has come, of so many bytes.
    pub fn received(&mut self, key: Key, bytes: u64) {
        let inbound = self.inbound.get_mut(&key).expect("parts come to what was posted");
        let all = parts(inbound.parcel.bytes);
        inbound.parts_in = if bytes == 0 { all } else { inbound.parts_in + 1 };
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

    /// A frame has come.
    ///
    /// # Errors
    /// If it is none of ours.
    pub fn frame(&mut self, from: Rank, frame: &[u8]) -> Result<(), ItemError> {
        for item in Items::of(frame) {
            match item? {
                Item::Want { key, label, priority } => {
                    self.wants.entry(key).or_default().insert(from, (label, priority));
                    self.touched.insert(key);
                }
                Item::Data { key, spoiled, contents } => self.take_data(key, spoiled, contents),
                Item::Head { key, spoiled, branches } => self.take_head(key, spoiled, &branches),
                Item::Meet { number, agreed, bytes } => {
                    self.meeting.arrive(from, number, agreed, bytes, &mut self.operations);
                }
                Item::Met { number, dissent, bytes } => self.meeting.end(number, dissent, bytes),
            }
        }
        Ok(())
    }

    /// Comes to the next meeting of all ranks, at which all must bring the same `agreed`; returns its
    /// number.
    pub fn meet(&mut self, agreed: u64, bytes: Vec<u8>) -> u32 {
        self.meeting.come(agreed, bytes, &mut self.operations)
    }

    /// The outcome of a meeting, once it has ended: who dissents, and the smallest of what was brought.
    pub fn met(&mut self, number: u32) -> Option<((Rank, u64), Vec<u8>)> {
        self.meeting.outcome(number)
    }

    /// Moves all that is to be done now to `operations`, in order.
    pub fn take(&mut self, operations: &mut Vec<Operation>) {
        for key in std::mem::take(&mut self.touched) {
            self.serve(key);
        }
        while let Some((parcel, label)) = self.room.grant() {
            self.expect(parcel, label);
            let Parcel { key, node, bytes, .. } = parcel;
            self.operations.push(Operation::Post { key, node, label, bytes });
        }
        self.outbound.start(&mut self.operations);
        operations.append(&mut self.operations);
    }

    fn complete(&mut self, node: u32, spoiled: u64) {
        self.operations.push(Operation::Complete { node, spoiled });
    }

    fn tell(&mut self, to: Rank, item: Item) {
        debug_assert_ne!(to, self.me, "{item:?} to oneself");
        self.operations.push(Operation::Tell { to, item });
    }

    fn want(&mut self, Parcel { key, priority, .. }: Parcel, label: u32) {
        self.tell(key.origin, Item::Want { key, label, priority });
    }

    fn expect(&mut self, parcel: Parcel, label: u32) {
        let (parts_in, head, is_done) = (0, None, false);
        let inbound = Inbound { parcel, label, parts_in, head, is_done, passing: 0, relay: None };
        let old = self.inbound.insert(parcel.key, inbound);
        debug_assert!(old.is_none(), "{:?} is received twice", parcel.key);
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
            let node = offer.nodes.remove(&rank);
            ready.extend(node.map(|node| (rank, node, want)));
            node.is_none()
        });
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
                Item::INLINE => {
                    let item = Item::Data { key, spoiled, contents: Vec::new() };
                    let inline = Operation::Inline { key, datum, to };
                    let spoilt = Operation::Tell { to, item };
                    self.operations.push(if spoiled == 0 { inline } else { spoilt });
                    self.complete(node, 0);
                }
                _ => receivers.push((to, label, node, priority)),
            }
        }
        self.send(key, datum, if spoiled == 0 { bytes } else { 0 }, spoiled, &receivers);
    }

    /// Sends a payload to `receivers`, or to some who pass it on.
    fn send(
        &mut self,
        key: Key,
        datum: u32,
        bytes: u64,
        spoiled: u64,
        receivers: &[(Rank, u32, u32, i32)],
    ) {
        let list: Vec<(Rank, u32)> = receivers.iter().map(|&(to, label, ..)| (to, label)).collect();
        let shape = if self.has_relays { Shape::of(list.len(), parts(bytes)) } else { Shape::Star };
        let branches = tree(shape, &list);
        for &(to, _, node, priority) in receivers {
            let Some(branch) = branches.iter().find(|branch| branch.rank == to) else {
                // Another receiver passes it on to this one.
                self.complete(node, 0);
                continue;
            };
            let below = fold(&branch.below);
            self.tell(to, Item::Head { key, spoiled, branches: below });
            let here = parts(bytes);
            self.outbound.add(Owed::Node(node), datum, (to, branch.label), bytes, here, priority);
        }
    }

    fn take_data(&mut self, key: Key, spoiled: u64, contents: Vec<u8>) {
        let inbound = self.inbound.remove(&key).expect("data comes to those who want it");
        let node = inbound.parcel.node;
        if spoiled == 0 {
            self.operations.push(Operation::Deliver { node, contents });
        }
        self.complete(node, spoiled);
    }

    fn take_head(&mut self, key: Key, spoiled: u64, list: &[(Rank, u32, u16)]) {
        let inbound = self.inbound.get_mut(&key).expect("a head comes to those who have room");
        inbound.head = Some(Head { spoiled });
        let Parcel { datum, priority, .. } = inbound.parcel;
        let bytes = if spoiled == 0 { inbound.parcel.bytes } else { 0 };
        let branches = unfold(list);
        inbound.passing = branches.len();
        let here = inbound.parts_in;
        for branch in branches {
            let to = (branch.rank, branch.label);
            self.tell(branch.rank, Item::Head { key, spoiled, branches: fold(&branch.below) });
            let here = if spoiled == 0 { here } else { 1 };
            self.outbound.add(Owed::Passing(key), datum, to, bytes, here, priority);
        }
        self.settle(key);
    }

    /// Completes a receive of which all has come.
    fn settle(&mut self, key: Key) {
        let inbound = self.inbound.get_mut(&key).expect("it is under way");
        let Some(&Head { spoiled }) = inbound.head.as_ref() else { return };
        if inbound.is_done || inbound.parts_in < parts(inbound.parcel.bytes) {
            return;
        }
        inbound.is_done = true;
        let (parcel, label) = (inbound.parcel, inbound.label);
        if inbound.passing == 0 {
            self.inbound.remove(&key);
        }
        self.room.give_back(&parcel, label);
        self.complete(parcel.node, spoiled);
    }
}
