//! Why there is no such cluster.

use super::MOST_NODES;
use crate::distribution::DistributionError;
use crate::platform::PlatformError;

/// Why a set of nodes is no cluster, or lacks what is asked of it.
#[derive(Debug, thiserror::Error)]
pub enum ClusterError {
    /// One of the nodes, or the file of the cluster, cannot be used.
    #[error(transparent)]
    Platform(#[from] PlatformError),
    /// A part of a set does not name nodes.
    #[error(
        "'{part}' in the set of nodes '{set}': {why}; write nodes with their counts, such as 14chetemi+7chifflet"
    )]
    Set {
        /// The set.
        set: String,
        /// The part of it.
        part: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// There are more nodes than ranks can be.
    #[error("the cluster '{name}' has {nodes} nodes: give at most {MOST_NODES}")]
    TooMany {
        /// The cluster.
        name: String,
        /// How many they are.
        nodes: usize,
    },
    /// The description of a node does not say how it reaches others.
    #[error(
        "the platform '{name}' has no network: add a line network = {{ site, bytes_per_second, latency_seconds }} to its file, or name it in the file of a cluster with bytes_per_second and latency_seconds"
    )]
    NoNetwork {
        /// Its name.
        name: String,
    },
    /// Nodes stand at several sites.
    #[error(
        "the cluster '{name}' has nodes of {first} ({first_node}) and of {other} ({other_node}): give nodes of one site"
    )]
    Sites {
        /// The cluster.
        name: String,
        /// Site of the first node.
        first: String,
        /// The first node.
        first_node: String,
        /// Another site.
        other: String,
        /// A node of that.
        other_node: String,
    },
    /// A kernel that is not listed.
    #[error(
        "there is no kernel '{name}'{}: give one of those in the page of the kernels",
        nearest.map_or(String::new(), |name| format!(" (did you mean '{name}'?)"))
    )]
    Kernel {
        /// What was asked for.
        name: String,
        /// The one that resembles it most, if any does.
        nearest: Option<&'static str>,
    },
    /// A node cannot run a kernel that it needs.
    #[error(
        "no worker of '{node}' in the cluster '{cluster}' has a time of {kernel}: add it to the file of the node"
    )]
    Unable {
        /// The cluster.
        cluster: String,
        /// The node.
        node: String,
        /// The kernel.
        kernel: &'static str,
    },
    /// There is no such distribution over its nodes.
    #[error(transparent)]
    Distribution(#[from] DistributionError),
}
