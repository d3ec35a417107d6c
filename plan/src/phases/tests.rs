//! Plans with answers by hand, their properties, and those of clusters of the nodes of the thesis.

use proptest::prelude::*;
use tegula_bounds::area;
use tegula_runtime::flow::Cost;

use super::*;
use crate::distribution::messages::redistribution;
use crate::distribution::{BlockCyclic, Factorisation, OwnerMap};
use tegula_tiles::Storage;

const COST: Cost = Cost { flops: 1.0, bytes: 1.0 };

/// Nodes with one resource, of so many workers each.
fn nodes(ranks: &[usize], workers: usize, seconds: &[Option<f64>]) -> Nodes {
    let resources = vec![Resource { workers, seconds: seconds.to_vec() }];
    Nodes { ranks: ranks.to_vec(), resources, bytes_per_second: 1e9 }
}

/// Two types, one of each phase, with so many tasks in each step.
fn work(first: &[u64], second: &[u64]) -> Workload {
    let kind = |kernel, phase, tasks: &[u64]| TaskType {
        kernel,
        cost: COST,
        phase,
        tasks: tasks.to_vec(),
    };
    let types = vec![kind("make", Phase::First, first), kind("work", Phase::Second, second)];
    let tiles = first.iter().sum::<u64>() as usize;
    Workload { types, shape: Shape::Rows(tiles, 1), bytes: 8.0, is_paced: false }
}

fn solved(work: &Workload, nodes: &[Nodes], options: &Options) -> (Solution, Plan) {
    work.check();
    let problem = Problem { work, nodes, options, backbone: None };
    let solution = problem.solve(None).expect("it has a solution");
    let plan = problem.plan(&solution);
    (solution, plan)
}

fn assert_close(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (x, y) in found.iter().zip(expected) {
        assert!((x - y).abs() < 1e-5 * (1.0 + y.abs()), "{found:?} against {expected:?}");
    }
}

#[test]
fn one_node_takes_the_work_over_its_power() {
    // 16 tasks of 1 s and 24 of 2 s on 4 workers: 16 s.
    let nodes = [nodes(&[0], 4, &[Some(1.0), Some(2.0)])];
    let (_, plan) = solved(&work(&[8, 8], &[12, 12]), &nodes, &Options::default());
    assert_close(&plan.ends[0], &[2.0, 4.0]);
    assert_close(&plan.ends[1], &[8.0, 16.0]);
    assert!((plan.seconds() - 16.0).abs() < 1e-4);
    assert_eq!(plan.tiles, [16]);
}

#[test]
fn what_is_alike_has_the_same_share() {
    let mut nodes = [0, 1].map(|rank| nodes(&[rank], 3, &[Some(1.0), Some(2.0)]));
    nodes[1].bytes_per_second = 2e9;
    let (_, plan) = solved(&work(&[5, 4, 3], &[2, 9, 4]), &nodes, &Options::default());
    for powers in &plan.powers {
        assert_close(powers.as_slice(), &[0.5, 0.5]);
    }
    assert_eq!(plan.tiles, [6, 6]);
}

#[test]
fn who_cannot_do_the_second_phase_does_more_of_the_first() {
    let both = [nodes(&[0], 1, &[Some(1.0), Some(1.0)]), nodes(&[1, 2], 1, &[Some(1.0), None])];
    // One step: three share 6 s, and 10 s follow.
    let (_, plan) = solved(&work(&[6], &[10]), &both, &Options::default());
    assert_close(&[plan.ends[0][0], plan.ends[1][0]], &[2.0, 12.0]);
    assert_close(plan.powers[1].as_slice(), &[1.0, 0.0, 0.0]);
    // In the next steps the first one has enough to do: every second more is one at the end of all.
    let many = work(&[6; 8], &[10; 8]);
    let (_, plan) = solved(&many, &both, &Options::default());
    assert!(plan.tiles[0] < plan.tiles[1] && plan.tiles[1].abs_diff(plan.tiles[2]) <= 1);
    assert_eq!(plan.tiles.iter().sum::<usize>(), 48);
}

#[test]
fn a_task_is_not_divided_at_the_start_and_paced_steps_have_one_each() {
    let nodes = [nodes(&[0], 100, &[Some(1.0), Some(0.0625)])];
    let mut work = work(&[4, 4, 4], &[4, 4, 4]);
    let (_, plan) = solved(&work, &nodes, &Options::default());
    assert_close(&plan.ends[0], &[1.0, 1.04, 1.08]);
    work.is_paced = true;
    let (_, plan) = solved(&work, &nodes, &Options::default());
    assert_close(&plan.ends[0], &[1.0, 2.0, 3.0]);
}

#[test]
fn few_tasks_at_a_time_take_longer() {
    let nodes = [nodes(&[0, 1], 10, &[Some(1.0), Some(0.01)])];
    let work = work(&[20, 20], &[1, 1]);
    let options = Options { at_a_time: vec![("make", 2)], ..Options::default() };
    let (_, plan) = solved(&work, &nodes, &options);
    assert_close(&plan.ends[0], &[5.0, 10.0]);
}

#[test]
fn what_nobody_can_do_is_said() {
    let nodes = [nodes(&[0], 1, &[Some(1.0), None])];
    let (work, options) = (work(&[1], &[1]), Options::default());
    let problem = Problem { work: &work, nodes: &nodes, options: &options, backbone: None };
    let error = problem.solve(None).expect_err("nobody works").to_string();
    assert!(error.starts_with("no node that takes part in the second phase can run 'work': give"));
}

/// The constraints (a) to (f) for nodes with one resource each.
fn assert_kept(work: &Workload, nodes: &[Nodes], Solution { shares, ends }: &Solution) {
    let scale = ends[1].last().copied().expect("there is a step");
    let is_at_most = |x: f64, y: f64| x <= y + 1e-6 * scale;
    let before = |phase: usize, s: usize| if s == 0 { 0.0 } else { ends[phase][s - 1] };
    let mut done = vec![0.0; nodes.len()];
    for (s, shares) in shares.iter().enumerate() {
        for (t, kind) in work.types.iter().enumerate().filter(|(_, kind)| kind.tasks[s] > 0) {
            let all: f64 = shares[t].iter().sum();
            assert!((all - 1.0).abs() < 1e-6, "{all} of {} in step {s}", kind.kernel);
        }
        for (r, nodes) in nodes.iter().enumerate() {
            let time = |t: usize| {
                let seconds = nodes.seconds(&nodes.resources[0], t).unwrap_or(0.0);
                shares[t][r] * work.types[t].tasks[s] as f64 * seconds
            };
            done[r] += time(0) + time(1);
            assert!(is_at_most(before(0, s) + time(0), ends[0][s]), "(b) in step {s}");
            assert!(is_at_most(ends[0][s] + time(1), ends[1][s]), "(c) in step {s}");
            assert!(is_at_most(before(1, s) + time(1), ends[1][s]), "(d) in step {s}");
            assert!(is_at_most(done[r], ends[1][s]), "(e) in step {s}");
        }
    }
    let first = nodes.iter().filter_map(|nodes| nodes.best_seconds(0)).fold(f64::MAX, f64::min);
    assert!(is_at_most(first, ends[0][0]), "(f)");
}

/// Nodes of which the first can do everything.
fn some_nodes() -> impl proptest::strategy::Strategy<Value = Vec<Nodes>> {
    let one = (1usize..4, 1usize..9, 0.1f64..2.0, 0.1f64..2.0, 0usize..4);
    prop::collection::vec(one, 1..5).prop_map(|all| {
        let mut ranks = 0..;
        let of = |(place, (count, workers, first, second, able)): (usize, _)| {
            let ranks: Vec<usize> = ranks.by_ref().take(count).collect();
            let able = if place == 0 { 0 } else { able };
            nodes(&ranks, workers, &[(able != 1).then_some(first), (able != 2).then_some(second)])
        };
        all.into_iter().enumerate().map(of).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_plan_keeps_what_it_must(
        nodes in some_nodes(),
        tasks in prop::collection::vec((1u64..20, 0u64..60), 1..12),
    ) {
        let (first, mut second): (Vec<u64>, Vec<u64>) = tasks.into_iter().unzip();
        second[0] += 1;
        let work = work(&first, &second);
        let (solution, plan) = solved(&work, &nodes, &Options::default());
        assert_kept(&work, &nodes, &solution);
        for ends in &plan.ends {
            prop_assert!(ends.windows(2).all(|pair| pair[0] <= pair[1] + 1e-6 * ends[ends.len() - 1]));
        }
        for powers in &plan.powers {
            prop_assert!((powers.as_slice().iter().sum::<f64>() - 1.0).abs() < 1e-9);
        }
        prop_assert_eq!(plan.tiles.iter().sum::<usize>() as u64, work.tiles());

        let types: Vec<tegula_bounds::TaskType> = (0..2).map(|t| tegula_bounds::TaskType {
            tasks: work.types[t].tasks.iter().sum(),
            seconds: nodes.iter().map(|nodes| nodes.resources[0].seconds[t]).collect(),
        }).collect();
        let of_nodes = |nodes: &Nodes| nodes.ranks.len() * nodes.resources[0].workers;
        let workers: Vec<usize> = nodes.iter().map(of_nodes).collect();
        let bound = area(&types, &workers).expect("they can run").seconds;
        prop_assert!(plan.seconds() >= bound * (1.0 - 1e-4), "{} and {}", plan.seconds(), bound);
    }

    /// What is least is the sum of all ends; the last of them alone may be later.
    #[test]
    fn a_node_more_is_no_loss(
        nodes in some_nodes(),
        tasks in prop::collection::vec((1u64..20, 1u64..60), 1..9),
    ) {
        let (first, second): (Vec<u64>, Vec<u64>) = tasks.into_iter().unzip();
        let work = work(&first, &second);
        let mut more = nodes.clone();
        let rank = nodes.iter().map(|nodes| nodes.ranks.len()).sum();
        more[0].ranks.push(rank);
        let sum = |nodes: &[Nodes]| {
            let (_, plan) = solved(&work, nodes, &Options::default());
            plan.ends.iter().flatten().sum::<f64>()
        };
        prop_assert!(sum(&more) <= sum(&nodes) * (1.0 + 1e-6));
    }
}

fn cluster(set: &str) -> ClusterPlatform {
    ClusterPlatform::find(set).unwrap_or_else(|error| panic!("{error}"))
}

/// Generation of so many tiles of 960 and their factorisation.
fn likelihood(n: usize) -> Workload {
    let cost = Cost { flops: 24.0 * 960.0 * 960.0, bytes: 8.0 * 960.0 * 960.0 };
    Workload::generation_and_cholesky(n, 960, ("covariance", cost))
}

/// The example of section 6.2.3: two nodes without devices and two with them, 50 x 50 tiles. Of the
/// 1275 tiles all make about as many, and those with devices own nearly all in the factorisation;
/// the first map from the second one moves less than one by itself.
#[test]
fn generation_is_shared_evenly_and_devices_factorise() {
    let work = likelihood(50);
    let plan = plan(&cluster("2chetemi+2chifflet"), &work, &Options::default()).expect("a plan");
    let [first, second] = plan.powers.each_ref().map(Powers::as_slice);
    assert_close(
        &[first[0], first[2], second[0], second[2]],
        &[first[1], first[3], second[1], second[3]],
    );
    assert!(plan.tiles.iter().all(|&tiles| (200..450).contains(&tiles)), "{:?}", plan.tiles);
    let Maps { first, second } = PLACEMENTS[0].maps(&plan, &work);
    assert_eq!(first.tiles_of_ranks(), plan.tiles);
    assert!(second.tiles_of_ranks()[2] > second.tiles_of_ranks()[0]);
    let alone = OwnerMap::of(&BlockCyclic { p: 2, q: 2 }, (50, 50), Storage::Lower, 4);
    let moved = |from| redistribution(from, &second).total();
    assert!(moved(&first) < moved(&alone));
}

#[test]
fn who_is_left_out_has_no_power_in_that_phase() {
    let options = Options { without: [vec![3], vec![0, 1]], ..Options::default() };
    let work = likelihood(12);
    let plan = plan(&cluster("3chetemi+2chifflet"), &work, &options).expect("a plan");
    let is_out = |phase: usize| {
        let powers = plan.powers[phase].as_slice().iter();
        powers.map(|&power| power == 0.0).collect::<Vec<_>>()
    };
    assert_eq!(is_out(0), [false, false, false, true, false]);
    assert_eq!(is_out(1), [true, true, false, false, false]);
    let nobody = Options { without: [vec![], (0..5).collect()], ..Options::default() };
    let error = super::plan(&cluster("3chetemi+2chifflet"), &work, &nobody);
    let expected = PlanError::Nobody { kernel: "potrf", phase: Phase::Second };
    assert_eq!(error, Err(expected));
}

/// Links that carry a twentieth: what a plan promises without them takes longer on them.
#[test]
fn a_plan_promises_what_the_network_can_carry() {
    let mut slow = cluster("6chetemi+2chifflet");
    slow.nodes.iter_mut().for_each(|node| node.network.bytes_per_second /= 20.0);
    let work = likelihood(30);
    let free = Options { is_network_free: true, ..Options::default() };
    let free = plan(&slow, &work, &free).expect("a plan");
    let on_links =
        Traffic::of(&free, &work, &second(&free, &work)).link_seconds(&free.nodes, work.bytes);
    assert!(on_links > 2.0 * free.seconds(), "{on_links} and {}", free.seconds());
    let found = plan(&slow, &work, &Options::default()).expect("a plan");
    assert!(found.seconds() < 0.9 * on_links, "{} and {on_links}", found.seconds());
    assert!(found.seconds() >= found.link_seconds && found.seconds() > free.seconds());
    slow.backbone_bytes_per_second = Some(1e7);
    let narrow = plan(&slow, &work, &Options::default()).expect("a plan");
    assert!(narrow.seconds() > found.seconds());
}

#[test]
fn the_last_rows_are_with_the_nodes_whose_devices_are_fast() {
    let (work, cluster) = (likelihood(101), cluster("2chifflot+6chetemi+6chifflet"));
    let options = Options { is_network_free: true, ..Options::default() };
    let plan = plan(&cluster, &work, &options).expect("a plan");
    let [free, constrained] =
        ["lp", "lp-constrained"].map(|name| placement(name).expect("listed").maps(&plan, &work));
    assert!(constrained.second != free.second);
    let last: Vec<usize> = (0..101).map(|j| constrained.second.owner(100, j)).collect();
    assert!(last.iter().all(|&owner| owner < 2), "{last:?}");
    assert_eq!(constrained.first.tiles_of_ranks(), plan.tiles);
    assert!(placement("lq").is_none());
}

/// A pass over 40 rows in 2 bands, read by five readers on each node.
#[test]
fn rows_are_dealt_out_for_products() {
    let read = ("read", Cost { flops: 0.0, bytes: 1e8 });
    let product = ("gemm", Cost { flops: 2.0 * 960f64.powi(3), bytes: 2e7 }, 20);
    let work = Workload::reading_and_product((40, 2), 20, 1e8, read, product);
    let options = Options { at_a_time: vec![("read", 5)], ..Options::default() };
    let plan = plan(&cluster("2chetemi+2chifflet"), &work, &options).expect("a plan");
    for entry in PLACEMENTS {
        let Maps { first, second } = entry.maps(&plan, &work);
        for map in [&first, &second] {
            assert!((0..40).all(|row| map.owner(row, 0) == map.owner(row, 1)), "{}", entry.name);
        }
        let [read, multiplied] = [first, second].map(|map| map.tiles_of_ranks());
        assert!(multiplied[2] > multiplied[0], "{multiplied:?}");
        assert!(read[0] >= multiplied[0], "{read:?} and {multiplied:?}");
    }
}

#[test]
fn lu_has_all_tiles() {
    let mut work = work(&[9], &[9]);
    work.shape = Shape::Square(Factorisation::Lu, 3);
    let nodes = [nodes(&[0], 1, &[Some(1.0); 2]), nodes(&[1], 1, &[Some(1.0); 2])];
    let (_, plan) = solved(&work, &nodes, &Options::default());
    let maps = PLACEMENTS[0].maps(&plan, &work);
    assert_eq!(maps.second.storage(), Storage::Full);
    assert!(Traffic::of(&plan, &work, &maps.second).link_seconds(&plan.nodes, 8.0) > 0.0);
}
