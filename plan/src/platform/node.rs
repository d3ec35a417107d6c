//! A machine as a node of clusters: with the network that it stands in.

use std::path::Path;

use super::error::{PlatformError, Text};
use super::{PLATFORMS, Platform, learnt, read, read_text, write};
use tegula_files::nearest_name;

/// The network of a node: how it reaches the others of its site.
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    /// The nodes of one site can be one cluster.
    pub site: String,
    /// Bytes per second that leave the node, while as many come to it.
    pub bytes_per_second: f64,
    /// Time from it to another node before the first byte, in seconds.
    pub latency_seconds: f64,
}

/// A machine with the network that it stands in.
#[derive(Debug)]
pub struct Node {
    /// The machine.
    pub platform: Platform,
    /// Its network, if its description has one.
    pub network: Option<Network>,
}

impl Node {
    /// The node that `name` names: one of [`PLATFORMS`], or else a file.
    ///
    /// # Errors
    /// If it is neither, or the file is wrong somewhere.
    pub fn find(name: impl AsRef<Path>) -> Result<Self, PlatformError> {
        let path = name.as_ref();
        let name = &*path.to_string_lossy();
        if let Some(listed) = PLATFORMS.iter().find(|listed| listed.name == name) {
            return Self::parse(listed.text, listed.name);
        }
        let is_name = !path.exists() && path.components().count() == 1 && !name.contains('.');
        if is_name {
            let listed: Vec<&str> = PLATFORMS.iter().map(|listed| listed.name).collect();
            let nearest = nearest_name(name, listed.iter().copied()).map(str::to_owned);
            return Err(PlatformError::Unknown { name: name.to_owned(), nearest, listed });
        }
        Self::read(path)
    }

    /// The node that the file `path` describes.
    ///
    /// # Errors
    /// If the file cannot be read, or is wrong somewhere.
    pub fn read(path: &Path) -> Result<Self, PlatformError> {
        let text = read_text(path)?;
        Self::parse(&text, &path.display().to_string())
    }

    /// The node that `text` describes, which comes from `origin`.
    ///
    /// # Errors
    /// If something in it is wrong: the origin, the line, the field and what to do.
    pub fn parse(text: &str, origin: &str) -> Result<Self, PlatformError> {
        let text = Text { origin, text };
        if learnt::is_learnt(text.text) {
            return Err(text.wrong(0, "these are times that runs have learnt, and no machine"));
        }
        read::node(text)
    }

    /// The node as TOML, as [`Platform::to_toml`] writes its machine.
    #[must_use]
    pub fn to_toml(&self) -> String {
        write::text(&self.platform, self.network.as_ref())
    }
}
