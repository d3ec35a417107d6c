//! Transfers in virtual time: one at a time on each way from memory to memory, the most urgent
//! first; those on different ways share links fairly.

use std::sync::Arc;

use super::streams::Streams;
use crate::memory::{Transfer, TransferQueue};
use crate::platform::Machine;
use crate::types::{HandleId, MemoryId};

/// A way from memory to memory.
#[derive(Clone, Debug)]
struct Way {
    links: Arc<[usize]>,
    latency: u64,
    waiting: TransferQueue,
    is_busy: bool,
}

/// A transfer that has ended, and when it began.
#[derive(Clone, Copy, Debug)]
pub(super) struct Landed {
    pub(super) transfer: Transfer,
    pub(super) start: u64,
}

#[derive(Debug)]
pub(super) struct Network {
    memories: usize,
    ways: Vec<Way>,
    streams: Streams<Landed>,
}

impl Network {
    pub(super) fn new(machine: &Machine) -> Self {
        let memories = machine.memories.len();
        let way = |pair: usize| {
            let (src, dst) = (pair / memories, pair % memories);
            let route = (src != dst).then(|| machine.way(MemoryId(src), MemoryId(dst)));
            let latency = route.as_ref().map_or(0.0, |route| 1e9 * route.latency_seconds);
            Way {
                links: route.map_or_else(Vec::new, |route| route.links).into(),
                latency: latency.round() as u64,
                waiting: TransferQueue::default(),
                is_busy: false,
            }
        };
        Self {
            memories,
            ways: (0..memories * memories).map(way).collect(),
            streams: Streams::new(machine.links.iter().map(|link| link.bytes_per_second)),
        }
    }

    /// When something happens next; `u64::MAX` if nothing is under way.
    pub(super) fn next(&self) -> u64 {
        self.streams.next()
    }

    /// Orders a transfer at `now`.
    pub(super) fn send(&mut self, transfer: Transfer, now: u64) {
        let way = self.way_of(&transfer);
        self.ways[way].waiting.push(transfer);
        if !self.ways[way].is_busy {
            self.begin(way, now);
            self.streams.settle(now);
        }
    }

    /// Makes a transfer urgent that waits for its way.
    pub(super) fn hurry(&mut self, handle: HandleId, dst: MemoryId) {
        for src in 0..self.memories {
            self.ways[src * self.memories + dst.0].waiting.hurry(handle, dst);
        }
    }

    /// Lets time pass until `now`, and appends what has landed then.
    pub(super) fn advance(&mut self, now: u64, landed: &mut Vec<Landed>) {
        let first = landed.len();
        self.streams.advance(now, landed);
        for Landed { transfer, .. } in &landed[first..] {
            self.begin(self.way_of(transfer), now);
        }
        self.streams.settle(now);
    }

    fn way_of(&self, transfer: &Transfer) -> usize {
        transfer.src.0 * self.memories + transfer.dst.0
    }

    /// Starts the most urgent transfer that waits for `way`, on which nothing moves.
    fn begin(&mut self, way: usize, now: u64) {
        let Way { links, latency, waiting, is_busy } = &mut self.ways[way];
        let next = waiting.pop();
        *is_busy = next.is_some();
        if let Some(transfer) = next {
            let landed = Landed { transfer, start: now };
            self.streams.add(landed, links.clone(), transfer.bytes, now + *latency);
        }
    }
}
