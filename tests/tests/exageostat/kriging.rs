//! Predictions at places that were held out.

use tegula_exageostat::design::Design;
use tegula_exageostat::model::Model;
use tegula_exageostat::observations::Observations;
use tegula_exageostat::predict::{Predict, Predictor};
use tegula_files::Table;
use tegula_tests::{answer_table, column, likelihood, synthetic};

use super::{covariance, meuse, meuse_observations, texas, with_sqrt_dist};

#[test]
fn meuse_krigings() {
    let Some(table) = meuse() else { return };
    let answer = answer_table("b_meuse_kriging.csv");
    let theta = [0.6, 0.3, 0.5];
    for kind in ["simple", "ordinary", "universal"] {
        let whole = meuse_observations(&table, |dist, values| match kind {
            "simple" => Design::zero(values.len()),
            "ordinary" => Design::constant(values.len()),
            _ => with_sqrt_dist(dist, values),
        });
        let dist: Vec<f64> = column(&table, "dist").iter().map(|d| d.sqrt()).collect();
        let drift = |held: &[usize]| match kind {
            "simple" => vec![],
            "ordinary" => vec![vec![1.0; held.len()]],
            _ => vec![vec![1.0; held.len()], held.iter().map(|&i| dist[i]).collect()],
        };
        // Simple kriging is of what is left of the mean of the observations kept.
        let kept: Vec<usize> = (0..whole.len()).filter(|i| i % 5 != 0).collect();
        let offset = if kind == "simple" {
            kept.iter().map(|&i| whole.values[i]).sum::<f64>() / kept.len() as f64
        } else {
            0.0
        };
        check_kriging(&whole, 5, 0, &theta, 0.05, drift, offset, &answer, kind);
    }
}

/// Holds out the rows `i % every == first`, predicts them and compares with the columns
/// `KIND_pred` and `KIND_var` of `answer`.
#[allow(clippy::too_many_arguments)]
fn check_kriging(
    whole: &Observations,
    every: usize,
    first: usize,
    theta: &[f64],
    nugget: f64,
    drift: impl Fn(&[usize]) -> Vec<Vec<f64>>,
    offset: f64,
    answer: &Table,
    kind: &str,
) {
    let (held, kept): (Vec<usize>, Vec<usize>) = (0..whole.len()).partition(|i| i % every == first);
    let mut train = whole.subset(&kept);
    train.values.iter_mut().for_each(|z| *z -= offset);
    let model = Model::new(covariance("matern"), theta.to_vec(), nugget).expect("parameters");
    let likelihood = likelihood(&train, 32);
    let mut predictor = Predictor::new(likelihood, model, train).expect("positive definite");
    let predictions =
        predictor.predict(&whole.points.select(&held), &drift(&held), &mut |_| {}).expect("memory");
    let (mean, variance) =
        (column(answer, &format!("{kind}_pred")), column(answer, &format!("{kind}_var")));
    assert_eq!(mean.len(), held.len());
    for i in 0..held.len() {
        assert!(
            (predictions.mean[i] + offset - mean[i]).abs() < 1e-8,
            "{kind} mean {i}: {} {}",
            predictions.mean[i] + offset,
            mean[i]
        );
        assert!((predictions.variance[i] - variance[i]).abs() < 1e-8, "{kind} variance {i}");
    }
}

#[test]
fn krigings_of_the_synthetic_set() {
    let whole = synthetic();
    let answer = answer_table("a_synth1600_kriging.csv");
    for (kind, theta) in [("true", [1.0, 0.1, 0.5]), ("misspec", [1.3, 0.05, 1.2])] {
        check_kriging(&whole, 16, 7, &theta, 0.0, |_| vec![], 0.0, &answer, kind);
    }
}

#[test]
fn texas_krigings() {
    let answer = answer_table("texas_wind_kriging.csv");
    for (constant, kind) in [(true, "constant"), (false, "latitude")] {
        let (table, whole) = texas(constant);
        let latitude = column(&table, "latitude");
        let drift = |held: &[usize]| {
            let columns = [vec![1.0; held.len()], held.iter().map(|&i| latitude[i]).collect()];
            columns.into_iter().take(whole.design.columns()).collect()
        };
        check_kriging(&whole, 5, 0, &[8.0, 400.0, 0.5], 1.0, drift, 0.0, &answer, kind);
    }
}
