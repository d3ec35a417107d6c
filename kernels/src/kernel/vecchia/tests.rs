//! Sums and weights against their definitions.

use super::*;
use crate::geometry::Points;
use crate::kernel::covariance::rate::random_points;
use crate::kernel::covariance::{
    Correlation, Derivative, Row, SmallDerivative, SmallExpansion, Structure,
};

/// `exp(-x)`.
struct Exponential;

impl Correlation for Exponential {
    fn value(&self, x: f64) -> f64 {
        (-x).exp()
    }
    fn logarithm(&self, x: f64) -> f64 {
        -x
    }
    fn near(&self) -> SmallExpansion {
        SmallExpansion::Logarithm { a: [0.0; 3], b: [-1.0, 0.0, 0.0], power: 0.5 }
    }
}

/// Its derivative by the logarithm of the range, relative to it: `x`; and another, `x^2`.
struct Power(i32);

impl Derivative for Power {
    fn values(&self, x: &Row) -> Row {
        x.map(|x| x.powi(self.0))
    }
    fn near(&self) -> SmallDerivative {
        SmallDerivative::Power { b: [1.0, 0.0, 0.0], log: 0.0, power: 0.5 * f64::from(self.0) }
    }
}

fn tables(scale: f64) -> Vec<RadialTable> {
    let table = RadialTable::new(&Exponential, 1.3, scale, 0.2);
    let mut tables = vec![*table];
    for power in [1, 2] {
        let mut derivative = RadialTable::empty();
        derivative.tabulate_derivative(&Power(power), 1.0, &table);
        tables.push(*derivative);
    }
    tables
}

/// Tables for a geometry; where there are directions, the last derivative goes by them.
fn tables_in(geometry: Geometry) -> Vec<RadialTable> {
    let mut tables = tables(if geometry == Geometry::GreatCircle { 3000.0 } else { 0.4 });
    match geometry {
        Geometry::Plane => tables[2].set_axes([0, 1]),
        Geometry::Space => tables[2].set_axes([2, 2]),
        Geometry::Line | Geometry::GreatCircle => {}
    }
    tables
}

/// Records with two columns.
fn records(points: &Points) -> Vec<f64> {
    let stored = points.geometry().stored();
    let record = |i: usize| {
        let more = [(i as f64).sin(), 1.0 + 0.1 * i as f64];
        points.point(i)[..stored].iter().copied().chain(more).collect::<Vec<f64>>()
    };
    (0..points.len()).flat_map(record).collect()
}

/// Of each place up to `m` of those before it, some steps apart.
fn neighbours(first: usize, rows: usize, m: usize) -> Vec<u32> {
    let of = |place: usize| {
        let count = place.min(m);
        let given = (0..count).map(move |k| ((place - 1 - k) * 7 % place) as u32);
        let mut given: Vec<u32> = given.collect();
        given.sort_unstable();
        given.dedup();
        let mut list = vec![NONE; m - given.len()];
        list.extend(given);
        list
    };
    (first..first + rows).flat_map(of).collect()
}

fn assert_near(found: &[f64], expected: &[f64], what: &str) {
    let scale = expected.iter().fold(1.0_f64, |most, x| most.max(x.abs()));
    for (index, (x, y)) in found.iter().zip(expected).enumerate() {
        // Some tens of steps of elimination in well-conditioned matrices.
        assert!((x - y).abs() < 1e-11 * scale, "{what}, number {index}: {x}, not {y}");
    }
}

#[test]
fn all_vectors_agree_with_the_definitions_in_every_geometry() {
    for geometry in Geometry::ALL {
        let tables = tables_in(geometry);
        let records = records(&random_points(geometry, 60, 1.0, 5));
        for (first, rows, m) in [(0, 60, 1), (0, 21, 4), (3, 9, 7), (30, 30, 11), (40, 1, 13)] {
            let places = Places { first, rows, neighbours: m, columns: 2, geometry };
            let given = neighbours(first, rows, m);
            let mut expected = vec![0.0; Terms::length(2)];
            Terms(places).reference(&tables[0], &records, &given, &mut expected);
            let score = ScoreTerms { places, derivatives: 2, is_relative: true };
            let mix = [2.0, 0.3, 0.3, 0.7];
            let mut slope = vec![0.0; ScoreSums::length(2)];
            score.reference(&tables, &records, &given, &mix, &mut slope);
            for vectors in Vectors::available() {
                let what = format!("{geometry:?} {vectors:?} {places:?}");
                let mut found = vec![f64::NAN; expected.len()];
                let done = Terms(places).compute(vectors, &tables[0], &records, &given, &mut found);
                done.expect("positive definite");
                assert_near(&found, &expected, &what);
                let mut found = vec![f64::NAN; slope.len()];
                let done = score.compute(vectors, &tables, &records, &given, &mix, &mut found);
                done.expect("positive definite");
                assert_near(&found, &slope, &what);
            }
        }
    }
}

#[test]
fn derivatives_need_not_be_relative() {
    let geometry = Geometry::Plane;
    let tables = tables(0.4);
    let records = records(&random_points(geometry, 30, 1.0, 8));
    let places = Places { first: 0, rows: 30, neighbours: 6, columns: 2, geometry };
    let (given, mix) = (neighbours(0, 30, 6), [1.0, 0.0, 0.0, 0.0]);
    let score = ScoreTerms { places, derivatives: 2, is_relative: false };
    let mut expected = vec![0.0; ScoreSums::length(2)];
    score.reference(&tables, &records, &given, &mix, &mut expected);
    let mut found = expected.clone();
    let done = score.compute(Vectors::widest(), &tables, &records, &given, &mix, &mut found);
    done.expect("positive definite");
    assert_near(&found, &expected, "not relative");
}

#[test]
fn weights_are_those_of_the_definition_also_at_an_observed_place() {
    for geometry in Geometry::ALL {
        let table = &tables(if geometry == Geometry::GreatCircle { 3000.0 } else { 0.4 })[0];
        let mut points = random_points(geometry, 19, 1.0, 6);
        let records = records(&random_points(geometry, 40, 1.0, 5));
        let given = neighbours(21, 19, 9);
        // The first target is its own nearest neighbour.
        let targets = |points: &Points| -> Vec<f64> {
            let stored = geometry.stored();
            let mut all: Vec<f64> =
                (0..19).flat_map(|i| points.point(i)[..stored].to_vec()).collect();
            let nearest = given[8] as usize * (stored + 2);
            all[..stored].copy_from_slice(&records[nearest..][..stored]);
            all
        };
        points = points.part(0..19);
        let targets = targets(&points);
        let places = Places { first: 0, rows: 19, neighbours: 9, columns: 2, geometry };
        let mut expected = vec![0.0; 19 * 3];
        Weights(places).reference(table, &records, &given, &targets, &mut expected);
        for vectors in Vectors::available() {
            let mut found = vec![f64::NAN; expected.len()];
            let weights = Weights(places);
            let done = weights.compute(vectors, table, &records, &given, &targets, &mut found);
            done.expect("positive definite");
            assert_near(&found, &expected, &format!("{geometry:?} {vectors:?}"));
        }
    }
}

#[test]
fn the_place_that_coincides_with_a_neighbour_is_named() {
    let geometry = Geometry::Line;
    let mut table = tables(0.4)[0];
    table.nugget = 0.0;
    let mut records = records(&random_points(geometry, 20, 1.0, 5));
    let given = neighbours(0, 20, 5);
    let twin = given[17 * 5 + 4] as usize;
    records[17 * 3] = records[twin * 3];
    let places = Places { first: 0, rows: 20, neighbours: 5, columns: 2, geometry };
    for vectors in Vectors::available() {
        let mut sums = vec![0.0; Terms::length(2)];
        let failed = Terms(places).compute(vectors, &table, &records, &given, &mut sums);
        let expected = crate::error::NumericalError::NotPositiveDefinite { order: 18 };
        assert_eq!(failed, Err(expected), "{vectors:?}");
    }
}

/// Sets of four places each of `0..n`, some of them far from each other in the order, with up to
/// `m` others before the last; and as lists of neighbours, all members before each place.
fn sets(n: usize, m: usize) -> (Vec<u32>, Vec<u32>, usize) {
    let step = n / 4;
    let (mut sets, mut before) = (vec![step as u32], vec![Vec::new(); n]);
    for set in 0..step {
        let own: Vec<usize> = (0..4).map(|k| set + k * step).collect();
        let given = (0..(set + 1).min(m)).map(|k| (own[3] - 1 - k) * 7 % own[3]);
        let mut members: Vec<usize> = own.iter().copied().chain(given).collect();
        members.sort_unstable();
        members.dedup();
        sets.push(members.len() as u32);
        for (place, &member) in members.iter().enumerate() {
            let flag = if own.contains(&member) { OWN } else { 0 };
            sets.push(member as u32 | flag);
            if flag != 0 {
                before[member] = members[..place].iter().map(|&one| one as u32).collect();
            }
        }
    }
    let most = before.iter().map(Vec::len).max().unwrap_or(0);
    let padded = before
        .iter()
        .flat_map(|list| std::iter::repeat_n(NONE, most - list.len()).chain(list.iter().copied()));
    (sets, padded.collect(), most)
}

#[test]
fn sets_condition_each_place_on_all_of_theirs_before_it() {
    for geometry in Geometry::ALL {
        let tables = tables_in(geometry);
        let records = records(&random_points(geometry, 60, 1.0, 5));
        for m in [0, 3, 9] {
            let (sets, given, neighbours) = sets(60, m);
            let places = Places { first: 0, rows: 60, neighbours, columns: 2, geometry };
            let mut expected = vec![0.0; Terms::length(2)];
            Terms(places).reference(&tables[0], &records, &given, &mut expected);
            let mix = [2.0, 0.3, 0.3, 0.7];
            for is_relative in [true, false] {
                let score = ScoreTerms { places, derivatives: 2, is_relative };
                let mut slope = vec![0.0; ScoreSums::length(2)];
                score.reference(&tables, &records, &given, &mix, &mut slope);
                let structure = Structure::Radial { is_relative };
                let joint = Sets { columns: 2, marks: 0, geometry, structure, size: (60, m) };
                let [first, all] = [&tables[..1], &tables].map(bytemuck::cast_slice);
                for vectors in Vectors::available() {
                    let what = format!("{geometry:?} {vectors:?} {m}");
                    let mut found = vec![f64::NAN; expected.len()];
                    let terms = JointTerms(joint);
                    let done = terms.compute(vectors, first, &records, &sets, &mut found);
                    done.expect("positive definite");
                    assert_near(&found, &expected, &what);
                    let mut found = vec![f64::NAN; slope.len()];
                    let score = JointScore { sets: joint, derivatives: 2 };
                    let done = score.compute(vectors, all, &records, &sets, &mix, &mut found);
                    done.expect("positive definite");
                    assert_near(&found, &slope, &what);
                }
            }
        }
    }
}

#[test]
fn a_set_with_coincident_places_names_the_second() {
    let geometry = Geometry::Plane;
    let mut table = tables(0.4)[0];
    // So that rounding does not decide.
    table.nugget = -1e-3;
    let mut records = records(&random_points(geometry, 20, 1.0, 5));
    records.copy_within(4 * 3..4 * 3 + 2, 4 * 9);
    let list = [1, 4, 2, 3 | OWN, 9 | OWN, 11 | OWN];
    for vectors in Vectors::available() {
        let mut sums = vec![0.0; Terms::length(2)];
        let structure = Structure::Radial { is_relative: true };
        let sets = Sets { columns: 2, marks: 0, geometry, structure, size: (3, 1) };
        let tables = bytemuck::bytes_of(&table);
        let failed = JointTerms(sets).compute(vectors, tables, &records, &list, &mut sums);
        let expected = crate::error::NumericalError::NotPositiveDefinite { order: 10 };
        assert_eq!(failed, Err(expected), "{vectors:?}");
    }
}

/// Derivatives by differences of tables: of `exp(-d / r)` by the logarithm of `r`, relative to it
/// `d / r`.
#[test]
fn conditionals_and_their_derivatives_are_those_of_the_definition() {
    for geometry in Geometry::ALL {
        let extent = if geometry == Geometry::GreatCircle { 3000.0 } else { 0.4 };
        let records = records(&random_points(geometry, 60, 1.0, 5));
        for (first, rows, m) in [(0, 60, 1), (0, 21, 4), (3, 9, 7), (40, 1, 13)] {
            let places = Places { first, rows, neighbours: m, columns: 2, geometry };
            let given = neighbours(first, rows, m);
            let plain = Conditionals { places, derivatives: 0, is_relative: true };
            let of = |step: f64| {
                let mut made = vec![f64::NAN; plain.length()];
                let table = &tables(extent * step.exp())[0];
                plain.reference(table, &records, &given, &mut made);
                made
            };
            let [expected, more, less] = [0.0, 1e-4, -1e-4].map(of);
            let slope: Vec<f64> =
                more.iter().zip(&less).map(|(more, less)| (more - less) / 2e-4).collect();
            let with = Conditionals { derivatives: 1, ..plain };
            for vectors in Vectors::available() {
                let what = format!("{geometry:?} {vectors:?} {places:?}");
                let mut found = vec![f64::NAN; with.length()];
                let tables = &tables(extent)[..2];
                let done = with.compute(vectors, tables, &records, &given, &mut found);
                done.expect("positive definite");
                let (found, derivative) = found.split_at(expected.len());
                assert_near(found, &expected, &what);
                let scale = slope.iter().fold(1.0_f64, |most, x| most.max(x.abs()));
                for (x, y) in derivative.iter().zip(&slope) {
                    // Differences of the second order.
                    assert!((x - y).abs() < 1e-6 * scale, "{what}: {x}, not {y}");
                }
            }
        }
    }
}
