//! Covariances that are put together from others: sums, several variables, space and time; and
//! noise whose variance is known of each value.

use tegula_exageostat::covariance::Covariance;
use tegula_exageostat::design::Design;
use tegula_exageostat::likelihood::{Criterion, Evaluate, Likelihood, Overlap};
use tegula_exageostat::model::Model;
use tegula_exageostat::observations::Observations;
use tegula_exageostat::predict::{Predict, Predictor};
use tegula_kernels::geometry::{Geometry, Points};
use tegula_plan::distribution::distribution;
use tegula_tests::{answers, assert_close, flow, numbers, over_ranks};

use super::covariance;

const N: usize = 60;

fn fraction(x: f64) -> f64 {
    x - x.floor()
}

/// So many places, from their numbers and `shift`, with the marks that `covariance` takes.
fn places(covariance: &Covariance, count: usize, shift: f64) -> Points {
    let along = |step: f64| (0..count).map(move |i| fraction(step * (i as f64 + shift)));
    let x: Vec<f64> = along(0.754877666246693).collect();
    let y: Vec<f64> = along(0.569840290998053).collect();
    let mut points = Points::new(Geometry::Plane, &[&x, &y]).expect("places");
    if covariance.has_time() {
        let times: Vec<f64> = along(0.3819660112501051).map(|t| 4.0 * t).collect();
        points = points.marked(&times);
    }
    if covariance.variables() > 1 {
        let variables: Vec<f64> = (0..count).map(|i| (i % covariance.variables()) as f64).collect();
        points = points.marked(&variables);
    }
    points
}

/// Observations with noise of up to so much, if that is not 0, and so many columns of the mean.
fn observations(covariance: &Covariance, noise: f64, columns: usize) -> Observations {
    let points = places(covariance, N, 0.0);
    let value = |i: usize| (3.0 * i as f64).sin() + 0.5 * (7.0 * points.point(i)[0]).cos();
    let values: Vec<f64> = (0..N).map(value).collect();
    let x = (0..N).map(|i| points.point(i)[0]).collect();
    let (names, data) = (["one", "x"].map(str::to_owned), [vec![1.0; N], x]);
    let design = Design::new(names[..columns].to_vec(), data[..columns].to_vec(), N);
    let noises = (0..N).map(|i| noise * fraction(0.6180339887498949 * i as f64)).collect();
    Observations::new(points, values, design.expect("independent columns"))
        .with_noise((noise > 0.0).then_some(noises))
}

fn likelihood(observations: &Observations, workers: usize, nb: usize) -> Likelihood<f64> {
    Likelihood::new(flow(workers), observations, nb, Overlap::default())
}

/// A case of the answers.
struct Case {
    covariance: &'static Covariance,
    values: Vec<f64>,
    nugget: f64,
    noise: f64,
    answer: serde_json::Value,
}

fn cases() -> Vec<Case> {
    let all = answers("composite.json");
    let cases = all.as_array().expect("a list").iter().map(|answer| Case {
        covariance: covariance(answer["covariance"].as_str().expect("a name")),
        values: numbers(&answer["values"]),
        nugget: answer["nugget"].as_f64().expect("a number"),
        noise: answer["noise"].as_f64().expect("a number"),
        answer: answer.clone(),
    });
    cases.collect()
}

#[test]
fn likelihoods_and_krigings_are_those_of_numpy() {
    for Case { covariance, values, nugget, noise, answer } in cases() {
        let observed = observations(covariance, noise, 0);
        for (workers, nb) in [(1, 64), (2, 16)] {
            let mut likelihood = likelihood(&observed, workers, nb);
            let found = likelihood.evaluate(covariance, &values, nugget).expect("it is one");
            let expected = answer["loglik"].as_f64().expect("a number");
            assert_close(found.loglik(), expected, 1e-11, covariance.name);
            let model = Model::new(covariance, values.clone(), nugget).expect("parameters");
            let predictor = Predictor::new(likelihood, model, observed.clone());
            let targets = places(covariance, 3 * covariance.variables(), 0.5);
            let predicted = predictor.expect("it is one").predict(&targets, &[], &mut |_| ());
            let predicted = predicted.expect("no failure");
            for (found, name) in [(predicted.mean, "means"), (predicted.variance, "variances")] {
                for (found, expected) in found.iter().zip(numbers(&answer[name])) {
                    assert_close(*found, expected, 1e-9, covariance.name);
                }
            }
        }
    }
}

#[test]
fn gradients_are_those_of_differences_and_information_is_that_of_numpy() {
    for Case { covariance, values, nugget, noise, answer } in cases() {
        for columns in [0, 2] {
            for criterion in [Criterion::Full, Criterion::Restricted] {
                check(covariance, &values, (nugget, noise), (columns, criterion));
            }
        }
        let observed = observations(covariance, noise, 0);
        let mut likelihood = likelihood(&observed, 2, 16);
        let found = likelihood.information(covariance, &values, nugget, Criterion::Full);
        let (_, information) = found.expect("it is one");
        let count = values.len();
        for (i, row) in answer["information"].as_array().expect("rows").iter().enumerate() {
            for (j, expected) in numbers(row).into_iter().enumerate() {
                let slope = |k: usize| covariance.parameters[k].scale.slope(values[k]);
                let expected = expected * slope(i) * slope(j);
                let found = information[i + j * (count + 1)];
                let tolerance = 1e-7 * (1.0 + expected.abs());
                let what = (covariance.name, i, j);
                assert!((found - expected).abs() < tolerance, "{what:?}: {found}, not {expected}");
            }
        }
    }
}

/// Compares a score with differences of sixth order.
fn check(
    covariance: &Covariance,
    values: &[f64],
    (nugget, noise): (f64, f64),
    (columns, criterion): (usize, Criterion),
) {
    let observed = observations(covariance, noise, columns);
    let mut likelihood = likelihood(&observed, 2, 16);
    let how = (criterion, false);
    let (_, score) = likelihood.score(covariance, values, nugget, how, &|_| true).expect("one");
    let score = score.expect("it is wanted");
    for k in 0..=values.len() {
        let at = |change: f64| {
            let (mut values, mut nugget) = (values.to_vec(), nugget);
            match values.get_mut(k) {
                Some(value) => {
                    let scale = covariance.parameters[k].scale;
                    *value = scale.value(scale.coordinate(*value) + change);
                }
                None => nugget += change,
            }
            likelihood.evaluate(covariance, &values, nugget).expect("one").value(criterion)
        };
        let is_at_end = match values.get(k) {
            Some(&value) => covariance.parameters[k].above == -f64::MIN_POSITIVE && value == 0.0,
            None => nugget == 0.0,
        };
        if is_at_end {
            continue;
        }
        let expected = super::scores::difference(2e-3, at);
        let (found, tolerance) = (score.gradient[k], 1e-7 * (1.0 + expected.abs()));
        let tolerance =
            if covariance.name.contains("spherical") { 1e3 * tolerance } else { tolerance };
        let what = (covariance.name, criterion, columns, k);
        assert!((found - expected).abs() < tolerance, "{what:?}: {found}, not {expected}");
    }
}

/// Whoever has the tiles, likelihoods and their scores are the same up to the order of sums.
#[test]
fn ranks_evaluate_what_one_does() {
    let owners = distribution("block-cyclic", 4).expect("a distribution");
    for Case { covariance, values, nugget, noise, .. } in cases() {
        let observed = observations(covariance, noise, 2);
        let score = |likelihood: &mut dyn Evaluate| {
            let how = (Criterion::Restricted, false);
            let found = likelihood.score(covariance, &values, nugget, how, &|_| true);
            let (evaluation, score) = found.expect("it is one");
            (evaluation.restricted_loglik(), score.expect("it is wanted").gradient)
        };
        let (alone, gradient) = score(&mut likelihood(&observed, 1, 16));
        let found = over_ranks(4, &owners, |flow| {
            score(&mut Likelihood::<f64>::new(flow, &observed, 16, Overlap::default()))
        });
        for (loglik, found) in found {
            assert_close(loglik, alone, 1e-12, covariance.name);
            for (found, expected) in found.iter().zip(&gradient) {
                let off = (found - expected).abs();
                assert!(off < 1e-9 * (1.0 + expected.abs()), "{}: {off}", covariance.name);
            }
        }
    }
}
