//! Likelihoods in tiles of 64 and 32 bits against the exact ones.

use std::sync::Arc;

use tegula_exageostat::covariance::COVARIANCES;
use tegula_exageostat::design::Design;
use tegula_exageostat::fit::{FitOptions, Information, fit};
use tegula_exageostat::likelihood::{Criterion, Evaluate, LikelihoodError};
use tegula_exageostat::mixed::{Mixed, MixedLikelihood, Precisions};
use tegula_exageostat::observations::Observations;
use tegula_kernels::geometry::Geometry;
use tegula_kernels::kernel::covariance::rate::random_points;
use tegula_plan::distribution::distribution;
use tegula_runtime::ranks::Owners;
use tegula_tests::{flow, likelihood, over_ranks, synthetic};

use super::covariance;
use super::scores::{CRITERIA, loglik, observations};
use super::tlr::{evaluate, some};

fn mixed(observations: &Observations, accuracy: f64, nb: usize) -> MixedLikelihood {
    MixedLikelihood::new(flow(2), observations, Mixed { accuracy, nb })
}

/// What is promised is at least a third of the error, and not far more; the error falls with the
/// accuracy, and so do the tiles in 32 bits.
#[test]
fn errors_are_estimated_and_fall_with_the_accuracy() {
    let observations = some(800);
    let mut exact = likelihood(&observations, 160);
    for (name, values, nugget) in [
        ("matern", &[1.0, 0.1, 0.5][..], 0.0),
        ("matern", &[1.0, 0.1, 1.0], 0.01),
        ("matern", &[300.0, 0.1, 1.2], 0.0),
        ("powered-exponential", &[1.0, 0.1, 0.8], 0.0),
        ("cauchy", &[1e-3, 0.1, 1.0, 1.0], 0.0),
    ] {
        let at = (name, values, nugget);
        let expected = evaluate(&mut exact, at).loglik();
        let (mut errors, mut narrow) = (Vec::new(), Vec::new());
        for accuracy in [1e-1, 1e-6, 1e-7] {
            let mut mixed = mixed(&observations, accuracy, 50);
            let found = evaluate(&mut mixed, at).loglik();
            let error = expected - found;
            let (covariance, known) = (covariance(name), (Criterion::Full, found));
            let estimate = mixed.error_estimate(covariance, values, nugget, known);
            let estimate = estimate.expect("positive definite").expect("it is approximated");
            let rounding = 1e-10 * expected.abs();
            let what = format!("{name} {values:?} to {accuracy}: {error}, estimated {estimate}");
            assert!(error.abs() <= 3.0 * estimate.abs() + rounding, "{what}");
            assert!(estimate.abs() <= 30.0 * error.abs() + 1e-4, "{what}");
            errors.push(error.abs());
            narrow.push(mixed.precisions().expect("there was an evaluation").narrow);
        }
        let what = format!("{name} {values:?}: {errors:?}, {narrow:?}");
        assert!(errors[0] < 0.05 && errors[2] <= errors[0] + 1e-7, "{what}");
        assert!(narrow[0] == 120 && narrow[1] >= narrow[2] && narrow[2] < 120, "{what}");
    }
}

#[test]
fn likelihoods_are_near_the_exact_ones_in_every_geometry_with_every_covariance() {
    for geometry in Geometry::ALL {
        let extent = if geometry == Geometry::GreatCircle { 6371.0 } else { 1.0 };
        for (which, covariance) in COVARIANCES.iter().enumerate() {
            let columns = 2 * (which % 2);
            let points = random_points(geometry, 230, 1.0, 3 + which as u64);
            let observations = observations(points, columns);
            let mut values = covariance.defaults();
            (values[0], values[1]) = (1.7, 0.1 * extent);
            if let Some(shape) = values.get_mut(2) {
                *shape = 0.8;
            }
            let at = (covariance.name, &values[..], 0.2);
            let exact = evaluate(&mut likelihood(&observations, 40), at);
            // The last tile is smaller, down to one row.
            for nb in [32, 229, 300] {
                let mut mixed = mixed(&observations, 1e-1, nb);
                let found = evaluate(&mut mixed, at);
                let what = format!("{geometry:?}, {}, {columns}, {nb}", covariance.name);
                let Precisions { tiles, narrow, rounded, zero, bytes, dense_bytes } =
                    mixed.precisions().expect("there was an evaluation");
                assert_eq!(narrow + zero, tiles, "{what}");
                assert!(rounded <= narrow, "{what}");
                assert!(bytes < dense_bytes || tiles == 0, "{what}");
                for criterion in CRITERIA {
                    let error = loglik(&found, criterion) - loglik(&exact, criterion);
                    assert!(error.abs() < 1e-3, "{what}: {error}");
                }
                for (found, expected) in found.coefficients.iter().zip(&exact.coefficients) {
                    let most = 1e-5 * expected.abs().max(1.0);
                    assert!((found - expected).abs() < most, "{what}");
                }
            }
        }
    }
}

/// An accuracy that nothing keeps to leaves all in 64 bits, which is exact.
#[test]
fn without_tiles_in_32_bits_it_is_exact() {
    let observations = some(500);
    let at = ("matern", &[1.0, 0.1, 0.5][..], 0.0);
    let expected = evaluate(&mut likelihood(&observations, 64), at).loglik();
    let mut mixed = mixed(&observations, 1e-14, 64);
    let found = evaluate(&mut mixed, at).loglik();
    assert_eq!(mixed.precisions().expect("there was an evaluation").narrow, 0);
    assert!((found - expected).abs() < 1e-10 * expected.abs(), "{found}, not {expected}");
}

/// What is rounded changes the matrix by no more than the accuracy: tile by tile, from distances.
#[test]
fn tiles_are_rounded_within_the_accuracy() {
    let (n, nb, accuracy) = (800, 50, 1e-5);
    let observations = some(n);
    let order = tegula_exageostat::tlr::order(&observations.points);
    let points = observations.points.select(&order);
    let (mut square, mut narrow) = (0.0, 0);
    let nt = n / nb;
    for (i, j) in (0..nt).flat_map(|j| (j + 1..nt).map(move |i| (i, j))) {
        let all = (0..nb).flat_map(|q| (0..nb).map(move |p| (i * nb + p, j * nb + q)));
        let entries: Vec<f64> =
            all.map(|(p, q)| 2.0 * (-points.distance(p, q) / 0.1).exp()).collect();
        let norm = entries.iter().map(|x| x * x).sum::<f64>().sqrt();
        let unit = f64::from(f32::EPSILON) / 2.0;
        if nt as f64 * unit * norm <= accuracy * 2.5 {
            narrow += 1;
            let error = |x: &f64| (f64::from(*x as f32) - x).powi(2);
            square += 2.0 * entries.iter().map(error).sum::<f64>();
        }
    }
    assert!(square.sqrt() <= accuracy * 2.5, "{square}");
    let mut mixed = mixed(&observations, accuracy, nb);
    evaluate(&mut mixed, ("exponential", &[2.0, 0.1], 0.5));
    let found = mixed.precisions().expect("there was an evaluation").narrow;
    assert_eq!(found, narrow);
    assert!(narrow > 10 && narrow < 120, "{narrow}");
}

#[test]
fn workers_and_ranks_change_no_bit() {
    let observations = some(600);
    let options = Mixed { accuracy: 1e-5, nb: 64 };
    let at = ("matern", &[1.1, 0.1, 0.7][..], 0.01);
    let found = [1, 2, 3].map(|workers| {
        let mut mixed = MixedLikelihood::new(flow(workers), &observations, options);
        evaluate(&mut mixed, ("matern", &[1.0, 0.1, 0.5], 0.01));
        (evaluate(&mut mixed, at), mixed.precisions())
    });
    assert!(found[0] == found[1] && found[0] == found[2], "{found:?}");
    let owners: Arc<dyn Owners> = distribution("block-cyclic", 4).expect("a distribution");
    let ranks = over_ranks(4, &owners, |flow| {
        evaluate(&mut MixedLikelihood::new(flow, &observations, options), at)
    });
    assert!(ranks.iter().all(|one| *one == found[0].0), "{ranks:?}, {found:?}");
}

#[test]
fn what_is_not_positive_definite_says_why() {
    // A field this smooth has eigenvalues below what 32 bits resolve.
    let observations = synthetic();
    let at = [1.0, 0.3, 3.0];
    let mut mixed = mixed(&observations, 1e-1, 100);
    let error = mixed.evaluate(covariance("matern"), &at, 0.0);
    let error = error.expect_err("tiles are off by more than the least eigenvalue");
    assert!(error.is_numerical());
    let text = error.to_string();
    assert!(text.contains("1e-1 is too coarse") && text.contains("mixed:1e-3"), "{text}");
    // The flow goes on, and a finer one is positive definite.
    assert!(evaluate(&mut mixed, ("matern", &[1.0, 0.1, 0.5], 0.0)).loglik().is_finite());
    let mut finer = self::mixed(&observations, 1e-9, 100);
    let mut exact = likelihood(&observations, 200);
    let [found, expected] = [&mut finer as &mut dyn Evaluate, &mut exact]
        .map(|likelihood| evaluate(likelihood, ("matern", &at, 0.0)).loglik());
    // Of its condition.
    assert!((found - expected).abs() < 1e-4 * expected.abs(), "{found}, not {expected}");
    // Two equal places are singular in any precision: nothing to do with 32 bits.
    let twice: Vec<usize> = (0..100).chain(0..5).collect();
    let twice = observations.subset(&twice);
    let mut mixed = self::mixed(&twice, 1e-14, 40);
    let error = mixed.evaluate(covariance("matern"), &[1.0, 0.1, 0.5], 0.0);
    let error = error.expect_err("equal rows are singular");
    assert!(matches!(error, LikelihoodError::NotPositiveDefinite { .. }), "{error}");
}

#[test]
fn a_fit_finds_the_parameters_of_the_exact_one() {
    let Observations { points, values, .. } = some(400);
    let observations = Observations::new(points, values, Design::constant(400));
    let matern = covariance("matern");
    let mut options = FitOptions::all_free(3);
    options.fixed[2] = Some(0.5);
    let mut exact = likelihood(&observations, 128);
    let exact = fit(&mut exact, &observations, matern, &options, |_| {}).expect("a fit");
    let mut mixed = mixed(&observations, 1e-2, 50);
    let found = fit(&mut mixed, &observations, matern, &options, |_| {}).expect("a fit");
    assert!(found.converged);
    assert!((found.loglik - exact.loglik).abs() < 1e-3, "{}, {}", found.loglik, exact.loglik);
    assert_eq!(found.uncertainty.information, Information::Expected);
    for (k, (found, expected)) in found.model.values.iter().zip(&exact.model.values).enumerate() {
        let Some(error) = exact.uncertainty.std_errors[k] else { continue };
        assert!((found - expected).abs() < 0.02 * error, "{k}: {found}, not {expected}");
    }
    assert!(found.loglik_error.is_some_and(|error| error.abs() < 1e-2), "{found:?}");
}

/// Of a sum no one variance multiplies all, so that the second evaluation keeps the unit.
#[test]
fn the_error_of_a_sum_is_that_of_its_rounding() {
    let observations = some(700);
    let (sum, values) = (covariance("exponential+matern"), [0.6, 0.05, 0.5, 0.3, 0.8]);
    let exact = likelihood(&observations, 64).evaluate(sum, &values, 0.1).expect("it is one");
    let mut mixed = mixed(&observations, 1e-3, 64);
    let rounded = mixed.evaluate(sum, &values, 0.1).expect("it is one");
    let error = (rounded.loglik() - exact.loglik()).abs();
    let known = (Criterion::Full, rounded.loglik());
    let estimate = mixed.error_estimate(sum, &values, 0.1, known).expect("it is one");
    let estimate = estimate.expect("it is approximated").abs();
    assert!(error < 1e-2 && estimate < 1e-2, "{error}, said to be {estimate}");
}
