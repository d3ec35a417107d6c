//! Observations that are left out against fits without them, and what wrong parameters cost against
//! other tools.

use tegula_exageostat::assess::{
    At, Fisher, Folds, LeftOut, Scores, cross_validate, leave_one_out, misspecification,
};
use tegula_exageostat::design::Design;
use tegula_exageostat::likelihood::{Criterion, Evaluate, LikelihoodError};
use tegula_exageostat::model::Model;
use tegula_exageostat::observations::Observations;
use tegula_exageostat::predict::{Predict, Predictor};
use tegula_exageostat::vecchia::{LocalPredictor, Ordering, Vecchia, VecchiaLikelihood};
use tegula_kernels::geometry::{Geometry, Points};
use tegula_kernels::kernel::covariance::rate::random_points;
use tegula_tests::{
    answer_table, answers, assert_close, column, flow, likelihood, numbers, synthetic,
};

use super::scores::observations;
use super::{covariance, demeaned, meuse, meuse_observations, number, split};

fn model(values: &[f64], nugget: f64) -> Model {
    Model { covariance: covariance("matern"), values: values.to_vec(), nugget }
}

fn assess(observations: &Observations, nb: usize, model: &Model) -> Vec<LeftOut> {
    leave_one_out(likelihood(observations, nb), model).expect("positive definite").0
}

/// The columns of the mean that [`observations`] makes of `points`.
fn columns(points: &Points, columns: usize) -> Vec<Vec<f64>> {
    let slope = (0..points.len()).map(|i| 3.0 + points.point(i)[0]).collect();
    [vec![1.0; points.len()], slope][..columns].to_vec()
}

#[test]
fn errors_are_those_of_predictions_from_all_the_others() {
    for (count, nugget) in [(0, 0.0), (0, 0.2), (2, 0.0), (2, 0.2)] {
        let whole = observations(random_points(Geometry::Plane, 40, 1.0, 5), count);
        let model = model(&[1.3, 0.2, 0.7], nugget);
        let found = assess(&whole, 16, &model);
        assert_eq!(found.len(), 40);
        for (left_out, one) in found.iter().enumerate() {
            let others: Vec<usize> = (0..40).filter(|&i| i != left_out).collect();
            let kept = observations(whole.points.select(&others), count);
            let values = others.iter().map(|&i| whole.values[i]).collect();
            let kept = Observations { values, ..kept };
            let place = whole.points.select(&[left_out]);
            let predictor = Predictor::new(likelihood(&kept, 16), model.clone(), kept);
            let predictions = predictor
                .expect("positive definite")
                .predict(&place, &columns(&place, count), &mut |_| {})
                .expect("there is memory");
            let error = whole.values[left_out] - predictions.mean[0];
            let what = format!("{count} columns, nugget {nugget}, without {left_out}");
            assert!((one.residual - error).abs() < 1e-9, "{what}: {error}");
            let variance = predictions.variance[0] + nugget;
            assert_close(one.variance, variance, 1e-9, &what);
        }
    }
}

#[test]
fn an_observation_that_alone_tells_a_coefficient_has_no_error() {
    let whole = observations(random_points(Geometry::Plane, 30, 1.0, 5), 0);
    let mut only = vec![0.0; 30];
    only[17] = 1.0;
    let names = ["intercept", "only"].map(str::to_owned).to_vec();
    let design = Design::new(names, vec![vec![1.0; 30], only], 30).expect("independent columns");
    let found = assess(&Observations { design, ..whole }, 8, &model(&[1.3, 0.2, 0.7], 0.1));
    for (i, one) in found.iter().enumerate() {
        assert_eq!((one.residual.is_nan(), one.variance.is_nan()), (i == 17, i == 17), "{i}");
    }
    assert_eq!(Scores::new(&found).n, 29);
}

#[test]
fn meuse_has_the_errors_of_another_tool() {
    let Some(table) = meuse() else { return };
    let answer = &answers("b_meuse.json")["loo_simple"];
    let mut mean = 0.0;
    let zero = meuse_observations(&table, |_, values| {
        mean = values.iter().sum::<f64>() / values.len() as f64;
        demeaned(values);
        Design::zero(values.len())
    });
    let (values, nugget) = split(&answer["theta"]);
    let found = assess(&zero, 50, &model(&values, nugget));
    let predicted = zero.values.iter().zip(&found).map(|(z, one)| z - one.residual + mean);
    for (found, expected) in predicted.zip(numbers(&answer["first5_pred"])) {
        assert_close(found, expected, 1e-10, "prediction");
    }
    for (found, expected) in found.iter().zip(numbers(&answer["first5_var"])) {
        assert_close(found.variance, expected, 1e-10, "variance");
    }
    let scores = Scores::new(&found);
    assert_close(scores.rmse.powi(2), number(answer, "mspe"), 1e-10, "mean squared error");
}

/// Predictions of each part from the others.
fn parts(observations: &Observations, model: &Model, folds: &Folds) -> Vec<LeftOut> {
    let predictor = |others: Observations| -> Result<Box<dyn Predict>, LikelihoodError> {
        Ok(Box::new(Predictor::new(likelihood(&others, 16), model.clone(), others)?))
    };
    let found = cross_validate(observations, model.nugget, folds, predictor);
    found.expect("positive definite")
}

#[test]
fn parts_of_one_are_left_out_as_in_closed_form() {
    for (count, nugget) in [(0, 0.1), (2, 0.0), (2, 0.2)] {
        let whole = observations(random_points(Geometry::Plane, 40, 1.0, 5), count);
        let model = model(&[1.3, 0.2, 0.7], nugget);
        let folds = Folds::random(40, 40, 3).expect("a part each");
        let closed = assess(&whole, 16, &model);
        for (found, expected) in parts(&whole, &model, &folds).iter().zip(&closed) {
            assert!((found.residual - expected.residual).abs() < 1e-9, "{found:?} {expected:?}");
            assert_close(found.variance, expected.variance, 1e-9, "variance");
            assert!((found.log_density - expected.log_density).abs() < 1e-9);
        }
    }
}

#[test]
fn neighbours_that_are_all_leave_out_the_same() {
    let whole = observations(random_points(Geometry::Plane, 60, 1.0, 5), 2);
    let (model, folds) =
        (model(&[1.3, 0.2, 0.7], 0.1), Folds::blocks(&whole.points, 4, 1).expect("four blocks"));
    let exact = parts(&whole, &model, &folds);
    let predictor = |others: Observations| -> Result<Box<dyn Predict>, LikelihoodError> {
        let options = Vecchia::new(others.len(), Ordering::Maximin);
        let likelihood = VecchiaLikelihood::new(flow(2), &others, options);
        Ok(Box::new(LocalPredictor::new(likelihood, model.clone(), others)?))
    };
    let found = cross_validate(&whole, model.nugget, &folds, predictor);
    for (found, expected) in found.expect("positive definite").iter().zip(&exact) {
        assert!((found.residual - expected.residual).abs() < 1e-8, "{found:?} {expected:?}");
        assert_close(found.variance, expected.variance, 1e-8, "variance");
    }
}

#[test]
fn a_part_that_alone_tells_a_coefficient_has_no_prediction() {
    let whole = observations(random_points(Geometry::Plane, 30, 1.0, 5), 0);
    let folds = Folds::random(30, 3, 8).expect("three parts");
    let level: Vec<f64> = folds.of().iter().map(|&fold| f64::from(u8::from(fold == 1))).collect();
    let names = ["(Intercept)", "level"].map(str::to_owned).to_vec();
    let design = Design::new(names, vec![vec![1.0; 30], level], 30).expect("independent columns");
    let found = parts(&Observations { design, ..whole }, &model(&[1.3, 0.2, 0.7], 0.1), &folds);
    for (one, fold) in found.iter().zip(folds.of()) {
        assert_eq!(one.is_known(), *fold != 1);
    }
}

#[test]
fn the_synthetic_set_has_the_standard_errors_of_another_tool() {
    let whole = synthetic();
    for answer in answers("a_synth1600.json")["fisher"].as_array().expect("a list") {
        let rows = answer["rows"].as_u64().expect("a number") as usize;
        let first: Vec<usize> = (0..rows).collect();
        let values = numbers(&answer["theta"]);
        let model = model(&values, 0.0);
        let information = likelihood(&whole.subset(&first), 100).information(
            model.covariance,
            &values,
            0.0,
            Criterion::Full,
        );
        let (_, information) = information.expect("positive definite");
        let found = Fisher::new(&information, &model, &[0, 1, 2]).expect("not singular");
        let whole: Vec<f64> =
            answer["fisher"].as_array().expect("rows").iter().flat_map(numbers).collect();
        // Derivatives of the other tool are differences of fourth order.
        for (found, expected) in found.information.iter().zip(&whole) {
            assert_close(*found, *expected, 1e-6, "information");
        }
        for (found, expected) in found.std_errors.iter().zip(numbers(&answer["standard_errors"])) {
            assert_close(*found, expected, 1e-5, "standard error");
        }
        for k in 0..3 {
            assert_close(found.correlations[4 * k], 1.0, 1e-12, "correlation with itself");
        }
        // A parameter that is known leaves the others better known.
        let two = Fisher::new(&information, &model, &[0, 1]).expect("not singular");
        assert!(two.std_errors[1] < found.std_errors[1]);
    }
}

#[test]
fn the_synthetic_set_has_the_losses_of_another_tool() {
    let whole = synthetic();
    let held_out = column(&answer_table("a_synth1600_kriging.csv"), "row0");
    let is_held_out = |i: &usize| held_out.contains(&(*i as f64));
    let (to_predict, given): (Vec<usize>, Vec<usize>) = (0..whole.len()).partition(is_held_out);
    let (observations, points) = (whole.subset(&given), whole.points.select(&to_predict));
    for answer in answers("a_synth1600.json")["mloe_mmom"].as_array().expect("a list") {
        let [truth, approximate] =
            ["theta_true", "theta_approx"].map(|theta| model(&numbers(&answer[theta]), 0.0));
        let at = At { points: &points, drift: &[], design: &observations.design };
        let mut made = || likelihood(&observations, 120);
        let found = misspecification((&approximate, &truth), at, &mut made, &mut |_| {});
        let (found, _) = found.expect("positive definite");
        assert_eq!(found.places(), to_predict.len());
        for (found, key) in [(found.mloe, "MLOE"), (found.mmom, "MMOM"), (found.rmom, "RMOM")] {
            let expected = number(answer, key);
            // The other tool's differences leave rounding where the truth is known.
            assert!((found - expected).abs() < 1e-9 * expected.abs() + 1e-12, "{key}: {found}");
        }
    }
}

#[test]
fn nothing_is_lost_at_an_observation() {
    let whole = observations(random_points(Geometry::Plane, 40, 1.0, 5), 2);
    let points = whole.points.select(&[3, 4]);
    let drift = columns(&points, 2);
    let at = At { points: &points, drift: &drift, design: &whole.design };
    let (one, two) = (model(&[1.3, 0.2, 0.7], 0.0), model(&[1.0, 0.3, 0.5], 0.0));
    let mut made = || likelihood(&whole, 16);
    let found = misspecification((&one, &two), at, &mut made, &mut |_| {});
    assert_eq!(found.expect("positive definite").0.places(), 0);
}
