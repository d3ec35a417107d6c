//! Sparse QR in virtual time on sockets with memory of their own: all workers under one policy, and
//! contexts for subtrees (Hugo 2014, chapter 4).
//!
//! ```text
//! cargo run --release -p tegula-linalg --example sparse_contexts [EDGE]
//! ```
//!
//! Of a grid of EDGE x EDGE x EDGE points, whose tree is regular, and of a matrix of random bands,
//! whose tree is not. A core does 8.9 Gflop/s, sockets are linked by 10 GB/s.

#![allow(clippy::print_stdout)]

use std::sync::Arc;

use tegula_kernels::sparse::SparseMatrix;
use tegula_linalg::sparse::{
    Analysis, Bundles, Ordering, laplacian_of_cube, sparse_qr, sparse_qr_in_contexts,
};
use tegula_runtime::flow::{Flow, FlowOptions};
use tegula_runtime::platform::{Machine, WorkerModel};
use tegula_runtime::random::SplitMix64;
use tegula_runtime::sched::policy;
use tegula_runtime::sim::{Sim, SimOptions};

const LINK: f64 = 10e9;
const MODEL: WorkerModel =
    WorkerModel { gflops: 8.9, gbytes_per_second: 2.0, overhead_seconds: 5e-6 };

/// Sockets of so many cores each, all linked with each other.
fn machine(sockets: usize, cores: usize) -> Machine {
    let mut machine = Machine::cores(cores);
    (1..sockets).for_each(|_| machine.add_socket(cores, LINK));
    for one in 1..sockets {
        (one + 1..sockets).for_each(|other| machine.connect(one, other, LINK));
    }
    machine
}

/// Bands of random widths, each joined to what stands before it: a tree without balance.
fn irregular(n: u32) -> SparseMatrix<f64> {
    let mut stream = SplitMix64::new(5);
    let mut draw = |most: u32| ((stream.uniform() * f64::from(most)) as u32).min(most - 1);
    let (mut entries, mut first) = (Vec::new(), 0);
    while first < n {
        let (length, width) = ((200 + draw(3000)).min(n - first), 2 + draw(40));
        for i in first..first + length {
            entries.push((i, i, 4.0));
            for _ in 0..6 {
                entries.push((i, (i + draw(width)).min(first + length - 1), 1.0));
            }
        }
        for _ in 0..if first > 0 { 30 } else { 0 } {
            entries.push((first + draw(length), draw(first), 1.0));
        }
        first += length;
    }
    SparseMatrix::from_entries(n as usize, n as usize, &entries)
}

fn main() {
    let edge = std::env::args().nth(1).map_or(24, |edge| edge.parse().expect("a number"));
    let matrices = [
        (format!("grid of {edge}^3"), laplacian_of_cube(edge), Ordering::Natural),
        ("bands, 60000".to_owned(), irregular(60_000), Ordering::Colamd),
    ];
    println!("| matrix | Gflop | cores | policy | s | GB moved | s, contexts | GB moved |");
    println!("|---|---|---|---|---|---|---|---|");
    for (name, a, ordering) in &matrices {
        let analysis = Arc::new(Analysis::new(a, *ordering));
        for (cores, by) in [(10, "dmda"), (10, "dmdas"), (16, "dmda"), (16, "dmdas")] {
            let policy = policy(by).expect("a listed policy");
            let run = |in_contexts: bool| {
                let machine = machine(4, cores);
                let bundles = Bundles::of(&machine, None, policy);
                let classes = machine.classes.len();
                let options = SimOptions::new(machine, vec![MODEL; classes], policy);
                let sim = Sim::new(SimOptions { contexts: true, ..options });
                let window = FlowOptions { window: u64::MAX, ..FlowOptions::default() };
                let mut flow = Flow::new(sim, window);
                let sides: (&[f64], usize) = (&[], 0);
                if in_contexts {
                    sparse_qr_in_contexts(&mut flow, &analysis, a, sides, (192, &bundles))
                        .expect("nothing fails");
                } else {
                    sparse_qr(&mut flow, &analysis, a, sides, 192).expect("nothing fails");
                }
                let totals = flow.totals().expect("it counts");
                let bytes: u64 = totals.bytes.iter().sum();
                (totals.makespan as f64 * 1e-9, bytes as f64 * 1e-9)
            };
            let [one, contexts] = [false, true].map(run);
            println!(
                "| {name} | {:.1} | {} | {by} | {:.3} | {:.2} | {:.3} | {:.2} |",
                analysis.flops() * 1e-9,
                4 * cores,
                one.0,
                one.1,
                contexts.0,
                contexts.1
            );
        }
    }
}
