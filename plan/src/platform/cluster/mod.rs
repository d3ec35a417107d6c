//! Clusters: nodes of one site, alike or not, and the network between them.
//!
//! The rank of a node is its place in the set as it is written: in `14chetemi+7chifflet` ranks 0 to
//! 13 are the chetemis.

mod error;
mod file;
mod node;
mod pool;
mod powers;
mod set;
mod write;

use std::path::Path;

use tegula_runtime::sched::Policy;
use tegula_runtime::sim::{ClusterOptions, NodeOptions};

pub use error::ClusterError;
pub use node::ClusterNode;
pub use pool::Sorted;
pub(crate) use powers::kernels;

use super::error::Text;
use super::{Node, read_text};

/// Most nodes of a cluster.
const MOST_NODES: usize = u16::MAX as usize;

/// A cluster: one node for each rank, and their network.
#[derive(Clone, Debug)]
pub struct ClusterPlatform {
    /// Its name, or the set of nodes as it was written.
    pub name: String,
    /// The nodes, by rank.
    pub nodes: Vec<ClusterNode>,
    /// Time from one node to another before the first byte, in seconds.
    pub latency_seconds: f64,
    /// Bytes per second of all that nodes send each other together; none: no limit.
    pub backbone_bytes_per_second: Option<f64>,
    /// Bytes per second that a core sends or receives, away from its tasks; none: adapters do.
    pub core_bytes_per_second: Option<f64>,
}

impl ClusterPlatform {
    /// Whether `name` names several nodes, or the file of a cluster, and not one platform alone.
    #[must_use]
    pub fn is_named_by(name: impl AsRef<Path>) -> bool {
        let path = name.as_ref();
        let text = path.to_string_lossy();
        if path.is_file() {
            return read_text(path).is_ok_and(|text| file::is_cluster(&text));
        }
        let is_path = text.contains(['/', '.']);
        !is_path && (text.contains('+') || text.starts_with(|first: char| first.is_ascii_digit()))
    }

    /// The cluster that `name` names: a set of nodes such as `14chetemi+7chifflet`, or a file that
    /// describes a cluster or a single node.
    ///
    /// # Errors
    /// If it is neither, a file is wrong somewhere, or the nodes do not stand at one site.
    pub fn find(name: impl AsRef<Path>) -> Result<Self, ClusterError> {
        let path = name.as_ref();
        if path.is_file() {
            return Self::read(path);
        }
        let text = path.to_string_lossy();
        Self::new(text.to_string(), set::parse(&text)?)
    }

    /// The cluster that the file `path` describes, which may also describe a single node.
    ///
    /// # Errors
    /// If the file cannot be read, is wrong somewhere, or the nodes do not stand at one site.
    pub fn read(path: &Path) -> Result<Self, ClusterError> {
        let text = read_text(path)?;
        let text = Text { origin: &path.display().to_string(), text: &text };
        if file::is_cluster(text.text) {
            return file::parse(text, path.parent().unwrap_or(Path::new(".")));
        }
        let node = ClusterNode::new(Node::parse(text.text, text.origin)?)?;
        Self::new(node.platform.name.clone(), vec![(1, node)])
    }

    /// So many of each of `nodes`, in this order, with the longest of their latencies.
    ///
    /// # Errors
    /// If they stand at several sites, or are too many.
    ///
    /// # Panics
    /// If there are none.
    pub fn new(name: String, nodes: Vec<(usize, ClusterNode)>) -> Result<Self, ClusterError> {
        let count = nodes.iter().map(|(count, _)| count).sum();
        if count > MOST_NODES {
            return Err(ClusterError::TooMany { name, nodes: count });
        }
        let first = &nodes[0].1;
        let is_elsewhere = |node: &ClusterNode| node.network.site != first.network.site;
        if let Some((_, other)) = nodes.iter().find(|(_, node)| is_elsewhere(node)) {
            return Err(ClusterError::Sites {
                name,
                first: first.network.site.clone(),
                first_node: first.platform.name.clone(),
                other: other.network.site.clone(),
                other_node: other.platform.name.clone(),
            });
        }
        let latencies = nodes.iter().map(|(_, node)| node.network.latency_seconds);
        let latency_seconds = latencies.fold(0.0, f64::max);
        let nodes = nodes.into_iter();
        let nodes = nodes.flat_map(|(count, node)| std::iter::repeat_n(node, count)).collect();
        let (backbone_bytes_per_second, core_bytes_per_second) = (None, None);
        Ok(Self { name, nodes, latency_seconds, backbone_bytes_per_second, core_bytes_per_second })
    }

    /// Its nodes as they are simulated, by rank.
    #[must_use]
    pub fn node_options(&self) -> Vec<NodeOptions> {
        self.nodes.iter().map(ClusterNode::options).collect()
    }

    /// The cluster as it is simulated under `policy`; see [`ClusterOptions::new`].
    #[must_use]
    pub fn options(&self, policy: &'static Policy) -> ClusterOptions {
        ClusterOptions {
            backbone_bytes_per_second: self.backbone_bytes_per_second,
            core_bytes_per_second: self.core_bytes_per_second,
            counts_buffers: self.nodes.iter().any(|node| node.platform.ram_bytes.is_some()),
            ..ClusterOptions::new(self.node_options(), self.latency_seconds, policy)
        }
    }
}

#[cfg(test)]
mod tests;
