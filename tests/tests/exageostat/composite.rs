//! Covariances that are put together from others: sums, several variables, space and time; and
//! noise whose variance is known of each value.

use tegula_exageostat::covariance::Covariance;
use tegula_exageostat::design::Design;
use tegula_exageostat::likelihood::{Criterion, Evaluate, Likelihood, Overlap};
use tegula_exageostat::mixed::{Mixed, MixedLikelihood};
use tegula_exageostat::model::Model;
use tegula_exageostat::observations::Observations;
use tegula_exageostat::predict::{Predict, Predictor};
use tegula_exageostat::tlr::{Tlr, TlrLikelihood};
use tegula_exageostat::vecchia::{Form, LocalPredictor, Ordering, Vecchia, VecchiaLikelihood};
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
    check_score(&mut likelihood, (covariance, values, nugget), (columns, criterion));
}

fn check_score(
    likelihood: &mut dyn Evaluate,
    (covariance, values, nugget): (&Covariance, &[f64], f64),
    (columns, criterion): (usize, Criterion),
) {
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

/// Observations without noise of their own, whose cases those are.
fn plain_cases() -> impl Iterator<Item = Case> {
    cases().into_iter().filter(|case| case.noise == 0.0)
}

fn vecchia(
    observed: &Observations,
    covariance: &Covariance,
    (neighbours, form): (usize, Form),
) -> VecchiaLikelihood {
    let options = Vecchia::new(neighbours, Ordering::Maximin).with_form(form);
    let options = Vecchia { block: 16, ..options.in_time(covariance.has_time()) };
    VecchiaLikelihood::new(flow(2), observed, options)
}

const FORMS: [Form; 2] = [Form::Response, Form::Grouped];

#[test]
fn given_all_places_before_it_vecchia_is_exact() {
    assert!(plain_cases().count() > 8, "cases");
    for Case { covariance, values, nugget, .. } in plain_cases() {
        for (form, columns) in FORMS.into_iter().flat_map(|form| [(form, 0), (form, 2)]) {
            let observed = observations(covariance, 0.0, columns);
            let exact = likelihood(&observed, 1, 64).evaluate(covariance, &values, nugget);
            let mut vecchia = vecchia(&observed, covariance, (N, form));
            let found = vecchia.evaluate(covariance, &values, nugget);
            let [exact, found] = [exact, found].map(|one| one.expect("it is one"));
            for criterion in [Criterion::Full, Criterion::Restricted] {
                let (found, exact) = (found.value(criterion), exact.value(criterion));
                assert_close(found, exact, 1e-11, covariance.name);
            }
        }
    }
}

#[test]
fn gradients_of_vecchia_are_those_of_differences() {
    for Case { covariance, values, nugget, .. } in plain_cases() {
        for (form, criterion) in
            [(Form::Response, Criterion::Restricted), (Form::Grouped, Criterion::Full)]
        {
            let observed = observations(covariance, 0.0, 2);
            let mut vecchia = vecchia(&observed, covariance, (7, form));
            check_score(&mut vecchia, (covariance, &values, nugget), (2, criterion));
        }
    }
}

/// A sum of halves is the whole, whatever kernel works out its conditionals.
#[test]
fn a_sum_of_two_halves_has_the_conditionals_of_the_whole() {
    let (whole, sum) = (covariance("matern"), covariance("matern+matern"));
    let observed = observations(whole, 0.0, 2);
    for form in FORMS {
        let of = |covariance: &'static Covariance, values: &[f64]| {
            let mut vecchia = vecchia(&observed, covariance, (5, form));
            let how = (Criterion::Full, false);
            let found = vecchia.score(covariance, values, 0.05, how, &|_| true);
            let (evaluation, score) = found.expect("positive definite");
            let score = score.expect("it is wanted");
            let nugget = *score.gradient.last().expect("that of the nugget");
            (evaluation.loglik(), score.gradient[0], nugget)
        };
        let expected = of(whole, &[1.4, 0.2, 0.8]);
        let found = of(sum, &[0.7, 0.2, 0.8, 0.7, 0.2, 0.8]);
        assert_close(found.0, expected.0, 1e-11, "likelihood");
        assert_close(2.0 * found.1, expected.1, 1e-8, "by the logarithm of the variance");
        assert_close(found.2, expected.2, 1e-8, "by the nugget");
    }
}

/// From all observations as neighbours predictions are the exact ones, of each variable at its
/// time.
#[test]
fn predictions_from_neighbours_are_those_of_all_if_they_are_all() {
    for Case { covariance, values, nugget, .. } in plain_cases() {
        let observed = observations(covariance, 0.0, 0);
        let model = Model::new(covariance, values, nugget).expect("parameters");
        let targets = places(covariance, 4 * covariance.variables(), 0.5);
        let exact = Predictor::new(likelihood(&observed, 1, 64), model.clone(), observed.clone());
        let exact = exact.expect("it is one").predict(&targets, &[], &mut |_| ()).expect("memory");
        let of_exact = likelihood(&observed, 1, 64);
        let of_exact = LocalPredictor::exact(of_exact, model.clone(), observed.clone(), N);
        let of_vecchia = vecchia(&observed, covariance, (N, Form::Response));
        let of_vecchia = LocalPredictor::new(of_vecchia, model, observed);
        for local in [of_exact, of_vecchia] {
            let local = local.expect("it is one").predict(&targets, &[], &mut |_| ());
            let local = local.expect("memory");
            let means = local.mean.iter().zip(&exact.mean);
            let variances = local.variance.iter().zip(&exact.variance);
            for (found, expected) in means.chain(variances) {
                let off = (found - expected).abs();
                assert!(off < 1e-9 * (1.0 + expected.abs()), "{}: {off}", covariance.name);
            }
        }
    }
}

/// Neighbours near in space and time tell more than those near in space, whatever their time.
#[test]
fn neighbours_are_near_in_time_too() {
    let covariance = covariance("gneiting-matern");
    let values = [1.0, 0.3, 0.5, 2.0, 0.8, 0.3, 0.5];
    let (side, times) = (7, 12);
    let grid = |i: usize, axis: usize| match axis {
        0 => (i / times % side) as f64 / side as f64,
        1 => (i / times / side) as f64 / side as f64,
        // In hours, so that times and places are in units that do not compare.
        _ => 1000.0 * (i % times) as f64,
    };
    let axis = |axis: usize| (0..side * side * times).map(|i| grid(i, axis)).collect::<Vec<f64>>();
    let points = Points::new(Geometry::Plane, &[&axis(0), &axis(1)]).expect("in the plane");
    let points = points.marked(&axis(2));
    let values = [values[0], values[1], values[2], 2000.0, values[4], values[5], values[6]];
    let n = points.len();
    let wave = |i: usize| (5.0 * grid(i, 0)).sin() + (0.003 * grid(i, 2)).cos() + (i % 7) as f64;
    let observed = Observations::new(points, (0..n).map(wave).collect(), Design::zero(n));
    let exact = likelihood(&observed, 2, 96).evaluate(covariance, &values, 0.1).expect("one");
    let error = |has_time: bool, neighbours: usize| {
        let options = Vecchia::new(neighbours, Ordering::Maximin).in_time(has_time);
        let mut vecchia = VecchiaLikelihood::new(flow(2), &observed, options);
        let found = vecchia.evaluate(covariance, &values, 0.1).expect("one");
        (found.loglik() - exact.loglik()).abs()
    };
    let errors = [5, 15, 40].map(|neighbours| error(true, neighbours));
    assert!(errors[2] < errors[1] && errors[1] < errors[0], "{errors:?}");
    assert!(errors[1] < 0.5 * error(false, 15), "{errors:?}, {}", error(false, 15));
}

/// Where variables differ in scale, tiles of low rank and of 32 bits are as accurate as the least
/// needs, whichever comes first.
#[test]
fn accuracies_are_those_of_the_variable_of_least_scale() {
    let covariance = covariance("bivariate-matern-parsimonious");
    let observed = observations(covariance, 0.0, 0);
    for (first, second) in [(1e6_f64, 1.0_f64), (1.0, 1e6)] {
        // Values in the units of their variables.
        let unit = |i: usize| if i.is_multiple_of(2) { first.sqrt() } else { second.sqrt() };
        let values = observed.values.iter().enumerate().map(|(i, z)| z * unit(i)).collect();
        let observed = Observations { values, ..observed.clone() };
        let parameters = [first, second, 0.2, 0.5, 0.5, 0.3];
        let exact = likelihood(&observed, 1, 16).evaluate(covariance, &parameters, 0.0);
        let exact = exact.expect("it is one").loglik();
        let tlr = Tlr { accuracy: 1e-7, nb: 16 };
        let mixed = Mixed { accuracy: 1e-7, nb: 16 };
        let mut approximations: [Box<dyn Evaluate>; 2] = [
            Box::new(TlrLikelihood::new(flow(2), &observed, tlr)),
            Box::new(MixedLikelihood::new(flow(2), &observed, mixed)),
        ];
        for one in &mut approximations {
            let found = one.evaluate(covariance, &parameters, 0.0).expect("it is one").loglik();
            assert!((found - exact).abs() < 1e-3, "{first}, {second}: {found}, not {exact}");
        }
    }
}
