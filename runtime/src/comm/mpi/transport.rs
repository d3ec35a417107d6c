//! The transport over an MPI library of one family.

use std::ffi::c_int;
use std::ptr::NonNull;
use std::time::Duration;

use super::abi::{Abi, THREAD_SERIALIZED};
use super::calls::Calls;
use super::frames::{Pool, Ring};
use super::library::Library;
use super::payloads::{Payloads, Way, pieces};
use super::requests::{Requests, Role};
use super::{PIECE_BYTES, StartError};
use crate::comm::{Arrival, FRAME_BYTES, Ticket, Transport, TransportError};
use crate::types::Rank;

/// Most labels that are used.
const LABELS: u32 = 1 << 20;

/// Time between two looks whether all ranks have come to the end.
const PAUSE: Duration = Duration::from_micros(500);

/// A message of MPI's.
#[derive(Clone, Copy, Debug)]
pub(super) struct Message {
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
    messages: A::Handle,
    rank: Rank,
    ranks: usize,
    labels: u32,
    /// Most bytes of one message of a payload.
    piece: usize,
    ring: Ring<A>,
    pool: Pool,
    payloads: Payloads,
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
        let messages = calls.duplicate_world()?;
        let (rank, ranks) = calls.place(messages)?;
        if ranks > usize::from(u16::MAX) {
            return Err(StartError::TooMany { ranks });
        }
        // Of tag 1 + label.
        let labels = u32::try_from(calls.largest_tag()?).unwrap_or(0).min(LABELS);
        Ok(Self {
            ring: Ring::post(&calls, messages)?,
            calls,
            messages,
            rank: Rank(rank as u16),
            ranks,
            labels,
            piece: PIECE_BYTES,
            pool: Pool::default(),
            payloads: Payloads::default(),
            requests: Requests::new(),
        })
    }

    #[track_caller]
    fn check(&self, to: Rank) {
        assert!(usize::from(to.0) < self.ranks, "rank {to} of {}", self.ranks);
    }

    /// Starts the messages of a payload, each by `start`.
    #[track_caller]
    fn begin(
        &mut self,
        (label, memory, bytes): (u32, NonNull<u8>, usize),
        way: Way,
        start: impl Fn(&Calls<A>, Message) -> Result<A::Handle, TransportError>,
    ) -> Result<Ticket, TransportError> {
        assert!(label < self.labels, "label {label} of {}", self.labels);
        let tag = 1 + label as c_int;
        let count = pieces(bytes, self.piece).count();
        let (payload, ticket) = self.payloads.add(way, count);
        for (at, bytes) in pieces(bytes, self.piece) {
            // SAFETY: the piece lies in the payload.
            let memory = unsafe { memory.add(at) };
            let request = start(&self.calls, Message { memory, bytes: bytes as c_int, tag })?;
            self.requests.add(request, Role::Piece { payload, bytes });
        }
        Ok(ticket)
    }

    /// Polls, drops what has come, and leaves the core to others for a moment: rank 0 may still write results.
    fn wait(&mut self, arrivals: &mut Vec<Arrival>) -> Result<(), TransportError> {
        self.poll(arrivals)?;
        arrivals.clear();
        std::thread::sleep(PAUSE);
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

    fn send_frame(&mut self, to: Rank, frame: &[u8]) -> Result<(), TransportError> {
        let length = frame.len();
        assert!((1..=FRAME_BYTES).contains(&length), "a frame of {length} bytes");
        self.check(to);
        let (buffer, message) = self.pool.fill(frame);
        // SAFETY: the pool keeps the buffer until the request is complete.
        let request = unsafe { self.calls.isend(message, to.0.into(), self.messages)? };
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
        let messages = self.messages;
        self.begin((label, memory, bytes), Way::Out, |calls, message| {
            // SAFETY: the caller lends the memory until it hears that the payload was sent.
            unsafe { calls.isend(message, to.0.into(), messages) }
        })
    }

    unsafe fn receive(
        &mut self,
        label: u32,
        memory: NonNull<u8>,
        bytes: usize,
    ) -> Result<Ticket, TransportError> {
        let messages = self.messages;
        self.begin((label, memory, bytes), Way::In, |calls, message| {
            // SAFETY: the caller lends the memory until it hears that the payload has come.
            unsafe { calls.irecv(message, messages) }
        })
    }

    fn poll(&mut self, arrivals: &mut Vec<Arrival>) -> Result<(), TransportError> {
        let Self { calls, messages, ring, pool, payloads, requests, .. } = self;
        ring.poll(calls, *messages, arrivals)?;
        requests.poll(calls, |role, status| {
            match role {
                Role::Frame(buffer) => pool.give_back(buffer),
                Role::Piece { payload, bytes: room } => {
                    let bytes = match payloads.way(payload) {
                        Way::Out => room,
                        Way::In => calls.bytes(status)?,
                    };
                    arrivals.extend(payloads.note(payload, bytes, room)?);
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
        let under_way = self.payloads.len();
        assert!(under_way == 0, "MPI is to end with {under_way} payloads on their way");
        let mut dropped = Vec::new();
        while !self.requests.is_empty() {
            self.wait(&mut dropped)?;
        }
        // What others sent is received until all have sent everything: none of them waits in vain.
        let mut barrier = self.calls.ibarrier(self.messages)?;
        while self.calls.test(&mut barrier)?.is_none() {
            self.wait(&mut dropped)?;
        }
        self.ring.take_back(&self.calls)?;
        self.pool.clear();
        self.calls.finalize(self.messages)
    }

    fn abort(&self, code: u8) -> ! {
        self.calls.abort(self.messages, code.into())
    }
}
