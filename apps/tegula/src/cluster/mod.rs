//! The ranks of a run as the nodes of a cluster: what they can do and how they reach each other,
//! measured; and plans for them, which rank 0 makes and the others get from it.
//!
//! A plan follows from times, which differ from run to run and from rank to rank. So one rank alone
//! plans, and what it sends are owners of tiles.

mod network;
mod node;
mod nodes;
mod plan;
mod wire;

use std::sync::Arc;

use anyhow::{Context, Result};
use tegula_kernels::kernel::kernel;
use tegula_plan::platform::cluster::{ClusterNode, ClusterPlatform};
use tegula_plan::platform::{Network as Link, Node, Platform};
use tegula_runtime::platform::ClassId;

use crate::platform::measure::Pace;
use crate::ranks;
use network::measure;
pub(crate) use network::{Effort, Network};
pub(crate) use node::Needs;
pub(crate) use nodes::{
    Choice as NodesChoice, Nodes, NodesRequest, TwoMaps, nodes_distribution, read_learnt,
};
pub(crate) use plan::{AUTO, Planned, Question, is_planned, names, plan};

/// Where all ranks stand.
const SITE: &str = "ranks";

/// Relative difference of times up to which machines of the same name are alike: they share the
/// times of the one in the middle, since times that differ by chance would make each a kind of its
/// own.
const ALIKE: f64 = 0.1;

/// Whether cores of all ranks go on at the same pace, near enough; all call it.
///
/// # Errors
/// If a rank is gone.
pub(crate) fn are_alike(needs: &Needs) -> Result<bool> {
    let paces = ranks::each((1e9 * needs.pace().seconds) as u64)?;
    let (least, most) = (paces.iter().min(), paces.iter().max());
    Ok(most.zip(least).is_some_and(|(&most, &least)| most as f64 <= (1.0 + ALIKE) * least as f64))
}

/// The ranks of the run as a cluster, the nodes in the order of the ranks, this one at `pace`; on
/// rank 0 alone. All call it, while no flow runs.
///
/// # Errors
/// If a rank is gone.
fn of_ranks(needs: &Needs, pace: Pace) -> Result<Option<ClusterPlatform>> {
    let mine = needs.platform(pace)?;
    Ok(gathered(mine, Effort::QUICK, (&needs.codelets, needs.nb))?.map(|(cluster, _)| cluster))
}

/// The machines of the ranks, this one `mine`, as a cluster, with the network between them; on rank
/// 0 alone. Nodes are alike by the times of these codelets on tiles of order `nb`. All call it,
/// while no flow runs.
///
/// # Errors
/// If a rank is gone.
pub(crate) fn gathered(
    mine: Platform,
    effort: Effort,
    (codelets, nb): (&[&'static str], usize),
) -> Result<Option<(ClusterPlatform, Network)>> {
    // How it reaches the others is not known yet.
    let unknown = Link { site: SITE.to_owned(), bytes_per_second: 1.0, latency_seconds: 0.0 };
    let mine = Node { platform: mine, network: Some(unknown) };
    let texts = ranks::gather(mine.to_toml().into_bytes())?;
    let network = measure(effort)?;
    let (Some(texts), Some(network)) = (texts, network) else { return Ok(None) };
    let nodes = texts.into_iter().enumerate().map(|(rank, text)| {
        let origin = format!("the machine of rank {rank}");
        let text = String::from_utf8(text).with_context(|| origin.clone())?;
        Ok(ClusterNode::new(Node::parse(&text, &origin)?)?)
    });
    let nodes = nodes.collect::<Result<Vec<_>>>()?;
    Ok(Some((cluster(nodes, &network, (codelets, nb)), network)))
}

/// The cluster of `nodes` in `network`.
fn cluster(
    mut nodes: Vec<ClusterNode>,
    network: &Network,
    by: (&[&'static str], usize),
) -> ClusterPlatform {
    let &Network { latency_seconds, backbone_bytes_per_second, .. } = network;
    for (node, &bytes_per_second) in nodes.iter_mut().zip(&network.bytes_per_second) {
        node.network = Link { site: SITE.to_owned(), bytes_per_second, latency_seconds };
    }
    unite(&mut nodes, by);
    ClusterPlatform {
        name: SITE.to_owned(),
        nodes,
        latency_seconds,
        backbone_bytes_per_second,
        core_bytes_per_second: None,
    }
}

/// Gives nodes that are alike the times, and the link, of one of them.
fn unite(nodes: &mut [ClusterNode], by: (&[&'static str], usize)) {
    let seconds: Vec<f64> = nodes.iter().map(|node| seconds(node, by)).collect();
    let mut left: Vec<usize> = (0..nodes.len()).collect();
    let mut names: Vec<String> = Vec::new();
    while let Some(&first) = left.first() {
        let name = nodes[first].platform.name.clone();
        let machine = nodes[first].machine.clone();
        let is_named =
            |&rank: &usize| nodes[rank].platform.name == name && nodes[rank].machine == machine;
        let mut named: Vec<usize> = left.iter().copied().filter(is_named).collect();
        named.sort_by(|&a, &b| seconds[a].total_cmp(&seconds[b]));
        let middle = named[named.len() / 2];
        let most = ALIKE * seconds[middle];
        named.retain(|&rank| (seconds[rank] - seconds[middle]).abs() <= most);
        let before = names.iter().filter(|other| **other == name).count();
        let platform = Arc::get_mut(&mut nodes[middle].platform).filter(|_| before > 0);
        // Another kind under this name.
        platform.into_iter().for_each(|platform| platform.name += &format!(" ({})", before + 1));
        let of = nodes[middle].clone();
        named.iter().for_each(|&rank| nodes[rank] = of.clone());
        left.retain(|rank| !named.contains(rank));
        names.push(name);
    }
}

/// How long a core of `node` takes for these codelets, a task of each, on tiles of order `nb`.
fn seconds(node: &ClusterNode, (codelets, nb): (&[&'static str], usize)) -> f64 {
    let kernels = codelets.iter().filter_map(|name| kernel(name));
    kernels.filter_map(|kernel| node.seconds(kernel, nb, ClassId(0))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nodes of one name whose cores take so long for a product of tiles of order 100.
    fn nodes(seconds: &[f64]) -> Vec<ClusterNode> {
        let node = |seconds: &f64| {
            let flops = (kernel("gemm").expect("it is listed").double.cost)(100).flops;
            let text = format!(
                "name = \"host\"\nsource = \"test\"\n\
                 network = {{ site = \"ranks\", bytes_per_second = 1e9, latency_seconds = 0.0 }}\n\
                 memory = [{{ name = \"RAM\", kind = \"ram\" }}]\n\
                 class = [{{ name = \"core\", kind = \"cpu\" }}]\n\
                 worker = [{{ class = \"core\", memory = \"RAM\", count = 2 }}]\n\
                 kernel = [{{ codelet = \"gemm\", class = \"core\", flops = {flops}, seconds = {seconds} }}]\n"
            );
            let node = Node::parse(&text, "test").expect("a description");
            ClusterNode::new(node).expect("it has a network")
        };
        seconds.iter().map(node).collect()
    }

    #[test]
    fn times_that_differ_by_chance_are_one() {
        let mut nodes = nodes(&[1.0, 2.05, 1.04, 0.97, 2.0]);
        unite(&mut nodes, (&["gemm"], 100));
        let times: Vec<f64> = nodes.iter().map(|node| seconds(node, (&["gemm"], 100))).collect();
        let expected = [1.04, 2.05, 1.04, 1.04, 2.05];
        assert!(times.iter().zip(expected).all(|(x, y)| (x - y).abs() < 1e-6), "{times:?}");
        assert!(nodes[0].is_like(&nodes[2]) && !nodes[0].is_like(&nodes[1]));
        assert!(nodes[1].is_like(&nodes[4]));
    }
}
