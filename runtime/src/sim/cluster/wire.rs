//! The network between nodes, in virtual time: frames, and messages that share it fairly.
//!
//! A frame takes the latency and the time of its bytes at the rate of the slower of its ends,
//! whatever else is under way; from one node to another frames come in the order in which they were
//! sent. A message waits until its receiver takes part in few enough others, the most urgent first;
//! then it takes the latency, and as long as its share of the way out of its sender, of the way
//! into its receiver, and of the backbone, if there is one, allows.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::ClusterOptions;
use crate::ranks::{Item, Key};
use crate::sim::streams::Streams;
use crate::types::Rank;

/// A message on its way.
#[derive(Clone, Copy, Debug)]
pub(super) struct NetworkMessage {
    pub(super) from: Rank,
    pub(super) to: Rank,
    /// Number of the sending, for its sender.
    pub(super) number: u64,
    /// What it carries, for its receiver.
    pub(super) key: Key,
    pub(super) bytes: u64,
    pub(super) priority: i32,
}

/// What has come.
#[derive(Debug)]
pub(super) enum Arrival {
    Frame { from: Rank, to: Rank, item: Item },
    Message(NetworkMessage),
}

/// Where messages come to one node.
#[derive(Debug, Default)]
struct Port {
    /// Messages that come.
    open: usize,
    /// Those that wait, by urgency and then by when they came.
    waiting: BTreeMap<(Reverse<i32>, u64), NetworkMessage>,
}

#[derive(Debug)]
pub(super) struct Wire {
    ranks: usize,
    latency: u64,
    /// Messages that come to a node at a time.
    receives: usize,
    has_backbone: bool,
    /// Bytes per nanosecond out of each node and into it.
    out: Vec<f64>,
    into: Vec<f64>,
    /// Frames on their way, by when they come and by number.
    frames: BTreeMap<(u64, u64), (Rank, Rank, Item)>,
    /// Frames, and messages that had to wait, so far.
    sent: u64,
    /// For each sender and receiver when the last frame comes.
    last: Vec<u64>,
    ports: Vec<Port>,
    /// On the ways out of nodes, then those into them, then the backbone.
    streams: Streams<NetworkMessage>,
    landed: Vec<NetworkMessage>,
}

impl Wire {
    pub(super) fn new(options: &ClusterOptions) -> Self {
        let ranks = options.nodes.len();
        let out: Vec<f64> = options.nodes.iter().map(|node| node.send_bytes_per_second).collect();
        let into: Vec<f64> =
            options.nodes.iter().map(|node| node.receive_bytes_per_second).collect();
        let backbone = options.backbone_bytes_per_second;
        let links = out.iter().chain(&into).copied().chain(backbone);
        let each_nanosecond = |rate: &f64| rate * 1e-9;
        Self {
            ranks,
            latency: (1e9 * options.latency_seconds).round() as u64,
            receives: options.receives,
            has_backbone: backbone.is_some(),
            streams: Streams::new(links),
            out: out.iter().map(each_nanosecond).collect(),
            into: into.iter().map(each_nanosecond).collect(),
            frames: BTreeMap::new(),
            sent: 0,
            last: vec![0; ranks * ranks],
            ports: (0..ranks).map(|_| Port::default()).collect(),
            landed: Vec::new(),
        }
    }

    /// When something comes or begins to move next; `u64::MAX` if nothing is under way.
    pub(super) fn next(&self) -> u64 {
        let frame = self.frames.first_key_value().map_or(u64::MAX, |(&(time, _), _)| time);
        frame.min(self.streams.next())
    }

    /// Sends a frame of `bytes` bytes that says `item`, at `now`. With the first barrier time
    /// begins: ranks enter and leave it at once.
    pub(super) fn send_item(&mut self, from: Rank, to: Rank, item: Item, bytes: u64, now: u64) {
        let (src, dst) = (usize::from(from.0), usize::from(to.0));
        let rate = self.out[src].min(self.into[dst]);
        let time = self.latency + (bytes as f64 / rate).round() as u64;
        let is_first = matches!(
            item,
            Item::EnterBarrier { number: 0, .. } | Item::LeaveBarrier { number: 0, .. }
        );
        let last = &mut self.last[src * self.ranks + dst];
        *last = (*last).max(if is_first { now } else { now + time });
        self.frames.insert((*last, self.sent), (from, to, item));
        self.sent += 1;
    }

    /// Sends a message at `now`.
    pub(super) fn send(&mut self, message: NetworkMessage, now: u64) {
        let port = &mut self.ports[usize::from(message.to.0)];
        if port.open == self.receives {
            port.waiting.insert((Reverse(message.priority), self.sent), message);
            self.sent += 1;
            return;
        }
        port.open += 1;
        self.begin(message, now);
        self.streams.settle(now);
    }

    /// Lets time pass until `now`, and appends what has come, frames first.
    pub(super) fn advance(&mut self, now: u64, arrivals: &mut Vec<Arrival>) {
        while let Some(entry) = self.frames.first_entry().filter(|entry| entry.key().0 <= now) {
            let (from, to, item) = entry.remove();
            arrivals.push(Arrival::Frame { from, to, item });
        }
        if self.streams.next() > now {
            return;
        }
        let mut landed = std::mem::take(&mut self.landed);
        self.streams.advance(now, &mut landed);
        for message in landed.drain(..) {
            let port = &mut self.ports[usize::from(message.to.0)];
            match port.waiting.pop_first() {
                Some((_, next)) => self.begin(next, now),
                None => port.open -= 1,
            }
            arrivals.push(Arrival::Message(message));
        }
        self.landed = landed;
        self.streams.settle(now);
    }

    fn begin(&mut self, message: NetworkMessage, now: u64) {
        let (src, dst) = (usize::from(message.from.0), usize::from(message.to.0));
        let ways = [src, self.ranks + dst, 2 * self.ranks];
        let links = &ways[..2 + usize::from(self.has_backbone)];
        self.streams.add(message, Arc::from(links), message.bytes, now + self.latency);
    }
}
