//! What systems say of files in words of their own: reading and writing by position, which file of
//! the machine one is.

use std::fs::Metadata;

/// Device and number of the file that this is `about`, by which it is told from all others of the
/// machine, whatever paths lead to it; `None` where the system does not tell.
#[cfg(unix)]
#[must_use]
pub fn file_identity(about: &Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;

    Some((about.dev(), about.ino()))
}

/// Device and number of the file that this is `about`: the system does not tell.
#[cfg(not(unix))]
#[must_use]
pub fn file_identity(_about: &Metadata) -> Option<(u64, u64)> {
    None
}

/// Files that are read and written at an offset, by several threads at once.
#[cfg(unix)]
pub use std::os::unix::fs::FileExt as ByPosition;

/// Files that are read and written at an offset, by several threads at once.
#[cfg(not(unix))]
pub trait ByPosition {
    /// Reads what stands from byte `offset` on.
    ///
    /// # Errors
    /// If the file cannot be read, or ends before.
    fn read_exact_at(&self, out: &mut [u8], offset: u64) -> std::io::Result<()>;

    /// Writes from byte `offset` on.
    ///
    /// # Errors
    /// If the file cannot be written.
    fn write_all_at(&self, from: &[u8], offset: u64) -> std::io::Result<()>;
}

#[cfg(windows)]
impl ByPosition for std::fs::File {
    fn read_exact_at(&self, mut out: &mut [u8], mut offset: u64) -> std::io::Result<()> {
        use std::io::ErrorKind::{Interrupted, UnexpectedEof};
        use std::os::windows::fs::FileExt;

        while !out.is_empty() {
            match self.seek_read(out, offset) {
                Ok(0) => return Err(UnexpectedEof.into()),
                Ok(count) => {
                    out = &mut out[count..];
                    offset += count as u64;
                }
                Err(error) if error.kind() == Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn write_all_at(&self, mut from: &[u8], mut offset: u64) -> std::io::Result<()> {
        use std::io::ErrorKind::{Interrupted, WriteZero};
        use std::os::windows::fs::FileExt;

        while !from.is_empty() {
            match self.seek_write(from, offset) {
                Ok(0) => return Err(WriteZero.into()),
                Ok(count) => {
                    from = &from[count..];
                    offset += count as u64;
                }
                Err(error) if error.kind() == Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}
