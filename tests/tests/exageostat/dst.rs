//! Likelihoods with a taper against those of the tapered matrix, dense, and against the exact ones.

use std::f64::consts::PI;
use std::sync::Arc;

use tegula_exageostat::covariance::COVARIANCES;
use tegula_exageostat::dst::{Dst, DstLikelihood, longest};
use tegula_exageostat::fit::{FitOptions, fit};
use tegula_exageostat::likelihood::{Criterion, Evaluate, LikelihoodError};
use tegula_exageostat::observations::Observations;
use tegula_kernels::geometry::Geometry;
use tegula_kernels::kernel::covariance::rate::random_points;
use tegula_plan::distribution::distribution;
use tegula_runtime::ranks::Owners;
use tegula_tests::{flow, likelihood, over_ranks, synthetic};

use super::covariance;
use super::scores::{CRITERIA, loglik, observations};
use super::tlr::{evaluate, some};

fn dst(observations: &Observations, range: f64, nb: usize) -> DstLikelihood {
    DstLikelihood::new(flow(2), observations, Dst { range, nb })
}

/// The log-likelihood of values without a mean, by the obvious loops.
fn dense(values: &[f64], entry: impl Fn(usize, usize) -> f64) -> f64 {
    let n = values.len();
    let mut l = vec![0.0; n * n];
    let (mut logdet, mut quadratic, mut y) = (0.0, 0.0, vec![0.0; n]);
    for i in 0..n {
        for j in 0..=i {
            let sum: f64 = (0..j).map(|k| l[i * n + k] * l[j * n + k]).sum();
            let rest = entry(i, j) - sum;
            l[i * n + j] = if i == j { rest.sqrt() } else { rest / l[j * n + j] };
        }
        let sum: f64 = (0..i).map(|k| l[i * n + k] * y[k]).sum();
        y[i] = (values[i] - sum) / l[i * n + i];
        logdet += 2.0 * l[i * n + i].ln();
        quadratic += y[i] * y[i];
    }
    -0.5 * (n as f64 * (2.0 * PI).ln() + logdet + quadratic)
}

/// In every geometry, with every covariance, and with tapers short and long.
#[test]
fn likelihoods_are_those_of_the_tapered_matrix() {
    for geometry in Geometry::ALL {
        let extent = if geometry == Geometry::GreatCircle { 6371.0 } else { 1.0 };
        for (which, covariance) in COVARIANCES.iter().enumerate() {
            let points = random_points(geometry, 210, 1.0, 3 + which as u64);
            let observations = observations(points.clone(), 0);
            let mut values = covariance.defaults();
            (values[0], values[1]) = (1.7, 0.3 * extent);
            if let Some(shape) = values.get_mut(2) {
                *shape = 0.8;
            }
            let own = covariance.function(&values);
            for (range, nb) in [(0.05, 10), (0.3, 32), (3.0, 64)] {
                let range = range * extent;
                let taper = super::covariance("wendland").function(&[1.0, range]);
                let expected = dense(&observations.values, |i, j| {
                    let d = points.distance(i, j);
                    own(d) * taper(d) + if i == j { 0.2 } else { 0.0 }
                });
                let mut dst = dst(&observations, range, nb);
                let found = evaluate(&mut dst, (covariance.name, &values, 0.2)).loglik();
                let what = format!("{geometry:?}, {}, {range}", covariance.name);
                let error = (found - expected).abs();
                assert!(error < 1e-9 * expected.abs(), "{what}: {found}, not {expected}");
                let band = dst.band().expect("there was an evaluation");
                assert!(band.zero > 0 || range > 0.1 * extent, "{what}: {band:?}");
            }
        }
    }
}

/// With a mean and both criteria: a taper far longer than all distances changes nothing.
#[test]
fn a_taper_beyond_all_distances_leaves_the_exact_likelihood() {
    let observations = observations(random_points(Geometry::Plane, 300, 1.0, 9), 2);
    let mut exact = likelihood(&observations, 64);
    let mut dst = dst(&observations, 1e6, 64);
    for (name, values) in [
        ("matern", &[1.2, 0.4, 0.6][..]),
        ("matern:anisotropic", &[1.2, 0.4, 0.6, 30.0, 0.25]),
        ("exponential:xy", &[1.2, 0.4, 0.1]),
    ] {
        let at = (name, values, 0.1);
        let [found, expected] =
            [&mut dst as &mut dyn Evaluate, &mut exact].map(|likelihood| evaluate(likelihood, at));
        for criterion in CRITERIA {
            let error = loglik(&found, criterion) - loglik(&expected, criterion);
            assert!(error.abs() < 1e-6, "{name}: {error}");
        }
    }
}

/// Of a covariance that depends on direction, distances are those of its metric.
#[test]
fn directions_turn_the_taper() {
    let points = random_points(Geometry::Plane, 200, 1.0, 4);
    let observations = observations(points.clone(), 0);
    let values = [1.5, 0.3, 40.0, 0.4];
    let anisotropic = covariance("exponential:anisotropic");
    let metric = anisotropic.metric(Geometry::Plane, &values).expect("parameters");
    let metric = metric.expect("it has directions");
    let taper = covariance("wendland").function(&[1.0, 0.25]);
    let expected = dense(&observations.values, |i, j| {
        let [a, b] = [i, j].map(|i| metric.of(points.point(i)));
        let d = (a[0] - b[0]).hypot(a[1] - b[1]);
        1.5 * (-d / 0.3).exp() * taper(d) + if i == j { 0.2 } else { 0.0 }
    });
    let mut dst = dst(&observations, 0.25, 16);
    let found = evaluate(&mut dst, (anisotropic.name, &values, 0.2)).loglik();
    assert!((found - expected).abs() < 1e-9 * expected.abs(), "{found}, not {expected}");
    assert!(dst.band().expect("there was an evaluation").zero > 0);
}

/// The matrix of which a plain band of tiles is not positive definite is so under a taper, with
/// tapers of any length.
#[test]
fn a_tapered_matrix_is_positive_definite() {
    let observations = synthetic();
    for range in [0.01, 0.1, 0.25, 0.5] {
        let mut dst = dst(&observations, range, 200);
        let found = evaluate(&mut dst, ("matern", &[1.0, 0.1, 0.5], 0.0));
        assert!(found.loglik().is_finite(), "{range}");
    }
    let twice: Vec<usize> = (0..100).chain(0..5).collect();
    let mut dst = dst(&observations.subset(&twice), 0.1, 30);
    let error = dst.evaluate(covariance("matern"), &[1.0, 0.1, 0.5], 0.0);
    let error = error.expect_err("equal rows are singular");
    assert!(matches!(error, LikelihoodError::NotPositiveDefinite { .. }), "{error}");
    assert!(evaluate(&mut dst, ("matern", &[1.0, 0.1, 0.5], 0.1)).loglik().is_finite());
}

/// The estimate is near the error; errors fall as tapers grow.
#[test]
fn errors_are_estimated_and_fall_with_the_range() {
    let observations = some(800);
    let mut exact = likelihood(&observations, 160);
    for (name, values, nugget) in [
        ("matern", &[1.0, 0.1, 0.5][..], 0.0),
        ("matern", &[1.0, 0.05, 1.0], 0.05),
        ("spherical", &[1.0, 0.3], 0.01),
    ] {
        let at = (name, values, nugget);
        let expected = evaluate(&mut exact, at).loglik();
        let mut errors = Vec::new();
        for range in [1e-6, 0.2, 0.4, 0.8] {
            let mut dst = dst(&observations, range, 50);
            let found = evaluate(&mut dst, at).loglik();
            let error = expected - found;
            let band = dst.band();
            let (covariance, known) = (covariance(name), (Criterion::Full, found));
            let estimate = dst.error_estimate(covariance, values, nugget, known);
            let estimate = estimate.expect("positive definite").expect("it is approximated");
            let share = estimate / error;
            assert!((0.75..1.1).contains(&share), "{name}, {range}: {error}, {estimate}");
            assert_eq!(dst.band(), band);
            errors.push(error.abs());
        }
        assert!(errors.windows(2).all(|two| two[1] < 0.7 * two[0]), "{name}: {errors:?}");
    }
}

/// Also with a taper as long as there is one.
#[test]
fn on_the_sphere_errors_are_estimated() {
    let observations = observations(random_points(Geometry::GreatCircle, 150, 1.0, 2), 2);
    let at = ("exponential", &[1.0, 2000.0][..], 0.1);
    let expected = evaluate(&mut likelihood(&observations, 40), at).loglik();
    let most = longest(Geometry::GreatCircle).expect("half a turn");
    for range in [0.6 * most, most] {
        let mut dst = dst(&observations, range, 32);
        let found = evaluate(&mut dst, at).loglik();
        let (error, known) = (expected - found, (Criterion::Full, found));
        let estimate = dst.error_estimate(covariance(at.0), at.1, at.2, known);
        let estimate = estimate.expect("a value").expect("it is approximated");
        assert!((estimate - error).abs() < 0.1 * error.abs(), "{error}, {estimate}");
    }
}

#[test]
fn workers_and_ranks_change_no_bit() {
    let observations = some(600);
    let options = Dst { range: 0.2, nb: 48 };
    let at = ("matern", &[1.1, 0.1, 0.7][..], 0.01);
    let found = [1, 2, 3].map(|workers| {
        let mut dst = DstLikelihood::new(flow(workers), &observations, options);
        evaluate(&mut dst, ("matern", &[1.0, 0.1, 0.5], 0.01));
        evaluate(&mut dst, at)
    });
    assert!(found[0] == found[1] && found[0] == found[2], "{found:?}");
    let owners: Arc<dyn Owners> = distribution("block-cyclic", 4).expect("a distribution");
    let ranks = over_ranks(4, &owners, |flow| {
        evaluate(&mut DstLikelihood::new(flow, &observations, options), at)
    });
    assert!(ranks.iter().all(|one| *one == found[0]), "{ranks:?}, {found:?}");
}

/// It is where the likelihood with the taper is greatest: as high as at the exact estimates, and no
/// step away is higher.
#[test]
fn a_fit_ends_at_a_maximum() {
    let observations = some(400);
    let exponential = covariance("exponential");
    let mut dst = dst(&observations, 0.3, 40);
    let options = FitOptions::all_free(2);
    let found = fit(&mut dst, &observations, exponential, &options, |_| {}).expect("a fit");
    assert!(found.converged);
    assert!(found.loglik_error.is_some());
    let mut at = |values: &[f64]| evaluate(&mut dst, ("exponential", values, 0.0)).loglik();
    let best = &found.model.values;
    assert!((at(best) - found.loglik).abs() < 1e-9 * found.loglik.abs());
    for k in 0..2 {
        for change in [0.97, 1.03] {
            let mut values = best.clone();
            values[k] *= change;
            assert!(at(&values) < found.loglik, "{k}, {change}");
        }
    }
}
