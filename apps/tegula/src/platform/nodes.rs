//! The nodes of a cluster, as a table and as JSON.

use serde_json::{Value, json};
use tegula_kernels::kernel::kernel;
use tegula_plan::platform::cluster::ClusterPlatform;
use tegula_runtime::platform::ClassId;

use super::json;
use super::show::workers;
use crate::output::{Align, Console, Table, number, ranges, rate, seconds};

/// Prints the kinds of nodes of `cluster`, and how fast a worker of their first class multiplies
/// tiles of order `nb`.
pub(super) fn describe(cluster: &ClusterPlatform, nb: usize, console: &Console) {
    let mut table = Table::new(&[
        ("ranks", Align::Left),
        ("machine", Align::Left),
        ("workers", Align::Left),
        ("Gflop/s of one", Align::Right),
        ("link", Align::Right),
    ]);
    let product = kernel("gemm").expect("it is listed");
    for (first, ranks) in cluster.kinds() {
        let node = &cluster.nodes[first];
        let seconds = node.seconds(product, nb, ClassId(0));
        let gflops = seconds.map(|seconds| 1e-9 * (product.double.cost)(nb).flops / seconds);
        table.row(vec![
            ranges(&ranks),
            node.platform.name.clone(),
            workers(&node.machine),
            gflops.map_or_else(|| "-".to_owned(), |gflops| number(gflops, 3)),
            rate(node.network.bytes_per_second),
        ]);
    }
    console.field("cluster", &cluster.name);
    console.field("latency", seconds(cluster.latency_seconds));
    if let Some(limit) = cluster.backbone_bytes_per_second {
        console.field("backbone", format_args!("{}: of all messages together", rate(limit)));
    }
    console.line(format_args!("\n{table}"));
}

/// The cluster, with the machine of each kind of node.
pub(super) fn as_json(cluster: &ClusterPlatform) -> Value {
    let kinds = cluster.kinds().into_iter().map(|(first, ranks)| {
        let node = &cluster.nodes[first];
        let mut value = json::as_json(&node.platform);
        value["ranks"] = json!(ranks);
        value["speed"] = node.speed.into();
        value["network"] = json::network_json(&node.network);
        value
    });
    json!({
        "name": cluster.name,
        "kinds": kinds.collect::<Vec<_>>(),
        "latency_seconds": cluster.latency_seconds,
        "backbone_bytes_per_second": cluster.backbone_bytes_per_second,
    })
}
