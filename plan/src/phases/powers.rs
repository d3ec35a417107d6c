//! Relative powers of nodes in each phase, from the shares of the programme.
//!
//! L. L. Nesi, PhD thesis, UGA and UFRGS, 2023, section 6.2.2, equation 6.12.

use super::programme::{Problem, Solution};
use super::{Nodes, PHASES, Phase, Workload};
use crate::distribution::Powers;

/// How long all resources together take for all tasks of type `t`:
/// `c_t = sum_s N[s,t] / sum_r (1 / w[t,r])`, in seconds.
pub(super) fn seconds_of_all(work: &Workload, nodes: &[Nodes], t: usize) -> f64 {
    let resources =
        nodes.iter().flat_map(|n| n.resources.iter().filter_map(move |r| n.seconds(r, t)));
    let rate: f64 = resources.map(|seconds| 1.0 / seconds).sum();
    let tasks: u64 = work.types[t].tasks.iter().sum();
    if tasks == 0 { 0.0 } else { tasks as f64 / rate }
}

/// The weight of each type inside its phase `y`: `h_ty = c_t / sum_{z in T(y)} c_z`.
pub(super) fn weights(work: &Workload, nodes: &[Nodes]) -> Vec<f64> {
    let all: Vec<f64> = (0..work.types.len()).map(|t| seconds_of_all(work, nodes, t)).collect();
    let sum = |phase| work.of_phase(phase).map(|(t, _)| all[t]).sum::<f64>();
    let sums = PHASES.map(sum);
    work.types.iter().zip(&all).map(|(kind, all)| all / sums[kind.phase as usize]).collect()
}

/// The power of each node in each phase. Nodes that are alike have
/// `p = sum_{r, t, s} h_ty alpha[s,t,r] / N[s,t]` over their resources, divided among them.
pub(super) fn powers(problem: &Problem<'_>, solution: &Solution) -> [Powers; 2] {
    let Problem { work, nodes, .. } = *problem;
    let weights = weights(work, nodes);
    let of_phase = |phase: Phase| {
        let term = |types: &Vec<Vec<f64>>, place: usize| -> f64 {
            work.of_phase(phase).map(|(t, _)| weights[t] * types[t][place]).sum()
        };
        let power = |place| solution.shares.iter().map(|types| term(types, place)).sum::<f64>();
        let mut powers: Vec<f64> = (0..nodes.len()).map(power).collect();
        let least = LEAST * powers.iter().sum::<f64>();
        powers.iter_mut().filter(|power| **power < least).for_each(|power| *power = 0.0);
        let sum: f64 = powers.iter().sum();
        let shares = powers.iter().map(|power| power / sum);
        Powers::new(of_each(nodes, &shares.collect::<Vec<_>>())).expect("somebody has tasks")
    };
    PHASES.map(of_phase)
}

/// A smaller share of a phase is none: it is what the solver leaves where nothing should be.
const LEAST: f64 = 1e-6;

/// How many tiles each node makes in the first phase, in whole numbers: each has what the programme
/// gives it, rounded down, and those whose rest is largest one more.
pub(super) fn tiles(problem: &Problem<'_>, solution: &Solution) -> Vec<usize> {
    let Problem { work, nodes, .. } = *problem;
    let (t, maker) = work.maker();
    let steps = || solution.shares.iter().zip(&maker.tasks);
    let tiles = |place| steps().map(|(types, &tiles)| tiles as f64 * types[t][place]).sum::<f64>();
    let wanted = of_each(nodes, &(0..nodes.len()).map(tiles).collect::<Vec<_>>());
    whole(&wanted, work.tiles() as usize)
}

/// What each rank has of what its nodes have together.
fn of_each(nodes: &[Nodes], sums: &[f64]) -> Vec<f64> {
    let ranks = nodes.iter().map(|nodes| nodes.ranks.len()).sum();
    let mut each = vec![0.0; ranks];
    for (nodes, sum) in nodes.iter().zip(sums) {
        nodes.ranks.iter().for_each(|&rank| each[rank] = sum / nodes.ranks.len() as f64);
    }
    each
}

/// Whole numbers near the `wanted` ones, with this sum: by largest remainders.
fn whole(wanted: &[f64], sum: usize) -> Vec<usize> {
    // What the solver has cut off must not take a whole one away.
    let mut numbers: Vec<usize> = wanted.iter().map(|w| (w + 1e-6).floor() as usize).collect();
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    let rest = |rank: &usize| wanted[*rank] - (wanted[*rank] + 1e-6).floor();
    order.sort_by(|a, b| rest(b).total_cmp(&rest(a)));
    let missing = sum.saturating_sub(numbers.iter().sum());
    order.iter().cycle().take(missing).for_each(|&rank| numbers[rank] += 1);
    numbers
}

#[cfg(test)]
mod tests {
    use super::whole;

    #[test]
    fn the_largest_rests_are_rounded_up() {
        assert_eq!(whole(&[1.5, 2.25, 0.25], 4), [2, 2, 0]);
        assert_eq!(whole(&[318.75; 4], 1275), [319, 319, 319, 318]);
        assert_eq!(whole(&[2.999_999_9, 1.0, 0.000_000_1], 4), [3, 1, 0]);
    }
}
