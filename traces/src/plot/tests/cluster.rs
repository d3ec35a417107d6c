//! Traces of simulated clusters of unequal nodes.

use std::sync::Arc;

use super::{Gemm, Generate, Potrf, Trsm};
use tegula_runtime::flow::{Access, Cost, Flow, FlowOptions, Handle};
use tegula_runtime::platform::{ClassId, Durations, Machine, WorkerKind};
use tegula_runtime::ranks::{Owners, Rank, Spot};
use tegula_runtime::sched::policy;
use tegula_runtime::sim::{Cluster, ClusterOptions, NodeOptions};
use tegula_runtime::trace::Trace;

/// A node: its workers, how many times as long as others it takes, and the rate of its link.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) cores: usize,
    pub(super) devices: usize,
    pub(super) slowness: f64,
    pub(super) bytes_per_second: f64,
}

/// A node of four cores.
pub(super) const PLAIN: Node =
    Node { cores: 4, devices: 0, slowness: 1.0, bytes_per_second: 1.25e9 };

/// Of each codelet the nanoseconds on a core, and on a device that can run it.
const TIMES: [(&str, u64, Option<u64>); 4] = [
    ("covariance", 20_000_000, None),
    ("potrf", 35_000_000, None),
    ("trsm", 50_000_000, Some(5_000_000)),
    ("gemm", 90_000_000, Some(6_000_000)),
];
const TILE_BYTES: usize = 8 * 960 * 960;

struct Times(f64);

impl Durations for Times {
    fn nanoseconds(&self, codelet: &'static str, _: Cost, class: ClassId) -> Option<u64> {
        let (_, core, device) = TIMES.into_iter().find(|(name, ..)| *name == codelet)?;
        let time = if class.0 == 0 { Some(core) } else { device };
        time.map(|time| (self.0 * time as f64) as u64)
    }
}

/// Owners in a grid as square as possible, which is repeated over the tiles.
struct Grid(Vec<u16>);

impl Owners for Grid {
    fn owner(&self, Spot { row, column, .. }: Spot, _: usize) -> Rank {
        let cells = self.0.len();
        let p = (1..=cells.isqrt()).rev().find(|p| cells.is_multiple_of(*p)).expect("1 divides");
        let q = cells / p;
        Rank(self.0[row % p * q + column % q])
    }
}

/// A factorisation LU of `nt x nt` tiles; of as many tiles as `cells` has each node owns as many as
/// it has.
pub(super) fn lu(nt: usize, nodes: &[Node], cells: &[u16]) -> Trace {
    let options = |node: &Node| {
        let mut machine = Machine::cores(node.cores);
        for _ in 0..node.devices {
            machine.add_accelerator(WorkerKind::Cuda, Some(8 << 30), 12e9, 1.0);
        }
        NodeOptions::new(machine, Times(node.slowness), node.bytes_per_second)
    };
    let nodes = nodes.iter().map(options).collect();
    let mut options = ClusterOptions::new(nodes, 20e-6, policy("dmdas").expect("is listed"));
    (options.trace, options.noise) = (true, 0.05);
    let run = Cluster::new(options).run(FlowOptions::default(), |flow| {
        flow.set_owners(Arc::new(Grid(cells.to_vec())));
        submit(flow, nt);
    });
    run.trace.expect("it was to be recorded")
}

fn submit(flow: &mut Flow, nt: usize) {
    let spot = |row, column| Spot { row, column, rows: nt, columns: nt };
    let mut tile = |i, j| flow.register_at(TILE_BYTES, spot(i, j));
    let a: Vec<Vec<Handle>> = (0..nt).map(|i| (0..nt).map(|j| tile(i, j)).collect()).collect();
    for &tile in a.iter().flatten() {
        flow.submit(Generate, &[(tile, Access::W)], 0);
    }
    for k in 0..nt {
        flow.iteration(k);
        let urgency = |less: usize| 3 * (nt - k) as i32 - less as i32;
        flow.submit(Potrf, &[(a[k][k], Access::RW)], urgency(0));
        for i in k + 1..nt {
            let (row, column) = (a[k][i], a[i][k]);
            flow.submit(Trsm, &[(a[k][k], Access::R), (row, Access::RW)], urgency(i - k));
            flow.submit(Trsm, &[(a[k][k], Access::R), (column, Access::RW)], urgency(i - k));
        }
        for i in k + 1..nt {
            for j in k + 1..nt {
                let accesses = [(a[i][k], Access::R), (a[k][j], Access::R), (a[i][j], Access::RW)];
                flow.submit(Gemm, &accesses, urgency(i + j - 2 * k));
            }
        }
    }
    flow.wait().expect("nothing fails");
}
