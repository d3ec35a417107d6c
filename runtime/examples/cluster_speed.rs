//! How long the simulation of a cluster takes: LU without pivoting of `nt` x `nt` tiles on as many
//! nodes, in a grid as square as possible.
//!
//! `cargo run --release -p tegula-runtime --example cluster_speed -- [TILES] [NODES] [CORES] [GPUS]
//! [MBYTES/S] [POLICY]`
#![allow(clippy::print_stdout)]

use std::sync::Arc;
use std::time::Instant;

use tegula_runtime::flow::{Access, Buffers, Codelet, Cost, Failure, Flow, FlowOptions, Handle};
use tegula_runtime::platform::{ClassId, Durations, Machine, WorkerKind};
use tegula_runtime::ranks::{Owners, Rank, Spot};
use tegula_runtime::sched::{DEFAULT_POLICY, policy};
use tegula_runtime::sim::{Cluster, ClusterOptions, NodeOptions};

macro_rules! kernels {
    ($($name:ident $modes:expr;)*) => { $(
        #[derive(Clone, Copy)]
        struct $name;
        impl Codelet for $name {
            const NAME: &'static str = stringify!($name);
            const ACCESS: &'static [Access] = $modes;
            fn cost(&self) -> Cost {
                Cost::default()
            }
            fn cpu(&self, _: &Buffers<'_>) -> Result<(), Failure> {
                Ok(())
            }
        }
    )* };
}
use Access::{R, RW, W};
kernels! {
    Fill &[W];
    Getrf &[RW];
    Trsm &[R, RW];
    Gemm &[R, R, RW];
}

/// Order of the tiles.
const MB: usize = 960;

/// On a core of about 20 Gflop/s, and on an accelerator that is some twenty times as fast.
struct Tiles;
impl Durations for Tiles {
    fn nanoseconds(&self, codelet: &'static str, _: Cost, class: ClassId) -> Option<u64> {
        let (core, accelerator) = match codelet {
            "Fill" => (1_000_000, None),
            "Getrf" => (35_000_000, None),
            "Trsm" => (50_000_000, Some(4_000_000)),
            _ => (90_000_000, Some(4_000_000)),
        };
        if class.0 == 0 { Some(core) } else { accelerator }
    }
}

/// Ranks in a grid, repeated over the tiles.
struct Grid {
    p: usize,
    q: usize,
}

impl Owners for Grid {
    fn owner(&self, Spot { row, column, .. }: Spot, _: usize) -> Rank {
        Rank(((row % self.p) * self.q + column % self.q) as u16)
    }
}

fn lu(flow: &mut Flow, nt: usize) {
    let spot = |row, column| Spot { row, column, rows: nt, columns: nt };
    let mut tile = |i, j| flow.register_at(8 * MB * MB, spot(i, j));
    let a: Vec<Vec<Handle>> = (0..nt).map(|i| (0..nt).map(|j| tile(i, j)).collect()).collect();
    for &tile in a.iter().flatten() {
        flow.submit(Fill, &[(tile, W)], 0);
    }
    for k in 0..nt {
        let urgency = |less: usize| 3 * (nt - k) as i32 - less as i32;
        flow.submit(Getrf, &[(a[k][k], RW)], urgency(0));
        for i in k + 1..nt {
            flow.submit(Trsm, &[(a[k][k], R), (a[i][k], RW)], urgency(i - k));
            flow.submit(Trsm, &[(a[k][k], R), (a[k][i], RW)], urgency(i - k));
        }
        for i in k + 1..nt {
            for j in k + 1..nt {
                let accesses = [(a[i][k], R), (a[k][j], R), (a[i][j], RW)];
                flow.submit(Gemm, &accesses, urgency(i + j - 2 * k));
            }
        }
    }
    flow.wait().expect("nothing fails");
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |place: usize, usual: usize| {
        arguments.get(place).map_or(usual, |text| text.parse().expect("a number"))
    };
    let (nt, nodes, cores) = (number(0, 100), number(1, 21), number(2, 28));
    let (accelerators, bytes_per_second) = (number(3, 0), 1e6 * number(4, 1250) as f64);
    let name = arguments.get(5).map_or(DEFAULT_POLICY, String::as_str);
    let policy = policy(name).expect("a policy of the list");
    let p = (1..=nodes.isqrt()).rev().find(|p| nodes.is_multiple_of(*p)).expect("1 divides");
    let node = |_| {
        let mut machine = Machine::cores(cores);
        for _ in 0..accelerators {
            machine.add_accelerator(WorkerKind::Cuda, Some(8 << 30), 12e9, 1.0);
        }
        NodeOptions::new(machine, Tiles, bytes_per_second)
    };
    let options = ClusterOptions::new((0..nodes).map(node).collect(), 20e-6, policy);
    let start = Instant::now();
    let run = Cluster::new(options).run(FlowOptions::default(), |flow| {
        flow.set_owners(Arc::new(Grid { p, q: nodes / p }));
        lu(flow, nt);
    });
    let seconds = start.elapsed().as_secs_f64();
    let tasks: u64 = run.totals.iter().flat_map(|totals| &totals.tasks).sum();
    let (sent, makespan) = (run.traffic(), 1e-9 * run.makespan() as f64);
    println!(
        "{nt} x {nt} tiles on {p} x {} nodes of {cores} cores and {accelerators} GPUs, {name}: {tasks} tasks, {} messages, \
         makespan {makespan:.3} s; simulated in {seconds:.2} s, {:.2} us a task",
        nodes / p,
        sent.messages,
        1e6 * seconds / tasks as f64,
    );
}
