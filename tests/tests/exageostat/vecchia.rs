//! Vecchia's approximation against independent answers, the exact likelihood and differences.

use tegula_exageostat::covariance::COVARIANCES;
use tegula_exageostat::fit::{FitOptions, Information, fit};
use tegula_exageostat::likelihood::{Criterion, Evaluate, Evaluation, LikelihoodError, Score};
use tegula_exageostat::model::Model;
use tegula_exageostat::predict::{Predict, Predictor};
use tegula_exageostat::vecchia::{
    FORMS, Form, LocalPredictor, ORDERINGS, Ordering, Vecchia, VecchiaLikelihood,
};
use tegula_kernels::geometry::{Geometry, Points};
use tegula_kernels::kernel::covariance::rate::random_points;
use tegula_plan::distribution::distribution;
use tegula_tests::{answers, assert_close, flow, likelihood, over_ranks, synthetic};

use super::scores::{CRITERIA, check_gradient, difference, loglik, observations};
use super::{covariance, number, split};

fn options(neighbours: usize, ordering: Ordering) -> Vecchia {
    Vecchia::new(neighbours, ordering)
}

fn ordering(name: &str) -> Ordering {
    ORDERINGS.iter().find(|entry| entry.1 == name).expect("a listed order").0
}

#[test]
fn likelihoods_are_those_of_loops() {
    let observations = synthetic();
    for answer in answers("vecchia.json").as_array().expect("a list") {
        let (values, nugget) = split(&answer["theta"]);
        let neighbours = number(answer, "neighbours") as usize;
        let name = answer["ordering"].as_str().expect("a name");
        let options = options(neighbours, ordering(name));
        let mut vecchia = VecchiaLikelihood::new(flow(2), &observations, options);
        let found = vecchia.evaluate(covariance("matern"), &values, nugget);
        let found = found.expect("positive definite").loglik();
        assert_close(found, number(answer, "loglik"), 1e-11, &format!("{name}, {neighbours}"));
    }
}

#[test]
fn with_all_places_before_as_neighbours_it_is_exact() {
    for geometry in Geometry::ALL {
        let extent = if geometry == Geometry::GreatCircle { 6371.0 } else { 1.0 };
        let all = ORDERINGS.iter().flat_map(|order| FORMS.iter().map(move |form| (order, form)));
        for (&(ordering, name, _), &(form, formed, _)) in all {
            for columns in [0, 2] {
                let observations = observations(random_points(geometry, 90, 1.0, 12), columns);
                let mut exact = likelihood(&observations, 32);
                // More than there are places: as many as there are.
                for neighbours in [89, 200] {
                    let options = options(neighbours, ordering).with_form(form);
                    let mut vecchia = VecchiaLikelihood::new(flow(2), &observations, options);
                    let (matern, values) = (covariance("matern"), [1.3, 0.2 * extent, 0.5]);
                    let [exact, found] = [
                        Evaluate::evaluate(&mut exact, matern, &values, 0.1),
                        vecchia.evaluate(matern, &values, 0.1),
                    ]
                    .map(|evaluation| evaluation.expect("positive definite"));
                    let what = format!("{geometry:?}, {name}, {formed}, {columns} columns");
                    for criterion in CRITERIA {
                        let expected = loglik(&exact, criterion);
                        assert_close(loglik(&found, criterion), expected, 1e-11, &what);
                    }
                    for (found, expected) in found.coefficients.iter().zip(&exact.coefficients) {
                        assert!(
                            (found - expected).abs() < 1e-10 * (1.0 + expected.abs()),
                            "{what}"
                        );
                    }
                }
            }
        }
    }
}

/// The exact likelihood of the synthetic field and what it is with 5, 10, 20, 40 and 60 neighbours.
fn evaluations(form: Form, nugget: f64) -> (Evaluation, [Evaluation; 5]) {
    let observations = synthetic();
    let (matern, values) = (covariance("matern"), [1.0, 0.1, 0.5]);
    let exact = likelihood(&observations, 200).evaluate(matern, &values, nugget);
    let approximated = [5, 10, 20, 40, 60].map(|neighbours| {
        let options = options(neighbours, Ordering::Maximin).with_form(form);
        let mut vecchia = VecchiaLikelihood::new(flow(2), &observations, options);
        vecchia.evaluate(matern, &values, nugget).expect("positive definite")
    });
    (exact.expect("positive definite"), approximated)
}

#[test]
fn more_neighbours_are_nearer_to_the_exact_likelihood() {
    let (exact, found) = evaluations(Form::Response, 0.01);
    let errors = found.map(|found| (found.loglik() - exact.loglik()).abs());
    assert!(errors.windows(2).all(|pair| pair[1] < pair[0]), "{errors:?}");
    // Of a log-likelihood of a thousand.
    assert!(errors[0] < 30.0 && errors[4] < 0.3, "{errors:?}");
}

/// The divergence of Kullback and Leibler, what the log-likelihood is expected to be too low, is
/// half the difference of the log-determinants (each value has the variance that it is said to have
/// given its neighbours), and no greater if a value is given more. The error of one field can be
/// smaller by chance.
#[test]
fn groups_are_nearer_to_the_exact_likelihood() {
    for nugget in [0.01, 0.2] {
        let divergence = |form| {
            let (exact, found) = evaluations(form, nugget);
            found.map(|found| 0.5 * (found.logdet - exact.logdet))
        };
        let (alone, grouped) = (divergence(Form::Response), divergence(Form::Grouped));
        for (alone, grouped) in alone.into_iter().zip(grouped) {
            assert!(grouped > 0.0 && grouped < 0.95 * alone, "{grouped}, alone {alone}");
        }
    }
}

#[test]
fn grouped_gradients_are_those_of_differences() {
    for geometry in [Geometry::Plane, Geometry::GreatCircle] {
        let extent = if geometry == Geometry::GreatCircle { 6371.0 } else { 1.0 };
        for (name, columns) in [("matern", 0), ("matern", 2), ("spherical", 2)] {
            let observations = observations(random_points(geometry, 150, 1.0, 3), columns);
            let options = options(7, Ordering::Maximin).with_form(Form::Grouped);
            let mut vecchia = VecchiaLikelihood::new(flow(2), &observations, options);
            let mut values = covariance(name).defaults();
            (values[0], values[1]) = (1.7, 0.3 * extent);
            for criterion in CRITERIA {
                let what = format!("{name}, {geometry:?}, {columns} columns");
                check_gradient(&mut vecchia, (covariance(name), &values, 0.2), criterion, &what);
            }
        }
    }
}

fn score(
    vecchia: &mut VecchiaLikelihood,
    (name, values): (&str, &[f64]),
    nugget: f64,
    how: (Criterion, bool),
) -> Score {
    let found = vecchia.score(covariance(name), values, nugget, how, &|_| true);
    found.expect("positive definite").1.expect("it is wanted")
}

#[test]
fn gradients_are_those_of_differences() {
    for geometry in [Geometry::Plane, Geometry::Space, Geometry::GreatCircle] {
        let extent = if geometry == Geometry::GreatCircle { 6371.0 } else { 1.0 };
        for (which, covariance) in COVARIANCES.iter().enumerate() {
            for columns in [0, 2] {
                let points = random_points(geometry, 150, 1.0, 3 + which as u64);
                let observations = observations(points, columns);
                let options = options(7, Ordering::Maximin);
                let mut vecchia = VecchiaLikelihood::new(flow(2), &observations, options);
                let mut values = covariance.defaults();
                (values[0], values[1]) = (1.7, 0.3 * extent);
                if let Some(shape) = values.get_mut(2) {
                    *shape = 0.8;
                }
                let nugget = 0.2;
                for criterion in CRITERIA {
                    let name = format!("{geometry:?}, {columns} columns");
                    check_gradient(&mut vecchia, (covariance, &values, nugget), criterion, &name);
                }
            }
        }
    }
}

/// With all places before as neighbours the expected information is `1/2 tr(C^-1 D_j C^-1 D_k)`.
#[test]
fn information_is_the_expected_one() {
    for &(form, ..) in FORMS.iter().filter(|(form, ..)| *form != Form::Latent) {
        check_information(form);
    }
}

/// Of a restricted likelihood it is the observed one: with all neighbours, that of the exact one,
/// by other differences.
#[test]
fn information_of_a_restricted_likelihood_is_the_observed_one() {
    let (n, nugget, values) = (60, 0.2, vec![1.3, 0.3, 0.9]);
    let observations = observations(random_points(Geometry::Plane, n, 1.0, 9), 2);
    let matern = covariance("matern");
    let mut exact = likelihood(&observations, 32);
    let mut gradient = |k: usize, change: f64, j: usize| {
        let (mut values, mut nugget) = (values.clone(), nugget);
        match values.get_mut(k) {
            Some(value) => *value *= change.exp(),
            None => nugget += change,
        }
        let how = (Criterion::Restricted, false);
        let found = exact.score(matern, &values, nugget, how, &|_| true);
        found.expect("positive definite").1.expect("it is wanted").gradient[j]
    };
    for &(form, ..) in FORMS.iter().filter(|(form, ..)| *form != Form::Latent) {
        let options = options(n, Ordering::Maximin).with_form(form);
        let mut vecchia = VecchiaLikelihood::new(flow(1), &observations, options);
        assert_eq!(vecchia.information_kind(Criterion::Restricted), Information::Observed);
        let found = vecchia.information(matern, &values, nugget, Criterion::Restricted);
        let (_, found) = found.expect("positive definite");
        let largest = found.iter().fold(0.0_f64, |most, entry| most.max(entry.abs()));
        for k in 0..4 {
            for j in 0..4 {
                let expected = -difference(1e-2, |change| gradient(k, change, j));
                let found = found[j + k * 4];
                // Those of second order are off by a share of the square of their step.
                assert!((found - expected).abs() < 1e-4 * largest, "{j}, {k}: {found}, {expected}");
            }
        }
    }
}

fn check_information(form: Form) {
    let (n, nugget, values) = (40, 0.1, vec![1.3, 0.2, 1.1]);
    let observations = observations(random_points(Geometry::Plane, n, 1.0, 9), 1);
    let options = options(n, Ordering::Maximin).with_form(form);
    let mut vecchia = VecchiaLikelihood::new(flow(1), &observations, options);
    let found = score(&mut vecchia, ("matern", &values), nugget, (Criterion::Full, false));
    let entry = |values: &[f64], nugget: f64, i: usize, j: usize| {
        let same = if i == j { nugget } else { 0.0 };
        covariance("matern").function(values)(observations.points.distance(i, j)) + same
    };
    let matrix: Vec<f64> = (0..n * n).map(|at| entry(&values, nugget, at % n, at / n)).collect();
    let inverse = super::scores::inverse(n, &matrix);
    let ratio = |k: usize| -> Vec<f64> {
        let derivative: Vec<f64> = (0..n * n)
            .map(|at| {
                difference(1e-2, |change| {
                    let (mut values, mut nugget) = (values.clone(), nugget);
                    match values.get_mut(k) {
                        Some(value) => *value *= change.exp(),
                        None => nugget += change,
                    }
                    entry(&values, nugget, at % n, at / n)
                })
            })
            .collect();
        let at = |i: usize, j: usize| -> f64 {
            (0..n).map(|t| inverse[i + t * n] * derivative[t + j * n]).sum()
        };
        (0..n * n).map(|place| at(place % n, place / n)).collect()
    };
    let ratios: Vec<Vec<f64>> = (0..4).map(ratio).collect();
    for k in 0..4 {
        for j in 0..4 {
            let trace: f64 =
                (0..n * n).map(|at| ratios[j][at] * ratios[k][at / n + at % n * n]).sum();
            assert_close(found.information[j + 4 * k], 0.5 * trace, 1e-8, &format!("{j} {k}"));
        }
    }
}

/// A profiled variance is that of values divided by its root, as in the exact likelihood.
#[test]
fn a_scaled_score_is_that_of_scaled_parameters() {
    let observations = observations(random_points(Geometry::Plane, 120, 1.0, 4), 2);
    let mut vecchia = VecchiaLikelihood::new(flow(2), &observations, options(9, Ordering::Maximin));
    for criterion in CRITERIA {
        let unit = ("exponential", &[1.0, 0.2][..]);
        let profiled = score(&mut vecchia, unit, 0.1, (criterion, true));
        let evaluation = vecchia.evaluate(covariance("exponential"), unit.1, 0.1);
        let scale = evaluation.expect("positive definite").best_scale(criterion);
        let scaled = ("exponential", &[scale, 0.2][..]);
        let direct = score(&mut vecchia, scaled, 0.1 * scale, (criterion, false));
        let along = profiled.gradient[0] + 0.1 * profiled.gradient[2];
        assert!(along.abs() < 1e-9, "the scale is the best: {:?}", profiled.gradient);
        let units = [1.0, 1.0, scale];
        for j in 0..3 {
            let (found, expected) = (profiled.gradient[j], direct.gradient[j] * units[j]);
            assert!((found - expected).abs() < 1e-8 * expected.abs().max(1.0), "{j}");
            for k in 0..3 {
                let expected = direct.information[j + 3 * k] * units[j] * units[k];
                let found = profiled.information[j + 3 * k];
                assert!((found - expected).abs() < 1e-8 * expected.abs().max(1.0), "{j} {k}");
            }
        }
    }
}

/// Sums are those of blocks, in their order.
#[test]
fn workers_and_ranks_change_nothing() {
    for &(form, ..) in FORMS {
        check_workers_and_ranks(form);
    }
}

fn check_workers_and_ranks(form: Form) {
    let observations = synthetic();
    let made = |flow| {
        let options = options(10, Ordering::Maximin).with_form(form);
        let mut vecchia = VecchiaLikelihood::new(flow, &observations, options);
        let (how, values) = ((Criterion::Full, true), [1.1, 0.1, 0.6]);
        vecchia
            .score(covariance("matern"), &values, 0.02, how, &|_| true)
            .expect("positive definite")
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

#[test]
fn two_values_at_a_place_need_a_nugget() {
    let x: Vec<f64> = (0..50).map(|i| f64::from(i % 49) / 49.0).collect();
    let observations = observations(Points::new(Geometry::Line, &[&x]).expect("a line"), 1);
    let all = ORDERINGS.iter().flat_map(|order| FORMS.iter().map(move |form| (order, form)));
    for (&(ordering, name, _), &(form, ..)) in all {
        let options = options(5, ordering).with_form(form);
        let mut vecchia = VecchiaLikelihood::new(flow(2), &observations, options);
        let values = [1.0, 0.3, 0.5];
        let failed = vecchia.evaluate(covariance("matern"), &values, 0.0);
        match failed {
            // The second of the two cannot come before the first.
            Err(LikelihoodError::NotPositiveDefinite { order, n: 50 }) if order > 1 => {}
            other => panic!("{name}: {other:?}"),
        }
        let found = vecchia.evaluate(covariance("matern"), &values, 0.1);
        assert!(found.expect("positive definite").loglik().is_finite(), "{name}");
    }
}

#[test]
fn a_single_place_has_no_neighbours() {
    let observations = observations(random_points(Geometry::Plane, 1, 1.0, 9), 0);
    let mut vecchia = VecchiaLikelihood::new(flow(1), &observations, options(5, Ordering::Maximin));
    let expected =
        likelihood(&observations, 32).evaluate(covariance("matern"), &[1.0, 0.1, 0.5], 0.3);
    let found = vecchia.evaluate(covariance("matern"), &[1.0, 0.1, 0.5], 0.3);
    let [found, expected] = [found, expected].map(|one| one.expect("positive definite").loglik());
    assert_close(found, expected, 1e-14, "one place");
}

/// With all observations as neighbours kriging is exact; with the nearest 30 nearly so, for a field
/// whose noise is seen through.
#[test]
fn predictions_are_those_of_the_nearest_observations() {
    for geometry in Geometry::ALL {
        let extent = if geometry == Geometry::GreatCircle { 6371.0 } else { 1.0 };
        for columns in [0, 2] {
            let observations = observations(random_points(geometry, 150, 1.0, 12), columns);
            let elsewhere = random_points(geometry, 40, 1.0, 13);
            let values = vec![1.3, 0.2 * extent, 0.5];
            for nugget in [0.0, 0.1] {
                let model = Model::new(covariance("matern"), values.clone(), nugget);
                let model = model.expect("parameters");
                let exact = likelihood(&observations, 64);
                let mut exact = Predictor::new(exact, model.clone(), observations.clone())
                    .expect("positive definite");
                for points in [&elsewhere, &observations.points] {
                    let n = points.len();
                    let slope = (0..n).map(|i| 3.0 + points.point(i)[0]).collect();
                    let drift = &[vec![1.0; n], slope][..columns];
                    let expected =
                        exact.predict(points, drift, &mut |_| {}).expect("enough memory");
                    for (neighbours, tolerance) in [(150, 1e-9), (60, 1e-2)] {
                        let options = options(neighbours, Ordering::Maximin);
                        let vecchia = VecchiaLikelihood::new(flow(2), &observations, options);
                        let mut local =
                            LocalPredictor::new(vecchia, model.clone(), observations.clone())
                                .expect("positive definite");
                        let mut done = 0;
                        let found = local.predict(points, drift, &mut |count| done = count);
                        let found = found.expect("enough memory");
                        assert_eq!(done, n);
                        let what = format!("{geometry:?}, {columns}, {neighbours}, {nugget}");
                        for i in 0..n {
                            let error = (found.mean[i] - expected.mean[i]).abs();
                            assert!(error < 10.0 * tolerance, "{what}, mean {i}: {error}");
                            let error = (found.variance[i] - expected.variance[i]).abs();
                            assert!(error < tolerance, "{what}, variance {i}: {error}");
                        }
                    }
                }
            }
        }
    }
}

/// The fit of the approximation is near that of the exact likelihood, and says how far it may be.
#[test]
fn fits_are_near_the_exact_ones() {
    let observations = synthetic();
    let matern = covariance("matern");
    let fits = FitOptions::all_free(3);
    let mut exact = likelihood(&observations, 200);
    let exact = fit(&mut exact, &observations, matern, &fits, |_| {}).expect("a maximum");
    assert_eq!(exact.loglik_error, None);
    let options = options(30, Ordering::Maximin);
    let mut vecchia = VecchiaLikelihood::new(flow(2), &observations, options);
    let found = fit(&mut vecchia, &observations, matern, &fits, |_| {}).expect("a maximum");
    assert!(found.converged, "{:?}", found.remarks);
    let errors = &exact.uncertainty.std_errors;
    for (k, (x, y)) in found.model.values.iter().zip(&exact.model.values).enumerate() {
        let error = errors[k].expect("it is free");
        assert!((x - y).abs() < 0.2 * error, "parameter {k}: {x}, not {y} +- {error}");
        let (found, expected) = (found.uncertainty.std_errors[k].expect("it is free"), error);
        assert!((found / expected).ln().abs() < 0.2, "its error: {found}, not {expected}");
    }
    let at = vecchia.evaluate(matern, &exact.model.values, 0.0).expect("positive definite");
    let (error, estimate) = (
        at.loglik() - exact.loglik,
        vecchia.error_estimate(matern, &exact.model.values, 0.0, (Criterion::Full, at.loglik())),
    );
    let estimate = estimate.expect("positive definite").expect("it is approximated");
    assert!((error + estimate).abs() < error.abs(), "{error} is estimated as {}", -estimate);
    assert!(found.loglik_error.is_some_and(|error| error.abs() < 1.0));
}
