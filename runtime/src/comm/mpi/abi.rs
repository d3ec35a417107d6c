//! The two binary interfaces of MPI libraries: what differs between the headers of Open MPI and of
//! MPICH. Both stand as long as the names of the libraries do (`libmpi.so.40`, `libmpi.so.12`).

use std::ffi::{c_int, c_void};

use super::StartError;
use super::group::Communicator;
use super::library::Library;

/// `MPI_SUCCESS`, in both.
pub(super) const SUCCESS: c_int = 0;

/// `MPI_THREAD_SERIALIZED`, in both.
pub(super) const THREAD_SERIALIZED: c_int = 2;

/// Bytes that a name or an error's text may take in either (`MPI_MAX_PROCESSOR_NAME` is 256 and
/// 128, `MPI_MAX_ERROR_STRING` 256 and 512).
pub(super) const TEXT_BYTES: usize = 512;

/// A binary interface.
pub(super) trait Abi: 'static {
    /// What stands for a communicator, a datatype, an error handler or a request.
    type Handle: Copy;
    /// `MPI_Status`.
    type Status: Status;
    /// `MPI_ANY_SOURCE`.
    const ANY_SOURCE: c_int;
    /// `MPI_TAG_UB`.
    const TAG_UB: c_int;
    /// `MPI_ERR_IN_STATUS`.
    const ERR_IN_STATUS: c_int;

    /// Handles that always exist.
    fn constants(library: &Library) -> Result<Constants<Self::Handle>, StartError>;

    /// A communicator of the program's.
    ///
    /// # Panics
    /// If it is one of the other family.
    fn communicator(named: Communicator) -> Self::Handle;
}

/// Handles that always exist.
pub(super) struct Constants<H> {
    /// `MPI_COMM_WORLD`.
    pub world: H,
    /// `MPI_COMM_SELF`.
    pub own: H,
    /// `MPI_BYTE`.
    pub byte: H,
    /// `MPI_REQUEST_NULL`.
    pub no_request: H,
    /// `MPI_ERRORS_RETURN`.
    pub errors_return: H,
}

/// What a completed request says.
pub(super) trait Status: Copy + Default {
    /// `MPI_SOURCE`.
    fn source(&self) -> c_int;
    /// `MPI_ERROR`, which is set only after `MPI_ERR_IN_STATUS`.
    fn error(&self) -> c_int;
}

/// Open MPI 3 and later: handles are addresses of objects, some of them in the library.
pub(super) struct OpenMpi;

/// `struct ompi_status_public_t`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub(super) struct OpenMpiStatus {
    source: c_int,
    tag: c_int,
    error: c_int,
    cancelled: c_int,
    count: usize,
}

impl Abi for OpenMpi {
    type Handle = *mut c_void;
    type Status = OpenMpiStatus;
    const ANY_SOURCE: c_int = -1;
    const TAG_UB: c_int = 0;
    const ERR_IN_STATUS: c_int = 18;

    fn constants(library: &Library) -> Result<Constants<Self::Handle>, StartError> {
        let object = |name| library.address(name).map(<*mut ()>::cast);
        Ok(Constants {
            world: object("ompi_mpi_comm_world")?,
            own: object("ompi_mpi_comm_self")?,
            byte: object("ompi_mpi_byte")?,
            no_request: object("ompi_request_null")?,
            errors_return: object("ompi_mpi_errors_return")?,
        })
    }

    fn communicator(named: Communicator) -> Self::Handle {
        match named {
            Communicator::Address(address) => address,
            Communicator::Number(number) => panic!("communicator {number} is none of Open MPI"),
        }
    }
}

impl Status for OpenMpiStatus {
    fn source(&self) -> c_int {
        self.source
    }

    fn error(&self) -> c_int {
        self.error
    }
}

/// MPICH 3.1 and later, and the libraries that keep to its interface: handles are numbers.
pub(super) struct Mpich;

/// `struct MPI_Status` of MPICH.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub(super) struct MpichStatus {
    count_low: c_int,
    count_high_and_cancelled: c_int,
    source: c_int,
    tag: c_int,
    error: c_int,
}

impl Abi for Mpich {
    type Handle = c_int;
    type Status = MpichStatus;
    const ANY_SOURCE: c_int = -2;
    const TAG_UB: c_int = 0x6440_0001;
    const ERR_IN_STATUS: c_int = 17;

    fn constants(_: &Library) -> Result<Constants<Self::Handle>, StartError> {
        Ok(Constants {
            world: 0x4400_0000,
            own: 0x4400_0001,
            byte: 0x4c00_010d,
            no_request: 0x2c00_0000,
            errors_return: 0x5400_0001,
        })
    }

    fn communicator(named: Communicator) -> Self::Handle {
        match named {
            Communicator::Number(number) => number,
            Communicator::Address(_) => panic!("an address is no communicator of MPICH"),
        }
    }
}

impl Status for MpichStatus {
    fn source(&self) -> c_int {
        self.source
    }

    fn error(&self) -> c_int {
        self.error
    }
}

#[cfg(test)]
mod tests {
    use std::mem::offset_of;

    use super::*;

    /// What the headers of Open MPI 4.1.4 and MPICH 4.0.2 give on x86-64.
    #[test]
    #[cfg(target_pointer_width = "64")]
    fn states_lie_as_in_the_headers() {
        assert_eq!(size_of::<OpenMpiStatus>(), 24);
        assert_eq!((offset_of!(OpenMpiStatus, source), offset_of!(OpenMpiStatus, error)), (0, 8));
        assert_eq!(size_of::<MpichStatus>(), 20);
        assert_eq!((offset_of!(MpichStatus, source), offset_of!(MpichStatus, error)), (8, 16));
    }
}
