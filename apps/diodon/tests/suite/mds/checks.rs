//! What is wrong with distances is said, with the place.

use tegula_diodon::mds::Method;
use tegula_diodon::verdict::warnings;
use tegula_kernels::element::Element;

use super::support::{How, embed, points, stored};

const N: usize = 150;

/// The message about distances of which some entries, at rows and columns, are others.
fn message(changes: &[(usize, usize, f64)], method: Method) -> String {
    let mut distances = points(N, 4, 1);
    changes.iter().for_each(|&(i, j, value)| distances[i * N + j] = value);
    // In tiles, and in one tile.
    let [many, one] = [64, 1024].map(|edge| {
        let mut how = How::new(method, 3, N);
        how.options.edge = edge;
        let source = stored(&distances, Element::F64);
        embed::<f64>(&source, &how).expect_err("no distances").to_string()
    });
    // Of many tiles, those below the diagonal are not read for the products: there are fewer
    // offenders.
    let place = |text: &str| {
        let rest = text.split(": ").nth(2)?;
        rest.split(", (").next()?.split(". ").next().map(str::to_owned)
    };
    assert_eq!(place(&many), place(&one), "{many}\n{one}");
    many
}

#[test]
fn entries_that_are_no_numbers_are_refused_with_their_places() {
    for method in [Method::Exact, Method::Lanczos, Method::Randomized, Method::Nystrom] {
        let text =
            message(&[(3, 100, f64::NAN), (100, 3, f64::NAN), (9, 9, f64::INFINITY)], method);
        assert!(text.contains("2 entries are infinite or no numbers"), "{text}");
        assert!(text.contains("(4, 101) = NaN, (10, 10) = inf"), "{text}");
    }
}

#[test]
fn negative_entries_are_refused() {
    let text = message(&[(1, 5, -0.25), (5, 1, -0.25)], Method::Lanczos);
    assert!(text.contains("entries are negative, ") && text.contains("(2, 6) = -0.25"), "{text}");
}

#[test]
fn asymmetry_is_refused_wherever_tiles_lie() {
    // In a tile on the diagonal, and in one below it.
    let near = message(&[(1, 5, 9.0)], Method::Lanczos);
    assert!(near.contains("not symmetric, by ") && near.contains(": (2, 6) = 9 against"), "{near}");
    let far = message(&[(140, 5, 9.0)], Method::Lanczos);
    assert!(far.contains(" at most: (6, 141) = ") && far.contains("against 9"), "{far}");
}

#[test]
fn a_diagonal_that_is_not_zero_is_refused() {
    let text = message(&[(7, 7, 0.5)], Method::Exact);
    assert!(text.contains("the diagonal are not zero, 0.5 at most: (8, 8) = 0.5"), "{text}");
}

#[test]
fn similarities_are_known_by_their_diagonal() {
    let similar: Vec<f64> = points(N, 4, 1).iter().map(|d| (-d).exp()).collect();
    let mut how = How::new(Method::Lanczos, 3, N);
    how.options.edge = 1024;
    let error = embed::<f64>(&stored(&similar, Element::F64), &how).expect_err("no distances");
    assert!(error.to_string().contains("look like similarities"), "{error}");
}

#[test]
fn rounding_is_a_warning_with_a_count() {
    let mut distances = points(N, 4, 1);
    distances[3 * N + 8] *= 1.0 + 4.0 * f64::EPSILON;
    let how = How::new(Method::Lanczos, 3, N);
    let found = embed::<f64>(&stored(&distances, Element::F64), &how).expect("distances");
    let warnings = warnings(&found.sums.findings, None);
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    let text = format!("1 of {} pairs of entries", N * (N - 1) / 2);
    assert!(warnings[0].contains(&text) && warnings[0].contains("(4, 9)"), "{warnings:?}");
}

/// A diagonal and an asymmetry as they come of `sqrt(|x|^2 + |y|^2 - 2 x'y)`, and an entry just
/// below zero, change nothing.
#[test]
fn what_rounding_leaves_counts_as_zero_and_as_symmetric() {
    let clean = {
        let mut distances = points(N, 4, 1);
        (distances[4 * N + 9], distances[9 * N + 4]) = (0.0, 0.0);
        distances
    };
    let mut distances = clean.clone();
    (0..N).for_each(|i| distances[i * N + i] = 1e-7);
    (distances[4 * N + 9], distances[9 * N + 4]) = (-1e-16, -1e-16);
    distances[140 * N + 5] += 1e-12;
    let scale = distances.iter().fold(0.0_f64, |most, x| most.max(*x));
    for method in [Method::Exact, Method::Lanczos] {
        let found = |distances: &[f64], tolerance| {
            let how = How { tolerance, ..How::new(method, 3, N) };
            embed::<f64>(&stored(distances, Element::F64), &how)
        };
        let [one, other] = [&clean, &distances].map(|d| found(d, None).expect("distances"));
        for (x, y) in one.leading.values.iter().zip(&other.leading.values) {
            assert!((x - y).abs() < 1e-12 * scale * scale * N as f64, "{method:?}: {x} {y}");
        }
        let warnings = warnings(&other.sums.findings, None);
        let words = ["(6, 141)", "150 entries on the diagonal", "2 entries are below zero"];
        let says = |word: &str| warnings.iter().any(|text| text.contains(word));
        // Of few tiles, one below the diagonal is not read for the products.
        assert!(words[..2].iter().all(|word| says(word)), "{warnings:?}");
        assert!(found(&distances, Some(0.0)).is_err(), "nothing is rounding");
    }
}

#[test]
fn more_is_rounding_if_that_is_said() {
    let mut distances = points(N, 4, 1);
    distances[140 * N + 5] += 0.01;
    let found = |tolerance| {
        let how = How { tolerance, ..How::new(Method::Lanczos, 3, N) };
        embed::<f64>(&stored(&distances, Element::F64), &how)
    };
    let text = found(None).expect_err("no rounding").to_string();
    assert!(text.contains("counts as rounding; --symmetry-tolerance"), "{text}");
    assert!(found(Some(0.1)).is_ok());
    // Integers are exact.
    let whole: Vec<f64> = points(N, 4, 1).iter().map(|d| (1e6 * d).round()).collect();
    let mut skew = whole.clone();
    skew[140 * N + 5] += 1.0;
    let how = How::new(Method::Lanczos, 3, N);
    assert!(embed::<f64>(&stored(&whole, Element::I32), &how).is_ok());
    assert!(embed::<f64>(&stored(&skew, Element::I32), &how).is_err());
}

#[test]
fn no_number_below_the_diagonal_is_not_taken_for_rounding() {
    let mut distances = points(N, 4, 1);
    distances[140 * N + 5] = f64::NAN;
    distances[3 * N + 8] *= 1.0 + 4.0 * f64::EPSILON;
    let how = How::new(Method::Lanczos, 3, N);
    let error = embed::<f64>(&stored(&distances, Element::F64), &how).expect_err("no distances");
    assert!(error.to_string().contains("not symmetric"), "{error}");
}

#[test]
fn a_correction_does_not_hide_negative_distances() {
    let mut distances = points(N, 4, 1);
    distances[5 * N + 9] = -0.01;
    distances[9 * N + 5] = -0.01;
    let mut how = How::new(Method::Lanczos, 3, N);
    how.options.offset = 1.0;
    let error = embed::<f64>(&stored(&distances, Element::F64), &how).expect_err("no distances");
    assert!(error.to_string().contains("2 entries are negative"), "{error}");
}

#[test]
fn distances_whose_powers_leave_the_range_are_refused() {
    for scale in [1e-90, 1e90] {
        let distances: Vec<f64> = points(N, 4, 1).iter().map(|d| d * scale).collect();
        let how = How::new(Method::Lanczos, 3, N);
        let error = embed::<f64>(&stored(&distances, Element::F64), &how).expect_err("unusable");
        assert!(error.to_string().contains("change their unit"), "{error}");
    }
}
