//! What is checked before anything else in a file is believed: the signature, and that the file was
//! not cut short.

use std::fs::{File, Metadata};
use std::path::Path;
use std::time::SystemTime;

use tegula_runtime::platform::{ByPosition, file_identity};

use crate::source::SourceError;

const SIGNATURE: &[u8; 8] = b"\x89HDF\r\n\x1a\n";
/// Longest superblock whose fields are read here.
const SUPERBLOCK: usize = 80;
/// In version 3: a program has the file open for writing, or ended without closing it.
const OPEN_FOR_WRITING: u8 = 1;

/// What a file was when it was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fingerprint {
    length: u64,
    modified: Option<SystemTime>,
    /// Which of the files of this machine it is, where the system tells.
    identity: Option<(u64, u64)>,
}

impl Fingerprint {
    /// That of the file that this is `about`.
    pub(super) fn of(about: &Metadata) -> Self {
        Self {
            length: about.len(),
            modified: about.modified().ok(),
            identity: file_identity(about),
        }
    }
}

/// Where a file begins, and where its root group stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Superblock {
    /// What addresses count from.
    pub(super) base: u64,
    /// Address of the header of the root group; none if addresses have not eight bytes.
    pub(super) root: Option<u64>,
    /// Bytes of the file.
    pub(super) length: u64,
}

/// Opens `path` and checks its superblock.
///
/// # Errors
/// If the file cannot be read, is no HDF5 file, or is shorter than its superblock says.
pub(super) fn open(path: &Path) -> Result<(File, Fingerprint, Superblock), SourceError> {
    let failed = |cause| SourceError::read(path, cause);
    let file = File::open(path).map_err(failed)?;
    let about = file.metadata().map_err(failed)?;
    if !about.is_file() {
        return Err(SourceError::invalid(path, "this is no file on disk; name an HDF5 file"));
    }
    let (length, fingerprint) = (about.len(), Fingerprint::of(&about));
    let mut at = 0;
    loop {
        let mut start = [0; SUPERBLOCK];
        let count = SUPERBLOCK.min(length.saturating_sub(at) as usize);
        file.read_exact_at(&mut start[..count], at).map_err(failed)?;
        if count > SIGNATURE.len() && start.starts_with(SIGNATURE) {
            let superblock =
                read(&start, at, length).map_err(|reason| SourceError::invalid(path, reason))?;
            return Ok((file, fingerprint, superblock));
        }
        // The format allows something else before: 512 bytes, or a power of two times as many.
        at = if at == 0 { 512 } else { at * 2 };
        if at >= length {
            let reason = "this is no HDF5 file: it does not begin with \\x89HDF";
            return Err(SourceError::invalid(path, reason));
        }
    }
}

/// Reads the superblock `start`, which stands at byte `at` of a file of `length` bytes.
fn read(start: &[u8; SUPERBLOCK], at: u64, length: u64) -> Result<Superblock, String> {
    let version = start[8];
    let (width, addresses) = match version {
        0 => (start[13], 24),
        1 => (start[13], 28),
        2 | 3 => (start[9], 12),
        _ => return Err(format!("its superblock is of version {version}; 0 to 3 can be read")),
    };
    let width = usize::from(width);
    if ![2, 4, 8].contains(&width) {
        return Err(format!("its superblock is damaged: addresses of {width} bytes"));
    }
    if version == 3 && start[11] & OPEN_FOR_WRITING != 0 {
        return Err("it is being written, or the program that wrote it ended without closing it; \
                    close it, or run h5clear -s on it"
            .to_owned());
    }
    // Base, a second address, end of file, and in versions 2 and 3 the root group.
    let address = |index: usize| {
        let mut bytes = [0; 8];
        let from = addresses + index * width;
        bytes[..width].copy_from_slice(&start[from..from + width]);
        u64::from_le_bytes(bytes)
    };
    let end = address(2);
    if length < end {
        return Err(format!(
            "it was cut short: {length} bytes of {end} are there; copy or download it again"
        ));
    }
    // Versions 0 and 1 go on with the address of driver information and with the root's entry,
    // whose second field it is.
    let root = if version < 2 { address(5) } else { address(3) };
    let base = if address(0) == 0 { at } else { address(0) };
    Ok(Superblock { base, root: (width == 8).then_some(root), length })
}

/// Opens `path` again.
///
/// # Errors
/// If it is another file than at first.
pub(super) fn reopen(path: &Path, before: Fingerprint) -> Result<File, SourceError> {
    let (file, now, _) = open(path)?;
    if now != before {
        return Err(SourceError::invalid(path, "it changed while it was in use; run again"));
    }
    Ok(file)
}
