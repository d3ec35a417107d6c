//! Calls about all ranks: start, place, end.

use std::ffi::c_int;
use std::ptr::{NonNull, null_mut};

use super::super::StartError;
use super::super::abi::{Abi, Constants, THREAD_SERIALIZED};
use super::{Calls, Handle, text};
use crate::comm::TransportError;

impl<A: Abi> Calls<A> {
    /// Starts MPI, and returns what threads may do.
    pub(in super::super) fn init(&self) -> Result<c_int, StartError> {
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
    /// calls without a communicator, such as `MPI_Testsome`, go by the world's handler (MPI 3) or
    /// by that of the process alone (MPI 4).
    pub(in super::super) fn duplicate_world(&self) -> Result<Handle<A>, TransportError> {
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
    pub(in super::super) fn place(
        &self,
        communicator: Handle<A>,
    ) -> Result<(usize, usize), TransportError> {
        let (mut rank, mut ranks) = (0, 0);
        // SAFETY: the communicator exists.
        self.check("MPI_Comm_rank", unsafe { (self.comm_rank)(communicator, &raw mut rank) })?;
        // SAFETY: the communicator exists.
        self.check("MPI_Comm_size", unsafe { (self.comm_size)(communicator, &raw mut ranks) })?;
        Ok((rank as usize, ranks as usize))
    }

    /// The largest tag; at least 32767 (MPI 3.1, section 8.1.2).
    pub(in super::super) fn largest_tag(&self) -> Result<c_int, TransportError> {
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

    /// Starts to wait for all ranks.
    pub(in super::super) fn ibarrier(
        &self,
        communicator: Handle<A>,
    ) -> Result<Handle<A>, TransportError> {
        let mut request = self.constants.no_request;
        // SAFETY: the communicator exists.
        self.check("MPI_Ibarrier", unsafe { (self.ibarrier)(communicator, &raw mut request) })?;
        Ok(request)
    }

    /// Gives the communicator up and ends MPI.
    pub(in super::super) fn finalize(
        &self,
        mut communicator: Handle<A>,
    ) -> Result<(), TransportError> {
        // SAFETY: nothing is under way in the communicator, which exists.
        self.check("MPI_Comm_free", unsafe { (self.comm_free)(&raw mut communicator) })?;
        // SAFETY: MPI is started, and nothing is under way.
        self.check("MPI_Finalize", unsafe { (self.finalize)() })
    }

    pub(in super::super) fn abort(&self, communicator: Handle<A>, code: c_int) -> ! {
        // SAFETY: the communicator exists.
        unsafe { (self.abort)(communicator, code) };
        std::process::abort()
    }

    pub(in super::super) fn processor(&self) -> Result<String, TransportError> {
        // SAFETY: the text has room for the longest name.
        let name = text(|text, length| unsafe { (self.get_processor_name)(text, length) });
        name.or_else(|code| self.check("MPI_Get_processor_name", code).map(|()| String::new()))
    }
}
