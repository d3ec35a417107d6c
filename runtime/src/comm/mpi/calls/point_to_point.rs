//! Calls of point-to-point communication, and about its requests.

use std::ffi::c_int;

use super::super::abi::{Abi, SUCCESS, Status};
use super::super::transport::Segment;
use super::{Calls, Handle};
use crate::comm::TransportError;

impl<A: Abi> Calls<A> {
    /// Starts to send.
    ///
    /// # Safety
    /// Nobody writes its memory until the request is complete.
    pub(in super::super) unsafe fn isend(
        &self,
        segment: Segment,
        to: c_int,
        communicator: Handle<A>,
    ) -> Result<Handle<A>, TransportError> {
        let Segment { memory, bytes, tag } = segment;
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
    /// Nobody touches its memory until the request is complete.
    pub(in super::super) unsafe fn irecv(
        &self,
        segment: Segment,
        communicator: Handle<A>,
    ) -> Result<Handle<A>, TransportError> {
        let Segment { memory, bytes, tag } = segment;
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
    pub(in super::super) fn test(
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
    pub(in super::super) fn test_some(
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
    pub(in super::super) fn bytes(&self, status: &A::Status) -> Result<usize, TransportError> {
        let mut bytes = 0;
        // SAFETY: the status came from this library.
        let code = unsafe { (self.get_count)(status, self.constants.byte, &raw mut bytes) };
        self.check("MPI_Get_count", code)?;
        Ok(usize::try_from(bytes).unwrap_or(0))
    }

    /// Takes a receive back, or lets it end if a message has come.
    pub(in super::super) fn take_back(
        &self,
        request: &mut Handle<A>,
    ) -> Result<(), TransportError> {
        let mut status = A::Status::default();
        // SAFETY: the request came from this library and is not complete.
        self.check("MPI_Cancel", unsafe { (self.cancel)(request) })?;
        // SAFETY: as above.
        self.check("MPI_Wait", unsafe { (self.wait)(request, &raw mut status) })
    }
}
