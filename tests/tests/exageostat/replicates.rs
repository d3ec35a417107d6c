//! Replicates: the likelihood of fields at the same places is the product of theirs, and all that
//! is made of one factor is what each makes of its own.

use std::sync::Arc;

use tegula_exageostat::assess::{Folds, LeftOut, cross_validate, leave_one_out};
use tegula_exageostat::dst::{Dst, DstLikelihood};
use tegula_exageostat::fit::{FitOptions, NuggetChoice, fit};
use tegula_exageostat::likelihood::{
    Criterion, Evaluate, Evaluation, Likelihood, LikelihoodError, Overlap, Score,
};
use tegula_exageostat::mixed::{Mixed, MixedLikelihood};
use tegula_exageostat::model::Model;
use tegula_exageostat::observations::Observations;
use tegula_exageostat::predict::{Predict, Predictor};
use tegula_exageostat::tlr::{Tlr, TlrLikelihood};
use tegula_exageostat::vecchia::{Form, LocalPredictor, Ordering, Vecchia, VecchiaLikelihood};
use tegula_kernels::geometry::Geometry;
use tegula_kernels::kernel::covariance::rate::random_points;
use tegula_plan::distribution::distribution;
use tegula_runtime::ranks::Owners;
use tegula_tests::{assert_close, flow, likelihood, over_ranks};

use super::covariance;
use super::scores::{CRITERIA, loglik, observations};

const N: usize = 120;
const VALUES: [f64; 3] = [1.3, 0.2, 0.8];
const NUGGET: f64 = 0.1;

/// Three fields with noise of known variance or without, and each of them alone.
fn fields(columns: usize, has_noise: bool) -> (Observations, Vec<Observations>) {
    let one = observations(random_points(Geometry::Plane, N, 1.0, 5), columns);
    let noise = has_noise.then(|| (0..N).map(|i| 0.02 * (i % 5) as f64).collect());
    let field = |k: usize| -> Vec<f64> {
        let changed = one.values.iter().enumerate();
        changed.map(|(i, z)| z * (1.0 + 0.3 * k as f64) + (i * (k + 7) % 11) as f64 * 0.1).collect()
    };
    let fields = [field(0), field(1), field(2)];
    let one = one.with_noise(noise);
    let alone = fields.iter().map(|values| Observations { values: values.clone(), ..one.clone() });
    let all = Observations { values: fields[0].clone(), ..one.clone() }
        .with_replicates(fields[1..].to_vec());
    (all, alone.collect())
}

/// How a likelihood is computed.
type Make = fn(&Observations) -> Box<dyn Evaluate>;

fn by_neighbours(observations: &Observations, form: Form) -> Box<dyn Evaluate> {
    let options =
        Vecchia { neighbours: 12, ordering: Ordering::Maximin, form, block: 32, has_time: false };
    Box::new(VecchiaLikelihood::new(flow(2), observations, options))
}

/// All methods, by name.
const METHODS: [(&str, Make); 7] = [
    ("exact", |of| Box::new(likelihood(of, 32))),
    ("response", |of| by_neighbours(of, Form::Response)),
    ("grouped", |of| by_neighbours(of, Form::Grouped)),
    ("latent", |of| by_neighbours(of, Form::Latent)),
    ("tlr", |of| Box::new(TlrLikelihood::new(flow(2), of, Tlr { accuracy: 1e-9, nb: 32 }))),
    ("mixed", |of| Box::new(MixedLikelihood::new(flow(2), of, Mixed { accuracy: 1e-6, nb: 32 }))),
    ("dst", |of| Box::new(DstLikelihood::new(flow(2), of, Dst { range: 0.4, nb: 32 }))),
];

fn evaluate(likelihood: &mut dyn Evaluate) -> Evaluation {
    likelihood.evaluate(covariance("matern"), &VALUES, NUGGET).expect("positive definite")
}

#[test]
fn the_likelihood_is_the_product_of_those_of_all_fields_by_every_method() {
    for (columns, (name, make)) in [0, 2].into_iter().flat_map(|c| METHODS.map(|m| (c, m))) {
        let (all, alone) = fields(columns, name == "exact");
        let found = evaluate(&mut *make(&all));
        let each: Vec<Evaluation> = alone.iter().map(|one| evaluate(&mut *make(one))).collect();
        assert_eq!((found.n, found.places(), found.columns()), (3 * N, N, columns));
        for criterion in CRITERIA {
            let sum: f64 = each.iter().map(|one| loglik(one, criterion)).sum();
            let what = format!("{name}, {columns} columns, {criterion:?}");
            assert_close(loglik(&found, criterion), sum, 1e-9, &what);
            let taken = if criterion == Criterion::Restricted { columns } else { 0 };
            let scale =
                each.iter().map(|one| one.quadratic).sum::<f64>() / (3 * (N - taken)) as f64;
            assert_close(found.best_scale(criterion), scale, 1e-9, &what);
        }
        for (replicate, one) in each.iter().enumerate() {
            for (found, one) in found.coefficients_of(replicate).iter().zip(&one.coefficients) {
                assert!((found - one).abs() < 1e-7 * one.abs().max(1.0), "{name}: {found}, {one}");
            }
        }
    }
}

fn score(likelihood: &mut dyn Evaluate, criterion: Criterion, is_scaled: bool) -> Score {
    let (covariance, how) = (covariance("matern"), (criterion, is_scaled));
    let found = likelihood.score(covariance, &VALUES, NUGGET, how, &|_| true);
    found.expect("positive definite").1.expect("it is wanted")
}

fn assert_same(found: &[f64], expected: &[f64], tolerance: f64, what: &str) {
    let scale = expected.iter().fold(1.0_f64, |most, x| most.max(x.abs()));
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() < tolerance * scale, "{what}: {found}, not {expected}");
    }
}

fn sum(of: impl Iterator<Item = Vec<f64>>) -> Vec<f64> {
    of.reduce(|sum, x| sum.iter().zip(&x).map(|(a, b)| a + b).collect()).expect("some")
}

#[test]
fn scores_and_information_are_sums_over_the_fields() {
    for (columns, has_noise) in [(0, false), (2, false), (2, true)] {
        let (all, alone) = fields(columns, has_noise);
        let methods = if has_noise { &METHODS[..1] } else { &METHODS[..3] };
        for ((name, make), criterion) in methods.iter().flat_map(|m| CRITERIA.map(|c| (m, c))) {
            let what = format!("{name}, {columns} columns, {criterion:?}");
            let found = score(&mut *make(&all), criterion, false);
            let each: Vec<Score> =
                alone.iter().map(|one| score(&mut *make(one), criterion, false)).collect();
            let gradient = sum(each.iter().map(|score| score.gradient.clone()));
            assert_same(&found.gradient, &gradient, 1e-9, &what);
            let information = sum(each.iter().map(|score| score.information.clone()));
            assert_same(&found.information, &information, 1e-9, &what);
            let expected = |observations: &Observations| {
                let mut likelihood = make(observations);
                let covariance = covariance("matern");
                let found = likelihood.information(covariance, &VALUES, NUGGET, criterion);
                found.expect("positive definite").1
            };
            let each = sum(alone.iter().map(expected));
            assert_same(&expected(&all), &each, 1e-9, &format!("expected, {what}"));
        }
    }
}

/// That of the values divided by the root of the best scale, which is one of all fields.
#[test]
fn a_profiled_variance_is_that_of_all_fields() {
    let (all, _) = fields(2, false);
    for ((name, make), criterion) in METHODS[..3].iter().flat_map(|m| CRITERIA.map(|c| (m, c))) {
        let found = score(&mut *make(&all), criterion, true);
        let root = evaluate(&mut *make(&all)).best_scale(criterion).sqrt();
        let divided = |field: &Vec<f64>| field.iter().map(|z| z / root).collect::<Vec<f64>>();
        let replicates = all.replicates.iter().map(divided).collect();
        let scaled = Observations { values: divided(&all.values), replicates, ..all.clone() };
        let expected = score(&mut *make(&scaled), criterion, false);
        assert_same(&found.gradient, &expected.gradient, 1e-9, name);
        assert_same(&found.information, &expected.information, 1e-9, name);
    }
}

/// Where derivatives are those of differences, searches go by values.
#[test]
fn the_latent_form_has_no_derivatives_of_replicates() {
    let (all, alone) = fields(0, false);
    assert!(!by_neighbours(&all, Form::Latent).has_score());
    assert!(by_neighbours(&alone[0], Form::Latent).has_score());
    let found = score(&mut *by_neighbours(&all, Form::Latent), Criterion::Full, false);
    let each = alone.iter().map(|one| by_neighbours(one, Form::Latent));
    let each = each.map(|mut one| score(&mut *one, Criterion::Full, false).gradient);
    assert_same(&found.gradient, &sum(each), 0.02, "differences");
}

#[test]
fn replicates_are_the_same_over_ranks() {
    let (all, _) = fields(2, true);
    let owners: Arc<dyn Owners> = distribution("block-cyclic", 3).expect("a distribution");
    let of = |flow| {
        let mut likelihood = Likelihood::<f64>::new(flow, &all, 24, Overlap::default());
        let score = score(&mut likelihood, Criterion::Restricted, true);
        (score, evaluate(&mut likelihood).restricted_loglik())
    };
    let (expected, restricted) = of(flow(1));
    for (found, value) in over_ranks(3, &owners, of) {
        assert_close(value, restricted, 1e-10, "the likelihood");
        assert_same(&found.gradient, &expected.gradient, 1e-8, "gradient");
        assert_same(&found.information, &expected.information, 1e-8, "information");
    }
}

fn model() -> Model {
    Model { covariance: covariance("matern"), values: VALUES.to_vec(), nugget: NUGGET }
}

/// An exact predictor, or one from neighbours.
fn predictor(observations: &Observations, is_local: bool) -> Box<dyn Predict> {
    let observations = observations.clone();
    if is_local {
        let likelihood = likelihood(&observations, 32);
        let local = LocalPredictor::exact(likelihood, model(), observations, 15);
        return Box::new(local.expect("positive definite"));
    }
    let made = Predictor::new(likelihood(&observations, 32), model(), observations);
    Box::new(made.expect("positive definite"))
}

#[test]
fn each_field_is_predicted_as_if_it_were_alone() {
    let places = random_points(Geometry::Plane, 50, 1.0, 8);
    let slope: Vec<f64> = (0..50).map(|i| 3.0 + places.point(i)[0]).collect();
    let drift = [vec![1.0; 50], slope];
    for (columns, is_local) in [(0, false), (2, false), (0, true), (2, true)] {
        let (all, alone) = fields(columns, false);
        let predict = |observations: &Observations| {
            let mut predictor = predictor(observations, is_local);
            let made = predictor.predict(&places, &drift[..columns], &mut |_| {});
            made.expect("there is memory")
        };
        let found = predict(&all);
        let means = [&found.mean].into_iter().chain(&found.replicates);
        assert_eq!(found.replicates.len(), 2);
        for (means, alone) in means.zip(&alone) {
            let expected = predict(alone);
            assert_same(means, &expected.mean, 1e-9, "means");
            assert_same(&found.variance, &expected.variance, 1e-9, "variances");
            assert!(expected.replicates.is_empty());
        }
    }
}

fn assert_left_out(found: &[LeftOut], expected: &[LeftOut]) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!((found.residual - expected.residual).abs() < 1e-9, "{found:?}, {expected:?}");
        assert_close(found.variance, expected.variance, 1e-9, "variance");
    }
}

#[test]
fn what_is_left_out_of_each_field_is_predicted_from_its_rest() {
    let (all, alone) = fields(2, true);
    let one_by_one = |of: &Observations| {
        leave_one_out(likelihood(of, 32), &model()).expect("positive definite").0
    };
    let each: Vec<LeftOut> = alone.iter().flat_map(one_by_one).collect();
    assert_left_out(&one_by_one(&all), &each);
    let folds = Folds::random(N, 7, 3).expect("seven parts");
    let parts = |of: &Observations| {
        let make = |others: Observations| -> Result<Box<dyn Predict>, LikelihoodError> {
            Ok(predictor(&others, false))
        };
        cross_validate(of, NUGGET, &folds, make).expect("positive definite")
    };
    let each: Vec<LeftOut> = alone.iter().flat_map(parts).collect();
    assert_left_out(&parts(&all), &each);
}

#[test]
fn fits_end_at_the_maximum_of_the_sum() {
    let (all, alone) = fields(2, false);
    let nugget = NuggetChoice::Estimated { bounds: None };
    // These waves are smoother than all that is searched.
    let fixed = vec![None, None, Some(VALUES[2])];
    let options = FitOptions { nugget, fixed, ..FitOptions::all_free(3) };
    let matern = covariance("matern");
    let exact = fit(&mut likelihood(&all, 32), &all, matern, &options, |_| {});
    let exact = exact.expect("a maximum");
    let sum = |values: &[f64], nugget: f64| -> f64 {
        let one = |of: &Observations| likelihood(of, 32).evaluate(matern, values, nugget);
        alone.iter().map(|of| one(of).map_or(f64::NEG_INFINITY, |e| e.loglik())).sum()
    };
    let best = &exact.model;
    assert_close(exact.loglik, sum(&best.values, best.nugget), 1e-9, "the sum at the maximum");
    for (k, by) in [0, 1, 3].into_iter().flat_map(|k| [0.99, 1.01].map(|by| (k, by))) {
        let (mut values, mut nugget) = (best.values.clone(), best.nugget);
        *values.get_mut(k).unwrap_or(&mut nugget) *= by;
        assert!(sum(&values, nugget) < exact.loglik + 1e-6, "parameter {k} by {by}");
    }
}
