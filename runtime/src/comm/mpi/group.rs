//! The ranks of a communicator of a program that has started MPI itself.

use std::ffi::{c_int, c_void};

use super::abi::{Abi, Mpich, OpenMpi};
use super::calls::Calls;
use super::transport::{End, Session};
use super::{Family, Library, Mpi, StartError};
use crate::comm::TransportError;

/// A communicator as the program's library names it.
#[derive(Clone, Copy, Debug)]
pub enum Communicator {
    /// Of Open MPI: an address.
    Address(*mut c_void),
    /// Of MPICH's family: a number.
    Number(c_int),
}

impl Communicator {
    /// That of all ranks, `MPI_COMM_WORLD`.
    ///
    /// # Errors
    /// If the library lacks it.
    pub fn world(library: &Library) -> Result<Self, StartError> {
        Ok(match library.family() {
            Family::OpenMpi => Self::Address(OpenMpi::constants(library)?.world),
            Family::Mpich => Self::Number(Mpich::constants(library)?.world),
        })
    }
}

/// The ranks of a communicator: what they do together, beside flows over them.
///
/// All ranks call each of these, in the same order. Errors go by the error handler of the
/// communicator, which usually ends the program.
pub struct Group {
    calls: Box<dyn Collectives>,
    library: Library,
}

impl std::fmt::Debug for Group {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Group").field("library", &self.library).finish_non_exhaustive()
    }
}

impl Group {
    /// The ranks of `communicator`.
    ///
    /// # Safety
    /// `library` is that of the program, which has started MPI, and the communicator exists as long
    /// as this.
    ///
    /// # Errors
    /// If the library lacks a function.
    ///
    /// # Panics
    /// If the communicator is not one of the library's family.
    pub unsafe fn of(library: &Library, communicator: Communicator) -> Result<Self, StartError> {
        let calls: Box<dyn Collectives> = match library.family() {
            Family::OpenMpi => Box::new(Of::<OpenMpi>::new(library, communicator)?),
            Family::Mpich => Box::new(Of::<Mpich>::new(library, communicator)?),
        };
        Ok(Self { calls, library: library.clone() })
    }

    /// A transport between the ranks, over a duplicate of the communicator that [`Mpi::finish`]
    /// gives up; MPI goes on. Where the program has told MPI that not any thread calls
    /// (`MPI_THREAD_SERIALIZED`), the transport is
    /// [funneled](crate::comm::Transport::is_funneled).
    ///
    /// # Errors
    /// If a call fails, or there are too many ranks.
    pub fn join(&self) -> Result<Mpi, StartError> {
        Ok(Mpi { session: self.calls.join()?, library: self.library.version() })
    }

    /// Sends the first `send_bytes[0]` bytes of `send` to rank 0, the next ones to rank 1, and so
    /// on, and receives as many as `receive_bytes` says from each into `receive`.
    ///
    /// # Errors
    /// If the call fails.
    ///
    /// # Panics
    /// If the numbers of bytes are not those of the buffers, or more than 2 GiB in all.
    pub fn all_to_all(
        &self,
        (send, send_bytes): (&[u8], &[usize]),
        (receive, receive_bytes): (&mut [u8], &[usize]),
    ) -> Result<(), TransportError> {
        assert_eq!(send.len(), send_bytes.iter().sum::<usize>(), "bytes to send");
        assert_eq!(receive.len(), receive_bytes.iter().sum::<usize>(), "bytes to receive");
        self.calls.all_to_all((send, send_bytes), (receive, receive_bytes))
    }

    /// What each rank has, in the order of ranks: all have as much.
    ///
    /// # Errors
    /// If the call fails.
    pub fn all_gather(&self, mine: &[u8], ranks: usize) -> Result<Vec<u8>, TransportError> {
        let each = vec![mine.len(); ranks];
        let mut all = vec![0; mine.len() * ranks];
        self.all_to_all((&mine.repeat(ranks), &each), (&mut all, &each))?;
        Ok(all)
    }
}

/// Calls of a library of either family.
trait Collectives {
    fn join(&self) -> Result<Box<dyn Session>, StartError>;
    fn all_to_all(
        &self,
        send: (&[u8], &[usize]),
        receive: (&mut [u8], &[usize]),
    ) -> Result<(), TransportError>;
}

struct Of<A: Abi> {
    library: Library,
    calls: Calls<A>,
    communicator: A::Handle,
}

impl<A: Abi> Of<A> {
    fn new(library: &Library, communicator: Communicator) -> Result<Self, StartError> {
        let calls = Calls::of(library)?;
        Ok(Self { library: library.clone(), calls, communicator: A::communicator(communicator) })
    }
}

impl<A: Abi> Collectives for Of<A> {
    fn join(&self) -> Result<Box<dyn Session>, StartError> {
        Ok(Box::new(End::<A>::join(&self.library, self.communicator)?))
    }

    fn all_to_all(
        &self,
        send: (&[u8], &[usize]),
        receive: (&mut [u8], &[usize]),
    ) -> Result<(), TransportError> {
        self.calls.all_to_all(send, receive, self.communicator)
    }
}
