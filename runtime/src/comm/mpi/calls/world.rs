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

    /// What threads may do in an MPI that the program has started.
    pub(in super::super) fn thread_level(&self) -> Result<c_int, TransportError> {
        let mut level = 0;
        // SAFETY: MPI is started.
        self.check("MPI_Query_thread", unsafe { (self.query_thread)(&raw mut level) })?;
        Ok(level)
    }

    /// A communicator of the same ranks that nobody else uses, and that returns errors.
    pub(in super::super) fn duplicate(
        &self,
        communicator: Handle<A>,
    ) -> Result<Handle<A>, TransportError> {
        let mut copy = communicator;
        // SAFETY: MPI is started, and the communicator exists.
        self.check("MPI_Comm_dup", unsafe { (self.comm_dup)(communicator, &raw mut copy) })?;
        // SAFETY: as above, of the copy.
        let code = unsafe { (self.comm_set_errhandler)(copy, self.constants.errors_return) };
        self.check("MPI_Comm_set_errhandler", code)?;
        Ok(copy)
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
        self.duplicate(world)
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

    /// Sends to each rank as many bytes of `send` as its numbers say, in the order of ranks, and
    /// receives likewise.
    ///
    /// # Panics
    /// If they are more than 2 GiB in all.
    pub(in super::super) fn all_to_all(
        &self,
        (send, send_bytes): (&[u8], &[usize]),
        (receive, receive_bytes): (&mut [u8], &[usize]),
        communicator: Handle<A>,
    ) -> Result<(), TransportError> {
        let [(sent, send_starts), (received, receive_starts)] =
            [send_bytes, receive_bytes].map(counts_and_starts);
        let byte = self.constants.byte;
        // The address of an empty slice may be 1, which is Open MPI's `MPI_IN_PLACE`.
        let mut nothing = 0u8;
        let nothing = &raw mut nothing;
        let from = if send.is_empty() { nothing.cast_const() } else { send.as_ptr() };
        let to = if receive.is_empty() { nothing } else { receive.as_mut_ptr() };
        // SAFETY: the buffers have as many bytes as the counts say; the communicator exists.
        let code = unsafe {
            (self.alltoallv)(
                from.cast(),
                sent.as_ptr(),
                send_starts.as_ptr(),
                byte,
                to.cast(),
                received.as_ptr(),
                receive_starts.as_ptr(),
                byte,
                communicator,
            )
        };
        self.check("MPI_Alltoallv", code)
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

    /// Gives a communicator up.
    pub(in super::super) fn free(&self, mut communicator: Handle<A>) -> Result<(), TransportError> {
        // SAFETY: nothing is under way in the communicator, which exists.
        self.check("MPI_Comm_free", unsafe { (self.comm_free)(&raw mut communicator) })
    }

    /// Ends MPI.
    pub(in super::super) fn finalize(&self) -> Result<(), TransportError> {
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

/// The numbers as MPI wants them, and where each part begins.
fn counts_and_starts(bytes: &[usize]) -> (Vec<c_int>, Vec<c_int>) {
    let int = |bytes: usize| c_int::try_from(bytes).expect("less than 2 GiB at a time");
    let starts = bytes.iter().scan(0, |end, &bytes| Some(std::mem::replace(end, *end + bytes)));
    (bytes.iter().copied().map(int).collect(), starts.map(int).collect())
}
