//! Clusters as files: sets of nodes that may differ from what their platforms say.

use std::path::Path;

use serde::Deserialize;
use toml::Spanned;

use super::{ClusterError, ClusterNode, ClusterPlatform, MOST_NODES};
use crate::platform::error::Text;
use crate::platform::read::{BYTE_RATES, DELAYS, Reader, SPEEDS};
use crate::platform::{Network, Node, PLATFORMS, PlatformError};

/// A description of a cluster.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    name: String,
    latency_seconds: Option<Spanned<f64>>,
    backbone_bytes_per_second: Option<Spanned<f64>>,
    core_bytes_per_second: Option<Spanned<f64>>,
    node: Vec<Spanned<NodePart>>,
    /// Descriptions of machines, by the names that nodes have for them.
    #[serde(default)]
    platform: toml::Table,
}

/// Nodes that are alike.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct NodePart {
    platform: String,
    count: Option<usize>,
    cores: Option<usize>,
    speed: Option<f64>,
    bytes_per_second: Option<f64>,
    devices: Option<usize>,
}

/// Whether `text` describes a cluster, and not one node. With a mistake in it, it is what its
/// headings say, so that the mistake is told and not what nodes have other fields for.
pub(super) fn is_cluster(text: &str) -> bool {
    match text.parse::<toml::Table>() {
        Ok(table) => table.contains_key("node"),
        Err(_) => text.lines().any(|line| line.trim_start().starts_with("[[node]]")),
    }
}

/// The cluster that `text` describes; files of nodes are looked for in `folder`.
pub(super) fn parse(text: Text<'_>, folder: &Path) -> Result<ClusterPlatform, ClusterError> {
    let file: File = text.parse()?;
    if file.node.is_empty() {
        return Err(text.wrong(0, "no nodes; add [[node]] with platform and count").into());
    }
    let reader = Reader { text };
    let latency = match &file.latency_seconds {
        Some(latency) => {
            Some(reader.within(latency, "latency_seconds", *latency.get_ref(), &DELAYS)?)
        }
        None => None,
    };
    let site = Site { name: &file.name, latency_seconds: latency };
    let known = Known { folder, inside: &file.platform };
    let nodes = file.node.iter().map(|part| nodes(&reader, part, &known, &site));
    let nodes = nodes.collect::<Result<Vec<_>, ClusterError>>()?;
    let mut cluster = ClusterPlatform::new(file.name, nodes)?;
    cluster.latency_seconds = latency.unwrap_or(cluster.latency_seconds);
    let rate = |name, rate: &Option<Spanned<f64>>| {
        rate.as_ref()
            .map(|rate| reader.within(rate, name, *rate.get_ref(), &BYTE_RATES))
            .transpose()
    };
    cluster.backbone_bytes_per_second =
        rate("backbone_bytes_per_second", &file.backbone_bytes_per_second)?;
    cluster.core_bytes_per_second = rate("core_bytes_per_second", &file.core_bytes_per_second)?;
    Ok(cluster)
}

/// What the file says of the network of nodes whose own files say nothing of it.
struct Site<'a> {
    name: &'a str,
    latency_seconds: Option<f64>,
}

impl Site<'_> {
    /// `node` in the network of the file, if it has none of its own and the file says enough.
    fn place(&self, node: &mut Node, bytes_per_second: Option<f64>) {
        if let (None, Some(latency_seconds), Some(bytes_per_second)) =
            (&node.network, self.latency_seconds, bytes_per_second)
        {
            let site = self.name.to_owned();
            node.network = Some(Network { site, bytes_per_second, latency_seconds });
        }
    }
}

/// Where descriptions of machines are.
struct Known<'a> {
    folder: &'a Path,
    inside: &'a toml::Table,
}

impl Known<'_> {
    /// The machine called `name`: one of the file, one that comes with the program, or a file.
    fn find(&self, name: &str, origin: &str) -> Result<Node, PlatformError> {
        if let Some(inside) = self.inside.get(name) {
            let text = toml::to_string(inside).unwrap_or_default();
            return Node::parse(&text, &format!("{origin}, [platform.{name}]"));
        }
        let is_listed = PLATFORMS.iter().any(|listed| listed.name == name);
        match self.folder.join(name) {
            path if !is_listed && path.is_file() => Node::read(&path),
            _ => Node::find(name),
        }
    }
}

fn nodes(
    reader: &Reader<'_>,
    part: &Spanned<NodePart>,
    known: &Known<'_>,
    site: &Site<'_>,
) -> Result<(usize, ClusterNode), ClusterError> {
    let NodePart { platform, count, cores, speed, bytes_per_second, devices } = part.get_ref();
    let mut node = known.find(platform, reader.text.origin)?;
    site.place(&mut node, *bytes_per_second);
    let mut node = ClusterNode::new(node)?;
    if let Some(cores) = *cores {
        let there = node.cores();
        if cores > there {
            let why = format_args!("cores is {cores}; a {platform} has {there}");
            return Ok(reader.wrong(part, why)?);
        }
        node.keep_cores(cores);
    }
    if let Some(speed) = speed {
        node.speed = reader.within(part, "speed", *speed, &SPEEDS)?;
    }
    if let Some(rate) = bytes_per_second {
        node.network.bytes_per_second =
            reader.within(part, "bytes_per_second", *rate, &BYTE_RATES)?;
    }
    if let Some(devices) = *devices {
        let there = node.devices();
        if devices > there {
            let why = format_args!("devices is {devices}; a {platform} has {there}");
            return Ok(reader.wrong(part, why)?);
        }
        node.keep_devices(devices);
    }
    if node.machine.workers.is_empty() {
        return Ok(reader.wrong(part, "neither cores nor devices are left; nothing computes")?);
    }
    Ok((reader.counted(part, "count", count.unwrap_or(1), MOST_NODES)?, node))
}
