//! Machines as files: memories, links, workers and how long kernels take, in TOML that a person
//! can read and compare; clusters of them; and what was learnt of this machine.

mod built_in;
pub mod cluster;
mod error;
mod file;
mod kernels;
mod learnt;
mod node;
mod power;
mod read;
mod reading;
mod write;

use std::path::Path;

use tegula_kernels::scalar::Precision;
use tegula_runtime::platform::{Machine, Models, WorkerKind};

pub use built_in::{PLATFORMS, PlatformEntry};
pub use error::PlatformError;
pub use learnt::{Fingerprint, Learnt, LearntFile, read_learnt, write_learnt};
pub use node::{Network, Node};
pub use power::Power;
pub use reading::{READ, set_reading};

use tegula_files::text::read_whole;
use tegula_files::{FillError, WriteError, write_atomically};

/// Bytes that the description of a machine may have.
const MOST_BYTES: u64 = 4 << 20;

/// A machine with its models.
#[derive(Debug)]
pub struct Platform {
    /// Its name.
    pub name: String,
    /// Where its numbers come from.
    pub source: String,
    /// Of which precision the times of its kernels are, if all are of one.
    pub precision: Option<Precision>,
    /// Memories, links, workers.
    pub machine: Machine,
    /// How long kernels take on the classes of its workers.
    pub models: Models,
    /// What it draws, if that is known.
    pub power: Option<Power>,
    /// Bytes of its RAM, if that is known: what must fit there.
    pub ram_bytes: Option<u64>,
}

impl Platform {
    /// The platform that `name` names: one of [`PLATFORMS`], or else a file.
    ///
    /// # Errors
    /// If it is neither, or the file is wrong somewhere.
    pub fn find(name: impl AsRef<Path>) -> Result<Self, PlatformError> {
        Node::find(name).map(|node| node.platform)
    }

    /// The platform that the file `path` describes.
    ///
    /// # Errors
    /// If the file cannot be read, or is wrong somewhere.
    pub fn read(path: &Path) -> Result<Self, PlatformError> {
        Node::read(path).map(|node| node.platform)
    }

    /// The platform that `text` describes, which comes from `origin`.
    ///
    /// # Errors
    /// If something in it is wrong: the origin, the line, the field and what to do.
    pub fn parse(text: &str, origin: &str) -> Result<Self, PlatformError> {
        Node::parse(text, origin).map(|node| node.platform)
    }

    /// The platform as TOML. Times are written to nine digits, and workers bear the names that
    /// [`parse`](Self::parse) gives them.
    #[must_use]
    pub fn to_toml(&self) -> String {
        write::text(self, None)
    }

    /// Writes the platform to the file `path`, all of it or nothing.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), PlatformError> {
        write_text(path, &self.to_toml())
    }
}

/// All of the file `path`.
fn read_text(path: &Path) -> Result<String, PlatformError> {
    read_whole(path, MOST_BYTES)
        .map_err(|cause| PlatformError::Read { path: path.to_owned(), cause })
}

/// Writes `text` to the file `path`, all of it or nothing.
fn write_text(path: &Path, text: &str) -> Result<(), PlatformError> {
    write_atomically::<WriteError>(path, |out| {
        out.write_all(text.as_bytes()).map_err(FillError::File)
    })?;
    Ok(())
}

/// Tasks whose data a worker of this kind holds at once, where a file does not say: a core has no
/// memory to fill ahead; an accelerator needs some tasks in advance to hide its transfers.
fn default_pipeline(kind: WorkerKind) -> usize {
    match kind {
        WorkerKind::Cpu => 1,
        WorkerKind::Emulated => 2,
        WorkerKind::Cuda => 5,
    }
}
