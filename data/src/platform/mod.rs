//! Machines as files: memories, links, workers and how long kernels take, in TOML that a person
//! can read and compare; and what was learnt of this machine.

mod error;
mod file;
mod kernels;
mod learnt;
mod read;
mod write;

use std::fs;
use std::path::Path;

use tegula_kernels::scalar::Precision;
use tegula_runtime::platform::{Machine, Models, WorkerKind};

pub use error::PlatformError;
pub use learnt::{Fingerprint, Learnt, LearntFile, read_learnt, write_learnt};

use crate::format::{FillError, WriteError, nearest_name, write_atomically};
use error::Text;

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
}

/// A platform that comes with the program.
#[derive(Clone, Copy, Debug)]
pub struct Listed {
    /// Its name.
    pub name: &'static str,
    /// What it is, and what its times are of.
    pub summary: &'static str,
    /// Its description, in TOML.
    pub text: &'static str,
}

/// The platforms that come with the program, from `data/platforms`.
pub const PLATFORMS: &[Listed] = &[
    Listed {
        name: "mirage",
        summary: "9 cores and 3 Tesla M2070; measured times of Cholesky",
        text: include_str!("../../platforms/mirage.toml"),
    },
    Listed {
        name: "mirage-lu",
        summary: "the same; measured times of LU",
        text: include_str!("../../platforms/mirage-lu.toml"),
    },
    Listed {
        name: "gemini-v100-1",
        summary: "one of the 8 Tesla V100 of gemini-1; assumed times",
        text: include_str!("../../platforms/gemini-v100-1.toml"),
    },
    Listed {
        name: "gemini-v100-2",
        summary: "two of them, under one switch; assumed times",
        text: include_str!("../../platforms/gemini-v100-2.toml"),
    },
    Listed {
        name: "gemini-v100-4",
        summary: "the four of one NUMA node; assumed times",
        text: include_str!("../../platforms/gemini-v100-4.toml"),
    },
];

impl Platform {
    /// The platform that `name` names: one of [`PLATFORMS`], or else a file.
    ///
    /// # Errors
    /// If it is neither, or the file is wrong somewhere.
    pub fn find(name: &str) -> Result<Self, PlatformError> {
        if let Some(listed) = PLATFORMS.iter().find(|listed| listed.name == name) {
            return Self::parse(listed.text, listed.name);
        }
        let path = Path::new(name);
        let is_name = !path.exists() && path.components().count() == 1 && !name.contains('.');
        if is_name {
            let listed: Vec<&str> = PLATFORMS.iter().map(|listed| listed.name).collect();
            let nearest = nearest_name(name, listed.iter().copied()).map(str::to_owned);
            return Err(PlatformError::Unknown { name: name.to_owned(), nearest, listed });
        }
        Self::read(path)
    }

    /// The platform that the file `path` describes.
    ///
    /// # Errors
    /// If the file cannot be read, or is wrong somewhere.
    pub fn read(path: &Path) -> Result<Self, PlatformError> {
        let text = fs::read_to_string(path)
            .map_err(|cause| PlatformError::Read { path: path.to_owned(), cause })?;
        Self::parse(&text, &path.display().to_string())
    }

    /// The platform that `text` describes, which comes from `origin`.
    ///
    /// # Errors
    /// If something in it is wrong: the origin, the line, the field and what to do.
    pub fn parse(text: &str, origin: &str) -> Result<Self, PlatformError> {
        let text = Text { origin, text };
        if learnt::is_learnt(text.text) {
            return Err(text.wrong(0, "these are times that runs have learnt, and no machine"));
        }
        read::platform(text)
    }

    /// The platform as TOML. Times are written to nine digits, and workers bear the names that
    /// [`parse`](Self::parse) gives them.
    #[must_use]
    pub fn to_toml(&self) -> String {
        write::text(self)
    }

    /// Writes the platform to the file `path`, all of it or nothing.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), PlatformError> {
        write_text(path, &self.to_toml())
    }
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
