//! Threads that copy: for each memory beside the RAM one that brings data in and one that takes it
//! out, of a real device two each, always the most urgent transfer first.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::{Event, Shared};
use crate::memory::{Transfer, TransferQueue};
use crate::platform::{Machine, WorkerKind};
use crate::types::{HandleId, MemoryId, WorkerId};

/// What waits for the copying threads of one direction.
#[derive(Default)]
struct CopyQueue {
    queue: Mutex<(TransferQueue, bool)>,
    filled: Condvar,
}

/// The queues of the copying threads.
pub(super) struct Copiers {
    copy_queues: Vec<CopyQueue>,
}

impl Copiers {
    pub(super) fn new(machine: &Machine) -> Self {
        let copy_queues = 2 * (machine.memories.len() - 1);
        Self { copy_queues: (0..copy_queues).map(|_| CopyQueue::default()).collect() }
    }

    /// For each thread the number of its queue.
    pub(super) fn threads(machine: &Machine) -> Vec<usize> {
        let is_real = |memory| {
            let mut all = (0..machine.workers.len()).map(WorkerId);
            all.any(|one| {
                machine.workers[one.0].memory.0 == memory && machine.kind(one) == WorkerKind::Cuda
            })
        };
        let each = (1..machine.memories.len()).flat_map(|memory| {
            // While one waits for the end of a copy the next begins.
            let count = if is_real(memory) { 2 } else { 1 };
            [2 * (memory - 1), 2 * (memory - 1) + 1].repeat(count)
        });
        each.collect()
    }

    /// The copy_queue of transfers from `src` to `dst`.
    fn copy_queue(&self, src: MemoryId, dst: MemoryId) -> &CopyQueue {
        let number = if dst == MemoryId::RAM { 2 * (src.0 - 1) + 1 } else { 2 * (dst.0 - 1) };
        &self.copy_queues[number]
    }

    pub(super) fn send(&self, transfer: Transfer) {
        let copy_queue = self.copy_queue(transfer.src, transfer.dst);
        copy_queue.queue.lock().unwrap_or_else(PoisonError::into_inner).0.push(transfer);
        copy_queue.filled.notify_one();
    }

    /// Makes a transfer urgent that still waits.
    pub(super) fn hurry(&self, handle: HandleId, dst: MemoryId) {
        let hurry = |copy_queue: &CopyQueue| {
            copy_queue.queue.lock().unwrap_or_else(PoisonError::into_inner).0.hurry(handle, dst);
        };
        if dst == MemoryId::RAM {
            self.copy_queues.iter().skip(1).step_by(2).for_each(hurry);
        } else {
            hurry(&self.copy_queues[2 * (dst.0 - 1)]);
        }
    }

    /// Has the threads end.
    pub(super) fn stop(&self) {
        for copy_queue in &self.copy_queues {
            copy_queue.queue.lock().unwrap_or_else(PoisonError::into_inner).1 = true;
            copy_queue.filled.notify_all();
        }
    }

    /// Waits for the next transfer at `copy_queue`; none: the engine ends.
    fn next(&self, copy_queue: usize) -> Option<Transfer> {
        let copy_queue = &self.copy_queues[copy_queue];
        let mut queue = copy_queue.queue.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(transfer) = queue.0.pop() {
                return Some(transfer);
            }
            if queue.1 {
                return None;
            }
            queue = copy_queue.filled.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Shared {
    /// Life of a copying thread.
    pub(super) fn copy(&self, copy_queue: usize) {
        while let Some(transfer) = self.copiers.next(copy_queue) {
            let (start, clock) = (self.now(), Instant::now());
            let Transfer { handle, src, dst, bytes, .. } = transfer;
            let space = &self.programs.of_handle(handle).space;
            let result = self.stores.copy(space, handle, src, dst);
            if self.machine.is_emulated(src, dst) {
                let least = self.machine.transfer_nanoseconds(src, dst, bytes);
                std::thread::sleep(Duration::from_nanos(least).saturating_sub(clock.elapsed()));
            }
            self.post(Event::Landed { transfer, start, end: self.now(), result });
        }
    }
}
