//! Connections that never block, and waiting for them.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::os::fd::RawFd;
use std::time::Duration;

use super::message::{Message, ReceiveBuffer};

/// A connection with what has come and not been read, and what is to be sent.
#[derive(Debug)]
pub(super) struct Wire {
    pub(super) stream: TcpStream,
    inbox: ReceiveBuffer,
    outbox: Vec<u8>,
}

impl Wire {
    /// Takes over a connection, over which `inbox` has come.
    pub(super) fn new(stream: TcpStream, inbox: ReceiveBuffer) -> io::Result<Self> {
        stream.set_nonblocking(true)?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, inbox, outbox: Vec::new() })
    }

    /// Whether something waits to be sent.
    pub(super) fn has_more(&self) -> bool {
        !self.outbox.is_empty()
    }

    /// Reads what has come; says whether the connection is still open and makes sense.
    pub(super) fn read(&mut self, mut hear: impl FnMut(Message)) -> bool {
        let mut bytes = [0; 4096];
        loop {
            loop {
                match self.inbox.next() {
                    Ok(Some(message)) => hear(message),
                    Ok(None) => break,
                    Err(_) => return false,
                }
            }
            match self.stream.read(&mut bytes) {
                Ok(0) => return false,
                Ok(count) => self.inbox.push(&bytes[..count]),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return true,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return false,
            }
        }
    }

    /// Puts a message into the queue.
    pub(super) fn push(&mut self, message: &Message) {
        message.write(&mut self.outbox);
    }

    /// Sends what can be sent now. A connection that has failed forgets its queue; reading tells.
    pub(super) fn flush(&mut self) {
        while !self.outbox.is_empty() {
            match self.stream.write(&self.outbox) {
                Ok(count) => drop(self.outbox.drain(..count)),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(_) => self.outbox.clear(),
            }
        }
    }
}

/// The other end has closed a connection, or will send no more; its end, too, where there is none.
#[cfg(target_os = "linux")]
const HANG_UP: libc::c_short = libc::POLLRDHUP;
#[cfg(not(target_os = "linux"))]
const HANG_UP: libc::c_short = libc::POLLHUP;

/// Whether the other end of a connection that was waited for has hung up.
pub(super) fn has_hung_up(file: &libc::pollfd) -> bool {
    file.revents & (HANG_UP | libc::POLLHUP | libc::POLLERR) != 0
}

/// A file to wait for.
pub(super) fn awaited(file: RawFd, also_to_write: bool) -> libc::pollfd {
    let events = libc::POLLIN | HANG_UP | if also_to_write { libc::POLLOUT } else { 0 };
    libc::pollfd { fd: file, events, revents: 0 }
}

/// Waits until one of `files` is ready, or `limit` has passed.
#[allow(unsafe_code)]
pub(super) fn wait(files: &mut [libc::pollfd], limit: Duration) -> io::Result<()> {
    // Rounded up, so that a wait is never shorter than what is left to wait.
    let limit = limit.as_micros().div_ceil(1000).min(60_000) as libc::c_int;
    // SAFETY: the pointer and the length are those of one slice.
    let status = unsafe { libc::poll(files.as_mut_ptr(), files.len() as libc::nfds_t, limit) };
    match status {
        0.. => Ok(()),
        _ => match io::Error::last_os_error() {
            error if error.kind() == io::ErrorKind::Interrupted => Ok(()),
            error => Err(error),
        },
    }
}
