//! The latent form of Vecchia's approximation against dense matrices, the exact likelihood and
//! differences.

use tegula_exageostat::covariance::COVARIANCES;
use tegula_exageostat::design::Design;
use tegula_exageostat::fit::{FitOptions, Information, NuggetChoice, fit};
use tegula_exageostat::likelihood::{Criterion, Evaluate, Score};
use tegula_exageostat::model::Model;
use tegula_exageostat::observations::Observations;
use tegula_exageostat::predict::{Predict, Predictor};
use tegula_exageostat::sample::{Random, sample as draw, scattered_places};
use tegula_exageostat::vecchia::{Form, LocalPredictor, Ordering, Vecchia, VecchiaLikelihood};
use tegula_kernels::geometry::Geometry;
use tegula_kernels::kernel::covariance::rate::random_points;
use tegula_plan::distribution::distribution;
use tegula_tests::{assert_close, flow, likelihood, over_ranks, synthetic};

use super::covariance;
use super::scores::{CRITERIA, check_gradient, loglik, observations};

fn latent(neighbours: usize) -> Vecchia {
    Vecchia::new(neighbours, Ordering::Maximin).with_form(Form::Latent)
}

fn extent(geometry: Geometry) -> f64 {
    if geometry == Geometry::GreatCircle { 6371.0 } else { 1.0 }
}

#[test]
fn with_all_places_before_as_neighbours_it_is_exact() {
    for geometry in Geometry::ALL {
        for columns in [0, 2] {
            let observations = observations(random_points(geometry, 90, 1.0, 12), columns);
            let mut exact = likelihood(&observations, 32);
            let mut vecchia = VecchiaLikelihood::new(flow(2), &observations, latent(89));
            let (matern, values) = (covariance("matern"), [1.3, 0.2 * extent(geometry), 0.5]);
            for nugget in [0.01, 0.1, 3.0] {
                let exact = Evaluate::evaluate(&mut exact, matern, &values, nugget);
                let exact = exact.expect("positive definite");
                let found = vecchia.evaluate(matern, &values, nugget).expect("positive definite");
                let what = format!("{geometry:?}, {columns} columns, nugget {nugget}");
                for criterion in CRITERIA {
                    let expected = loglik(&exact, criterion);
                    assert_close(loglik(&found, criterion), expected, 1e-9, &what);
                }
                assert_close(found.logdet, exact.logdet, 1e-9, &what);
                assert_close(found.quadratic, exact.quadratic, 1e-9, &what);
                for (found, expected) in found.coefficients.iter().zip(&exact.coefficients) {
                    assert!((found - expected).abs() < 1e-8 * (1.0 + expected.abs()), "{what}");
                }
            }
        }
    }
}

/// The order in which places come, and of each its nearest before it, by loops.
fn neighbours(observations: &Observations, m: usize) -> Vec<Vec<usize>> {
    let points = &observations.points;
    let mut by_coordinate: Vec<usize> = (0..points.len()).collect();
    by_coordinate.sort_by(|&a, &b| points.point(a)[0].total_cmp(&points.point(b)[0]));
    let mut lists = vec![Vec::new(); points.len()];
    for (rank, &place) in by_coordinate.iter().enumerate() {
        let mut before = by_coordinate[..rank].to_vec();
        before.sort_by(|&a, &b| points.distance(a, place).total_cmp(&points.distance(b, place)));
        before.truncate(m);
        lists[place] = before;
    }
    lists
}

/// What solves `A x = b`, and `ln |A|`, by elimination.
fn eliminate(n: usize, a: &[f64], b: &[f64]) -> (Vec<f64>, f64) {
    let (mut a, mut x, mut logdet) = (a.to_vec(), b.to_vec(), 0.0);
    for k in 0..n {
        logdet += a[k + k * n].ln();
        for i in k + 1..n {
            let factor = a[i + k * n] / a[k + k * n];
            (k..n).for_each(|j| a[i + j * n] -= factor * a[k + j * n]);
            x[i] -= factor * x[k];
        }
    }
    for i in (0..n).rev() {
        let rest: f64 = (i + 1..n).map(|j| a[i + j * n] * x[j]).sum();
        x[i] = (x[i] - rest) / a[i + i * n];
    }
    (x, logdet)
}

/// The same approximation with dense matrices: the quadratic form to rounding, the determinant up
/// to what the incomplete factor leaves out.
#[test]
fn it_is_that_of_dense_matrices() {
    let (n, m, nugget) = (150, 12, 0.3);
    let observations = observations(random_points(Geometry::Plane, n, 1.0, 31), 0);
    let values = [1.3, 0.2, 1.0];
    let function = covariance("matern").function(&values);
    // A hundred-millionth of the variance of the noise counts as the field's.
    let own = 1.3e-8;
    let between = |i: usize, j: usize| {
        function(observations.points.distance(i, j)) + if i == j { own } else { 0.0 }
    };
    let mut q = vec![0.0; n * n];
    let mut logdet = 0.0;
    for (i, list) in neighbours(&observations, m).into_iter().enumerate() {
        let k = list.len();
        let c: Vec<f64> = (0..k * k).map(|at| between(list[at % k], list[at / k])).collect();
        let with: Vec<f64> = list.iter().map(|&j| between(i, j)).collect();
        let (a, _) = eliminate(k, &c, &with);
        let e = between(i, i) - a.iter().zip(&with).map(|(a, c)| a * c).sum::<f64>();
        logdet += e.ln();
        let column: Vec<(usize, f64)> =
            list.into_iter().zip(a.iter().map(|a| -a)).chain([(i, 1.0)]).collect();
        for &(row, x) in &column {
            column.iter().for_each(|&(other, y)| q[row + other * n] += x * y / e);
        }
    }
    let variance = nugget - own;
    let mut w = q;
    (0..n).for_each(|i| w[i + i * n] += 1.0 / variance);
    let r = &observations.values;
    let b: Vec<f64> = r.iter().map(|r| r / variance).collect();
    let (x, of_w) = eliminate(n, &w, &b);
    let quadratic: f64 = r.iter().zip(&x).map(|(r, x)| r * (r - x) / variance).sum();
    let logdet = of_w + logdet + n as f64 * variance.ln();

    let options = Vecchia::new(m, Ordering::Coordinate).with_form(Form::Latent);
    let mut vecchia = VecchiaLikelihood::new(flow(2), &observations, options);
    let found = vecchia.evaluate(covariance("matern"), &values, nugget).expect("positive definite");
    assert_close(found.quadratic, quadratic, 1e-8, "quadratic form");
    let error = found.logdet - logdet;
    assert!(error.abs() < 0.02 * n as f64, "{} instead of {logdet}", found.logdet);
}

/// With much noise it is nearer to the exact likelihood than the response form.
#[test]
fn noise_does_no_harm() {
    let observations = synthetic();
    let (matern, values, nugget) = (covariance("matern"), [1.0, 0.1, 1.5], 0.5);
    let exact = likelihood(&observations, 200).evaluate(matern, &values, nugget);
    let exact = exact.expect("positive definite").loglik();
    let error = |options| {
        let mut vecchia = VecchiaLikelihood::new(flow(2), &observations, options);
        let found = vecchia.evaluate(matern, &values, nugget).expect("positive definite");
        (found.loglik() - exact).abs()
    };
    let found = [10, 20, 40].map(|m| error(latent(m)));
    let response = error(Vecchia::new(20, Ordering::Maximin));
    assert!(found[2] < found[0] && found[1] < response, "{found:?}, {response}");
}

#[test]
fn gradients_are_those_of_differences() {
    for geometry in [Geometry::Plane, Geometry::GreatCircle] {
        for (which, covariance) in COVARIANCES.iter().enumerate() {
            for columns in [0, 2] {
                let points = random_points(geometry, 120, 1.0, 3 + which as u64);
                let observations = observations(points, columns);
                let mut vecchia = VecchiaLikelihood::new(flow(2), &observations, latent(7));
                let mut values = covariance.defaults();
                (values[0], values[1]) = (1.7, 0.3 * extent(geometry));
                if let Some(shape) = values.get_mut(2) {
                    *shape = 0.8;
                }
                for criterion in CRITERIA {
                    let what = format!("{}, {geometry:?}, {columns} columns", covariance.name);
                    check_gradient(&mut vecchia, (covariance, &values, 0.2), criterion, &what);
                }
            }
        }
    }
}

fn score(vecchia: &mut dyn Evaluate, criterion: Criterion, is_scaled: bool) -> Score {
    let how = (criterion, is_scaled);
    let found = vecchia.score(covariance("matern"), &[1.3, 0.2, 0.9], 0.3, how, &|_| true);
    found.expect("positive definite").1.expect("it is wanted")
}

/// With all places before as neighbours it is that of the exact likelihood.
#[test]
fn information_is_the_average_one() {
    for columns in [0, 2] {
        let observations = observations(random_points(Geometry::Plane, 60, 1.0, 9), columns);
        for criterion in CRITERIA {
            for is_scaled in [false, true] {
                let mut vecchia = VecchiaLikelihood::new(flow(2), &observations, latent(59));
                let found = score(&mut vecchia, criterion, is_scaled);
                let expected = score(&mut likelihood(&observations, 32), criterion, is_scaled);
                let most = expected.information.iter().fold(1.0_f64, |most, x| most.max(x.abs()));
                let pairs = found.information.iter().zip(&expected.information);
                let more = found.gradient.iter().zip(&expected.gradient);
                for (found, expected) in pairs.chain(more) {
                    assert!((found - expected).abs() < 1e-6 * most, "{found}, not {expected}");
                }
            }
        }
    }
}

#[test]
fn workers_and_ranks_change_nothing() {
    let observations = synthetic();
    let made = |flow| {
        let mut vecchia = VecchiaLikelihood::new(flow, &observations, latent(8));
        score(&mut vecchia, Criterion::Full, true)
    };
    let expected = made(flow(1));
    for workers in [2, 5] {
        assert_eq!(made(flow(workers)), expected, "{workers} workers");
    }
    let owners = distribution("row-cyclic", 3).expect("a distribution");
    for found in over_ranks(3, &owners, made) {
        assert_eq!(found, expected, "over ranks");
    }
}

/// Little noise is the field's own.
#[test]
fn without_noise_it_is_the_response_form() {
    let observations = observations(random_points(Geometry::Plane, 200, 1.0, 9), 1);
    for nugget in [0.0, 1e-9] {
        let of = |options| {
            let mut vecchia = VecchiaLikelihood::new(flow(1), &observations, options);
            vecchia.evaluate(covariance("matern"), &[1.0, 0.1, 0.5], nugget).expect("it has one")
        };
        assert_eq!(of(latent(10)), of(Vecchia::new(10, Ordering::Maximin)));
    }
    let of = |nugget| {
        let mut vecchia = VecchiaLikelihood::new(flow(1), &observations, latent(10));
        vecchia.evaluate(covariance("matern"), &[1.0, 0.1, 0.5], nugget).expect("it has one")
    };
    // On both sides of the change.
    assert_close(of(1.01e-7).loglik(), of(0.99e-7).loglik(), 1e-6, "a ten-millionth");
}

/// Kriging with all neighbours is exact; with the nearest 30 nearly so, and variances as well.
#[test]
fn predictions_are_those_of_the_values() {
    for columns in [0, 2] {
        let observations = observations(random_points(Geometry::Plane, 200, 1.0, 12), columns);
        let model = Model::new(covariance("matern"), vec![1.3, 0.2, 1.0], 0.3);
        let model = model.expect("parameters");
        let exact =
            Predictor::new(likelihood(&observations, 64), model.clone(), observations.clone());
        let mut exact = exact.expect("positive definite");
        let elsewhere = random_points(Geometry::Plane, 40, 1.0, 13);
        for points in [&elsewhere, &observations.points] {
            let n = points.len();
            let slope = (0..n).map(|i| 3.0 + points.point(i)[0]).collect();
            let drift = &[vec![1.0; n], slope][..columns];
            let expected = exact.predict(points, drift, &mut |_| {}).expect("enough memory");
            for (neighbours, tolerance) in [(200, 1e-6), (30, 0.02)] {
                let vecchia = VecchiaLikelihood::new(flow(2), &observations, latent(neighbours));
                let local = LocalPredictor::new(vecchia, model.clone(), observations.clone());
                let found = local.expect("positive definite").predict(points, drift, &mut |_| {});
                let found = found.expect("enough memory");
                for i in 0..n {
                    let error = (found.mean[i] - expected.mean[i]).abs();
                    assert!(error < tolerance, "{neighbours}, mean {i}: {error}");
                    let (found, expected) = (found.variance[i], expected.variance[i]);
                    assert!(
                        (found / expected).ln().abs() < 5.0 * tolerance,
                        "{neighbours}, variance {i}: {found}, not {expected}"
                    );
                }
            }
        }
    }
}

/// Values observed twice at a place are as good as any others.
#[test]
fn two_values_at_a_place_are_two() {
    let points = random_points(Geometry::Plane, 60, 1.0, 5);
    let twice: Vec<usize> = (0..60).chain(0..20).collect();
    let observations = observations(points.select(&twice), 1);
    let (matern, values) = (covariance("matern"), [1.0, 0.3, 0.5]);
    let exact = likelihood(&observations, 32).evaluate(matern, &values, 0.1);
    let exact = exact.expect("positive definite").loglik();
    let mut vecchia = VecchiaLikelihood::new(flow(1), &observations, latent(79));
    let found = vecchia.evaluate(matern, &values, 0.1).expect("positive definite").loglik();
    assert_close(found, exact, 1e-6, "all neighbours");
    let mut vecchia = VecchiaLikelihood::new(flow(1), &observations, latent(10));
    let found = vecchia.evaluate(matern, &values, 0.1).expect("positive definite").loglik();
    assert!((found - exact).abs() < 2.0, "{found}, not {exact}");
}

/// Of a smooth field with noise: the response form knows less of its smoothness.
#[test]
fn a_fit_sees_through_noise() {
    let matern = covariance("matern");
    let truth = Model::new(matern, vec![1.0, 0.1, 1.5], 0.5).expect("parameters");
    let n = 1200;
    let (points, _) = scattered_places(Geometry::Plane, n, &mut Random::new(8)).expect("places");
    let values = draw::<f64>(&mut flow(2), &truth, &points, &Random::new(9).normals(n), 200);
    let design = Design::new(Vec::new(), Vec::new(), n).expect("no columns");
    let observations = Observations::new(points, values.expect("definite"), design);
    let mut options =
        FitOptions { nugget: NuggetChoice::Estimated { bounds: None }, ..FitOptions::all_free(3) };
    options.fixed[1] = Some(0.1);
    let fitted = |options_of: Vecchia| {
        let mut vecchia = VecchiaLikelihood::new(flow(2), &observations, options_of);
        fit(&mut vecchia, &observations, matern, &options, |_| {}).expect("a maximum")
    };
    let (found, response) = (fitted(latent(20)), fitted(Vecchia::new(20, Ordering::Maximin)));
    assert!(found.converged, "{:?}", found.remarks);
    assert_eq!(found.uncertainty.information, Information::Average);
    let (low, high) = found.uncertainty.intervals[2].expect("it is free");
    assert!(low < 1.5 && 1.5 < high, "smoothness from {low} to {high}");
    let errors = [&found, &response].map(|fit| fit.uncertainty.std_errors[2].expect("it is free"));
    assert!(errors[0] < errors[1], "{errors:?}");
    let mut exact = likelihood(&observations, 200);
    let exact = exact.evaluate(matern, &found.model.values, found.model.nugget);
    let exact = exact.expect("positive definite").loglik();
    assert!((found.loglik - exact).abs() < 4.0, "{}, not {exact}", found.loglik);
}
