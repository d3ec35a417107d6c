//! Ways in which embeddings go wrong without a word: a property against each, which the others here
//! would not miss.
//!
//! Two more are held elsewhere: pretreatments of tables do what they are called, to the columns of
//! wide tables as well (`answers` among the tests of `pca`), and numbers keep all their digits
//! beside names of rows, of columns, or of both (`matrix_formats` among those of the crate
//! `tegula-files`).

use tegula_diodon::mds::{METHODS, Method};
use tegula_kernels::element::Element;

use super::support::{Embedded, How, bent, deviation, eigen, embed, gram, sine, stored};

const AXES: usize = 6;

/// A sketch finds all axes that are asked for, the leading ones among them, whatever its random
/// numbers are: an axis is never lost, nor one of a negative eigenvalue taken, because vectors were
/// compared that do not belong together.
#[test]
fn a_sketch_finds_every_axis_with_every_seed() {
    let n = 400;
    let distances = bent(n, 5);
    let (values, vectors) = eigen(&gram(&distances, &vec![1.0; n]));
    let source = stored(&distances, Element::F64);
    for (method, limit) in [(Method::Randomized, 0.2), (Method::Nystrom, 0.05)] {
        for seed in 0..8 {
            let mut how = How::new(method, AXES, n);
            how.request.seed = seed;
            let found = embed::<f64>(&source, &how).expect("distances");
            assert_eq!(found.passes, 2);
            assert_eq!(found.leading.values.len(), AXES, "{method:?}, seed {seed}");
            let off = deviation(&found.leading.values, &values);
            assert!(off < 0.02, "{method:?}, seed {seed}: eigenvalues off by {off:e}");
            for axis in 0..2 {
                let sine = sine(&found.leading, &vectors, axis);
                assert!(sine < limit, "{method:?}, seed {seed}, axis {axis}: {sine:e}");
            }
        }
    }
}

/// Each method that is listed can be called, for one or two axes as for many.
#[test]
fn every_listed_method_finds_one_axis_or_two() {
    let n = 120;
    let distances = bent(n, 12);
    let (values, _) = eigen(&gram(&distances, &vec![1.0; n]));
    let source = stored(&distances, Element::F64);
    for listed in METHODS {
        let is_sketched = matches!(listed.method, Method::Randomized | Method::Nystrom);
        let limit = if is_sketched { 0.02 } else { 1e-12 };
        for axes in [1, 2] {
            let found = embed::<f64>(&source, &How::new(listed.method, axes, n));
            let found = found.unwrap_or_else(|error| panic!("{}: {error}", listed.name)).leading;
            assert_eq!(found.values.len(), axes, "{}", listed.name);
            let off = deviation(&found.values, &values);
            assert!(off < limit, "{}: off by {off:e}", listed.name);
        }
    }
}

/// Eigenvalues are those of the Gram matrix, `v' G v`, and not their squares, so that shares of the
/// trace are shares of squared distances from the centre.
#[test]
fn eigenvalues_are_squared_lengths_of_axes_and_sum_to_the_trace() {
    // Corners of a rectangle of 3 x 4, and its centre: sums of squares along its sides.
    let corners: [[f64; 2]; 5] = [[0.0, 0.0], [3.0, 0.0], [0.0, 4.0], [3.0, 4.0], [1.5, 2.0]];
    let distance =
        |i: usize, j: usize| (corners[i][0] - corners[j][0]).hypot(corners[i][1] - corners[j][1]);
    let distances: Vec<f64> = (0..25).map(|at| distance(at / 5, at % 5)).collect();
    let g = gram(&distances, &[1.0; 5]);
    for listed in METHODS {
        let how = How::new(listed.method, 3, 5);
        let found = embed::<f64>(&stored(&distances, Element::F64), &how).expect("distances");
        let values = &found.leading.values;
        assert!(deviation(values, &[16.0, 9.0]) < 1e-13, "{}: {values:?}", listed.name);
        let share = values[0] / found.sums.trace;
        assert!((share - 0.64).abs() < 1e-13, "{}: {share}", listed.name);
        for (value, v) in values.iter().zip(found.leading.vectors.chunks_exact(5)) {
            let image = |i: usize| (0..5).map(|j| g[(i, j)] * v[j]).sum::<f64>();
            let quotient: f64 = (0..5).map(|i| v[i] * image(i)).sum();
            assert!((quotient - value).abs() < 1e-12, "{}: {quotient} {value}", listed.name);
        }
    }
}

/// Axes are kept by the sign of their eigenvalue, and not by that of an entry of a vector: an item
/// may lie at the centre, and have a coordinate of rounding alone on every axis.
#[test]
fn axes_are_kept_by_the_sign_of_their_eigenvalue_whatever_one_item_has() {
    let n = 61;
    let others = bent(n - 1, 14);
    let norms2: Vec<f64> = {
        let g = gram(&others, &vec![1.0; n - 1]);
        (0..n - 1).map(|i| g[(i, i)]).collect()
    };
    let distance = |i: usize, j: usize| match (i, j) {
        (0, 0) => 0.0,
        (0, j) => norms2[j - 1].sqrt(),
        (i, 0) => norms2[i - 1].sqrt(),
        (i, j) => others[(i - 1) * (n - 1) + j - 1],
    };
    let distances: Vec<f64> = (0..n * n).map(|at| distance(at / n, at % n)).collect();
    let (values, vectors) = eigen(&gram(&distances, &vec![1.0; n]));
    let positive = values.iter().filter(|&&value| value > 1e-6 * values[0]).count();
    let negative = values.iter().filter(|&&value| value < -1e-6 * values[0]).count();
    assert!(
        (positive, negative) > (20, 20) && positive + negative == n - 2,
        "{positive} {negative}"
    );
    assert!(
        (0..positive).all(|axis| vectors[(0, axis)].abs() < 1e-7),
        "the first item is at the centre"
    );
    for element in [Element::F64, Element::F32] {
        let source = stored(&distances, element);
        for listed in METHODS {
            let found = embed::<f64>(&source, &How::new(listed.method, n, n)).expect("distances");
            let (name, count) = (listed.name, found.leading.values.len());
            assert_eq!(count, positive, "{name}, {}: {:?}", element.name(), found.leading.values);
            assert!(deviation(&found.leading.values, &values) < 1e-5, "{name}");
        }
    }
}

/// A seed decides all that is random: the same one gives the same numbers to the last bit, another
/// one others.
#[test]
fn a_seed_repeats_a_sketch_to_the_last_bit() {
    let n = 300;
    let source = stored(&bent(n, 16), Element::F64);
    for method in [Method::Randomized, Method::Nystrom, Method::Lanczos] {
        let run = |seed: u64| {
            let mut how = How::new(method, 3, n);
            (how.request.seed, how.request.width) = (seed, 12);
            // Sums in one order.
            (how.workers, how.options.overlap.commute) = (1, false);
            let Embedded { leading, .. } = embed::<f64>(&source, &how).expect("distances");
            (leading.values, leading.vectors)
        };
        let (one, again, other) = (run(1), run(1), run(2));
        assert_eq!(one, again, "{method:?}");
        assert_ne!(one, other, "{method:?}");
    }
}
