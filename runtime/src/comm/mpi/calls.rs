//! The functions of MPI that are called, each with its code checked.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::{NonNull, null_mut};

use super::StartError;
use super::abi::{Abi, Constants, SUCCESS, Status, TEXT_BYTES, THREAD_SERIALIZED};
use super::library::Library;
use super::transport::Message;
use crate::comm::TransportError;

type Handle<A> = <A as Abi>::Handle;

/// Functions and constants of an opened library. Types are those of `mpi.h`.
pub(super) struct Calls<A: Abi> {
    pub constants: Constants<Handle<A>>,
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
    test: unsafe extern "C" fn(*mut Handle<A>, *mut c_int, *mut A::Status) -> c_int,
    testsome: Testsome<A>,
    wait: unsafe extern "C" fn(*mut Handle<A>, *mut A::Status) -> c_int,
}

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

// All calls below have the types of `mpi.h`, and only `init_thread` and `initialized` come before
// MPI is started: their callers see to that.
impl<A: Abi> Calls<A> {
    pub(super) fn of(library: &Library) -> Result<Self, StartError> {
        let constants = A::constants(library)?;
        // SAFETY: the types are those of mpi.h in the library's family.
        unsafe {
            Ok(Self {
                constants,
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

    /// Starts MPI, and returns what threads may do.
    pub(super) fn init(&self) -> Result<c_int, StartError> {
        let (mut is_started, mut granted) = (0, 0);
        // SAFETY: may be called at any time.
        let code = unsafe { (self.initialized)(&raw mut is_started) };
        self.check("MPI_Initialized", code)?;
        if is_started != 0 {
            return Err(StartError::Again);
        }
        // SAFETY: MPI is not started yet; it needs no arguments of the program.
        let code = unsafe {
            (self.init_thread)(null_mut(), null_mut(), THREAD_SERIALIZED, &raw mut granted)
        };
        self.check("MPI_Init_thread", code)?;
        Ok(granted)
    }

    /// A communicator of all ranks that nobody else uses. From now on errors are returned: those of
    /// calls without a communicator, such as `MPI_Testsome`, go by the world's handler (MPI 3) or by
    /// that of the process alone (MPI 4).
    pub(super) fn duplicate_world(&self) -> Result<Handle<A>, TransportError> {
        let Constants { world, own, errors_return, .. } = self.constants;
        for communicator in [world, own] {
            // SAFETY: MPI is started, and both always exist.
            let code = unsafe { (self.comm_set_errhandler)(communicator, errors_return) };
            self.check("MPI_Comm_set_errhandler", code)?;
        }
        let mut copy = world;
        // SAFETY: as above; a duplicate has the handler of its model.
        self.check("MPI_Comm_dup", unsafe { (self.comm_dup)(world, &raw mut copy) })?;
        Ok(copy)
    }

    /// Rank of this process, and number of ranks.
    pub(super) fn place(&self, communicator: Handle<A>) -> Result<(usize, usize), TransportError> {
        let (mut rank, mut ranks) = (0, 0);
        // SAFETY: the communicator exists.
        self.check("MPI_Comm_rank", unsafe { (self.comm_rank)(communicator, &raw mut rank) })?;
        // SAFETY: the communicator exists.
        self.check("MPI_Comm_size", unsafe { (self.comm_size)(communicator, &raw mut ranks) })?;
        Ok((rank as usize, ranks as usize))
    }

    /// The largest tag; at least 32767 (MPI 3.1, section 8.1.2).
    pub(super) fn largest_tag(&self) -> Result<c_int, TransportError> {
        let (mut value, mut is_set) = (null_mut::<c_int>(), 0);
        // SAFETY: the attribute is cached on the world; its value is an address of an integer.
        let code = unsafe {
            let value = (&raw mut value).cast();
            (self.comm_get_attr)(self.constants.world, A::TAG_UB, value, &raw mut is_set)
        };
        self.check("MPI_Comm_get_attr", code)?;
        let value = NonNull::new(value).filter(|_| is_set != 0);
        // SAFETY: MPI says that the value is set.
        let tag = value.map(|value| unsafe { *value.as_ptr() });
        let reason = "MPI_TAG_UB is not set".to_owned();
        tag.ok_or(TransportError::Failed { call: "MPI_Comm_get_attr", reason })
    }

    /// Starts to send.
    ///
    /// # Safety
    /// Nobody writes the message's memory until the request is complete.
    pub(super) unsafe fn isend(
        &self,
        message: Message,
        to: c_int,
        communicator: Handle<A>,
    ) -> Result<Handle<A>, TransportError> {
        let Message { memory, bytes, tag } = message;
        let (memory, mut request) = (memory.as_ptr().cast(), self.constants.no_request);
        // SAFETY: the caller lends the memory; the communicator exists.
        let code = unsafe {
            let byte = self.constants.byte;
            (self.isend)(memory, bytes, byte, to, tag, communicator, &raw mut request)
        };
        self.check("MPI_Isend", code)?;
        Ok(request)
    }

    /// Starts to receive from any rank.
    ///
    /// # Safety
    /// Nobody touches the message's memory until the request is complete.
    pub(super) unsafe fn irecv(
        &self,
        message: Message,
        communicator: Handle<A>,
    ) -> Result<Handle<A>, TransportError> {
        let Message { memory, bytes, tag } = message;
        let (memory, mut request) = (memory.as_ptr().cast(), self.constants.no_request);
        // SAFETY: the caller lends the memory; the communicator exists.
        let code = unsafe {
            let byte = self.constants.byte;
            (self.irecv)(memory, bytes, byte, A::ANY_SOURCE, tag, communicator, &raw mut request)
        };
        self.check("MPI_Irecv", code)?;
        Ok(request)
    }

    /// What a request says that is complete; it then is no more.
    pub(super) fn test(
        &self,
        request: &mut Handle<A>,
    ) -> Result<Option<A::Status>, TransportError> {
        let (mut status, mut is_done) = (A::Status::default(), 0);
        // SAFETY: the request came from this library.
        let code = unsafe { (self.test)(request, &raw mut is_done, &raw mut status) };
        self.check("MPI_Test", code)?;
        Ok((is_done != 0).then_some(status))
    }

    /// How many requests are complete, with their indices and what they say at the start of `done`
    /// and `states`, which are as long as `requests`.
    pub(super) fn test_some(
        &self,
        requests: &mut [Handle<A>],
        done: &mut [c_int],
        states: &mut [A::Status],
    ) -> Result<usize, TransportError> {
        assert!(done.len() == requests.len() && states.len() == requests.len());
        let all = c_int::try_from(requests.len()).expect("fewer requests than 2^31");
        let mut count = 0;
        // SAFETY: the requests came from this library; the other two have room for all.
        let code = unsafe {
            let requests = requests.as_mut_ptr();
            let (done, states) = (done.as_mut_ptr(), states.as_mut_ptr());
            (self.testsome)(all, requests, &raw mut count, done, states)
        };
        let count = usize::try_from(count).unwrap_or(0);
        if code != SUCCESS {
            self.check("MPI_Testsome", self.in_status(code, &states[..count.min(all as usize)]))?;
        }
        Ok(count)
    }

    /// The error that `code` is about: its own, or the first of `states`.
    fn in_status(&self, code: c_int, states: &[A::Status]) -> c_int {
        let mut class = 0;
        // SAFETY: any code may be asked for.
        let asked = unsafe { (self.error_class)(code, &raw mut class) };
        let of_states = states.iter().map(Status::error).find(|&error| error != SUCCESS);
        match of_states {
            Some(error) if asked == SUCCESS && class == A::ERR_IN_STATUS => error,
            _ => code,
        }
    }

    /// Bytes that were received.
    pub(super) fn bytes(&self, status: &A::Status) -> Result<usize, TransportError> {
        let mut bytes = 0;
        // SAFETY: the status came from this library.
        let code = unsafe { (self.get_count)(status, self.constants.byte, &raw mut bytes) };
        self.check("MPI_Get_count", code)?;
        Ok(usize::try_from(bytes).unwrap_or(0))
    }

    /// Starts to wait for all ranks.
    pub(super) fn ibarrier(&self, communicator: Handle<A>) -> Result<Handle<A>, TransportError> {
        let mut request = self.constants.no_request;
        // SAFETY: the communicator exists.
        self.check("MPI_Ibarrier", unsafe { (self.ibarrier)(communicator, &raw mut request) })?;
        Ok(request)
    }

    /// Takes a receive back, or lets it end if a message has come.
    pub(super) fn take_back(&self, request: &mut Handle<A>) -> Result<(), TransportError> {
        let mut status = A::Status::default();
        // SAFETY: the request came from this library and is not complete.
        self.check("MPI_Cancel", unsafe { (self.cancel)(request) })?;
        // SAFETY: as above.
        self.check("MPI_Wait", unsafe { (self.wait)(request, &raw mut status) })
    }

    /// Gives the communicator up and ends MPI.
    pub(super) fn finalize(&self, mut communicator: Handle<A>) -> Result<(), TransportError> {
        // SAFETY: nothing is under way in the communicator, which exists.
        self.check("MPI_Comm_free", unsafe { (self.comm_free)(&raw mut communicator) })?;
        // SAFETY: MPI is started, and nothing is under way.
        self.check("MPI_Finalize", unsafe { (self.finalize)() })
    }

    pub(super) fn abort(&self, communicator: Handle<A>, code: c_int) -> ! {
        // SAFETY: the communicator exists.
        unsafe { (self.abort)(communicator, code) };
        std::process::abort()
    }

    pub(super) fn processor(&self) -> Result<String, TransportError> {
        // SAFETY: the text has room for the longest name.
        let name = text(|text, length| unsafe { (self.get_processor_name)(text, length) });
        name.or_else(|code| self.check("MPI_Get_processor_name", code).map(|()| String::new()))
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
