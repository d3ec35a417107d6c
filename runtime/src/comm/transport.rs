//! What a way to move messages between ranks must be able to do.

use std::ptr::NonNull;
use std::time::Instant;

use crate::types::Rank;

/// Most bytes of a frame: somewhat less than what MPI libraries send without asking.
pub const FRAME_BYTES: usize = 3840;

/// A message on its way, from `send` or `receive` until the [`Arrival`] that names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ticket(pub u64);

/// What a transport has to tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// A frame has come.
    Frame {
        /// Who sent it.
        from: Rank,
        /// What was sent.
        bytes: Vec<u8>,
    },
    /// The memory of a message that was to be sent is free again.
    Sent(Ticket),
    /// A message has come.
    Received {
        /// The receive that it was for.
        ticket: Ticket,
        /// How long it is; at most as long as the memory.
        bytes: usize,
    },
}

/// Why messages cannot be moved any more.
#[derive(Clone, Debug, thiserror::Error)]
pub enum TransportError {
    /// Another rank has gone.
    #[error("rank {rank} has gone")]
    Gone {
        /// Which.
        rank: Rank,
    },
    /// A call failed.
    #[error("{call} failed: {reason}")]
    Failed {
        /// The function that was called.
        call: &'static str,
        /// What it said.
        reason: String,
    },
}

/// Moves frames and messages between ranks. *Frames* are short, copied, need no receive, and
/// come in the order in which one rank sent them to another. *Messages* are long, come from and go
/// to memory that stays where it is, and only to a receive under the same *label* that was
/// started before the message was sent.
///
/// One thread at a time calls it. Nothing here blocks.
pub trait Transport: Send {
    /// This rank.
    fn rank(&self) -> Rank;

    /// Number of ranks, at least 1.
    fn ranks(&self) -> usize;

    /// Labels of messages are below this, which is at least 1024.
    fn labels(&self) -> u32;

    /// A moment that all ranks know, if they have one clock.
    fn epoch(&self) -> Option<Instant> {
        None
    }

    /// Whether only the thread that made it may call it.
    fn is_funneled(&self) -> bool {
        false
    }

    /// Sends a frame of 1 to [`FRAME_BYTES`] bytes to another rank.
    ///
    /// # Errors
    /// If it cannot be sent.
    fn send_frame(&mut self, to: Rank, frame: &[u8]) -> Result<(), TransportError>;

    /// Sends a message to another rank, which has started to receive at least as many bytes
    /// under `label`. Parts sent to one rank under one label come in the order of the calls.
    ///
    /// # Safety
    /// The memory is initialised and nobody writes it until [`Arrival::Sent`] was returned for the
    /// ticket.
    ///
    /// # Errors
    /// If it cannot be sent.
    #[allow(unsafe_code)]
    unsafe fn send(
        &mut self,
        to: Rank,
        label: u32,
        memory: NonNull<u8>,
        bytes: usize,
    ) -> Result<Ticket, TransportError>;

    /// Starts to receive a message of at most `bytes` bytes under `label`, from any rank. Parts
    /// under one label, which then come from one rank, fill the memories in the order of the calls.
    ///
    /// # Safety
    /// Nobody touches the memory until [`Arrival::Received`] was returned for the ticket.
    ///
    /// # Errors
    /// If it cannot be received.
    #[allow(unsafe_code)]
    unsafe fn receive(
        &mut self,
        label: u32,
        memory: NonNull<u8>,
        bytes: usize,
    ) -> Result<Ticket, TransportError>;

    /// Makes progress, and appends what has come or gone since the last call.
    ///
    /// # Errors
    /// If messages cannot be moved any more.
    fn poll(&mut self, arrivals: &mut Vec<Arrival>) -> Result<(), TransportError>;

    /// Ends it cleanly; all ranks do.
    ///
    /// # Errors
    /// If that fails.
    fn finish(self: Box<Self>) -> Result<(), TransportError> {
        Ok(())
    }
}
