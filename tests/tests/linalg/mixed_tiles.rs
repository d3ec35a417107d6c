//! Cholesky factors in tiles of two precisions: each tile as exact as its precision, and which tile
//! is in which.

use tegula_kernels::error::NumericalError;
use tegula_kernels::kernel::gemm::TF32_ROUNDING;
use tegula_kernels::option::{Diag, Form, Trans, Uplo};
use tegula_kernels::scalar::{Scalar, c64};
use tegula_linalg::{
    MixedMatrix, PrecisionMap, PrecisionRule, potrf, potrf_mixed, potrs_mixed, trsm_mixed,
};
use tegula_runtime::flow::Flow;
use tegula_tests::plain::{Plain, exact, next_engine, number, rounded};
use tegula_tiles::{Storage, TileMatrix, random_entry};

/// Orders and tile sizes: empty, one, less than a tile, just so, one more, many.
const SIZES: &[(usize, usize)] = &[(0, 4), (1, 4), (4, 4), (5, 4), (23, 4), (61, 7), (90, 31)];

const RULES: &[PrecisionRule] = &[
    PrecisionRule::Band(0),
    PrecisionRule::Band(1),
    PrecisionRule::Band(3),
    PrecisionRule::Band(100),
    PrecisionRule::Norm { accuracy: 0.0 },
    PrecisionRule::Norm { accuracy: 1e-12 },
    PrecisionRule::Norm { accuracy: 1e-9 },
    PrecisionRule::Norm { accuracy: 1e-6 },
    PrecisionRule::Norm { accuracy: 1.0 },
];

/// Entry `(i, j)` of the covariance of a chain in which neighbours correlate by `correlation`,
/// turned by some phase in complex precisions. Its factor is as small as itself: `|L| |L^H| = |A|`.
fn chain<T: Scalar>(correlation: f64, i: usize, j: usize) -> T {
    let size = correlation.powi(i.abs_diff(j) as i32);
    let phase = if T::IS_COMPLEX { i as f64 - j as f64 } else { 0.0 };
    rounded(c64::from_polar(size, phase))
}

fn plain<T: Scalar>(n: usize, entry: impl Fn(usize, usize) -> T) -> Plain {
    Plain::new(n, n, |i, j| exact(entry(i, j)))
}

/// The factor of `a` in tiles of order `nb`, whole and with zeros above; and which tile is in which
/// precision.
fn factor<T: Scalar<Real = f64>>(
    flow: &mut Flow,
    a: &Plain,
    nb: usize,
    rule: PrecisionRule,
) -> (MixedMatrix<T>, Plain) {
    let tiles = a.lower_tiles::<T>(flow, nb);
    let map = PrecisionMap::of(flow, rule, &tiles).expect("tiles are filled");
    let mixed = MixedMatrix::of(flow, tiles, map);
    potrf_mixed(flow, &mixed);
    let l = widened(flow, &mixed);
    (mixed, l)
}

/// The lower triangle of what the tiles hold.
fn widened<T: Scalar<Real = f64>>(flow: &mut Flow, mixed: &MixedMatrix<T>) -> Plain {
    let wide = TileMatrix::<T>::lower(flow, mixed.n(), mixed.nb());
    mixed.copy_to(flow, &wide);
    let l = Plain::from_tiles(flow, &wide).triangle(Uplo::Lower, Diag::NonUnit);
    wide.unregister(flow);
    l
}

fn sizes(a: &Plain) -> Plain {
    a.map(|_, _, x| number(x.norm(), 0.0))
}

fn frobenius(a: &Plain) -> f64 {
    let all = (0..a.n).flat_map(|j| (0..a.m).map(move |i| (i, j)));
    all.map(|(i, j)| a.at(i, j).norm_sqr()).sum::<f64>().sqrt()
}

/// `|L L^H - A|` is at most `(n + 8)` roundings of each entry's tile times `|L| |L^H|` there:
/// theorem 10.3 of Higham, with the rounding to the precision of a tile of what the tile is made
/// of.
#[track_caller]
fn assert_factor<T: Scalar<Real = f64>>(a: &Plain, l: &Plain, mixed: &MixedMatrix<T>, what: &str) {
    let n = a.n;
    let adjoint = l.op(Trans::Conj);
    let (product, bound) = (l.times(&adjoint), sizes(l).times(&sizes(&adjoint)));
    for (i, j) in (0..n).flat_map(|j| (j..n).map(move |i| (i, j))) {
        let is_narrow = mixed.precisions().is_narrow(i / mixed.nb(), j / mixed.nb());
        let rounding = if is_narrow { T::Other::epsilon() } else { T::epsilon() };
        let error = (product.at(i, j) - a.at(i, j)).norm();
        let most = (n + 8) as f64 * rounding * bound.at(i, j).re;
        assert!(error <= most, "{what}: error {error:e} at ({i}, {j}), not {most:e}");
    }
}

fn factors<T: Scalar<Real = f64>>(case: &mut usize) {
    for &(n, nb) in SIZES {
        let random = Plain::dominant::<T>(n, 5).completed(Form::Hermitian, Uplo::Lower);
        for (name, a) in [("random", random), ("chain", plain(n, |i, j| chain::<T>(0.8, i, j)))] {
            for &rule in RULES {
                let mut flow = next_engine(case);
                let (mixed, l) = factor::<T>(&mut flow, &a, nb, rule);
                assert_factor(&a, &l, &mixed, &format!("{name}, order {n} in {nb}, {rule:?}"));
            }
        }
    }
}

#[test]
fn every_tile_of_a_factor_is_as_exact_as_its_precision() {
    let mut case = 0;
    factors::<f64>(&mut case);
    factors::<c64>(&mut case);
}

#[test]
fn the_norm_rule_keeps_its_accuracy_where_factors_fade_as_the_matrix_does() {
    let mut case = 0;
    for (n, nb) in [(61, 7), (90, 8)] {
        let a = plain(n, |i, j| chain::<f64>(0.6, i, j));
        let mut narrow = Vec::new();
        for accuracy in [1e-14, 1e-12, 1e-10, 1e-8, 1e-6] {
            let rule = PrecisionRule::Norm { accuracy };
            let (mixed, l) = factor::<f64>(&mut next_engine(&mut case), &a, nb, rule);
            let product = l.times(&l.op(Trans::Conj));
            let error = frobenius(&product.plus(number(1.0, 0.0), number(-1.0, 0.0), &a));
            // The theorem above, with |L| |L'| = A, tile by tile.
            let most = (n + 8) as f64 * (accuracy + f64::EPSILON) * frobenius(&a);
            assert!(error <= most, "order {n}, accuracy {accuracy:e}: {error:e}, not {most:e}");
            narrow.push(mixed.precisions().narrow_tiles());
        }
        let all = n.div_ceil(nb) * (n.div_ceil(nb) - 1) / 2;
        assert!(narrow[0] < all && narrow[4] > 0 && narrow.is_sorted(), "{narrow:?} of {all}");
    }
}

#[test]
fn without_tiles_in_32_bits_the_factor_is_that_of_potrf_to_the_bit() {
    let mut case = 0;
    for &(n, nb) in SIZES {
        for rule in [PrecisionRule::Norm { accuracy: 0.0 }, PrecisionRule::Band(n)] {
            let a = Plain::dominant::<f64>(n, 3).completed(Form::Hermitian, Uplo::Lower);
            let mut flow = next_engine(&mut case);
            let (mixed, l) = factor::<f64>(&mut flow, &a, nb, rule);
            assert_eq!(mixed.precisions().narrow_tiles(), 0, "{rule:?}");
            let tiles = a.lower_tiles::<f64>(&mut flow, nb);
            potrf(&mut flow, &tiles);
            let expected =
                Plain::from_tiles(&mut flow, &tiles).triangle(Uplo::Lower, Diag::NonUnit);
            for (i, j) in (0..n).flat_map(|j| (j..n).map(move |i| (i, j))) {
                assert_eq!(l.at(i, j), expected.at(i, j), "order {n} in {nb} at ({i}, {j})");
            }
        }
    }
}

fn solves<T: Scalar<Real = f64>>(case: &mut usize) {
    for &(n, nb) in SIZES {
        for (columns, width) in [(0, 3), (1, 1), (11, 4)] {
            for rule in [PrecisionRule::Band(0), PrecisionRule::Norm { accuracy: 1e-9 }] {
                let mut flow = next_engine(case);
                let a = plain(n, |i, j| chain::<T>(0.7, i, j));
                let (mixed, l) = factor::<T>(&mut flow, &a, nb, rule);
                let b = Plain::random::<T>(n, columns, 2);
                let tiles = b.tiles::<T>(&mut flow, (nb, width));
                potrs_mixed(&mut flow, &mixed, &tiles);
                let x = Plain::from_tiles(&mut flow, &tiles);
                // Two substitutions in 64 bits (Higham, theorem 8.5): n eps |L| |L^H| |x| each:
                // |L| |L^H| is A, whose rows add up to 6 at most; |x| is at most |inv(A)| |b|, 3.
                let product = l.times(&l.op(Trans::Conj).times(&x));
                let scale = 36.0 * (n + 1) as f64;
                let what = format!("order {n} in {nb}, {columns} columns, {rule:?}");
                product.assert_near::<T>(&b, |_, _| true, scale, &what);
            }
        }
    }
}

#[test]
fn solves_are_in_64_bits() {
    let mut case = 0;
    solves::<f64>(&mut case);
    solves::<c64>(&mut case);
}

#[test]
fn a_matrix_is_rounded_as_it_is_built_and_stored_in_fewer_bytes() {
    let mut case = 0;
    for &(n, nb) in SIZES {
        let mut flow = next_engine(&mut case);
        let map = PrecisionMap::band(n.div_ceil(nb), 1);
        let a = plain(n, |i, j| random_entry::<f64>(4, i, j));
        let tiles = a.lower_tiles::<f64>(&mut flow, nb);
        let taken = MixedMatrix::of(&mut flow, tiles, map.clone());
        let built = MixedMatrix::<f64>::new(&mut flow, (n, nb), map.clone());
        built.build(&mut flow, |i, j| random_entry(4, i, j));
        let (of_taken, of_built) = (widened(&mut flow, &taken), widened(&mut flow, &built));
        let mut bytes = 0;
        for (i, j) in (0..n).flat_map(|j| (0..n).map(move |i| (i, j))) {
            if i / nb >= j / nb {
                bytes += if map.is_narrow(i / nb, j / nb) { 4 } else { 8 };
            }
            if i >= j {
                let exact = a.at(i, j).re;
                let is_narrow = map.is_narrow(i / nb, j / nb);
                let rounded = if is_narrow { f64::from(exact as f32) } else { exact };
                assert_eq!(of_taken.at(i, j).re, rounded, "taken, ({i}, {j})");
                assert_eq!(of_built.at(i, j).re, rounded, "built, ({i}, {j})");
            }
        }
        assert_eq!(taken.bytes(), bytes, "order {n} in {nb}");
    }
}

fn failure(flow: &mut Flow, mixed: &MixedMatrix<f64>) -> Option<NumericalError> {
    potrf_mixed(flow, mixed);
    flow.wait().err().map(|error| *error.kernel_error().expect("a numerical failure"))
}

#[test]
fn a_minor_that_is_not_positive_is_named_by_its_order_in_the_whole_matrix() {
    let (n, nb, mut case) = (40, 7, 0);
    for rule in [PrecisionRule::Band(0), PrecisionRule::Band(2)] {
        for bad in [0, 6, 7, 23, 39] {
            let mut flow = next_engine(&mut case);
            let entry = |i, j| if (i, j) == (bad, bad) { -1.0 } else { chain::<f64>(0.5, i, j) };
            let tiles = plain(n, entry).lower_tiles::<f64>(&mut flow, nb);
            let map = PrecisionMap::of(&mut flow, rule, &tiles).expect("tiles are filled");
            let mixed = MixedMatrix::of(&mut flow, tiles, map);
            let expected = NumericalError::NotPositiveDefinite { order: bad + 1 };
            assert_eq!(failure(&mut flow, &mixed), Some(expected), "{rule:?}");
        }
    }
}

/// Rounding to 32 bits may cost positive definiteness, and a tight accuracy keeps it.
#[test]
fn what_rounding_makes_indefinite_fails_and_does_not_with_more_accuracy() {
    let (n, nb) = (64, 8);
    // Smooth, so that the smallest eigenvalue is about the ridge.
    let entry = |i: usize, j: usize| {
        let distance = (i as f64 - j as f64) / 8.0;
        (-distance * distance).exp() + if i == j { 1e-9 } else { 0.0 }
    };
    let mut flow = tegula_tests::flow(2);
    let mut outcome = |rule| {
        let tiles = plain(n, entry).lower_tiles::<f64>(&mut flow, nb);
        let map = PrecisionMap::of(&mut flow, rule, &tiles).expect("tiles are filled");
        let mixed = MixedMatrix::of(&mut flow, tiles, map);
        failure(&mut flow, &mixed)
    };
    let coarse = outcome(PrecisionRule::Band(0));
    assert!(matches!(coarse, Some(NumericalError::NotPositiveDefinite { .. })), "{coarse:?}");
    assert_eq!(outcome(PrecisionRule::Norm { accuracy: 1e-12 }), None);
}

#[test]
fn solves_need_the_tiles_of_the_factor() {
    let caught = std::panic::catch_unwind(|| {
        let mut flow = tegula_tests::flow(1);
        let l = MixedMatrix::<f64>::new(&mut flow, (9, 4), PrecisionMap::band(3, 0));
        let b = TileMatrix::<f64>::new(&mut flow, (9, 2), (5, 2), Storage::Full);
        potrs_mixed(&mut flow, &l, &b);
    });
    let message = caught.expect_err("tiles of 4 and of 5");
    let message = message.downcast::<String>().expect("a message");
    assert!(message.contains("[9, 4] against [9, 5]"), "{message}");
}

/// Norms of tiles that fade off the diagonal, over many sizes.
fn norms(seed: u64, i: usize, j: usize) -> f64 {
    let random = random_entry::<f64>(seed, i, j) + 0.5;
    random * 10f64.powi(-((seed % 5 + 1) as i32 * (i - j) as i32))
}

#[test]
fn maps_follow_their_rules_whatever_the_norms() {
    let mut rounded = 0;
    for seed in 0..200 {
        let (nt, nb) = (1 + seed as usize % 11, 1 + seed as usize % 300);
        let tiles = || (0..nt).flat_map(|j| (j..nt).map(move |i| (i, j)));
        let of = |accuracy, scale: f64| {
            PrecisionMap::by_norms((nt, nb), accuracy, |i, j| scale * norms(seed, i, j))
        };
        let twice = |i, j| if i == j { 1.0 } else { 2.0 };
        let square: f64 = tiles().map(|(i, j)| twice(i, j) * norms(seed, i, j).powi(2)).sum();
        let mut before = of(0.0, 1.0);
        assert_eq!(before.narrow_tiles(), 0, "no accuracy is given away");
        for exponent in (0..16).rev() {
            let accuracy = 10f64.powi(-exponent);
            let map = of(accuracy, 1.0);
            assert!((0..nt).all(|k| !map.is_narrow(k, k)), "the diagonal is in 64 bits");
            let lost = |(i, j)| {
                let of_products = if map.is_rounded(i, j) { TF32_ROUNDING } else { 0.0 };
                let rounding = f64::from(f32::EPSILON) / 2.0 + of_products;
                if map.is_narrow(i, j) { 2.0 * (rounding * norms(seed, i, j)).powi(2) } else { 0.0 }
            };
            let lost: f64 = tiles().map(lost).sum();
            assert!(lost.sqrt() <= accuracy * square.sqrt(), "{lost:e} of {square:e} lost");
            for (i, j) in tiles() {
                let grows = map.is_narrow(i, j) >= before.is_narrow(i, j)
                    && map.is_rounded(i, j) >= before.is_rounded(i, j);
                assert!(grows, "a lower accuracy rounds no fewer tiles");
                assert!(map.is_narrow(i, j) >= map.is_rounded(i, j), "products of 32 bits");
            }
            rounded += map.rounded_tiles();
            assert_eq!(map, of(accuracy, 1024.0), "the unit of a matrix does not matter");
            assert_eq!(of(accuracy, 1e200).narrow_tiles(), 0, "beyond the range of 32 bits");
            assert_eq!(of(accuracy, f64::NAN).narrow_tiles(), 0, "of NaN nothing is known");
            before = map;
        }
        for width in 0..nt {
            let map = PrecisionMap::band(nt, width);
            assert_eq!(map.rounded_tiles(), 0, "a band is in 64 and 32 bits");
            assert!(tiles().all(|(i, j)| map.is_narrow(i, j) == (i > j + width)), "band {width}");
        }
    }
    assert!(rounded > 0, "some accuracies allow products in TF32");
}

/// Tiles that a factorisation fills are those of a factorisation of ones and zeros.
#[test]
fn zeros_are_those_of_the_factor() {
    for seed in 0..40 {
        let nt = 1 + (seed % 11) as usize;
        let is_zero = |i: usize, j: usize| random_entry::<f64>(seed, i, j) < 0.25;
        let all = PrecisionMap::new(nt, |_, _| true).with_rounded(|_, _| true);
        let map = all.with_zeros(is_zero);
        let mut filled: Vec<bool> = (0..nt * nt).map(|k| !is_zero(k % nt, k / nt)).collect();
        for k in 0..nt {
            for (i, j) in (k + 1..nt).flat_map(|j| (j + 1..nt).map(move |i| (i, j))) {
                filled[i + j * nt] |= filled[i + k * nt] && filled[j + k * nt];
            }
        }
        for (i, j) in (0..nt).flat_map(|j| (j..nt).map(move |i| (i, j))) {
            let is_zero = i > j && !filled[i + j * nt];
            assert_eq!(map.is_zero(i, j), is_zero, "{seed}: ({i}, {j}) of {nt}");
            assert_eq!(map.is_narrow(i, j), i > j && !is_zero, "{seed}: ({i}, {j}) of {nt}");
            assert_eq!(map.is_rounded(i, j), map.is_narrow(i, j), "{seed}: ({i}, {j}) of {nt}");
        }
    }
}

/// A matrix with zeros has the factor that it has in full, and solves as in full, in any precision.
#[test]
fn zeros_change_no_factor_and_take_no_bytes() {
    let mut case = 0;
    for &(n, nb) in &[(1, 4), (23, 4), (61, 7), (90, 31)] {
        for width in [1, 2, 100] {
            let mut flow = next_engine(&mut case);
            // Diagonally dominant; rows near each other and the first ones, far from the last.
            let near = move |i: usize, j: usize| {
                let (i, j) = (i / nb, j / nb);
                i.abs_diff(j) < 2 || (i.max(j), i.min(j)) == (4, 1)
            };
            let entry = move |i: usize, j: usize| match i == j {
                true => 200.0,
                false if near(i, j) => random_entry::<f64>(9, i.max(j), i.min(j)),
                false => 0.0,
            };
            let a = plain(n, entry);
            let whole = a.lower_tiles::<f64>(&mut flow, nb);
            potrf(&mut flow, &whole);
            let expected =
                Plain::from_tiles(&mut flow, &whole).triangle(Uplo::Lower, Diag::NonUnit);
            let nt = n.div_ceil(nb);
            let map = PrecisionMap::band(nt, width).with_zeros(|i, j| !near(i * nb, j * nb));
            let mixed = MixedMatrix::<f64>::new(&mut flow, (n, nb), map.clone());
            mixed.build(&mut flow, entry);
            potrf_mixed(&mut flow, &mixed);
            let l = widened(&mut flow, &mixed);
            let narrow = if map.narrow_tiles() > 0 { f64::from(f32::EPSILON) } else { 1e-14 };
            let what = format!("order {n} in {nb}, band {width}");
            for (i, j) in (0..n).flat_map(|j| (j..n).map(move |i| (i, j))) {
                let (found, known) = (l.at(i, j).re, expected.at(i, j).re);
                assert!((found - known).abs() <= 4.0 * narrow, "{what}: ({i}, {j})");
                let is_zero = map.is_zero(i / nb, j / nb);
                assert!(!is_zero || found == 0.0, "{what}: ({i}, {j})");
            }
            let (full, zeros) = (nt * (nt + 1) / 2, map.zero_tiles());
            assert_eq!(mixed.stored().count(), full - zeros);
            assert!(zeros > 0 || nt < 4, "{what}");
            let b = Plain::random::<f64>(n, 3, 2);
            let tiles = b.tiles::<f64>(&mut flow, (nb, 3));
            trsm_mixed(&mut flow, &mixed, &tiles);
            let y = Plain::from_tiles(&mut flow, &tiles);
            l.times(&y).assert_near::<f64>(&b, |_, _| true, 36.0 * (n + 1) as f64, &what);
        }
    }
}

/// Tiles that are left out beside a band leave a covariance matrix that is none.
#[test]
fn a_plain_band_of_tiles_is_not_positive_definite() {
    let observations = tegula_tests::synthetic();
    let points = observations.points.clone();
    let (n, nb) = (points.len(), 200);
    let entry = |i: usize, j: usize| (-points.distance(i, j) / 0.1).exp();
    let a = plain(n, entry);
    let factorises = |map: PrecisionMap| {
        let mut flow = tegula_tests::flow(2);
        let whole = a.lower_tiles::<f64>(&mut flow, nb);
        let mixed = MixedMatrix::<f64>::new(&mut flow, (n, nb), map);
        mixed.copy_from(&mut flow, &whole);
        potrf_mixed(&mut flow, &mixed);
        flow.wait()
    };
    let band = |width: usize| PrecisionMap::band(n / nb, n).with_zeros(|i, j| i - j >= width);
    for (width, is_definite) in [(1, true), (2, false), (4, false), (8, true)] {
        let found = factorises(band(width));
        assert_eq!(found.is_ok(), is_definite, "a band of {width} tiles: {found:?}");
        if let Err(error) = found {
            let error = error.kernel_error::<NumericalError>();
            assert!(matches!(error, Some(NumericalError::NotPositiveDefinite { .. })), "{width}");
        }
    }
}
