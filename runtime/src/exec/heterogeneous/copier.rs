//! Threads that copy: for each memory beside the RAM one that brings data in and one that takes it
//! out, each the most urgent transfer first.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::{Event, Shared};
use crate::memory::{Transfer, TransferQueue};
use crate::platform::Machine;
use crate::types::{HandleId, MemoryId};

/// What waits for one copying thread.
#[derive(Default)]
struct Desk {
    queue: Mutex<(TransferQueue, bool)>,
    filled: Condvar,
}

/// The copying threads' desks.
pub(super) struct Copiers {
    desks: Vec<Desk>,
}

impl Copiers {
    pub(super) fn new(machine: &Machine) -> Self {
        let desks = 2 * (machine.memories.len() - 1);
        Self { desks: (0..desks).map(|_| Desk::default()).collect() }
    }

    pub(super) fn len(&self) -> usize {
        self.desks.len()
    }

    /// The desk of transfers from `src` to `dst`.
    fn desk(&self, src: MemoryId, dst: MemoryId) -> &Desk {
        let number = if dst == MemoryId::RAM { 2 * (src.0 - 1) + 1 } else { 2 * (dst.0 - 1) };
        &self.desks[number]
    }

    pub(super) fn send(&self, transfer: Transfer) {
        let desk = self.desk(transfer.src, transfer.dst);
        desk.queue.lock().unwrap_or_else(PoisonError::into_inner).0.push(transfer);
        desk.filled.notify_one();
    }

    /// Makes a transfer urgent that still waits.
    pub(super) fn hurry(&self, handle: HandleId, dst: MemoryId) {
        let hurry = |desk: &Desk| {
            desk.queue.lock().unwrap_or_else(PoisonError::into_inner).0.hurry(handle, dst);
        };
        if dst == MemoryId::RAM {
            self.desks.iter().skip(1).step_by(2).for_each(hurry);
        } else {
            hurry(&self.desks[2 * (dst.0 - 1)]);
        }
    }

    /// Has the threads end.
    pub(super) fn stop(&self) {
        for desk in &self.desks {
            desk.queue.lock().unwrap_or_else(PoisonError::into_inner).1 = true;
            desk.filled.notify_all();
        }
    }

    /// Waits for the next transfer at `desk`; none: the engine ends.
    fn next(&self, desk: usize) -> Option<Transfer> {
        let desk = &self.desks[desk];
        let mut queue = desk.queue.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(transfer) = queue.0.pop() {
                return Some(transfer);
            }
            if queue.1 {
                return None;
            }
            queue = desk.filled.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Shared {
    /// Life of a copying thread.
    pub(super) fn copy(&self, desk: usize) {
        while let Some(transfer) = self.copiers.next(desk) {
            let (start, clock) = (self.now(), Instant::now());
            let Transfer { handle, src, dst, bytes, .. } = transfer;
            let result = self.stores.copy(&self.space, handle, src, dst);
            if self.machine.is_emulated(src, dst) {
                let least = self.machine.transfer_nanoseconds(src, dst, bytes);
                std::thread::sleep(Duration::from_nanos(least).saturating_sub(clock.elapsed()));
            }
            self.post(Event::Landed { transfer, start, end: self.now(), result });
        }
    }
}
