//! The transport over an MPI library of one family.

use std::ffi::c_int;
use std::ptr::NonNull;
use std::time::Duration;

use super::abi::{Abi, THREAD_SERIALIZED};
use super::calls::Calls;
use super::frames::{Pool, Ring};
use super::library::Library;
use super::messages::{Messages, Way, pieces};
use super::requests::{Requests, Role};
use super::{PIECE_BYTES, StartError};
use crate::comm::{Arrival, FRAME_BYTES, Ticket, Transport, TransportError};
use crate::types::Rank;

/// Most labels that are used.
const LABELS: u32 = 1 << 20;

/// Looks whether all ranks have come to the end before there is a pause between two of them.
const QUICK_LOOKS: usize = 2000;
/// Time between two looks then.
const PAUSE: Duration = Duration::from_micros(500);

/// What one call of MPI sends or receives: memory, its bytes, and the tag of their message.
#[derive(Clone, Copy, Debug)]
pub(super) struct Segment {
    pub memory: NonNull<u8>,
    pub bytes: c_int,
    pub tag: c_int,
}

/// What a transport over MPI can do besides.
pub(super) trait Session: Transport {
    fn set_pieces(&mut self, bytes: usize);
    fn processor(&self) -> Result<String, TransportError>;
    fn end(self: Box<Self>) -> Result<(), TransportError>;
    fn abort(&self, code: u8) -> !;
}

/// This rank's end. It has no destructor: what MPI may still use keeps its memory.
pub(super) struct End<A: Abi> {
    calls: Calls<A>,
    /// The communicator of all messages.
    communicator: A::Handle,
    /// Whether MPI was started for this, and ends with it.
    is_mpi_ours: bool,
    /// Whether one thread alone may call.
    is_funneled: bool,
    rank: Rank,
    ranks: usize,
    labels: u32,
    /// Most bytes of a piece.
    piece: usize,
    /// Frames that were sent to each rank, and that came from each.
    sent: Vec<u64>,
    received: Vec<u64>,
    ring: Ring<A>,
    pool: Pool,
    messages: Messages,
    requests: Requests<A>,
}

// SAFETY: MPI was started such that any thread may call it, one at a time, and whoever has the end
// for itself is alone to call.
unsafe impl<A: Abi> Send for End<A> {}

impl<A: Abi> End<A> {
    pub(super) fn start(library: &Library) -> Result<Self, StartError> {
        let calls = Calls::<A>::of(library)?;
        let granted = calls.init()?;
        if granted < THREAD_SERIALIZED {
            return Err(StartError::Threads { library: library.version(), granted });
        }
        let communicator = calls.duplicate_world()?;
        Self::over(calls, communicator, (true, false))
    }

    /// Between the ranks of a communicator of a program that has started MPI itself.
    pub(super) fn join(library: &Library, communicator: A::Handle) -> Result<Self, StartError> {
        let calls = Calls::<A>::of(library)?;
        let is_funneled = calls.thread_level()? < THREAD_SERIALIZED;
        let communicator = calls.duplicate(communicator)?;
        Self::over(calls, communicator, (false, is_funneled))
    }

    fn over(
        calls: Calls<A>,
        communicator: A::Handle,
        (is_mpi_ours, is_funneled): (bool, bool),
    ) -> Result<Self, StartError> {
        let (rank, ranks) = calls.place(communicator)?;
        if ranks > usize::from(u16::MAX) {
            return Err(StartError::TooMany { ranks });
        }
        // Of tag 1 + label.
        let labels = u32::try_from(calls.largest_tag()?).unwrap_or(0).min(LABELS);
        Ok(Self {
            ring: Ring::post(&calls, communicator)?,
            calls,
            communicator,
            is_mpi_ours,
            is_funneled,
            rank: Rank(rank as u16),
            ranks,
            labels,
            sent: vec![0; ranks],
            received: vec![0; ranks],
            piece: PIECE_BYTES,
            pool: Pool::default(),
            messages: Messages::default(),
            requests: Requests::new(),
        })
    }

    #[track_caller]
    fn check(&self, to: Rank) {
        assert!(usize::from(to.0) < self.ranks, "rank {to} of {}", self.ranks);
    }

    /// Starts the pieces of a message, each by `start`.
    #[track_caller]
    fn begin(
        &mut self,
        (label, memory, bytes): (u32, NonNull<u8>, usize),
        way: Way,
        start: impl Fn(&Calls<A>, Segment) -> Result<A::Handle, TransportError>,
    ) -> Result<Ticket, TransportError> {
        assert!(label < self.labels, "label {label} of {}", self.labels);
        let tag = 1 + label as c_int;
        let count = pieces(bytes, self.piece).count();
        let (message, ticket) = self.messages.add(way, count);
        for (at, bytes) in pieces(bytes, self.piece) {
            // SAFETY: the piece lies in the message.
            let memory = unsafe { memory.add(at) };
            let request = start(&self.calls, Segment { memory, bytes: bytes as c_int, tag })?;
            self.requests.add(request, Role::Piece { message, bytes });
        }
        Ok(ticket)
    }

    /// Receives what is under way, once all ranks have sent everything. A rank may have heard from
    /// a third one that another came to the end before it has all frames of that one; and a frame
    /// that comes after its communicator is gone would be one of the next that has its number.
    fn receive_all(&mut self, arrivals: &mut Vec<Arrival>) -> Result<(), TransportError> {
        let each = vec![size_of::<u64>(); self.ranks];
        let mut expected = vec![0u64; self.ranks];
        let sent = (bytemuck::cast_slice(&self.sent), &each[..]);
        let room = (bytemuck::cast_slice_mut(&mut expected), &each[..]);
        self.calls.all_to_all(sent, room, self.communicator)?;
        let mut looks = 0;
        while self.received != expected {
            self.wait(arrivals, &mut looks)?;
        }
        Ok(())
    }

    /// Polls, drops what has come, and leaves the core to others for a moment, a longer one after
    /// many looks: rank 0 may still write results.
    fn wait(
        &mut self,
        arrivals: &mut Vec<Arrival>,
        looks: &mut usize,
    ) -> Result<(), TransportError> {
        self.poll(arrivals)?;
        arrivals.clear();
        *looks += 1;
        if *looks < QUICK_LOOKS {
            std::thread::yield_now();
        } else {
            std::thread::sleep(PAUSE);
        }
        Ok(())
    }
}

impl<A: Abi> Transport for End<A> {
    fn rank(&self) -> Rank {
        self.rank
    }

    fn ranks(&self) -> usize {
        self.ranks
    }

    fn labels(&self) -> u32 {
        self.labels
    }

    fn is_funneled(&self) -> bool {
        self.is_funneled
    }

    fn send_frame(&mut self, to: Rank, frame: &[u8]) -> Result<(), TransportError> {
        let length = frame.len();
        assert!((1..=FRAME_BYTES).contains(&length), "a frame of {length} bytes");
        self.check(to);
        let (buffer, segment) = self.pool.fill(frame);
        // SAFETY: the pool keeps the buffer until the request is complete.
        let request = unsafe { self.calls.isend(segment, to.0.into(), self.communicator)? };
        self.sent[usize::from(to.0)] += 1;
        self.requests.add(request, Role::Frame(buffer));
        Ok(())
    }

    unsafe fn send(
        &mut self,
        to: Rank,
        label: u32,
        memory: NonNull<u8>,
        bytes: usize,
    ) -> Result<Ticket, TransportError> {
        self.check(to);
        let communicator = self.communicator;
        self.begin((label, memory, bytes), Way::Out, |calls, segment| {
            // SAFETY: the caller lends the memory until it hears that the message was sent.
            unsafe { calls.isend(segment, to.0.into(), communicator) }
        })
    }

    unsafe fn receive(
        &mut self,
        label: u32,
        memory: NonNull<u8>,
        bytes: usize,
    ) -> Result<Ticket, TransportError> {
        let communicator = self.communicator;
        self.begin((label, memory, bytes), Way::In, |calls, segment| {
            // SAFETY: the caller lends the memory until it hears that the message has come.
            unsafe { calls.irecv(segment, communicator) }
        })
    }

    fn poll(&mut self, arrivals: &mut Vec<Arrival>) -> Result<(), TransportError> {
        let Self { calls, communicator, received, ring, pool, messages, requests, .. } = self;
        let first = arrivals.len();
        ring.poll(calls, *communicator, arrivals)?;
        for arrival in &arrivals[first..] {
            if let Arrival::Frame { from, .. } = arrival {
                received[usize::from(from.0)] += 1;
            }
        }
        requests.poll(calls, |role, status| {
            match role {
                Role::Frame(buffer) => pool.give_back(buffer),
                Role::Piece { message, bytes: room } => {
                    let bytes = match messages.way(message) {
                        Way::Out => room,
                        Way::In => calls.bytes(status)?,
                    };
                    arrivals.extend(messages.note(message, bytes, room)?);
                }
            }
            Ok(())
        })
    }
}

impl<A: Abi> Session for End<A> {
    fn set_pieces(&mut self, bytes: usize) {
        self.piece = bytes;
    }

    fn processor(&self) -> Result<String, TransportError> {
        self.calls.processor()
    }

    fn end(mut self: Box<Self>) -> Result<(), TransportError> {
        let under_way = self.messages.len();
        assert!(under_way == 0, "MPI is to end with {under_way} messages on their way");
        let (mut dropped, mut looks) = (Vec::new(), 0);
        while !self.requests.is_empty() {
            self.wait(&mut dropped, &mut looks)?;
        }
        // What others sent is received until all have sent everything: none of them waits in vain.
        let mut barrier = self.calls.ibarrier(self.communicator)?;
        while self.calls.test(&mut barrier)?.is_none() {
            self.wait(&mut dropped, &mut looks)?;
        }
        if !self.is_mpi_ours {
            self.receive_all(&mut dropped)?;
        }
        self.ring.take_back(&self.calls)?;
        self.pool.clear();
        self.calls.free(self.communicator)?;
        if self.is_mpi_ours { self.calls.finalize() } else { Ok(()) }
    }

    fn abort(&self, code: u8) -> ! {
        self.calls.abort(self.communicator, code.into())
    }
}
