//! All ranks of a program as one of them sees them: the transport, kept from flow to flow.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::clocks::Clocks;
use super::collectives::{DONE, Progress};
use super::{Arrival, Transport, TransportError};
use crate::types::Rank;

/// The ranks of a program. Flows over it come one after the other, on every rank in the same order.
#[derive(Clone)]
pub struct World {
    pub(super) rank: Rank,
    pub(super) ranks: usize,
    labels: u32,
    is_funneled: bool,
    channel: Arc<Mutex<Channel>>,
    pub(super) progress: Arc<Progress>,
    /// From when on time is counted that is compared with that of other ranks.
    pub(super) epoch: Instant,
    /// Whether that is one moment on one clock for all ranks.
    pub(super) shares_clock: bool,
    pub(super) clocks: Arc<Mutex<Clocks>>,
}

/// The transport and the flow that uses it.
pub(crate) struct Channel {
    pub(crate) transport: Box<dyn Transport>,
    /// Number of the flow; frames begin with it.
    pub(crate) flow: u32,
    is_taken: bool,
    /// What came while it was not asked for: for flows that have not begun here, and for what ranks
    /// do beside them.
    early: BTreeMap<u32, Vec<Arrival>>,
    progress: Arc<Progress>,
}

impl std::fmt::Debug for World {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "rank {} of {}", self.rank, self.ranks)
    }
}

impl World {
    /// The ranks that `transport` connects.
    #[must_use]
    pub fn new(transport: Box<dyn Transport>) -> Self {
        let (rank, ranks, labels) = (transport.rank(), transport.ranks(), transport.labels());
        let (epoch, is_funneled) = (transport.epoch(), transport.is_funneled());
        let progress = Arc::new(Progress::new(ranks));
        let early = BTreeMap::new();
        let channel =
            Channel { transport, flow: 0, is_taken: false, early, progress: progress.clone() };
        Self {
            rank,
            ranks,
            labels,
            is_funneled,
            channel: Arc::new(Mutex::new(channel)),
            progress,
            epoch: epoch.unwrap_or_else(Instant::now),
            shares_clock: epoch.is_some(),
            clocks: Arc::default(),
        }
    }

    /// This rank.
    #[must_use]
    pub fn rank(&self) -> Rank {
        self.rank
    }

    /// Number of ranks.
    #[must_use]
    pub fn ranks(&self) -> usize {
        self.ranks
    }

    /// Ends the transport cleanly; all ranks do, after their last flow.
    ///
    /// # Errors
    /// Those of the transport.
    pub fn finish(self) -> Result<(), TransportError> {
        let channel = Arc::into_inner(self.channel).expect("no flow is left");
        channel.into_inner().unwrap_or_else(PoisonError::into_inner).transport.finish()
    }

    pub(crate) fn labels(&self) -> u32 {
        self.labels
    }

    /// Whether only the thread that made it may move messages.
    pub(crate) fn is_funneled(&self) -> bool {
        self.is_funneled
    }

    pub(crate) fn channel(&self) -> MutexGuard<'_, Channel> {
        self.channel.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins the next flow.
    ///
    /// # Panics
    /// If the last one has not ended.
    pub(crate) fn begin(&self) {
        let mut channel = self.channel();
        assert!(!channel.is_taken, "two flows over ranks at a time");
        channel.is_taken = true;
        channel.flow += 1;
        self.progress.reset();
    }

    /// Ends a flow.
    pub(crate) fn end(&self) {
        self.channel().is_taken = false;
    }
}

impl Channel {
    /// What has come or gone for the flow of now; frames without their number.
    pub(crate) fn poll(&mut self, arrivals: &mut Vec<Arrival>) -> Result<(), TransportError> {
        self.poll_for(self.flow, arrivals)
    }

    /// What has come or gone for `wanted`, the flow of now or what is no flow; frames without their
    /// number.
    pub(super) fn poll_for(
        &mut self,
        wanted: u32,
        arrivals: &mut Vec<Arrival>,
    ) -> Result<(), TransportError> {
        if let Some(frames) = self.early.remove(&wanted) {
            arrivals.extend(frames);
        }
        let first = arrivals.len();
        self.transport.poll(arrivals)?;
        let mut place = first;
        while let Some(arrival) = arrivals.get_mut(place) {
            let flow = match arrival {
                Arrival::Frame { bytes, .. } => {
                    let flow = *bytes.first_chunk::<4>().ok_or_else(|| strange("too short"))?;
                    bytes.drain(..4);
                    u32::from_le_bytes(flow)
                }
                // Only flows send messages.
                Arrival::Sent(_) | Arrival::Received { .. } => self.flow,
            };
            if flow == wanted {
                place += 1;
                continue;
            }
            match arrivals.remove(place) {
                Arrival::Frame { from, bytes } if flow == DONE => {
                    self.progress.note(from, &bytes, self.flow);
                }
                arrival if flow >= self.flow => self.early.entry(flow).or_default().push(arrival),
                _ => return Err(strange("for a flow that has ended")),
            }
        }
        Ok(())
    }
}

impl Channel {
    /// Gives back frames of rank 0 that were taken too early, as the first for `wanted`.
    pub(super) fn put_back(&mut self, wanted: u32, frames: impl Iterator<Item = Vec<u8>>) {
        let waiting = self.early.entry(wanted).or_default();
        let frames = frames.map(|bytes| Arrival::Frame { from: Rank(0), bytes });
        waiting.splice(0..0, frames);
    }
}

fn strange(what: &str) -> TransportError {
    let reason = format!("a frame is {what}: are all ranks the same program?");
    TransportError::Failed { call: "poll", reason }
}
