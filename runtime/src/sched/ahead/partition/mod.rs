//! Parts of the tasks that read few data in common: a multilevel partition of a hypergraph.
//!
//! Tasks are vertices, weighed by their time; a datum is a net of the tasks that read it, weighed
//! by its bytes. What is cut is loaded once for each part that reads it, which a graph of pairs of
//! tasks counts too often (Gonthier 2023, section 4.1.2, which takes hMETIS for it). Parts come
//! from recursive bisection: vertices that share most are merged, level by level (by first choice
//! and by whole nets: Karypis, Aggarwal, Kumar, Shekhar, "Multilevel hypergraph partitioning:
//! applications in VLSI domain", IEEE Transactions on VLSI Systems 7, 1999); the coarsest
//! hypergraph is bisected several times by growing one side, and each level refined by moves of
//! single vertices (Fiduccia, Mattheyses, "A linear-time heuristic for improving network
//! partitions", DAC 1982).

mod hypergraph;
mod refine;

use super::tasks::{Packed, Tasks};
use crate::random::SplitMix64;
use hypergraph::{Hypergraph, Scheme};
use refine::{Balance, refine};

/// Vertices down to which levels are made.
const COARSEST: usize = 120;
/// A level that has more than this part of the vertices of the finer one is the last.
const SLOWEST: f64 = 0.95;
/// Bisections of the coarsest hypergraph, of which the best counts (hMETIS: `Nruns`).
const RUNS: usize = 20;
/// How levels are made, from the beginning: the best bisection counts.
const BEGINNINGS: [Scheme; 4] =
    [Scheme::Nets, Scheme::FirstChoice, Scheme::Nets, Scheme::FirstChoice];
/// How they are made again within the sides of a bisection (hMETIS: V-cycles).
const CYCLES: [Scheme; 2] = [Scheme::FirstChoice, Scheme::Nets];
/// How much heavier than its share a side may be (hMETIS: `UBfactor` 1).
const IMBALANCE: f64 = 0.01;

/// `count` parts of `tasks`, each in the order of submission.
pub(super) fn partition(tasks: &Tasks, count: usize) -> Packed {
    let mut packages = Vec::new();
    let all = (0..tasks.inputs.len() as u32).collect();
    split(tasks, all, count, &mut packages);
    packages.retain(|package| !package.is_empty());
    Packed { packages, alone: Vec::new() }
}

/// Appends `count` parts of the tasks of these numbers.
fn split(tasks: &Tasks, numbers: Vec<u32>, count: usize, parts: &mut Vec<Vec<u32>>) {
    if count <= 1 || numbers.len() <= 1 {
        parts.push(numbers);
        return;
    }
    let first = count / 2;
    let graph = Hypergraph::of(&tasks.part(&numbers));
    let sides = bisect(&graph, first as f64 / count as f64, &mut SplitMix64::new(count as u64));
    for (side, count) in [(false, first), (true, count - first)] {
        let those = numbers.iter().zip(&sides).filter(|&(_, &of)| of == side);
        split(tasks, those.map(|(&number, _)| number).collect(), count, parts);
    }
}

/// Of each vertex whether it is on the second side, the first of which has this `share` of the
/// weight.
fn bisect(graph: &Hypergraph, share: f64, random: &mut SplitMix64) -> Vec<bool> {
    let run = |scheme: &Scheme| {
        let mut sides = Vec::new();
        let mut cut = descend(graph, &mut sides, (*scheme, share), random);
        for scheme in CYCLES {
            cut = cut.min(descend(graph, &mut sides, (scheme, share), random));
        }
        (cut, sides)
    };
    let runs = BEGINNINGS.iter().map(run);
    runs.min_by_key(|&(cut, _)| cut).expect("there are several").1
}

/// Bisects a coarser hypergraph and refines what comes back; what is cut. It goes on from the sides
/// if there are any: then vertices of one side alone are merged, and no more is cut than before.
fn descend(
    graph: &Hypergraph,
    sides: &mut Vec<bool>,
    (scheme, share): (Scheme, f64),
    random: &mut SplitMix64,
) -> u64 {
    let balance = Balance::new(graph, share, IMBALANCE);
    let begins = sides.is_empty();
    if graph.len() > COARSEST {
        let (coarse, into) = graph.coarser(scheme, (!begins).then_some(&**sides), random);
        if (coarse.len() as f64) < SLOWEST * graph.len() as f64 {
            let mut coarse_sides = vec![false; if begins { 0 } else { coarse.len() }];
            for (&vertex, &side) in into.iter().zip(&**sides) {
                coarse_sides[vertex as usize] = side;
            }
            descend(&coarse, &mut coarse_sides, (scheme, share), random);
            *sides = into.iter().map(|&vertex| coarse_sides[vertex as usize]).collect();
            return refine(graph, sides, balance);
        }
    }
    if !begins {
        return refine(graph, sides, balance);
    }
    let run = |_| {
        let mut sides = graph.grow(share, random);
        (refine(graph, &mut sides, balance), sides)
    };
    let best = (0..RUNS).map(run).min_by_key(|&(cut, _)| cut);
    let (cut, found) = best.expect("it is run several times");
    *sides = found;
    cut
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A product of `n` by `n` strips, in rows or in an order that scatters them.
    fn product(n: u32, step: u32) -> Tasks {
        let of = |task: u32| vec![task / n, n + task % n];
        Tasks {
            inputs: (0..n * n).map(|task| of(task * step % (n * n))).collect(),
            nanoseconds: vec![10; (n * n) as usize],
            bytes: vec![1000; 2 * n as usize],
            capacity: u64::MAX,
        }
    }

    /// Data that each part reads, all together.
    fn loads(tasks: &Tasks, parts: &[Vec<u32>]) -> usize {
        let of = |part: &Vec<u32>| {
            let data = part.iter().flat_map(|&task| &tasks.inputs[task as usize]);
            data.collect::<std::collections::BTreeSet<_>>().len()
        };
        parts.iter().map(of).sum()
    }

    #[test]
    fn every_task_is_in_one_part_and_parts_are_even() {
        for (n, count) in [(1, 3), (7, 2), (20, 3), (30, 4), (24, 8)] {
            let parts = partition(&product(n, 1), count).packages;
            let mut all: Vec<u32> = parts.concat();
            all.sort_unstable();
            assert!(all.iter().copied().eq(0..n * n), "{n}, {count}");
            let mean = f64::from(n * n) / count as f64;
            let most = parts.iter().map(Vec::len).max().unwrap_or(0) as f64;
            assert!(most <= 1.06 * mean + 3.0, "{n}, {count}: {most} of {mean}");
        }
    }

    /// The best two parts of a square are its halves (3 n data), the best four its quarters (4 n).
    #[test]
    fn a_product_is_cut_into_blocks() {
        for step in [1, 397] {
            let tasks = product(40, step);
            for (count, best) in [(2, 120), (4, 160)] {
                let found = loads(&tasks, &partition(&tasks, count).packages);
                assert!(found <= best + best / 20, "{count} parts: {found} loads, best {best}");
            }
        }
    }

    #[test]
    fn what_shares_nothing_is_not_cut() {
        // Two products side by side, their tasks in turn.
        let mut tasks = product(12, 1);
        let other = tasks.inputs.iter().map(|data| data.iter().map(|d| d + 24).collect());
        let other: Vec<Vec<u32>> = other.collect();
        tasks.inputs = tasks.inputs.into_iter().zip(other).flat_map(|(a, b)| [a, b]).collect();
        tasks.nanoseconds = vec![10; 288];
        tasks.bytes = vec![1000; 48];
        assert_eq!(loads(&tasks, &partition(&tasks, 2).packages), 48);
    }
}
