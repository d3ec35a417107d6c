//! Writing a file that other ranks help to fill: they have to be heard to the end, also when the
//! file fails.

use std::io::{self, Write};

/// Takes everything, and keeps the first failure for later.
pub(crate) struct DeferringWriter<'a> {
    out: &'a mut dyn Write,
    failure: Option<io::Error>,
}

impl<'a> DeferringWriter<'a> {
    /// Writes to `out`.
    pub(crate) fn new(out: &'a mut dyn Write) -> Self {
        Self { out, failure: None }
    }

    /// Whether all was written.
    ///
    /// # Errors
    /// The first failure.
    pub(crate) fn finish(self) -> io::Result<()> {
        self.failure.map_or(Ok(()), Err)
    }
}

impl Write for DeferringWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.failure.is_none() {
            self.failure = self.out.write_all(bytes).err();
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.failure.is_none() {
            self.failure = self.out.flush().err();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes three bytes.
    struct Small(Vec<u8>);

    impl Write for Small {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let taken = bytes.len().min(3 - self.0.len());
            self.0.extend(&bytes[..taken]);
            if taken == 0 { Err(io::ErrorKind::StorageFull.into()) } else { Ok(taken) }
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn what_is_written_goes_on_after_a_failure() {
        let mut small = Small(Vec::new());
        let mut out = DeferringWriter::new(&mut small);
        for _ in 0..3 {
            out.write_all(b"ab").expect("it takes all");
        }
        let failure = out.finish().expect_err("three bytes fit");
        assert_eq!(failure.kind(), io::ErrorKind::StorageFull);
        assert_eq!(small.0, b"aba");
    }
}
