//! MPI as a transport. Its library is found and opened when the program runs, so that one program
//! runs under Open MPI and under MPICH and its family, and builds where there is neither.
//!
//! [`Library::find`] opens the library. One program runs under both binary interfaces: that of Open
//! MPI (3 to 5), where handles are addresses of objects in the library, and that of MPICH (3.1 and
//! later), to which Intel MPI, MVAPICH2 and Cray MPICH keep and where they are numbers. The library
//! with a symbol `ompi_mpi_comm_world` is Open MPI. Tried are Open MPI 4.1 and MPICH 4.0; the
//! others by their word.
//!
//! # Which library
//!
//! [`Launcher::of`] tells from variables what started the process, without opening anything:
//! `mpirun` of Open MPI, MPICH (Hydra), Intel MPI or MVAPICH, and `srun` with `--mpi=pmix`, `pmi2`
//! or `cray_shasta`. The library is then
//!
//! 1. the file that the user names;
//! 2. the first that the system's loader finds (`LD_LIBRARY_PATH`, which modules set, comes before
//!    the system's folders): `libmpi.so.40` and others for a launcher of Open MPI or PMIx,
//!    `libmpi.so.12`, `libmpich.so.12` and Cray's for the others; then those of the other family;
//!    Open MPI's first where no launcher was seen.
//!
//! Where the launcher counts several ranks and the library only one, they are of different MPIs,
//! and starting fails with what to do.
//!
//! [`Launcher::advised`] says what Open MPI should find in its environment: over TCP a part of a
//! message is to go at once, since its receive is always posted and asking first takes a round trip
//! behind all that is under way, and little is to be handed to the system before it goes, where
//! nothing overtakes it. The program sets that before anything starts a thread.
//!
//! # In a program that has started MPI itself
//!
//! [`Library::of_process`] is its library, and [`Group`] the ranks of one of its communicators:
//! [`Group::join`] makes a transport between them, over a duplicate. MPI then stays as it is, and
//! goes on afterwards. Most programs have not told MPI that more than one thread calls; then only
//! the thread that joined does.
//!
//! # Messages
//!
//! Required is MPI 3 with `MPI_THREAD_SERIALIZED`: any thread may call, one at a time. All messages
//! go over a duplicate of `MPI_COMM_WORLD`: frames with tag 0 into 32 receives that are always
//! posted, messages with tag 1 + label, so that there are as many labels as tags, 2^20 at most.
//! Messages above 1 GiB go in pieces, since MPI counts with 32 bits; they must be as long as their
//! receives, where shorter ones may be shorter. `MPI_Test` and `MPI_Testsome` move everything on;
//! nothing waits.
//!
//! # The end
//!
//! [`Mpi::finish`] ends MPI when all ranks call it; a rank that panics does not, and the launcher
//! then ends the others. Results are better written before: MPICH 4.0 over UCX's TCP often hangs in
//! `MPI_Finalize`, also in programs of ten lines in C (its change 6596 of 2023 repairs that); on
//! one node, where it uses shared memory, it does not.
//!
//! `tests/mpi` starts itself again as ranks under each launcher that is installed, Open MPI's as
//! root too, and says which it skips.

#[allow(unsafe_code)]
mod abi;
#[allow(unsafe_code)]
mod calls;
#[allow(unsafe_code)]
mod frames;
#[allow(unsafe_code)]
mod group;
mod launcher;
#[allow(unsafe_code)]
mod library;
mod messages;
mod requests;
#[allow(unsafe_code)]
mod transport;

use std::ptr::NonNull;

use super::transport::{Arrival, Ticket, Transport, TransportError};
use crate::types::Rank;
use abi::{Mpich, OpenMpi};
use transport::{End, Session};

pub use group::{Communicator, Group};
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
/// A frame is sent under tag 0, a message under tag 1 + label, in pieces if it is long: see
/// [`Mpi::with_pieces`]. All go over a duplicate of `MPI_COMM_WORLD`. Errors are returned from all
/// communicators.
///
/// A message must not be longer than its receive. MPI notices that (`MPI_ERR_TRUNCATE`), but Open
/// MPI 4.1 writes what is too much behind the receive's memory if it is above some kilobytes.
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

    /// Sends messages longer than `bytes` bytes in pieces of that many; 1 GiB unless told
    /// otherwise. All ranks must say the same, before the first message. A receive that is longer
    /// than a piece needs a message of exactly as many bytes: a shorter one is an error where that
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

    /// Ends MPI, or gives the duplicate of a communicator up: waits until all ranks have called it
    /// and all frames sent have left. Frames that come meanwhile are dropped.
    ///
    /// # Panics
    /// If messages are on their way.
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

    fn is_funneled(&self) -> bool {
        self.session.is_funneled()
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
