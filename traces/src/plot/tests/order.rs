//! Maps of the order of tasks.

use super::checks::check_well_formed;
use super::synthetic::{cholesky, cholesky_over};
use crate::plot::order;
use crate::tests::task;
use tegula_runtime::ranks::Spot;
use tegula_runtime::trace::{Records, Site, TaskRecord, Trace};

/// Tasks on tiles of a grid, one second after the other: worker, iteration, row, column.
fn on_tiles(workers: usize, shape: (usize, usize), tasks: &[(usize, u32, usize, usize)]) -> Trace {
    let record = |(number, &(worker, iteration, row, column)): (u64, &(_, _, _, _))| TaskRecord {
        iteration,
        spot: Some(Spot { row, column, rows: shape.0, columns: shape.1 }),
        ..task((number, worker, 0, number * 1_000_000_000, (number + 1) * 1_000_000_000))
    };
    let tasks = (0..).zip(tasks).map(record).collect();
    Trace::new(Records { tasks, ..Records::default() }, Site::cores(workers), &["none"])
}

/// The strokes of each class of unit and shade, in the order in which they are drawn.
fn strokes(svg: &str) -> Vec<(&str, &str)> {
    let pieces = svg.split("<path class=\"u").skip(1).map(|piece| {
        let (class, rest) = piece.split_once('"').expect("a class");
        let strokes = rest.split_once("d=\"").and_then(|(_, rest)| rest.split_once('"'));
        (class, strokes.expect("strokes").0)
    });
    pieces.collect()
}

#[test]
fn each_tile_has_the_worker_and_the_turn_of_its_last_task() {
    // The second task on the first tile counts; two of the same step are one stroke.
    let tasks = [(1, 0, 0, 0), (0, 0, 0, 1), (0, 0, 1, 0), (1, 0, 1, 1), (0, 0, 0, 0)];
    let svg = order(&on_tiles(2, (2, 2), &tasks));
    check_well_formed(&svg).unwrap_or_else(|error| panic!("{error}"));
    // In order: (0, 1), (1, 0), (1, 1), (0, 0), in four of the twelve steps; worker 1 ran first.
    let expected = [("0s0", "M1 0h1"), ("0s3", "M0 1h1"), ("0s9", "M0 0h1"), ("1s6", "M1 1h1")];
    assert_eq!(strokes(&svg), expected);
    assert!(svg.contains("5 tasks on 2 x 2 tiles"), "{svg}");
    assert!(svg.contains(">worker 0: 3 tasks<") && svg.contains(">worker 1: 2 tasks<"), "{svg}");
    assert!(!svg.contains("iteration 0"), "there is one");
}

#[test]
fn iterations_have_maps_of_their_own_and_small_grids_stay_out() {
    let mut tasks = Vec::new();
    for iteration in 0..20 {
        tasks.extend((0..4).map(|i| (0, iteration, i / 2, i % 2)));
    }
    let mut trace = on_tiles(1, (2, 2), &tasks);
    // A task on a vector beside them.
    trace.records[79].spot = Some(Spot { row: 7, column: 0, rows: 9, columns: 1 });
    let svg = order(&trace);
    for (iteration, is_shown) in [(0, true), (1, false), (2, true), (17, true), (19, false)] {
        assert_eq!(svg.contains(&format!(">iteration {iteration}<")), is_shown, "{iteration}");
    }
    assert_eq!(svg.matches("class=\"map\"").count(), 8);
    assert_eq!(strokes(&svg).len(), 8 * 4, "one worker, four steps in each map");
    assert!(svg.contains("79 tasks on 2 x 2 tiles"), "{svg}");
}

#[test]
fn hues_are_of_workers_as_long_as_there_are_enough() {
    let of = |trace: &Trace, name: &str| order(trace).contains(&format!(">{name}: "));
    let few = cholesky(12, 3, 2);
    assert!(of(&few, "CPU 2") && of(&few, "GPU 1") && !of(&few, "cpu"));
    // The class with most workers is one first.
    let many = cholesky(12, 20, 2);
    assert!(of(&many, "cpu") && of(&many, "GPU 1") && !of(&many, "CPU 2"));
    let ranks = cholesky_over(12, 3);
    assert!(of(&ranks, "rank 2") && !of(&ranks, "cpu"));
    let most = cholesky_over(24, 12);
    assert!(of(&most, "cpu") && !of(&most, "rank 2"));
}
