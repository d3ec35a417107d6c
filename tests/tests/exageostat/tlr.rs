//! Likelihoods by tiles of low rank against the exact ones.

use std::sync::Arc;

use tegula_exageostat::covariance::COVARIANCES;
use tegula_exageostat::design::Design;
use tegula_exageostat::fit::{FitOptions, Information, NuggetChoice, fit};
use tegula_exageostat::likelihood::{Criterion, Evaluate, Evaluation, LikelihoodError};
use tegula_exageostat::observations::Observations;
use tegula_exageostat::tlr::{Tlr, TlrLikelihood, tile_size};
use tegula_kernels::geometry::{Geometry, Points};
use tegula_kernels::kernel::covariance::Covariance as CovarianceTile;
use tegula_kernels::kernel::covariance::rate::random_points;
use tegula_kernels::kernel::low_rank_tiles::Form;
use tegula_linalg::potrf_tlr;
use tegula_plan::distribution::distribution;
use tegula_runtime::flow::Access::{R, W};
use tegula_runtime::ranks::Owners;
use tegula_tests::{flow, likelihood, over_ranks, synthetic};

use super::covariance;
use super::scores::{CRITERIA, difference, loglik, observations};

fn tlr(observations: &Observations, accuracy: f64, nb: usize) -> TlrLikelihood {
    TlrLikelihood::new(flow(2), observations, Tlr { accuracy, nb })
}

pub(super) fn evaluate(
    likelihood: &mut dyn Evaluate,
    (name, values, nugget): (&str, &[f64], f64),
) -> Evaluation {
    let found = likelihood.evaluate(covariance(name), values, nugget);
    found.unwrap_or_else(|error| panic!("{name} {values:?}, {nugget}: {error}"))
}

/// The first places of the synthetic field.
pub(super) fn some(n: usize) -> Observations {
    synthetic().subset(&(0..n).collect::<Vec<usize>>())
}

/// The estimate is the error to within a factor of three, and each hundredth of the accuracy leaves
/// far less of it.
#[test]
fn errors_are_estimated_and_fall_with_the_accuracy() {
    let observations = some(800);
    let mut exact = likelihood(&observations, 160);
    for (name, values, nugget) in [
        ("matern", &[1.0, 0.1, 0.5][..], 0.0),
        ("matern", &[1.0, 0.1, 1.0], 0.05),
        ("wendland", &[1.0, 0.4], 0.01),
        ("powered-exponential", &[1.0, 0.1, 0.8], 0.0),
    ] {
        let at = (name, values, nugget);
        let expected = evaluate(&mut exact, at).loglik();
        let mut errors = Vec::new();
        for accuracy in [1e-3, 1e-5, 1e-7] {
            let mut tlr = tlr(&observations, accuracy, 100);
            let found = evaluate(&mut tlr, at).loglik();
            let error = expected - found;
            let (covariance, known) = (covariance(name), (Criterion::Full, found));
            let estimate = tlr.error_estimate(covariance, values, nugget, known);
            let estimate = estimate.expect("positive definite").expect("it is approximated");
            let rounding = 1e-10 * expected.abs();
            assert!(
                error.abs() <= 3.0 * estimate.abs() + rounding
                    && estimate.abs() <= 3.0 * error.abs() + rounding,
                "{name} to {accuracy}: {error}, estimated {estimate}"
            );
            errors.push(error.abs());
        }
        assert!(errors[0] < 1.0 && errors[2] < 1e-2, "{name}: {errors:?}");
        assert!(errors[1] < 0.2 * errors[0] && errors[2] < 0.2 * errors[1], "{name}: {errors:?}");
    }
}

#[test]
fn likelihoods_are_exact_up_to_the_accuracy_in_every_geometry_with_every_covariance() {
    for geometry in [Geometry::Line, Geometry::Plane, Geometry::Space, Geometry::GreatCircle] {
        let extent = if geometry == Geometry::GreatCircle { 6371.0 } else { 1.0 };
        for (which, covariance) in COVARIANCES.iter().enumerate() {
            for columns in [0, 2] {
                let points = random_points(geometry, 260, 1.0, 3 + which as u64);
                let observations = observations(points, columns);
                let mut values = covariance.defaults();
                (values[0], values[1]) = (1.7, 0.3 * extent);
                if let Some(shape) = values.get_mut(2) {
                    *shape = 0.8;
                }
                let at = (covariance.name, &values[..], 0.2);
                let exact = evaluate(&mut likelihood(&observations, 40), at);
                // The last tile is smaller, down to one row.
                for nb in [64, 37, 300] {
                    let found = evaluate(&mut tlr(&observations, 1e-9, nb), at);
                    let what = format!("{geometry:?}, {}, {columns}, {nb}", covariance.name);
                    for criterion in CRITERIA {
                        let error = loglik(&found, criterion) - loglik(&exact, criterion);
                        assert!(error.abs() < 1e-5, "{what}: {error}");
                    }
                    for (found, expected) in found.coefficients.iter().zip(&exact.coefficients) {
                        assert!(
                            (found - expected).abs() < 1e-6 * expected.abs().max(1.0),
                            "{what}"
                        );
                    }
                }
            }
        }
    }
}

/// Directions may change from one evaluation to the next, and go.
#[test]
fn covariances_with_directions_are_taken() {
    let observations = observations(random_points(Geometry::Plane, 300, 1.0, 9), 2);
    let mut exact = likelihood(&observations, 64);
    let mut tlr = tlr(&observations, 1e-9, 64);
    for (name, values) in [
        ("matern:anisotropic", &[1.2, 0.4, 0.6, 30.0, 0.25][..]),
        ("matern:anisotropic", &[1.2, 0.4, 0.6, 120.0, 0.5]),
        ("exponential:xy", &[1.2, 0.4, 0.1]),
        ("matern", &[1.2, 0.4, 0.6]),
    ] {
        let at = (name, values, 0.1);
        let error = evaluate(&mut tlr, at).loglik() - evaluate(&mut exact, at).loglik();
        assert!(error.abs() < 1e-6, "{name} {values:?}: {error}");
    }
    // Angles have differences as other parameters do.
    let (covariance, values) = (covariance("exponential:anisotropic"), [1.2, 0.4, 0.0, 0.5]);
    let how = (Criterion::Full, false);
    let [found, expected] = [&mut tlr as &mut dyn Evaluate, &mut exact].map(|likelihood| {
        let found = likelihood.score(covariance, &values, 0.1, how, &|_| true);
        found.expect("positive definite").1.expect("it is wanted").gradient
    });
    for (found, expected) in found.iter().zip(&expected) {
        assert!((found - expected).abs() < 0.02 * (expected.abs() + 150.0), "{found}, {expected}");
    }
}

/// With `C + E = L L'`, multiplied out, tiles of `E` are zero on the diagonal, up to rounding, and
/// within the tolerance below it.
#[test]
fn the_factor_is_that_of_a_matrix_whose_tiles_are_within_the_tolerance() {
    let (n, nb, tolerance) = (330, 64, 1e-3);
    let observations = observations(random_points(Geometry::Plane, n, 1.0, 5), 0);
    let order = tegula_exageostat::tlr::order(&observations.points);
    let points = observations.points.select(&order);
    let table = covariance("matern").table(&[1.0, 0.2, 0.5], 0.1).expect("parameters");
    let mut flow = flow(2);
    let held = flow.register_from(std::slice::from_ref(&*table));
    let rows = |i: usize| i * nb..n.min(i * nb + nb);
    let blocks: Vec<_> =
        (0..n.div_ceil(nb)).map(|i| flow.register_from(&points.block(rows(i)))).collect();
    let factor = potrf_tlr(&mut flow, (n, nb), tolerance, |flow, (i, j), tile| {
        let shape = (rows(i).len(), rows(j).len());
        let kernel = CovarianceTile::<f64>::within(Geometry::Plane, shape, (i * nb, j * nb));
        flow.submit(kernel, &[(held, R), (blocks[i], R), (blocks[j], R), (tile, W)], 0);
    });
    let factor = factor.expect("positive definite");
    let ranks = factor.ranks();
    assert!(ranks.dense < ranks.tiles && ranks.bytes < ranks.dense_bytes, "{ranks:?}");
    let mut l = vec![0.0; n * n];
    for j in 0..factor.nt() {
        for i in j..factor.nt() {
            let (m, width) = (rows(i).len(), rows(j).len());
            let (handle, form) = match i == j {
                true => (Some(factor.diagonal(j)), Form::Dense),
                false => factor.below(i, j),
            };
            let Some(handle) = handle else { continue };
            let tile = flow.read::<f64>(handle).expect("it is there");
            for (p, q) in (0..width).flat_map(|q| (0..m).map(move |p| (p, q))) {
                let entry = match form {
                    Form::Dense if i == j && p < q => 0.0,
                    Form::Dense => tile[p + q * m],
                    Form::LowRank(rank) => {
                        let v = &tile[m * rank as usize..];
                        (0..rank as usize).map(|k| tile[p + k * m] * v[q + k * width]).sum()
                    }
                };
                l[i * nb + p + (j * nb + q) * n] = entry;
            }
        }
    }
    let error = |i: usize, j: usize| {
        let product: f64 = (0..=j.min(i)).map(|k| l[i + k * n] * l[j + k * n]).sum();
        let distance = Geometry::Plane.distance(&points.point(i), &points.point(j));
        product - if i == j { 1.1 } else { table.value(distance) }
    };
    let mut largest = 0.0f64;
    for j in 0..factor.nt() {
        for i in j..factor.nt() {
            let all = rows(i).flat_map(|p| rows(j).map(move |q| error(p, q)));
            let norm = all.map(|e| e * e).sum::<f64>().sqrt();
            let most = if i == j { 1e-12 } else { tolerance * (1.0 + 1e-6) };
            assert!(norm <= most, "({i}, {j}): {norm}");
            largest = largest.max(norm);
        }
    }
    assert!(largest > 0.1 * tolerance, "nothing was left out: {largest}");
}

#[test]
fn workers_change_no_bit() {
    let observations = some(700);
    let found = [1, 2, 3].map(|workers| {
        let options = Tlr { accuracy: 1e-5, nb: 160 };
        let mut tlr = TlrLikelihood::new(flow(workers), &observations, options);
        evaluate(&mut tlr, ("matern", &[1.0, 0.1, 0.5], 0.01));
        (evaluate(&mut tlr, ("matern", &[1.1, 0.1, 0.7], 0.01)), tlr.ranks())
    });
    assert!(found[0] == found[1] && found[0] == found[2], "{found:?}");
}

#[test]
fn ranks_change_no_bit() {
    let observations = some(700);
    let owners: Arc<dyn Owners> = distribution("block-cyclic", 4).expect("a distribution");
    let at = ("matern", &[1.0, 0.1, 0.5][..], 0.01);
    let options = Tlr { accuracy: 1e-5, nb: 200 };
    let alone = evaluate(&mut TlrLikelihood::new(flow(1), &observations, options), at);
    let found = over_ranks(4, &owners, |flow| {
        evaluate(&mut TlrLikelihood::new(flow, &observations, options), at)
    });
    assert!(found.iter().all(|found| *found == alone), "{found:?}, {alone:?}");
}

#[test]
fn places_that_coincide_take_a_nugget() {
    let points = random_points(Geometry::Plane, 200, 1.0, 8);
    let twice: Vec<usize> = (0..200).chain(0..100).collect();
    let observations = observations(points.select(&twice), 2);
    let at = ("matern", &[1.0, 0.2, 0.5][..], 0.1);
    let expected = evaluate(&mut likelihood(&observations, 64), at).loglik();
    let mut tlr = tlr(&observations, 1e-8, 64);
    assert!((evaluate(&mut tlr, at).loglik() - expected).abs() < 1e-5);
    let error = tlr.evaluate(covariance("matern"), &[1.0, 0.2, 0.5], 0.0);
    let error = error.expect_err("two equal rows are singular");
    assert!(matches!(error, LikelihoodError::TooCoarse { accuracy: 1e-8 }), "{error}");
    // The flow goes on.
    assert!((evaluate(&mut tlr, at).loglik() - expected).abs() < 1e-5);
}

#[test]
fn what_is_too_coarse_says_so() {
    let observations = synthetic();
    let mut tlr = tlr(&observations, 1e-1, 200);
    let error = tlr.evaluate(covariance("matern"), &[1.0, 0.3, 1.5], 0.0);
    let error = error.expect_err("tiles are off by more than the least eigenvalue");
    assert!(error.is_numerical());
    let text = error.to_string();
    assert!(text.contains("1e-1 is too coarse") && text.contains("tlr:1e-3"), "{text}");
}

/// Values without correlation leave nothing to compress, and nothing goes wrong.
#[test]
fn ranks_that_are_high_leave_tiles_dense() {
    // In space, a short range and a rough field: neighbouring tiles have many large values.
    let observations = observations(random_points(Geometry::Space, 400, 1.0, 4), 0);
    let at = ("matern", &[1.0, 0.5, 0.2][..], 0.0);
    let expected = evaluate(&mut likelihood(&observations, 64), at).loglik();
    let mut tlr = tlr(&observations, 1e-12, 50);
    let found = evaluate(&mut tlr, at).loglik();
    let ranks = tlr.ranks().expect("there was an evaluation");
    assert_eq!(ranks.dense, ranks.tiles, "{ranks:?}");
    assert!((found - expected).abs() < 1e-9 * expected.abs(), "{found}, not {expected}");
}

#[test]
fn far_tiles_of_a_compact_covariance_take_no_memory() {
    let x: Vec<f64> = (0..600).map(|i| i as f64 / 600.0).collect();
    let points = Points::new(Geometry::Line, &[&x]).expect("places");
    let observations = observations(points, 0);
    let mut tlr = tlr(&observations, 1e-8, 60);
    let at = ("wendland", &[1.0, 0.08][..], 0.1);
    let expected = evaluate(&mut likelihood(&observations, 64), at).loglik();
    assert!((evaluate(&mut tlr, at).loglik() - expected).abs() < 1e-6);
    let ranks = tlr.ranks().expect("there was an evaluation");
    // Ten tiles on the diagonal, nine beside them, and nothing else.
    assert_eq!((ranks.tiles, ranks.dense_bytes), (45, 8 * 3600 * 55));
    assert!(ranks.bytes <= 8 * 3600 * 19, "{ranks:?}");
}

/// Against differences of the exact likelihood, of high order.
#[test]
fn scores_are_those_of_differences() {
    let observations = observations(random_points(Geometry::Plane, 300, 1.0, 6), 2);
    let (matern, values, nugget) = (covariance("matern"), [1.3, 0.2, 0.6], 0.1);
    let mut exact = likelihood(&observations, 64);
    let mut tlr = tlr(&observations, 1e-9, 64);
    for criterion in CRITERIA {
        let found = tlr.score(matern, &values, nugget, (criterion, false), &|_| true);
        let score = found.expect("positive definite").1.expect("it is wanted");
        for k in 0..=values.len() {
            let mut slope = |changed: [f64; 4]| {
                difference(4e-3, |change| {
                    let mut at = changed;
                    at[k] *= change.exp();
                    let found = exact.evaluate(matern, &at[..3], at[3]);
                    found.expect("positive definite").value(criterion)
                })
            };
            let here = [values[0], values[1], values[2], nugget];
            let scale = if k == 3 { nugget } else { 1.0 };
            let expected = slope(here) / scale;
            // Differences of second order with steps of a tenth.
            let error = (score.gradient[k] - expected).abs();
            assert!(error < 0.02 * (expected.abs() + 150.0 / scale), "{k}: {error} of {expected}");
            for j in 0..=values.len() {
                let of = if j == 3 { nugget } else { 1.0 };
                let mut moved = |change: f64| {
                    let mut at = here;
                    at[j] *= f64::exp(change);
                    slope(at)
                };
                let expected = -(moved(0.01) - moved(-0.01)) / 0.02 / (scale * of);
                let error = (score.information[j + k * 4] - expected).abs();
                assert!(
                    error < 0.03 * (expected.abs() + 150.0 / (scale * of)),
                    "({j}, {k}): {}, not {expected}",
                    score.information[j + k * 4]
                );
            }
        }
    }
}

#[test]
fn a_fit_finds_the_parameters_of_the_exact_one() {
    let Observations { points, values, .. } = some(400);
    let observations = Observations::new(points, values, Design::constant(400));
    let matern = covariance("matern");
    for criterion in CRITERIA {
        let mut options = FitOptions { criterion, ..FitOptions::all_free(3) };
        options.fixed[2] = Some(0.5);
        options.nugget = NuggetChoice::Estimated { bounds: None };
        let mut exact = likelihood(&observations, 128);
        let exact = fit(&mut exact, &observations, matern, &options, |_| {}).expect("a fit");
        let mut tlr = tlr(&observations, 1e-8, 64);
        let found = fit(&mut tlr, &observations, matern, &options, |_| {}).expect("a fit");
        assert!(found.converged);
        assert!((found.loglik - exact.loglik).abs() < 1e-3, "{}, {}", found.loglik, exact.loglik);
        let (errors, known) = (&found.uncertainty, &exact.uncertainty);
        // Of a restricted one the observed one is known, near the exact one's expected one.
        let (kind, near) = match criterion {
            Criterion::Full => (Information::Expected, 0.02),
            Criterion::Restricted => (Information::Observed, 0.1),
        };
        assert_eq!(errors.information, kind);
        let pairs = found.model.values.iter().zip(&exact.model.values);
        for (k, (found, expected)) in pairs.enumerate() {
            let Some(error) = known.std_errors[k] else { continue };
            assert!((found - expected).abs() < 0.02 * error, "{k}: {found}, not {expected}");
            let share = errors.std_errors[k].expect("it was estimated") / error;
            assert!((share - 1.0).abs() < near, "{k}: {share}");
        }
        assert!(found.loglik_error.is_some_and(|error| error.abs() < 1e-4));
        assert!(found.remarks.iter().any(|remark| remark.contains("by its values")), "{found:?}");
        assert!(found.evaluations < 12, "{}", found.evaluations);
    }
}

/// Rounded to 1e-4, the likelihood has not the digits that second differences of it would need.
#[test]
fn standard_errors_are_those_of_the_exact_fit_where_differences_have_none() {
    let Observations { points, values, .. } = some(400);
    let observations = Observations::new(points, values, Design::constant(400));
    let matern = covariance("matern");
    let mut options = FitOptions::all_free(3);
    options.fixed[2] = Some(1.5);
    let mut exact = likelihood(&observations, 128);
    let exact = fit(&mut exact, &observations, matern, &options, |_| {}).expect("a fit");
    let fitted = |information| {
        let options = FitOptions { information, ..options.clone() };
        let mut tlr = tlr(&observations, 1e-4, 64);
        fit(&mut tlr, &observations, matern, &options, |_| {}).expect("a fit")
    };
    let expected = fitted(Information::Expected);
    let found = &expected.uncertainty;
    for k in 0..2 {
        let share = found.std_errors[k].zip(exact.uncertainty.std_errors[k]).map(|(a, b)| a / b);
        assert!(share.is_some_and(|share| (0.9..1.1).contains(&share)), "{k}: {share:?}");
    }
    assert_eq!(found.gradient_norm, None);
    assert!(expected.remarks.iter().any(|remark| remark.contains("neighbours")), "{expected:?}");
    let observed = fitted(Information::Average).uncertainty;
    assert_eq!(observed.information, Information::Observed);
    assert!(observed.gradient_norm.is_some());
}

#[test]
fn tiles_grow_with_the_places() {
    assert!([1, 1000, 10_000, 100_000].map(tile_size).is_sorted());
}
