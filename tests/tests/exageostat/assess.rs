//! Leave-one-out cross-validation against fits without one observation after the other.

use tegula_exageostat::assess::{LeaveOneOut, Scores, leave_one_out};
use tegula_exageostat::design::Design;
use tegula_exageostat::model::Model;
use tegula_exageostat::observations::Observations;
use tegula_exageostat::predict::{Predict, Predictor};
use tegula_kernels::geometry::{Geometry, Points};
use tegula_kernels::kernel::covariance::rate::random_points;
use tegula_tests::{answers, assert_close, likelihood, numbers};

use super::scores::observations;
use super::{covariance, demeaned, meuse, meuse_observations, number, split};

fn model(values: &[f64], nugget: f64) -> Model {
    Model { covariance: covariance("matern"), values: values.to_vec(), nugget }
}

fn assess(observations: &Observations, nb: usize, model: &Model) -> LeaveOneOut {
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
        assert_eq!((found.errors.len(), found.variances.len()), (40, 40));
        for left_out in 0..40 {
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
            assert!((found.errors[left_out] - error).abs() < 1e-9, "{what}: {error}");
            let variance = predictions.variance[0] + nugget;
            assert_close(found.variances[left_out], variance, 1e-9, &what);
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
    for (i, (error, variance)) in found.errors.iter().zip(&found.variances).enumerate() {
        assert_eq!((error.is_nan(), variance.is_nan()), (i == 17, i == 17), "{i}");
    }
    assert_eq!(Scores::new(&found.errors, &found.variances).n, 29);
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
    let predicted = zero.values.iter().zip(&found.errors).map(|(z, error)| z - error + mean);
    for (found, expected) in predicted.zip(numbers(&answer["first5_pred"])) {
        assert_close(found, expected, 1e-10, "prediction");
    }
    for (found, expected) in found.variances.iter().zip(numbers(&answer["first5_var"])) {
        assert_close(*found, expected, 1e-10, "variance");
    }
    let scores = Scores::new(&found.errors, &found.variances);
    assert_close(scores.rmse.powi(2), number(answer, "mspe"), 1e-10, "mean squared error");
}
