//! A cluster as a file that holds its platforms, too.

use std::fmt::Write;

use tegula_runtime::platform::MemoryKind;

use super::{ClusterNode, ClusterPlatform};
use crate::platform::write::{quoted, text};

impl ClusterPlatform {
    /// The cluster as TOML, with the descriptions of its machines.
    #[must_use]
    pub fn to_toml(&self) -> String {
        let mut out = format!("name = {}\n", quoted(&self.name));
        // Writing to a string cannot fail.
        let _ = writeln!(out, "latency_seconds = {:?}", self.latency_seconds);
        for (name, rate) in [
            ("backbone_bytes_per_second", self.backbone_bytes_per_second),
            ("core_bytes_per_second", self.core_bytes_per_second),
        ] {
            let _ = rate.map(|rate| writeln!(out, "{name} = {rate:?}"));
        }
        let mut platforms: Vec<&ClusterNode> = Vec::new();
        for nodes in self.nodes.chunk_by(ClusterNode::is_like) {
            let node = &nodes[0];
            let is_same = |known: &&ClusterNode| known.platform.name == node.platform.name;
            let place = platforms.iter().position(is_same).unwrap_or_else(|| {
                platforms.push(node);
                platforms.len() - 1
            });
            let _ = write!(
                out,
                "\n[[node]]\nplatform = \"{}\"\ncount = {}\nbytes_per_second = {:?}\n",
                key(place),
                nodes.len(),
                node.network.bytes_per_second
            );
            if node.speed != 1.0 {
                let _ = writeln!(out, "speed = {:?}", node.speed);
            }
            if *node.machine != node.platform.machine {
                let _ = write!(out, "cores = {}\ndevices = {}\n", node.cores(), devices_on(node));
            }
        }
        for (place, node) in platforms.into_iter().enumerate() {
            let network = &node.network;
            let _ =
                write!(out, "\n[platform.{}]\n{}", key(place), text(&node.platform, Some(network)));
        }
        out
    }
}

/// How many devices of `node` compute.
fn devices_on(node: &ClusterNode) -> usize {
    let machine = &node.machine;
    let is_on = |memory: usize| machine.workers.iter().any(|worker| worker.memory.0 == memory);
    let memories = machine.memories.iter().enumerate();
    memories.filter(|(number, of)| of.kind == MemoryKind::Device && is_on(*number)).count()
}

/// What a platform of the file is called there.
fn key(place: usize) -> String {
    format!("kind-{}", place + 1)
}
