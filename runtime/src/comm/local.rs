//! Ranks that are threads of one process: for tests, for debugging, and to see what ranks would
//! cost.

use std::collections::{HashMap, VecDeque};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::transport::{Arrival, FRAME_BYTES, Ticket, Transport, TransportError};
use crate::random::SplitMix64;
use crate::types::Rank;

/// One end of the transport between threads of this process.
pub struct Local {
    rank: Rank,
    hub: Arc<Hub>,
    tickets: u64,
    /// Messages that were sent and not copied yet.
    in_flight: VecDeque<InFlight>,
    arrivals: Vec<Arrival>,
    /// Draws what is held up, in tests.
    delays: Option<SplitMix64>,
}

/// What all ends share.
struct Hub {
    queues: Vec<Mutex<Queues>>,
    /// 1 + a rank that has panicked.
    gone: AtomicU32,
    /// When it was made.
    epoch: Instant,
}

/// What came for one rank, and its posted receives by label.
#[derive(Default)]
struct Queues {
    arrivals: VecDeque<Arrival>,
    receives: HashMap<u32, VecDeque<Receive>>,
}

struct Receive {
    memory: Place,
    bytes: usize,
    ticket: Ticket,
}

struct InFlight {
    to: Rank,
    label: u32,
    memory: Place,
    bytes: usize,
    ticket: Ticket,
}

/// Memory that a caller lends until a ticket is returned.
struct Place(NonNull<u8>);

// SAFETY: the callers of `send` and `receive` promise that nobody else touches the memory, whoever
// copies it.
#[allow(unsafe_code)]
unsafe impl Send for Place {}

impl std::fmt::Debug for Local {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Local").field("rank", &self.rank).finish_non_exhaustive()
    }
}

impl Local {
    /// The ends of a transport between `ranks` ranks.
    #[must_use]
    pub fn connect(ranks: usize) -> Vec<Self> {
        Self::ends(ranks, |_| None)
    }

    /// The ends of a transport that holds messages and frames up at random: for tests.
    #[must_use]
    pub fn connect_unruly(ranks: usize, seed: u64) -> Vec<Self> {
        Self::ends(ranks, |rank| Some(SplitMix64::new(seed ^ (rank as u64) << 32)))
    }

    fn ends(ranks: usize, delays: impl Fn(usize) -> Option<SplitMix64>) -> Vec<Self> {
        assert!((1..=usize::from(u16::MAX)).contains(&ranks), "{ranks} ranks are not 1 to 65535");
        let hub = Arc::new(Hub {
            queues: (0..ranks).map(|_| Mutex::default()).collect(),
            gone: AtomicU32::new(0),
            epoch: Instant::now(),
        });
        let end = |rank| Self {
            rank: Rank(rank as u16),
            hub: hub.clone(),
            tickets: 0,
            in_flight: VecDeque::new(),
            arrivals: Vec::new(),
            delays: delays(rank),
        };
        (0..ranks).map(end).collect()
    }

    fn queues_of(&self, rank: Rank) -> MutexGuard<'_, Queues> {
        self.hub.queues[usize::from(rank.0)].lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn next_ticket(&mut self) -> Ticket {
        self.tickets += 1;
        Ticket(self.tickets)
    }

    /// Whether what could happen now is to happen later.
    fn is_held_up(&mut self) -> bool {
        self.delays.as_mut().is_some_and(|random| random.next_u64() % 4 == 0)
    }

    /// Copies a message to where it is awaited.
    #[allow(unsafe_code)]
    fn deliver(&mut self, InFlight { to, label, memory, bytes, ticket }: InFlight) {
        let mut queues = self.queues_of(to);
        let receives = queues.receives.get_mut(&label);
        let Some(receive) = receives.and_then(VecDeque::pop_front) else {
            let is_gone = self.hub.gone.load(Ordering::SeqCst) != 0;
            assert!(is_gone, "rank {to} does not receive under label {label}");
            return;
        };
        assert!(bytes <= receive.bytes, "{bytes} bytes for a receive of {}", receive.bytes);
        // SAFETY: the sender lends the source until it hears that it was sent, the receiver the
        // target until it hears that it was received; both follow.
        unsafe { receive.memory.0.copy_from_nonoverlapping(memory.0, bytes) };
        queues.arrivals.push_back(Arrival::Received { ticket: receive.ticket, bytes });
        drop(queues);
        self.arrivals.push(Arrival::Sent(ticket));
    }
}

impl Transport for Local {
    fn rank(&self) -> Rank {
        self.rank
    }

    fn ranks(&self) -> usize {
        self.hub.queues.len()
    }

    fn labels(&self) -> u32 {
        1 << 20
    }

    fn epoch(&self) -> Option<Instant> {
        Some(self.hub.epoch)
    }

    fn send_frame(&mut self, to: Rank, frame: &[u8]) -> Result<(), TransportError> {
        let length = frame.len();
        assert!((1..=FRAME_BYTES).contains(&length), "a frame of {length} bytes");
        let frame = Arrival::Frame { from: self.rank, bytes: frame.to_vec() };
        self.queues_of(to).arrivals.push_back(frame);
        Ok(())
    }

    #[allow(unsafe_code)]
    unsafe fn send(
        &mut self,
        to: Rank,
        label: u32,
        memory: NonNull<u8>,
        bytes: usize,
    ) -> Result<Ticket, TransportError> {
        let ticket = self.next_ticket();
        self.in_flight.push_back(InFlight { to, label, memory: Place(memory), bytes, ticket });
        Ok(ticket)
    }

    #[allow(unsafe_code)]
    unsafe fn receive(
        &mut self,
        label: u32,
        memory: NonNull<u8>,
        bytes: usize,
    ) -> Result<Ticket, TransportError> {
        let ticket = self.next_ticket();
        let receive = Receive { memory: Place(memory), bytes, ticket };
        self.queues_of(self.rank).receives.entry(label).or_default().push_back(receive);
        Ok(ticket)
    }

    fn poll(&mut self, arrivals: &mut Vec<Arrival>) -> Result<(), TransportError> {
        if let Some(rank) = self.hub.gone.load(Ordering::SeqCst).checked_sub(1) {
            // Nobody writes to what this rank has lent from now on.
            self.queues_of(self.rank).receives.clear();
            self.in_flight.clear();
            return Err(TransportError::Gone { rank: Rank(rank as u16) });
        }
        while !self.in_flight.is_empty() && !self.is_held_up() {
            let message = self.in_flight.pop_front().expect("there is one");
            self.deliver(message);
        }
        arrivals.append(&mut self.arrivals);
        while !self.is_held_up() {
            let Some(arrival) = self.queues_of(self.rank).arrivals.pop_front() else { break };
            arrivals.push(arrival);
        }
        Ok(())
    }
}

impl Drop for Local {
    /// A rank that panics leaves the others without what they wait for.
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.hub.gone.store(u32::from(self.rank.0) + 1, Ordering::SeqCst);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `end` is told within some polls.
    fn polled(end: &mut Local) -> Vec<Arrival> {
        let mut arrivals = Vec::new();
        (0..100).for_each(|_| end.poll(&mut arrivals).unwrap());
        arrivals
    }

    #[test]
    fn frames_keep_their_order() {
        let mut ends = Local::connect_unruly(2, 7);
        let (mut b, mut a) = (ends.pop().unwrap(), ends.pop().unwrap());
        (1..50u8).for_each(|number| a.send_frame(Rank(1), &[number]).unwrap());
        let frames = (1..50).map(|number| Arrival::Frame { from: Rank(0), bytes: vec![number] });
        assert_eq!(polled(&mut b), frames.collect::<Vec<_>>());
        assert!(polled(&mut a).is_empty());
    }

    #[test]
    #[allow(unsafe_code)]
    fn messages_go_where_their_label_is_awaited() {
        let mut ends = Local::connect(2);
        let (mut b, mut a) = (ends.pop().unwrap(), ends.pop().unwrap());
        let (mut source, mut target) = (vec![1u8, 2, 3], vec![0u8; 4]);
        let at = |bytes: &mut [u8]| NonNull::new(bytes.as_mut_ptr()).unwrap();
        // SAFETY: both vectors stay until all has arrived.
        let (received, sent) = unsafe {
            let received = b.receive(5, at(&mut target), 4).unwrap();
            (received, a.send(Rank(1), 5, at(&mut source), 3).unwrap())
        };
        assert_eq!(polled(&mut a), [Arrival::Sent(sent)]);
        assert_eq!(polled(&mut b), [Arrival::Received { ticket: received, bytes: 3 }]);
        assert_eq!((source, target), (vec![1, 2, 3], vec![1, 2, 3, 0]));
    }
}
