//! Clusters of the nodes that come with the program, and what is printed of those.

use std::path::Path;

use tegula_kernels::kernel::kernel;
use tegula_runtime::flow::Cost;
use tegula_runtime::platform::ClassId;
use tegula_runtime::sched::POLICIES;
use tegula_runtime::sim::Cluster;

use super::super::error::Text;
use super::super::{PLATFORMS, Platform};
use super::*;
use crate::distribution::messages::lu;
use crate::distribution::{Constrained, Factorisation, OneDOneD, OwnerMap};
use tegula_tiles::Storage;

/// Order of the tiles of the thesis.
const TILE: usize = 960;

fn find(set: &str) -> ClusterPlatform {
    ClusterPlatform::find(set).unwrap_or_else(|error| panic!("{error}"))
}

fn names(cluster: &ClusterPlatform) -> Vec<&str> {
    cluster.nodes.iter().map(|node| node.platform.name.as_str()).collect()
}

/// The power in gemm of the last node beside that of the first.
fn ratio(set: &str) -> f64 {
    let powers = find(set).powers("gemm", TILE).expect("they multiply");
    let powers = powers.as_slice();
    powers[powers.len() - 1] / powers[0]
}

#[test]
fn ranks_are_in_the_order_of_the_set() {
    let cluster = find("2chetemi+chifflet + 1chifflot-v100");
    assert_eq!(names(&cluster), ["chetemi", "chetemi", "chifflet", "chifflot-v100"]);
    assert_eq!(names(&find("16chifflet+30chetemi"))[15..17], ["chifflet", "chetemi"]);
    assert_eq!(find("100chetemi").nodes.len(), 100);
    assert_eq!(names(&find("2b715-gpu-1")), ["b715-gpu-1", "b715-gpu-1"]);
}

#[test]
fn what_is_wrong_with_a_set_is_said() {
    let cases = [
        ("14chetmi", "there is no platform 'chetmi' (did you mean 'chetemi'?)"),
        ("0chetemi", "'0chetemi' in the set of nodes '0chetemi': there are 0 of it"),
        ("8chifflet+14", "'14' in the set of nodes '8chifflet+14': this names no node"),
        ("", "this names no node"),
        ("8chifflet+", "this names no node"),
        ("99999999999999999999chetemi", "these are more than 65535"),
        ("65535chetemi+1chifflet", "has 65536 nodes: give at most 65535"),
        (
            "2chetemi+3tupi",
            "nodes of Grid'5000 (chetemi) and of PCAD (tupi): give nodes of one site",
        ),
        ("4mirage", "the platform 'mirage' has no network: add a line network ="),
        ("clusters/none.toml", "cannot read the platform clusters/none.toml"),
    ];
    for (set, words) in cases {
        let error = ClusterPlatform::find(set).expect_err(set).to_string();
        assert!(error.contains(words), "{set}: {error}");
    }
}

const FILE: &str = r#"
name = "crafted"
backbone_bytes_per_second = 5e9

[[node]]
platform = "tupi"
speed = 0.75
devices = 1

[[node]]
platform = "tupi"
count = 2
bytes_per_second = 1e7
"#;

fn parse(text: &str) -> Result<ClusterPlatform, ClusterError> {
    file::parse(Text { origin: "crafted.toml", text }, Path::new("."))
}

#[test]
fn nodes_of_a_file_differ_as_it_says() {
    let cluster = parse(FILE).expect("the file is right");
    assert_eq!(names(&cluster), ["tupi"; 3]);
    assert_eq!((cluster.latency_seconds, cluster.backbone_bytes_per_second), (5e-5, Some(5e9)));
    assert_eq!(cluster.core_bytes_per_second, None, "adapters move what is sent");
    let moving = parse(&FILE.replacen("backbone", "core", 1)).expect("the file is right");
    let options = moving.options(&POLICIES[0]);
    assert_eq!(
        (options.core_bytes_per_second, options.backbone_bytes_per_second),
        (Some(5e9), None)
    );
    let options = cluster.node_options();
    let workers: Vec<usize> = options.iter().map(|node| node.machine.workers.len()).collect();
    assert_eq!(workers, [5, 6, 6]);
    let rates: Vec<f64> = options.iter().map(|node| node.receive_bytes_per_second).collect();
    assert_eq!(rates, [1.017e8, 1e7, 1e7]);
    let gemm = kernel("gemm").expect("it is listed");
    let time = |rank: usize, class| {
        options[rank].durations.nanoseconds("gemm", (gemm.double.cost)(TILE), ClassId(class))
    };
    let (slow, usual) = (time(0, 0).expect("a time"), time(1, 0).expect("a time"));
    assert!((slow as f64 * 0.75 - usual as f64).abs() < 1.0, "{slow} and {usual}");
    assert_eq!((time(1, 1), time(2, 1)), (Some(7_087_000), Some(7_087_000)));
    assert_eq!(Cluster::new(cluster.options(&POLICIES[0])).into_ranks().len(), 3);
}

#[test]
fn what_is_wrong_with_a_file_is_named_with_its_line() {
    let cases = [
        ("speed = 0.75", "sped = 0.75", 7, "unknown field `sped`"),
        ("speed = 0.75", "speed = 0", 5, "speed is 0.0; give a number from"),
        ("devices = 1", "devices = 3", 5, "devices is 3; a tupi has 2"),
        ("devices = 1", "cores = 5", 5, "cores is 5; a tupi has 4"),
        ("devices = 1", "cores = 0\ndevices = 0", 5, "neither cores nor devices are left"),
        ("count = 2", "count = 0", 10, "count is 0; give a whole number from 1 to 65535"),
        ("= 1e7", "= -1", 10, "bytes_per_second is -1.0"),
        ("= 1e7", "= 1e", 13, "invalid"),
        ("= 5e9", "= 0", 3, "backbone_bytes_per_second is 0.0"),
        (
            "backbone_bytes_per_second = 5e9",
            "core_bytes_per_second = 0",
            3,
            "core_bytes_per_second is 0.0",
        ),
    ];
    for (old, new, line, words) in cases {
        let text = FILE.replacen(old, new, 1);
        assert!(file::is_cluster(&text), "{new}: another kind of file would be read");
        let error = parse(&text).expect_err(new).to_string();
        assert!(error.starts_with(&format!("crafted.toml, line {line}: ")), "{error}");
        assert!(error.contains(words), "{words} in {error}");
    }
    let error = parse("name = \"none\"\nnode = []").expect_err("no nodes").to_string();
    assert!(error.contains("no nodes; add [[node]]"), "{error}");
    let error = parse(&FILE.replacen("tupi", "tupy", 1)).expect_err("no such node").to_string();
    assert!(error.contains("did you mean 'tupi'?"), "{error}");
}

/// One core of two nodes without a network of their own.
#[test]
fn a_file_gives_a_network_to_nodes_without_one() {
    let text = |latency: &str, rate: &str| {
        format!(
            "name = \"here\"\n{latency}\n[[node]]\nplatform = \"mirage\"\ncount = 2\ncores = 1\ndevices = 0\n{rate}"
        )
    };
    let (latency, rate) = ("latency_seconds = 1e-4", "bytes_per_second = 1e8");
    let cluster = parse(&text(latency, rate)).expect("the file is right");
    assert_eq!((cluster.latency_seconds, cluster.nodes.len()), (1e-4, 2));
    let options = cluster.node_options();
    assert_eq!(options[1].send_bytes_per_second, 1e8);
    assert_eq!(options[1].machine.workers.len(), 1);
    for (latency, rate) in [("", rate), (latency, "")] {
        let error = parse(&text(latency, rate)).expect_err("no network").to_string();
        assert!(error.contains("'mirage' has no network"), "{error}");
    }
}

/// The workers of all nodes, by kind, with the times of their nodes.
#[test]
fn a_pool_has_all_workers_with_their_times() {
    let cluster = parse(FILE).expect("the file is right");
    assert_eq!(cluster.kinds(), [(0, vec![0]), (1, vec![1, 2])]);
    let (machine, durations) = cluster.pool();
    let names: Vec<&str> = machine.classes.iter().map(|class| class.name.as_str()).collect();
    assert_eq!(names, ["tupi cpu", "tupi cuda", "tupi cpu", "tupi cuda"]);
    let count = |class| machine.workers.iter().filter(|worker| worker.class.0 == class).count();
    assert_eq!([0, 1, 2, 3].map(count), [4, 1, 8, 4]);
    let gemm = (kernel("gemm").expect("it is listed").double.cost)(TILE);
    let options = cluster.node_options();
    for (class, (rank, of_node)) in [(0, 0), (0, 1), (1, 0), (1, 1)].into_iter().enumerate() {
        let of_node = options[rank].durations.nanoseconds("gemm", gemm, ClassId(of_node));
        assert_eq!(durations.nanoseconds("gemm", gemm, ClassId(class)), of_node, "{class}");
    }
}

/// Only cores read, a fifth of the rate each; a worker for potrf runs nothing else.
#[test]
fn nodes_read_and_have_workers_for_some_tasks() {
    let mut node = find("1tupi").nodes.remove(0);
    node.set_reading(5e8, 5);
    node.add_worker_for(&["potrf"]);
    let cost = Cost { flops: 0.0, bytes: 1e6 };
    let read = |class| node.seconds_of("read", cost, ClassId(class));
    assert_eq!([0, 1, 2].map(read), [Some(0.01), None, None]);
    let potrf = kernel("potrf").expect("it is listed");
    assert_eq!(node.seconds(potrf, TILE, ClassId(2)), node.seconds(potrf, TILE, ClassId(0)));
    assert_eq!((node.workers(ClassId(2)), node.machine.caps[0].most), (1, 5));
}

#[test]
fn files_of_clusters_and_of_nodes_are_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    let (own, cluster) = (path("own.toml"), path("cluster.toml"));
    let node = Node::find("chetemi").expect("it is listed").to_toml();
    std::fs::write(&own, node.replacen("chetemi", "own", 1)).expect("a file");
    std::fs::write(&cluster, FILE.replacen("tupi", "own.toml", 1).replacen("devices = 1", "", 1))
        .expect("a file");
    assert_eq!(names(&find(&own)), ["own"]);
    let error = ClusterPlatform::find(&cluster).expect_err("two sites").to_string();
    assert!(error.contains("Grid'5000 (own) and of PCAD (tupi)"), "{error}");
}

/// Every node can factorise, and those of a known network can be clusters.
#[test]
fn listed_nodes_are_simulated_as_they_are() {
    let mut sites = Vec::new();
    for listed in PLATFORMS {
        let node = Node::find(listed.name).expect("it is listed");
        let Some(network) = node.network else { continue };
        sites.push(network.site);
        let cluster = find(&format!("2{}", listed.name));
        assert_eq!(cluster.latency_seconds, network.latency_seconds);
        for factorisation in [Factorisation::Lu, Factorisation::Cholesky] {
            cluster.costs(factorisation, TILE).expect("times of its kernels");
        }
        assert_eq!(Cluster::new(cluster.options(&POLICIES[0])).into_ranks().len(), 2);
    }
    sites.dedup();
    assert_eq!(sites, ["Grid'5000", "PCAD", "SDumont"]);
}

/// Section 5.2: a Chifflet has twice the power of a Chetemi. Chapter 7 orders the others: S, M, L.
#[test]
fn powers_are_as_far_apart_as_is_printed() {
    assert!((ratio("14chetemi+7chifflet") - 2.0).abs() < 0.02, "{}", ratio("14chetemi+7chifflet"));
    assert!(ratio("chifflet+chifflot") > 4.0);
    assert!(ratio("chifflot+chifflot-v100") > 1.2);
    assert!(ratio("chiclet+chetemi") > 1.0);
    assert!(ratio("b715+b715-gpu-1") > 2.0 && ratio("b715-gpu-1+b715-gpu") < 2.0);
    let powers = find("chetemi").powers("covariance", TILE);
    let error = powers.expect_err("no kernel of one size").to_string();
    assert!(error.contains("there is no kernel 'covariance'"), "{error}");
    let error = find("chetemi").powers("gem", TILE).expect_err("no such kernel").to_string();
    assert!(error.contains("did you mean 'gemm'?"), "{error}");
}

/// Tables 4.2 and 4.3.
#[test]
fn costs_are_the_printed_ones() {
    let costs = find("14chetemi+7chifflet").costs(Factorisation::Cholesky, TILE).expect("times");
    assert!((costs.message_seconds - 0.0073).abs() < 1e-5, "{}", costs.message_seconds);
    let [cores, devices] = costs.ranks[14][..] else { panic!("{:?}", costs.ranks[14]) };
    assert_eq!((cores.count, devices.count), (24, 2));
    let found = cores.seconds.into_iter().chain(devices.seconds[..2].iter().copied());
    let printed =
        [0.01449, 0.03575, 0.0397, 0.05827].map(Some).into_iter().chain([None, Some(0.00478)]);
    let microseconds = |seconds: Option<f64>| seconds.map(|seconds| (1e6 * seconds).round());
    assert!(found.map(microseconds).eq(printed.map(microseconds)), "{:?}", costs.ranks[14]);
    assert_eq!(costs.ranks[0].len(), 1);
}

/// The area bound of LU without pivoting on `n x n` tiles.
fn area(set: &str, n: usize) -> f64 {
    let costs = find(set).costs(Factorisation::Lu, TILE).expect("times");
    let mut tasks = [0; 4];
    for rest in 0..n {
        let more = costs.factorisation.tasks(rest);
        tasks.iter_mut().zip(more).for_each(|(tasks, more)| *tasks += more);
    }
    costs.area(&tasks, 0..costs.ranks.len())
}

/// Sections 4.1.3 and 5.4.1: what was measured, and what was simulated there, is above our bound,
/// and not far.
#[test]
fn printed_makespans_are_a_little_above_the_area_bound() {
    for (set, printed) in
        [("15chetemi", 74.0), ("14chetemi+7chifflet", 39.94), ("8chifflet+14chetemi", 768.0 / 22.0)]
    {
        let part = area(set, 100) / printed;
        assert!((0.8..1.0).contains(&part), "{set}: {part}");
    }
}

fn sent(set: &str, distribution: &str, n: usize) -> u64 {
    let cluster = find(set);
    let owners = cluster.distribution(distribution, Factorisation::Lu, TILE);
    let owners = owners.unwrap_or_else(|error| panic!("{error}"));
    lu(&OwnerMap::of(&*owners, (n, n), Storage::Full, cluster.nodes.len())).total()
}

/// Section 5.4.1, 100 x 100 tiles.
#[test]
fn distributions_follow_the_cluster() {
    assert_eq!(sent("8chifflet+14chetemi", "block-cyclic:2x11", 100), 55_329);
    let free = sent("8chifflet+14chetemi", "1d1d", 100);
    assert!(free.abs_diff(35_417) < 2000, "{free}");
    let constrained = sent("8chifflet+14chetemi", "1d1d-c", 100);
    let shuffled = sent("8chifflet+14chetemi", "1d1d-c+s", 100);
    assert!(constrained < free && free < shuffled, "{constrained}, {free}, {shuffled}");
}

/// Section 5.3.1 and figure 5.4: the virtual grid and the ranks of the sections are the printed
/// ones; their borders are where bounds cross.
#[test]
fn sections_of_14_and_7_nodes_are_the_printed_ones() {
    let cluster = find("14chetemi+7chifflet");
    let OneDOneD { grid } = OneDOneD::new(&cluster.powers("gemm", TILE).expect("times"));
    assert_eq!((grid.heights.len(), grid.widths.len()), (9, 4));
    let costs = cluster.costs(Factorisation::Lu, TILE).expect("times");
    let (.., sections) = Constrained { grid, costs }.choose(100);
    let printed = [
        (95, vec![20]),
        (84, vec![14, 15, 16, 18, 19, 20]),
        (67, (6..21).collect::<Vec<usize>>()),
        (0, (0..21).collect()),
    ];
    assert_eq!(sections.len(), printed.len(), "{sections:?}");
    for (section, (start, ranks)) in sections.iter().zip(printed) {
        assert_eq!(section.ranks, ranks);
        assert!(section.iterations.start.abs_diff(start) <= 2, "{section:?} against {start}");
    }
}

#[test]
fn a_platform_is_a_node_without_its_network() {
    let node = Node::find("chiclet").expect("it is listed");
    let platform = Platform::find("chiclet").expect("it is listed");
    assert_eq!(node.platform.to_toml(), platform.to_toml());
    assert!(node.to_toml().contains("network = {") && !platform.to_toml().contains("network = {"));
}

#[test]
fn what_is_written_is_the_same_cluster() {
    let mut cluster = find("2chifflot+1chetemi+1chifflot");
    cluster.backbone_bytes_per_second = Some(5e9);
    cluster.nodes[2].speed = 0.5;
    cluster.nodes[3].keep_devices(1);
    let read = parse(&cluster.to_toml()).expect("it is a cluster");
    assert_eq!(read.to_toml(), cluster.to_toml());
    assert_eq!(read.kinds(), cluster.kinds());
    let powers = |cluster: &ClusterPlatform| cluster.powers("gemm", TILE).expect("times");
    assert_eq!(powers(&read).as_slice(), powers(&cluster).as_slice());
    assert_eq!(read.backbone_bytes_per_second, cluster.backbone_bytes_per_second);
}

#[test]
fn a_wrong_platform_inside_a_cluster_is_named() {
    let text = find("2chetemi").to_toml().replace("kind = \"ram\"", "kind = \"rum\"");
    let error = parse(&text).expect_err("it is wrong").to_string();
    assert!(error.contains("crafted.toml, [platform.kind-1]") && error.contains("rum"), "{error}");
}
