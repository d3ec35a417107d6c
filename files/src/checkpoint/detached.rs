//! What of a checkpoint is set apart: read piece by piece, each with its own digest.

use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tegula_runtime::platform::ByPosition;

use super::{CheckpointError, previous_checkpoint};
use crate::{Digest, digest_bytes};

/// What of a checkpoint is set apart. It stays readable when another file takes the place of this
/// one.
#[derive(Clone, Debug)]
pub struct DetachedData {
    file: Arc<File>,
    path: PathBuf,
    within: Range<u64>,
}

impl DetachedData {
    /// The bytes `within` the file at `path`.
    pub(super) fn new(file: Arc<File>, path: PathBuf, within: Range<u64>) -> Self {
        Self { file, path, within }
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How many bytes there are.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.within.end - self.within.start
    }

    /// Reads the piece that begins with byte `at` and fills `piece`; several threads may at once.
    ///
    /// # Errors
    /// If it cannot be read, or has not this `digest`.
    ///
    /// # Panics
    /// If it ends behind the last byte.
    pub fn read(&self, at: u64, piece: &mut [u8], digest: &Digest) -> Result<(), CheckpointError> {
        let (bytes, end) = (self.bytes(), at + piece.len() as u64);
        assert!(end <= bytes, "a piece up to byte {end} of {bytes}");
        let read = |cause| CheckpointError::Read { path: self.path.clone(), cause };
        self.file.read_exact_at(piece, self.within.start + at).map_err(read)?;
        if digest_bytes(piece) != *digest {
            let (path, before) = (self.path.clone(), previous_checkpoint(&self.path));
            return Err(match before.exists() {
                true => CheckpointError::DamagedApart { path, before },
                false => CheckpointError::Damaged { path },
            });
        }
        Ok(())
    }
}
