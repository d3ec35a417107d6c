//! Random matrices of given singular values or eigenvalues: the values, by another solver, and that
//! tiles do not matter.

use tegula_kernels::option::{Form, Uplo};
use tegula_kernels::scalar::{Scalar, c32, c64};
use tegula_linalg::{Spectrum, SpectrumKind, SpectrumShape, latms};
use tegula_runtime::flow::Flow;
use tegula_tests::plain::{Plain, next_engine};
use tegula_tiles::{Storage, TileMatrix};

/// Rows, columns and the order of tiles.
const SHAPES: &[((usize, usize), usize)] =
    &[((0, 3), 2), ((1, 1), 4), ((4, 4), 4), ((9, 5), 4), ((6, 13), 5), ((25, 25), 7)];

const CONDITION: f64 = 1e3;
const LARGEST: f64 = 4.0;
const SEED: u64 = 77;

fn faer_matrix(a: &Plain) -> faer::Mat<c64> {
    faer::Mat::from_fn(a.m, a.n, |i, j| a.at(i, j))
}

/// Values that were found and that were asked for agree up to roundings of the largest.
#[track_caller]
fn assert_values<T: Scalar>(mut found: Vec<f64>, mut expected: Vec<f64>, n: usize, what: &str) {
    found.sort_by(f64::total_cmp);
    expected.sort_by(f64::total_cmp);
    assert_eq!(found.len(), expected.len(), "{what}");
    // Weyl: no value moves by more than the norm of what rounding changed, eps |A|_F.
    let most = 8.0 * (n as f64 + 8.0) * T::epsilon() * LARGEST;
    for (found, expected) in found.iter().zip(&expected) {
        assert!((found - expected).abs() <= most, "{what}: {found} against {expected}");
    }
}

fn generated<T: Scalar>(
    flow: &mut Flow,
    kind: SpectrumKind,
    spectrum: &Spectrum,
    (shape, tile): ((usize, usize), (usize, usize)),
) -> Plain {
    let a = TileMatrix::<T>::new(flow, shape, tile, Storage::Full);
    latms(flow, kind, spectrum, SEED, &a);
    Plain::from_tiles(flow, &a)
}

fn values<T: Scalar>(case: &mut usize) {
    for shape in SpectrumShape::ALL {
        let spectrum = Spectrum { shape, condition: CONDITION, largest: LARGEST };
        for &((m, n), nb) in SHAPES {
            let what = format!("{shape:?}, {m} x {n} in {nb}");
            let least = m.min(n);
            let mut flow = next_engine(case);
            let how = ((m, n), (nb, nb + 1));
            let a = generated::<T>(&mut flow, SpectrumKind::General, &spectrum, how);
            let expected = spectrum.values(SpectrumKind::General, least, SEED);
            if least > 0 {
                let found = faer_matrix(&a).singular_values().expect("it converges");
                assert_values::<T>(found, expected, m.max(n), &what);
            }
            for kind in [SpectrumKind::Positive, SpectrumKind::Indefinite] {
                let a = generated::<T>(&mut flow, kind, &spectrum, ((n, n), (nb, nb)));
                for (i, j) in (0..n).flat_map(|j| (0..n).map(move |i| (i, j))) {
                    assert_eq!(a.at(i, j), a.at(j, i).conj(), "{what}: not Hermitian");
                }
                let lower = TileMatrix::<T>::lower(&mut flow, n, nb);
                latms(&mut flow, kind, &spectrum, SEED, &lower);
                let lower = Plain::from_tiles(&mut flow, &lower);
                for (i, j) in (0..n).flat_map(|j| (j..n).map(move |i| (i, j))) {
                    assert_eq!(lower.at(i, j), a.at(i, j), "{what}: in a triangle");
                }
                let side = faer::Side::Lower;
                let whole = faer_matrix(&a.completed(Form::Hermitian, Uplo::Lower));
                let found = whole.self_adjoint_eigenvalues(side).expect("it converges");
                assert_values::<T>(found, spectrum.values(kind, n, SEED), n, &what);
            }
        }
    }
}

#[test]
fn matrices_have_the_values_that_were_asked_for() {
    let mut case = 0;
    values::<f32>(&mut case);
    values::<f64>(&mut case);
    values::<c32>(&mut case);
    values::<c64>(&mut case);
}

#[test]
fn entries_do_not_depend_on_tiles_and_do_on_the_seed() {
    let mut flow = tegula_tests::flow(2);
    let spectrum = Spectrum { shape: SpectrumShape::Geometric, condition: 1e8, largest: 1.0 };
    for kind in [SpectrumKind::General, SpectrumKind::Positive, SpectrumKind::Indefinite] {
        let mut of = |nb| generated::<c64>(&mut flow, kind, &spectrum, ((20, 20), (nb, nb)));
        let whole = of(20);
        for nb in [1, 3, 7, 64] {
            let tiled = of(nb);
            for (i, j) in (0..20).flat_map(|j| (0..20).map(move |i| (i, j))) {
                assert_eq!(tiled.at(i, j), whole.at(i, j), "{kind:?} in {nb} at ({i}, {j})");
            }
        }
    }
    let mut of = |seed| {
        let a = TileMatrix::<f64>::new(&mut flow, (8, 8), (4, 4), Storage::Full);
        latms(&mut flow, SpectrumKind::General, &spectrum, seed, &a);
        Plain::from_tiles(&mut flow, &a)
    };
    assert!(of(1).at(3, 5) != of(2).at(3, 5), "the seed has no effect");
}

#[test]
fn spectra_have_the_condition_that_was_asked_for() {
    for shape in SpectrumShape::ALL {
        for count in [2, 3, 50] {
            let spectrum = Spectrum { shape, condition: CONDITION, largest: LARGEST };
            let values = spectrum.values(SpectrumKind::General, count, SEED);
            let most = values.iter().copied().fold(0.0, f64::max);
            let least = values.iter().copied().fold(f64::INFINITY, f64::min);
            let is_random =
                matches!(shape, SpectrumShape::RandomLogarithms | SpectrumShape::Random);
            if is_random {
                assert!(most <= LARGEST && least >= 0.0, "{shape:?}: {least} to {most}");
            } else {
                let error = (most / least / CONDITION - 1.0).abs() + (most / LARGEST - 1.0).abs();
                assert!(error < 1e-12, "{shape:?} of {count}: {least} to {most}");
            }
            if shape == SpectrumShape::RandomLogarithms {
                assert!(most / least <= CONDITION * (1.0 + 1e-12), "{least} to {most}");
            }
            let signed = spectrum.values(SpectrumKind::Indefinite, 50, SEED);
            assert!(signed.iter().any(|&x| x < 0.0) && signed.iter().any(|&x| x > 0.0));
        }
    }
}

#[test]
fn a_spectrum_below_condition_one_is_refused() {
    let spectrum = Spectrum { shape: SpectrumShape::Random, condition: 0.5, largest: 1.0 };
    let caught = std::panic::catch_unwind(|| spectrum.values(SpectrumKind::General, 3, 1));
    let message = caught.expect_err("a condition of 0.5").downcast::<String>().expect("a message");
    assert!(message.contains("condition: 0.5"), "{message}");
}
