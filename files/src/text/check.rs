//! Bytes on their way to whoever reads a text: none of them may be zero.

use std::io::{self, Read};

use super::{TextFault, count_lines};

/// A reader that refuses bytes which are zero.
pub(super) struct Checked<R> {
    inner: R,
    /// Line ends so far.
    lines: u64,
}

impl<R> Checked<R> {
    pub(super) fn new(inner: R) -> Self {
        Self { inner, lines: 0 }
    }
}

impl<R: Read> Read for Checked<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(out)?;
        let bytes = &out[..count];
        if let Some(at) = bytes.iter().position(|&byte| byte == 0) {
            let line = self.lines + count_lines(&bytes[..at]) + 1;
            return Err(TextFault::Nul { line }.into());
        }
        self.lines += count_lines(bytes);
        Ok(count)
    }
}
