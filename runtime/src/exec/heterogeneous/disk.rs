//! The scratch file: what does not fit the RAM lies in it, read and written by position.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io;
#[cfg(target_os = "linux")]
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::memory::rounded;
use crate::platform::ByPosition;
use crate::types::HandleId;

/// The scratch file cannot be used.
#[derive(Clone, Debug, thiserror::Error)]
#[error("cannot {action} {bytes} bytes of the scratch file in {}: {source}", folder.display())]
pub struct ScratchError {
    action: &'static str,
    bytes: usize,
    folder: PathBuf,
    source: Arc<io::Error>,
}

/// The scratch file. It has no name, so that the system takes it away with the process.
pub(super) struct Disk {
    folder: PathBuf,
    file: Result<File, Arc<io::Error>>,
    places: Mutex<Places>,
}

#[derive(Default)]
struct Places {
    /// Offset and size of each handle's place.
    of: HashMap<HandleId, (u64, usize)>,
    /// Free places by size.
    free: BTreeMap<usize, Vec<u64>>,
    end: u64,
}

impl Disk {
    pub(super) fn new(folder: &Path) -> Self {
        let file = tempfile::tempfile_in(folder).map_err(Arc::new);
        Self { folder: folder.to_owned(), file, places: Mutex::default() }
    }

    /// Finds a place for `handle`.
    pub(super) fn allocate(&self, handle: HandleId, bytes: usize) {
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        let size = rounded(bytes).next_multiple_of(4096);
        let free = places.free.get_mut(&size).and_then(Vec::pop);
        let offset = free.unwrap_or_else(|| {
            places.end += size as u64;
            places.end - size as u64
        });
        places.of.insert(handle, (offset, size));
    }

    /// Gives the place of `handle` back.
    pub(super) fn free(&self, handle: HandleId) {
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((offset, size)) = places.of.remove(&handle) {
            places.free.entry(size).or_default().push(offset);
        }
    }

    /// Gives the room of the place of `handle` back to the system, if that can be; the place stays.
    pub(super) fn empty(&self, handle: HandleId) {
        let places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        if let (Some(&place), Ok(file)) = (places.of.get(&handle), &self.file) {
            punch(file, place);
        }
    }

    pub(super) fn read(&self, handle: HandleId, into: &mut [u8]) -> Result<(), ScratchError> {
        let offset = self.offset(handle);
        let bytes = into.len();
        self.file()
            .and_then(|file| file.read_exact_at(into, offset).map_err(Arc::new))
            .map_err(|source| self.error("read", bytes, source))
    }

    pub(super) fn write(&self, handle: HandleId, from: &[u8]) -> Result<(), ScratchError> {
        let offset = self.offset(handle);
        self.file()
            .and_then(|file| file.write_all_at(from, offset).map_err(Arc::new))
            .map_err(|source| self.error("write", from.len(), source))
    }

    fn file(&self) -> Result<&File, Arc<io::Error>> {
        self.file.as_ref().map_err(Arc::clone)
    }

    fn offset(&self, handle: HandleId) -> u64 {
        let places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        places.of.get(&handle).expect("the handle has a place on disk").0
    }

    fn error(&self, action: &'static str, bytes: usize, source: Arc<io::Error>) -> ScratchError {
        ScratchError { action, bytes, folder: self.folder.clone(), source }
    }
}

/// Gives so many bytes from `offset` on back to the system. Where that cannot be done the room
/// stays taken.
#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
fn punch(file: &File, (offset, bytes): (u64, usize)) {
    let how = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
    // SAFETY: a call to the system with numbers alone, of a file that is open.
    unsafe { libc::fallocate(file.as_raw_fd(), how, offset as i64, bytes as i64) };
}

/// The room stays taken.
#[cfg(not(target_os = "linux"))]
fn punch(_file: &File, _place: (u64, usize)) {}
