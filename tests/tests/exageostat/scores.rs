//! Gradients of log-likelihoods, and the information that comes with them.

use tegula_exageostat::covariance::{COVARIANCES, Covariance};
use tegula_exageostat::design::Design;
use tegula_exageostat::likelihood::{Criterion, Evaluate, Evaluation, Score};
use tegula_exageostat::observations::Observations;
use tegula_kernels::geometry::{Geometry, Points};
use tegula_kernels::kernel::covariance::rate::random_points;
use tegula_tests::{answers, assert_close, likelihood, numbers, synthetic};

use super::covariance;

pub(super) const CRITERIA: [Criterion; 2] = [Criterion::Full, Criterion::Restricted];

/// Waves with noise, and a mean with two columns or none.
pub(super) fn observations(points: Points, columns: usize) -> Observations {
    let n = points.len();
    let wave = |i: usize| {
        let [x, y, z] = points.point(i);
        (7.0 * x).sin() + (5.0 * y + z).cos() + 0.3 * ((i * 37 % 101) as f64 / 101.0 - 0.5)
    };
    let values = (0..n).map(wave).collect();
    let names = ["intercept", "slope"].map(str::to_owned);
    let slope = (0..n).map(|i| 3.0 + points.point(i)[0]).collect();
    let data = [vec![1.0; n], slope];
    let design = Design::new(names[..columns].to_vec(), data[..columns].to_vec(), n);
    Observations::new(points, values, design.expect("independent columns"))
}

pub(super) fn loglik(evaluation: &Evaluation, criterion: Criterion) -> f64 {
    match criterion {
        Criterion::Full => evaluation.loglik(),
        Criterion::Restricted => evaluation.restricted_loglik(),
    }
}

fn score(
    likelihood: &mut dyn Evaluate,
    covariance: &Covariance,
    values: &[f64],
    nugget: f64,
    criterion: Criterion,
) -> (Evaluation, Score) {
    let found = likelihood.score(covariance, values, nugget, (criterion, false), &|_| true);
    let (evaluation, score) = found.expect("positive definite");
    (evaluation, score.expect("it is wanted"))
}

/// A derivative by differences of sixth order.
pub(super) fn difference(step: f64, mut function: impl FnMut(f64) -> f64) -> f64 {
    let weights = [(1.0, 45.0), (2.0, -9.0), (3.0, 1.0)];
    let sum: f64 = weights
        .iter()
        .map(|&(k, weight)| weight * (function(k * step) - function(-k * step)))
        .sum();
    sum / (60.0 * step)
}

/// Compares the score's gradient with differences; `what` names the observations.
pub(super) fn check_gradient(
    likelihood: &mut dyn Evaluate,
    (covariance, values, nugget): (&Covariance, &[f64], f64),
    criterion: Criterion,
    what: &str,
) {
    let (_, score) = score(likelihood, covariance, values, nugget, criterion);
    for k in 0..=values.len() {
        let at = |change: f64| {
            let (mut values, mut nugget) = (values.to_vec(), nugget);
            match values.get_mut(k) {
                Some(value) => *value *= change.exp(),
                None => nugget += change,
            }
            let evaluation = likelihood.evaluate(covariance, &values, nugget);
            loglik(&evaluation.expect("positive definite"), criterion)
        };
        let expected = difference(2e-3, at);
        let found = score.gradient[k];
        // Differences lose digits of a log-likelihood of some hundreds; where distances pass the
        // end of a compact covariance, it has no third derivative.
        let tolerance = if covariance.is_compact { 1e-4 } else { 1e-8 };
        assert!(
            (found - expected).abs() < tolerance * (1.0 + expected.abs()),
            "{} {criterion:?}, {what}, parameter {k}: {found}, not {expected}",
            covariance.name
        );
    }
}

#[test]
fn gradients_are_those_of_differences() {
    for geometry in [Geometry::Plane, Geometry::Space, Geometry::GreatCircle] {
        let extent = if geometry == Geometry::GreatCircle { 6371.0 } else { 1.0 };
        for (which, covariance) in COVARIANCES.iter().enumerate() {
            for columns in [0, 2] {
                let points = random_points(geometry, 150, 1.0, 3 + which as u64);
                let observations = observations(points, columns);
                let mut likelihood = likelihood(&observations, 40);
                let mut values = covariance.defaults();
                (values[0], values[1]) = (1.7, 0.3 * extent);
                if let Some(shape) = values.get_mut(2) {
                    *shape = 0.8;
                }
                let nugget = 0.2;
                for criterion in CRITERIA {
                    let name = format!("{geometry:?}, {columns} columns");
                    check_gradient(
                        &mut likelihood,
                        (covariance, &values, nugget),
                        criterion,
                        &name,
                    );
                }
            }
        }
    }
}

/// Inverse of a small symmetric matrix, by columns, by Gauss and Jordan.
pub(super) fn inverse(n: usize, a: &[f64]) -> Vec<f64> {
    let (mut a, mut b) = (a.to_vec(), vec![0.0; n * n]);
    (0..n).for_each(|i| b[i + i * n] = 1.0);
    for k in 0..n {
        let pivot = a[k + k * n];
        (0..n).for_each(|j| {
            a[k + j * n] /= pivot;
            b[k + j * n] /= pivot;
        });
        for i in (0..n).filter(|&i| i != k) {
            let factor = a[i + k * n];
            (0..n).for_each(|j| {
                a[i + j * n] -= factor * a[k + j * n];
                b[i + j * n] -= factor * b[k + j * n];
            });
        }
    }
    b
}

fn product(n: usize, a: &[f64], x: &[f64]) -> Vec<f64> {
    (0..n).map(|i| (0..n).map(|j| a[i + j * n] * x[j]).sum()).collect()
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

/// `A B`, by columns.
fn dense(n: usize, a: &[f64], b: &[f64]) -> Vec<f64> {
    b.chunks_exact(n).flat_map(|column| product(n, a, column)).collect()
}

/// The covariance matrix of the values, by columns.
fn matrix(
    observations: &Observations,
    covariance: &Covariance,
    values: &[f64],
    nugget: f64,
) -> Vec<f64> {
    let (n, function) = (observations.len(), covariance.function(values));
    let entry = |at: usize| {
        let (i, j) = (at % n, at / n);
        function(observations.points.distance(i, j)) + if i == j { nugget } else { 0.0 }
    };
    (0..n * n).map(entry).collect()
}

/// The derivatives of the covariance matrix by logarithms of parameters, and by the nugget, from
/// differences.
fn derivatives(
    observations: &Observations,
    covariance: &Covariance,
    values: &[f64],
    nugget: f64,
) -> Vec<Vec<f64>> {
    let by = |k: usize| {
        let step = 1e-3;
        let at = |change: f64| {
            let (mut values, mut nugget) = (values.to_vec(), nugget);
            match values.get_mut(k) {
                Some(value) => *value *= change.exp(),
                None => nugget += change,
            }
            matrix(observations, covariance, &values, nugget)
        };
        let steps: Vec<[Vec<f64>; 2]> =
            [1.0, 2.0, 3.0].map(|times| [at(times * step), at(-times * step)]).into();
        let entry = |at: usize| {
            let mut which = steps.iter();
            difference(step, |change| {
                let [above, below] = if change > 0.0 { which.clone().next() } else { which.next() }
                    .expect("three steps");
                if change > 0.0 { above[at] } else { below[at] }
            })
        };
        (0..observations.len().pow(2)).map(entry).collect()
    };
    (0..=values.len()).map(by).collect()
}

/// `C^-1`, or of a restricted likelihood `P = C^-1 - C^-1 Q (Q' C^-1 Q)^-1 Q' C^-1`, from `solve`,
/// the inverse of `C`, with two columns of the mean.
fn projection(observations: &Observations, solve: &[f64], criterion: Criterion) -> Vec<f64> {
    let n = observations.len();
    if criterion == Criterion::Full {
        return solve.to_vec();
    }
    let q = [0, 1].map(|j| observations.design.q(j));
    let solved = q.map(|q| product(n, solve, q));
    let cross: Vec<f64> = (0..4).map(|at| dot(q[at % 2], &solved[at / 2])).collect();
    let cross = inverse(2, &cross);
    let taken = |at: usize| {
        let (i, j) = (at % n, at / n);
        let terms = (0..4).map(|at| solved[at % 2][i] * cross[at] * solved[at / 2][j]);
        terms.sum::<f64>()
    };
    (0..n * n).map(|at| solve[at] - taken(at)).collect()
}

#[test]
fn average_information_is_that_of_its_definition() {
    let n = 60;
    let observations = observations(random_points(Geometry::Plane, n, 1.0, 9), 2);
    let (matern, values, nugget) = (covariance("matern"), vec![1.3, 0.2, 1.1], 0.1);
    let mut likelihood = likelihood(&observations, 16);
    let (evaluation, score) = score(&mut likelihood, matern, &values, nugget, Criterion::Full);
    let solve = inverse(n, &matrix(&observations, matern, &values, nugget));
    let project = projection(&observations, &solve, Criterion::Restricted);
    let alpha = product(n, &project, &observations.values);
    let derivatives = derivatives(&observations, matern, &values, nugget);
    let products: Vec<Vec<f64>> = derivatives.iter().map(|d| product(n, d, &alpha)).collect();
    for k in 0..4 {
        for j in 0..4 {
            let expected = 0.5 * dot(&products[j], &product(n, &project, &products[k]));
            let found = score.information[j + 4 * k];
            assert!(
                (found - expected).abs() < 1e-8 * expected.abs().max(1.0),
                "{j} {k}: {found}, not {expected}"
            );
        }
    }
    let explained = dot(&alpha, &observations.values);
    assert!((evaluation.quadratic - explained).abs() < 1e-9 * explained);
}

#[test]
fn expected_information_is_that_of_its_definition() {
    let n = 60;
    let observations = observations(random_points(Geometry::Plane, n, 1.0, 9), 2);
    for (name, values) in [("matern", vec![1.3, 0.2, 1.1]), ("spherical", vec![0.7, 0.4])] {
        for (nugget, criterion) in [0.0, 0.1].into_iter().zip(CRITERIA).chain([(0.1, CRITERIA[0])])
        {
            let covariance = covariance(name);
            let derivatives = derivatives(&observations, covariance, &values, nugget);
            let solve = inverse(n, &matrix(&observations, covariance, &values, nugget));
            let project = projection(&observations, &solve, criterion);
            let made: Vec<Vec<f64>> = derivatives.iter().map(|d| dense(n, &project, d)).collect();
            for nb in [16, 60] {
                let (_, information) = likelihood(&observations, nb)
                    .information(covariance, &values, nugget, criterion)
                    .expect("positive definite");
                let count = values.len() + 1;
                for (j, k) in (0..count * count).map(|at| (at % count, at / count)) {
                    let trace = |at: usize| made[j][at] * made[k][at % n * n + at / n];
                    let expected = 0.5 * (0..n * n).map(trace).sum::<f64>();
                    let has_none = nugget == 0.0 && j.max(k) + 1 == count;
                    let expected = if has_none { 0.0 } else { expected };
                    let found = information[j + count * k];
                    // As above, of differences.
                    let tolerance = if covariance.is_compact { 1e-4 } else { 1e-7 };
                    assert!(
                        (found - expected).abs() < tolerance * expected.abs().max(1.0),
                        "{name}, nugget {nugget}, {criterion:?}, {j} {k}: {found}, not {expected}"
                    );
                }
            }
        }
    }
}

/// The information on logarithms of parameters from that on the parameters.
fn by_logarithms(fisher: &serde_json::Value, theta: &[f64]) -> Vec<f64> {
    let rows = fisher.as_array().expect("a matrix");
    let rows = rows.iter().zip(theta).map(|(row, t)| (numbers(row), t));
    rows.flat_map(|(row, t)| row.into_iter().zip(theta).map(move |(f, u)| f * t * u)).collect()
}

#[test]
fn expected_information_is_that_of_independent_tools() {
    let all: Vec<usize> = (0..400).collect();
    let some = synthetic().subset(&all);
    let small = answers("fisher16.json");
    let (x, y) = (numbers(&small["x"]), numbers(&small["y"]));
    let points = Points::new(Geometry::Plane, &[&x, &y]).expect("in the plane");
    let sixteen = Observations::new(points, vec![0.0; 16], Design::zero(16));
    let large = &answers("a_synth1600.json")["fisher"];
    for (observations, answer) in [(&some, &large[0]), (&some, &large[1]), (&sixteen, &small)] {
        let theta = numbers(&answer["theta"]);
        let expected = by_logarithms(&answer["fisher"], &theta);
        let (_, found) = likelihood(observations, 96)
            .information(covariance("matern"), &theta, 0.0, Criterion::Full)
            .expect("positive definite");
        for (j, k) in (0..9).map(|at| (at % 3, at / 3)) {
            // Their derivatives are differences of fourth order.
            assert_close(found[j + 4 * k], expected[j + 3 * k], 1e-6, "information");
        }
    }
}

#[test]
fn a_profiled_variance_is_that_of_values_divided_by_its_root() {
    let observations = observations(random_points(Geometry::Plane, 120, 1.0, 4), 2);
    let exponential = covariance("exponential");
    let mut likelihood = likelihood(&observations, 50);
    let (unit, profiled) = likelihood
        .score(exponential, &[1.0, 0.2], 0.1, (Criterion::Full, true), &|_| true)
        .expect("positive definite");
    let profiled = profiled.expect("it is wanted");
    let scale = unit.best_scale(Criterion::Full);
    let (values, nugget) = ([scale, 0.2], 0.1 * scale);
    let (_, direct) = score(&mut likelihood, exponential, &values, nugget, Criterion::Full);
    // Variance and nugget multiplied by the same: that is where the likelihood is greatest.
    let along = profiled.gradient[0] + 0.1 * profiled.gradient[2];
    assert!(along.abs() < 1e-9, "the scale is the best: {:?}", profiled.gradient);
    // The nugget is given in units of the variance.
    let units = [1.0, 1.0, scale];
    for j in 0..3 {
        let (found, expected) = (profiled.gradient[j], direct.gradient[j] * units[j]);
        assert!(
            (found - expected).abs() < 1e-8 * expected.abs().max(1.0),
            "{j}: {found}, {expected}"
        );
        for k in 0..3 {
            let found = profiled.information[j + 3 * k];
            let expected = direct.information[j + 3 * k] * units[j] * units[k];
            assert!(
                (found - expected).abs() < 1e-8 * expected.abs().max(1.0),
                "{j} {k}: {found}, {expected}"
            );
        }
    }
}
