//! MPI as a transport. Its library is found and opened when the program runs, so that one program
//! runs under Open MPI and under MPICH and its family, and builds where there is neither.

#[allow(unsafe_code)]
mod abi;
#[allow(unsafe_code)]
mod calls;
#[allow(unsafe_code)]
mod frames;
mod launcher;
#[allow(unsafe_code)]
mod library;
mod payloads;
mod requests;
#[allow(unsafe_code)]
mod transport;

use std::ptr::NonNull;

use super::transport::{Arrival, Ticket, Transport, TransportError};
use crate::types::Rank;
use abi::{Mpich, OpenMpi};
use transport::{End, Session};

pub use launcher::{Family, Launcher};
pub use library::Library;

/// Most bytes of one MPI message, unless told otherwise.
const PIECE_BYTES: usize = 1 << 30;

/// Why MPI cannot be used.
#[derive(Clone, Debug, thiserror::Error)]
pub enum StartError {
    /// No library could be opened.
    #[error(
        "no MPI library could be opened: install Open MPI or MPICH, or load the module that has it, \
         or say which file it is ({tried})"
    )]
    NotFound {
        /// Each name with what the system said.
        tried: String,
    },
    /// The library lacks a function.
    #[error("{file} has no {name}: it is not an MPI library, or one older than MPI 3")]
    MissingSymbol {
        /// The library.
        file: String,
        /// What it lacks.
        name: &'static str,
    },
    /// MPI runs already.
    #[error("MPI was started in this process before, and can be started once only")]
    Again,
    /// Only one thread may call.
    #[error(
        "{library} grants thread level {granted}, and 2 (MPI_THREAD_SERIALIZED) is needed, \
         as any thread may call it, one at a time: use a build of it with threads"
    )]
    Threads {
        /// The library.
        library: String,
        /// 0 is `MPI_THREAD_SINGLE`, 1 `MPI_THREAD_FUNNELED`.
        granted: i32,
    },
    /// The library does not know the launcher.
    #[error(
        "this is one of {launched} ranks, but {library} knows of no other: start it with the launcher \
         of that library, or say which file is the library of this launcher"
    )]
    Alone {
        /// How many ranks the launcher says that there are.
        launched: usize,
        /// The library.
        library: String,
    },
    /// More ranks than can be numbered.
    #[error("{ranks} ranks are more than 65535")]
    TooMany {
        /// How many there are.
        ranks: usize,
    },
    /// A call failed.
    #[error(transparent)]
    Failed(#[from] TransportError),
}

/// This process as a rank of an MPI program.
///
/// A frame is a message of tag 0, a payload one of tag 1 + label, or several if it is long: see
/// [`Mpi::with_pieces`]. All go over a duplicate of `MPI_COMM_WORLD`. Errors are returned from all
/// communicators.
///
/// A payload must not be longer than its receive. MPI notices that (`MPI_ERR_TRUNCATE`), but Open MPI
/// 4.1 writes what is too much behind the receive's memory if it is above some kilobytes.
///
/// Frames are received in the order in which they were announced, whoever sent them; one of more
/// bytes than the library sends at once (4096 may be more) waits for its sender's next
/// [`Transport::poll`], and frames of other ranks that came after it wait with it.
///
/// [`Mpi::finish`] ends MPI. One that is dropped leaves MPI running and its memory to it, so that a
/// rank that panics does not wait for the others; launchers then end them.
pub struct Mpi {
    session: Box<dyn Session>,
    library: String,
}

impl std::fmt::Debug for Mpi {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (rank, ranks) = (self.session.rank(), self.session.ranks());
        write!(f, "Mpi {{ rank {rank} of {ranks}, {} }}", self.library)
    }
}

impl Mpi {
    /// Starts MPI in this process; all ranks do, and wait for each other. Once per process.
    ///
    /// # Errors
    /// If MPI runs already, lets only one thread call, does not know the launcher, or fails.
    pub fn start(library: &Library, launcher: &Launcher) -> Result<Self, StartError> {
        let session: Box<dyn Session> = match library.family() {
            Family::OpenMpi => Box::new(End::<OpenMpi>::start(library)?),
            Family::Mpich => Box::new(End::<Mpich>::start(library)?),
        };
        let this = Self { session, library: library.version() };
        match launcher.ranks {
            Some(launched) if launched > 1 && this.ranks() == 1 => {
                Err(StartError::Alone { launched, library: this.library })
            }
            _ => Ok(this),
        }
    }

    /// Sends payloads longer than `bytes` bytes in pieces of that many; 1 GiB unless told
    /// otherwise. All ranks must say the same, before the first payload. A receive that is longer
    /// than a piece needs a payload of exactly as many bytes: a shorter one is an error where that
    /// is noticed, and is otherwise waited for.
    ///
    /// # Panics
    /// If `bytes` is not 1 to 1 GiB.
    #[must_use]
    pub fn with_pieces(mut self, bytes: usize) -> Self {
        assert!(
            (1..=PIECE_BYTES).contains(&bytes),
            "pieces of {bytes} bytes, not 1 to {PIECE_BYTES}"
        );
        self.session.set_pieces(bytes);
        self
    }

    /// Name and version of the library, one line.
    #[must_use]
    pub fn library(&self) -> &str {
        &self.library
    }

    /// What MPI calls the machine that this rank runs on.
    ///
    /// # Errors
    /// If MPI does not say.
    pub fn processor(&self) -> Result<String, TransportError> {
        self.session.processor()
    }

    /// Ends MPI: waits until all ranks have called it and all frames sent have left. Frames that
    /// come meanwhile are dropped.
    ///
    /// # Panics
    /// If payloads are on their way.
    ///
    /// # Errors
    /// If a call fails; MPI then still runs.
    pub fn finish(self) -> Result<(), TransportError> {
        self.session.end()
    }

    /// Ends all ranks at once, without waiting for anything, with `code` as their exit status.
    pub fn abort(&self, code: u8) -> ! {
        self.session.abort(code)
    }
}

impl Transport for Mpi {
    fn finish(self: Box<Self>) -> Result<(), TransportError> {
        Mpi::finish(*self)
    }

    fn rank(&self) -> Rank {
        self.session.rank()
    }

    fn ranks(&self) -> usize {
        self.session.ranks()
    }

    fn labels(&self) -> u32 {
        self.session.labels()
    }

    fn send_frame(&mut self, to: Rank, frame: &[u8]) -> Result<(), TransportError> {
        self.session.send_frame(to, frame)
    }

    #[allow(unsafe_code)]
    unsafe fn send(
        &mut self,
        to: Rank,
        label: u32,
        memory: NonNull<u8>,
        bytes: usize,
    ) -> Result<Ticket, TransportError> {
        // SAFETY: the caller promises the same.
        unsafe { self.session.send(to, label, memory, bytes) }
    }

    #[allow(unsafe_code)]
    unsafe fn receive(
        &mut self,
        label: u32,
        memory: NonNull<u8>,
        bytes: usize,
    ) -> Result<Ticket, TransportError> {
        // SAFETY: the caller promises the same.
        unsafe { self.session.receive(label, memory, bytes) }
    }

    fn poll(&mut self, arrivals: &mut Vec<Arrival>) -> Result<(), TransportError> {
        self.session.poll(arrivals)
    }
}
