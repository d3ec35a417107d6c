//! The functions of MPI that are called, each with its code checked.

mod point_to_point;
mod world;

use std::ffi::{CStr, c_char, c_int, c_void};

use super::StartError;
use super::abi::{Abi, Constants, SUCCESS, TEXT_BYTES};
use super::library::Library;
use crate::comm::TransportError;

type Handle<A> = <A as Abi>::Handle;

/// Functions and constants of an opened library. Types are those of `mpi.h`.
pub(super) struct Calls<A: Abi> {
    pub constants: Constants<Handle<A>>,
    alltoallv: Alltoallv<A>,
    abort: unsafe extern "C" fn(Handle<A>, c_int) -> c_int,
    cancel: unsafe extern "C" fn(*mut Handle<A>) -> c_int,
    comm_dup: unsafe extern "C" fn(Handle<A>, *mut Handle<A>) -> c_int,
    comm_free: unsafe extern "C" fn(*mut Handle<A>) -> c_int,
    comm_get_attr: unsafe extern "C" fn(Handle<A>, c_int, *mut c_void, *mut c_int) -> c_int,
    comm_rank: unsafe extern "C" fn(Handle<A>, *mut c_int) -> c_int,
    comm_set_errhandler: unsafe extern "C" fn(Handle<A>, Handle<A>) -> c_int,
    comm_size: unsafe extern "C" fn(Handle<A>, *mut c_int) -> c_int,
    error_class: unsafe extern "C" fn(c_int, *mut c_int) -> c_int,
    error_string: unsafe extern "C" fn(c_int, *mut c_char, *mut c_int) -> c_int,
    finalize: unsafe extern "C" fn() -> c_int,
    get_count: unsafe extern "C" fn(*const A::Status, Handle<A>, *mut c_int) -> c_int,
    get_processor_name: unsafe extern "C" fn(*mut c_char, *mut c_int) -> c_int,
    ibarrier: unsafe extern "C" fn(Handle<A>, *mut Handle<A>) -> c_int,
    init_thread:
        unsafe extern "C" fn(*mut c_int, *mut *mut *mut c_char, c_int, *mut c_int) -> c_int,
    initialized: unsafe extern "C" fn(*mut c_int) -> c_int,
    irecv: Irecv<A>,
    isend: Isend<A>,
    query_thread: unsafe extern "C" fn(*mut c_int) -> c_int,
    test: unsafe extern "C" fn(*mut Handle<A>, *mut c_int, *mut A::Status) -> c_int,
    testsome: Testsome<A>,
    wait: unsafe extern "C" fn(*mut Handle<A>, *mut A::Status) -> c_int,
}

/// Memory, counts, displacements and datatype of what is sent, those of what is received,
/// communicator.
type Alltoallv<A> = unsafe extern "C" fn(
    *const c_void,
    *const c_int,
    *const c_int,
    Handle<A>,
    *mut c_void,
    *const c_int,
    *const c_int,
    Handle<A>,
    Handle<A>,
) -> c_int;

/// Memory, count, datatype, target, tag, communicator, request.
type Isend<A> = unsafe extern "C" fn(
    *const c_void,
    c_int,
    Handle<A>,
    c_int,
    c_int,
    Handle<A>,
    *mut Handle<A>,
) -> c_int;

/// Memory, count, datatype, source, tag, communicator, request.
type Irecv<A> = unsafe extern "C" fn(
    *mut c_void,
    c_int,
    Handle<A>,
    c_int,
    c_int,
    Handle<A>,
    *mut Handle<A>,
) -> c_int;

/// Number of requests, requests, number of those that are complete, their indices, their states.
type Testsome<A> = unsafe extern "C" fn(
    c_int,
    *mut Handle<A>,
    *mut c_int,
    *mut c_int,
    *mut <A as Abi>::Status,
) -> c_int;

// Only `init_thread` and `initialized` come before MPI is started: callers see to that.
impl<A: Abi> Calls<A> {
    pub(super) fn of(library: &Library) -> Result<Self, StartError> {
        let constants = A::constants(library)?;
        // SAFETY: the types are those of mpi.h in the library's family.
        unsafe {
            Ok(Self {
                constants,
                alltoallv: library.call("MPI_Alltoallv")?,
                abort: library.call("MPI_Abort")?,
                cancel: library.call("MPI_Cancel")?,
                comm_dup: library.call("MPI_Comm_dup")?,
                comm_free: library.call("MPI_Comm_free")?,
                comm_get_attr: library.call("MPI_Comm_get_attr")?,
                comm_rank: library.call("MPI_Comm_rank")?,
                comm_set_errhandler: library.call("MPI_Comm_set_errhandler")?,
                comm_size: library.call("MPI_Comm_size")?,
                error_class: library.call("MPI_Error_class")?,
                error_string: library.call("MPI_Error_string")?,
                finalize: library.call("MPI_Finalize")?,
                get_count: library.call("MPI_Get_count")?,
                get_processor_name: library.call("MPI_Get_processor_name")?,
                ibarrier: library.call("MPI_Ibarrier")?,
                init_thread: library.call("MPI_Init_thread")?,
                initialized: library.call("MPI_Initialized")?,
                irecv: library.call("MPI_Irecv")?,
                isend: library.call("MPI_Isend")?,
                query_thread: library.call("MPI_Query_thread")?,
                test: library.call("MPI_Test")?,
                testsome: library.call("MPI_Testsome")?,
                wait: library.call("MPI_Wait")?,
            })
        }
    }

    /// What MPI says of an error's code.
    fn reason(&self, code: c_int) -> String {
        // SAFETY: the text has room for the longest one.
        let text = text(|text, length| unsafe { (self.error_string)(code, text, length) });
        text.map_or_else(|_| format!("code {code}"), |text| format!("{text} (code {code})"))
    }

    fn check(&self, call: &'static str, code: c_int) -> Result<(), TransportError> {
        match code {
            SUCCESS => Ok(()),
            code => Err(TransportError::Failed { call, reason: self.reason(code) }),
        }
    }
}

/// The text that a function writes into [`TEXT_BYTES`], or its code.
fn text(write: impl FnOnce(*mut c_char, *mut c_int) -> c_int) -> Result<String, c_int> {
    let mut text = [0u8; TEXT_BYTES + 1];
    let mut length = 0;
    match write(text.as_mut_ptr().cast(), &raw mut length) {
        SUCCESS => {
            let text = CStr::from_bytes_until_nul(&text).map(CStr::to_string_lossy);
            Ok(text.unwrap_or_default().trim().to_owned())
        }
        code => Err(code),
    }
}
