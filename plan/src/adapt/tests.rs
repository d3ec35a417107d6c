//! Strategies on curves whose best is known, and the process on samples of a cosine.

use super::process::{Point, Process};
use super::{Action, History, Objective, Outcome, Pool, PoolRow, Replay, Space, strategy};

/// Nodes of groups that end so, each count taking what `seconds` says; the bound is `bound`.
fn pool(ends: &[usize], seconds: impl Fn(usize) -> f64, bound: impl Fn(usize) -> f64) -> Pool {
    let all = *ends.last().expect("a group");
    let row = |second: usize| PoolRow {
        action: Action { first: all, second },
        bounds: [0.5 * bound(second), bound(second)],
        seconds: seconds(second),
        joules: None,
        least_joules: None,
    };
    Pool { ends: ends.to_vec(), rows: (1..=all).map(row).collect() }
}

/// Work over nodes, and messages.
fn smooth(n: usize) -> f64 {
    4.0 + 80.0 / n as f64 + 0.8 * n as f64
}

/// What such a programme expects.
fn smooth_bound(n: usize) -> f64 {
    2.0 + 80.0 / n as f64
}

const EXACT: Replay =
    Replay { objective: Objective::Time, iterations: 60, samples: 1, deviation: 0.0, seed: 1 };
const NOISY: Replay =
    Replay { objective: Objective::Time, iterations: 127, samples: 30, deviation: 0.5, seed: 1 };

fn run(replay: &Replay, pool: &Pool, name: &str) -> Outcome {
    let (entry, space) = (strategy(name).expect("it is listed"), pool.space(Objective::Time));
    replay.run((pool, &space), 0, |space, history| entry.next(space, history))
}

/// Counts of nodes in the order in which they were tried.
fn counts(pool: &Pool, outcome: &Outcome) -> Vec<usize> {
    outcome.history.taken().iter().map(|&(row, _)| pool.rows[row].action.second).collect()
}

/// The count that a run takes in the end.
fn settled(pool: &Pool, outcome: &Outcome) -> usize {
    *counts(pool, outcome).last().expect("it runs")
}

#[test]
fn all_strategies_find_the_best_of_a_smooth_curve() {
    let pool = pool(&[4, 14], smooth, smooth_bound);
    assert_eq!(pool.rows[pool.best(Objective::Time)].action.second, 10);
    for name in
        ["dichotomy", "right-left", "left-right", "brent", "ucb", "gp-ucb", "gp-discontinuous"]
    {
        let outcome = run(&EXACT, &pool, name);
        let last = settled(&pool, &outcome);
        assert!((9..=11).contains(&last) || name == "ucb", "{name} settles on {last}");
        assert!(counts(&pool, &outcome).contains(&10), "{name} tries the best");
    }
    // UCB of ends knows two counts.
    assert_eq!(settled(&pool, &run(&EXACT, &pool, "ucb-struct")), 14);
}

#[test]
fn walks_stop_at_the_first_count_that_is_slower() {
    // A second valley, deeper, behind a hill.
    let hilly = |n: usize| [20.0, 12.0, 14.0, 13.0, 12.5, 15.0, 16.0, 14.5][n - 1];
    let pool = pool(&[8], hilly, |_| 1.0);
    assert_eq!(counts(&pool, &run(&EXACT, &pool, "right-left"))[..4], [8, 7, 8, 8]);
    assert_eq!(counts(&pool, &run(&EXACT, &pool, "left-right"))[..5], [1, 2, 3, 2, 2]);
}

#[test]
fn dichotomy_keeps_the_half_whose_middle_is_faster() {
    let pool = pool(&[8], |n| (n as f64 - 2.2).abs() + 1.0, |_| 0.5);
    // Middles of 1..4 and 5..8, of 1..2 and 3..4, then 3 and 4: the best, 2, is left with its half.
    assert_eq!(counts(&pool, &run(&EXACT, &pool, "dichotomy"))[..7], [2, 6, 1, 3, 4, 3, 3]);
}

#[test]
fn upper_confidence_bounds_try_everything_once() {
    let pool = pool(&[3, 6], smooth, smooth_bound);
    let mut tried = counts(&pool, &run(&EXACT, &pool, "ucb"))[..6].to_vec();
    assert_eq!(tried[0], 6, "all nodes first");
    tried.sort_unstable();
    assert_eq!(tried, [1, 2, 3, 4, 5, 6]);
    assert_eq!(counts(&pool, &run(&EXACT, &pool, "ucb-struct"))[..2], [6, 3]);
}

#[test]
fn the_first_counts_of_the_processes_are_those_of_the_thesis() {
    let pool = pool(&[2, 8, 14], smooth, smooth_bound);
    assert_eq!(counts(&pool, &run(&EXACT, &pool, "gp-ucb"))[..4], [14, 1, 7, 7]);
    // All nodes take 20.9 s. With 5 nodes the bound is less: 4 take 22 s at least. The first group
    // ends before.
    assert_eq!(counts(&pool, &run(&EXACT, &pool, "gp-discontinuous"))[..5], [14, 5, 9, 9, 8]);
}

#[test]
fn counts_that_cannot_win_are_not_tried() {
    let pool = pool(&[2, 8, 14], smooth, smooth_bound);
    let tried = counts(&pool, &run(&NOISY, &pool, "gp-discontinuous"));
    assert!(tried.iter().all(|&n| n >= 4), "{tried:?}");
}

#[test]
fn a_jump_at_the_border_of_a_group_is_found_with_few_trials() {
    // 30 slow nodes behind 6 fast ones make all wait.
    let jump = |n: usize| if n <= 6 { 4.0 + 60.0 / n as f64 } else { 19.0 + 20.0 / n as f64 };
    let pool = pool(&[6, 36], jump, |n| 50.0 / n as f64);
    let outcome = run(&NOISY, &pool, "gp-discontinuous");
    let tried = counts(&pool, &outcome);
    assert_eq!(settled(&pool, &outcome), 6, "{tried:?}");
    assert!(tried[..20].contains(&6), "{tried:?}");
    let late = tried.iter().filter(|&&n| n > 20).count();
    assert!(late < 20, "{late} trials above 20: {tried:?}");
}

#[test]
fn where_all_nodes_are_best_little_is_lost() {
    let pool = pool(&[4, 8, 20], |n| 3.0 + 200.0 / n as f64, |n| 2.5 + 200.0 / n as f64);
    let outcome = run(&NOISY, &pool, "gp-discontinuous");
    let all = run(&NOISY, &pool, "all");
    assert!(outcome.seconds < 1.01 * all.seconds, "{} of {}", outcome.seconds, all.seconds);
}

#[test]
fn both_phases_are_chosen_together() {
    let seconds = |first: usize, second: usize| {
        let generation = 40.0 / first as f64 + 0.5 * first as f64;
        generation + smooth(second)
    };
    let actions = (1..=12).flat_map(|first| (1..=12).map(move |second| Action { first, second }));
    let row = |action: Action| PoolRow {
        action,
        bounds: [1.0, 30.0 / action.first as f64 + smooth_bound(action.second)],
        seconds: seconds(action.first, action.second),
        joules: None,
        least_joules: None,
    };
    let pool = Pool { ends: vec![4, 12], rows: actions.map(row).collect() };
    let best = pool.rows[pool.best(Objective::Time)];
    assert_eq!(best.action, Action { first: 9, second: 10 });
    for name in ["gp-discontinuous", "gp-ucb"] {
        let outcome = run(&NOISY, &pool, name);
        let last = pool.rows[outcome.history.taken().last().expect("it runs").0];
        assert!(last.seconds < 1.03 * best.seconds, "{name}: {last:?} beside {best:?}");
    }
    // The others leave all nodes to the first phase.
    let outcome = run(&NOISY, &pool, "dichotomy");
    assert!(outcome.history.taken().iter().all(|&(row, _)| pool.rows[row].action.first == 12));
}

#[test]
fn a_strategy_goes_on_from_its_history_alone() {
    let pool = pool(&[2, 8, 14], smooth, smooth_bound);
    let space = pool.space(Objective::Time);
    for entry in super::STRATEGIES {
        let whole = NOISY.run((&pool, &space), 3, |space, history| entry.next(space, history));
        let mut history = History::default();
        for &(action, seconds) in whole.history.taken() {
            assert_eq!(entry.next(&space, &history), action, "{}", entry.name);
            history.push(action, seconds);
        }
    }
}

/// Figure 7.3: the process through samples of a cosine goes near them and back to the mean away
/// from them, and its band holds the cosine.
#[test]
fn a_process_follows_a_cosine() {
    let noises = [0.05, -0.04, 0.02, -0.06, 0.03, 0.01, -0.02, 0.04];
    let at = |k: usize| 0.8 * k as f64;
    let points: Vec<Point> = noises
        .iter()
        .enumerate()
        .map(|(k, noise)| Point {
            at: [at(k), 0.0],
            trend: vec![1.0],
            value: at(k).cos() + noise,
            noise: 0.0025,
        })
        .collect();
    let process = Process::new(&points, 0.5, 2.0);
    for k in 0..56 {
        let x = 0.1 * f64::from(k);
        let belief = process.belief([x, 0.0], &[1.0]);
        assert!(
            (belief.mean - x.cos()).abs() < 1.96 * belief.deviation + 0.1,
            "at {x}: {belief:?}"
        );
    }
    let far = process.belief([100.0, 0.0], &[1.0]);
    let also_far = process.belief([-80.0, 0.0], &[1.0]);
    assert!((far.mean - also_far.mean).abs() < 1e-9);
    assert!(far.deviation > 0.5_f64.sqrt(), "beside the process the mean is unknown: {far:?}");
}

/// Beliefs are those of the joint normal distribution, by hand: two values, no trend but a known
/// one of zero.
#[test]
fn beliefs_are_conditional_moments() {
    let points = [Point { at: [0.0, 0.0], trend: vec![1.0], value: 3.0, noise: 0.5 }];
    let process = Process::new(&points, 2.0, 1.0);
    // One value: the mean is that value everywhere, and its variance that of the difference.
    let belief = process.belief([2.0, 0.0], &[1.0]);
    let covariance = 2.0 * (-2.0_f64).exp();
    assert!((belief.mean - 3.0).abs() < 1e-8);
    let variance = 2.0 - covariance * covariance / 2.5 + (1.0 - covariance / 2.5).powi(2) * 2.5;
    assert!((belief.deviation - variance.sqrt()).abs() < 1e-8);
}

#[test]
#[should_panic(expected = "one action has all nodes in both phases")]
fn a_space_without_all_nodes_is_refused() {
    let _ = Space::new(vec![3], vec![Action { first: 3, second: 2 }], vec![1.0]);
}

#[test]
fn the_front_has_what_nothing_beats_in_time_and_energy() {
    let mut of_five = pool(&[5], |n| [9.0, 5.0, 4.0, 4.5, 4.0][n - 1], |_| 1.0);
    let joules = [10.0, 12.0, 30.0, 20.0, 30.0];
    of_five.rows.iter_mut().zip(joules).for_each(|(row, joules)| row.joules = Some(joules));
    // 3 and 5 nodes are equal; 4 take longer than 3, and less energy.
    assert_eq!(of_five.front(), [2, 3, 1, 0]);
    of_five.rows[1].joules = Some(21.0);
    assert_eq!(of_five.front(), [2, 3, 0]);
    of_five.rows[2].joules = None;
    assert_eq!(of_five.front(), [4, 3, 0]);
    assert!(pool(&[5], smooth, smooth_bound).front().is_empty());
}

#[test]
fn what_costs_least_depends_on_the_objective() {
    // Four nodes are fastest; the energy grows with the nodes; two are a compromise.
    let mut of_four = pool(&[4], |n| [12.0, 7.0, 6.0, 5.5][n - 1], |n| 4.0 / n as f64);
    let joules = [100.0, 120.0, 180.0, 300.0];
    of_four.rows.iter_mut().zip(joules).for_each(|(row, joules)| {
        (row.joules, row.least_joules) = (Some(joules), Some(20.0));
    });
    let best = |objective| of_four.rows[of_four.best(objective)].action.second;
    assert_eq!(Objective::ALL.map(best), [4, 1, 2]);
    for objective in Objective::ALL {
        let (replay, space) = (Replay { objective, ..EXACT }, of_four.space(objective));
        assert_eq!(space.bound(3), objective.cost(1.0, Some(20.0)), "{objective:?}");
        for name in ["gp-discontinuous", "gp-ucb", "ucb", "brent"] {
            let entry = strategy(name).expect("it is listed");
            let run =
                replay.run((&of_four, &space), 0, |space, history| entry.next(space, history));
            assert_eq!(settled(&of_four, &run), best(objective), "{name} by {objective:?}");
            let rows = run.history.taken().iter().map(|&(row, _)| of_four.rows[row]);
            let [seconds, joules, cost] = rows.fold([0.0; 3], |[seconds, joules, cost], row| {
                let drawn = row.joules.unwrap_or_default();
                [seconds + row.seconds, joules + drawn, cost + row.cost(objective)]
            });
            assert!((run.seconds - seconds).abs() < 1e-9 * seconds);
            assert!((run.joules.expect("it is known") - joules).abs() < 1e-9 * joules);
            assert!((run.cost - cost).abs() < 1e-9 * cost);
        }
    }
}
