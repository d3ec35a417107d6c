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
use tegula_linalg::sparse::{Analysis, Bundles, Ordering, sparse_qr, sparse_qr_in_contexts};
use tegula_runtime::flow::{Flow, FlowOptions};
use tegula_runtime::platform::{Machine, WorkerModel};
use tegula_runtime::random::SplitMix64;
use tegula_runtime::sched::{WorkerId, policy};
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

/// The seven-point Laplacian of a cube of points, numbered by nested dissection.
fn grid(edge: u32) -> SparseMatrix<f64> {
    let mut numbers = vec![0; edge.pow(3) as usize];
    let at = |[x, y, z]: [u32; 3]| ((x * edge + y) * edge + z) as usize;
    dissect([0; 3], [edge; 3], &mut 0, &mut |point, number| numbers[at(point)] = number);
    let n = edge.pow(3);
    let mut entries = Vec::new();
    for point in (0..n).map(|i| [i / edge / edge, i / edge % edge, i % edge]) {
        let here = numbers[at(point)];
        entries.push((here, here, 6.0));
        for axis in 0..3 {
            let mut next = point;
            next[axis] += 1;
            if next[axis] < edge {
                let there = numbers[at(next)];
                entries.extend([(here, there, -1.0), (there, here, -1.0)]);
            }
        }
    }
    SparseMatrix::from_entries(n as usize, n as usize, &entries)
}

/// Numbers the points of a box: both halves, then the two planes between them, since columns meet
/// that have a row in common.
fn dissect(low: [u32; 3], high: [u32; 3], next: &mut u32, put: &mut dyn FnMut([u32; 3], u32)) {
    let axis = (0..3).max_by_key(|&axis| high[axis] - low[axis]).expect("there are three");
    let length = high[axis] - low[axis];
    if length > 4 {
        let middle = low[axis] + length / 2;
        let (mut first, mut second, mut plane) = (high, low, (low, high));
        (first[axis], second[axis]) = (middle - 1, middle + 1);
        (plane.0[axis], plane.1[axis]) = (middle - 1, middle + 1);
        dissect(low, first, next, put);
        dissect(second, high, next, put);
        return number_all(plane, next, put);
    }
    number_all((low, high), next, put);
}

fn number_all(
    (low, high): ([u32; 3], [u32; 3]),
    next: &mut u32,
    put: &mut dyn FnMut([u32; 3], u32),
) {
    for x in low[0]..high[0] {
        for y in low[1]..high[1] {
            for z in low[2]..high[2] {
                put([x, y, z], *next);
                *next += 1;
            }
        }
    }
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
        (format!("grid of {edge}^3"), grid(edge), Ordering::Natural),
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
                let (workers, classes) = (machine.workers.len(), machine.classes.len());
                let options = SimOptions::new(machine, vec![MODEL; classes], policy);
                let sim = Sim::new(SimOptions { contexts: true, ..options });
                let window = FlowOptions { window: u64::MAX, ..FlowOptions::default() };
                let mut flow = Flow::new(sim, window);
                let sides: (&[f64], usize) = (&[], 0);
                if in_contexts {
                    let workers = (0..workers).map(WorkerId).collect();
                    let bundles = Bundles { workers, bundle: cores, policy };
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
