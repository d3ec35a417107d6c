//! Fits beside those of simpler models, and what is said of where they end.

use std::f64::consts::PI;

use tegula_exageostat::design::Design;
use tegula_exageostat::fit::{Fit, FitError, FitOptions, NuggetChoice, fit};
use tegula_exageostat::observations::Observations;
use tegula_kernels::geometry::{Geometry, Points};
use tegula_tests::{column, likelihood, plane, sample};

use super::covariance;

/// Fits what `change` makes of the options.
fn outcome(
    observations: &Observations,
    name: &str,
    change: impl FnOnce(&mut FitOptions),
) -> Result<Fit, FitError> {
    let covariance = covariance(name);
    let mut options = FitOptions::all_free(covariance.parameters.len());
    change(&mut options);
    fit(&mut likelihood(observations, 64), observations, covariance, &options, |_| {})
}

fn fitted(observations: &Observations, name: &str, change: impl FnOnce(&mut FitOptions)) -> Fit {
    outcome(observations, name, change).unwrap_or_else(|error| panic!("{error}"))
}

fn estimated(options: &mut FitOptions) {
    options.nugget = NuggetChoice::Estimated { bounds: None };
}

/// Observations with a constant mean on a grid of `edge x edge` places of the unit square, moved a
/// little.
fn grid(edge: usize, value: impl Fn(usize, f64, f64) -> f64) -> Observations {
    let count = edge * edge;
    let place = |i: usize, step: usize| {
        let moved = 0.3 * (1.7 * i as f64).sin();
        (f64::from((i / step % edge) as u32) + moved) / edge as f64
    };
    let x: Vec<f64> = (0..count).map(|i| place(i, 1)).collect();
    let y: Vec<f64> = (0..count).map(|i| place(i, edge)).collect();
    let values = (0..count).map(|i| value(i, x[i], y[i])).collect();
    let points = Points::new(Geometry::Plane, &[&x, &y]).expect("places in the plane");
    Observations::new(points, values, Design::constant(count))
}

fn smooth(x: f64, y: f64) -> f64 {
    (3.0 * x).sin() + (2.0 * y).cos() + x * y
}

/// Numbers without a pattern, from -1/2 to 1/2.
fn noise(i: usize) -> f64 {
    let x = (12.9898 * (i + 1) as f64).sin() * 43_758.545_3;
    x - x.floor() - 0.5
}

fn subset() -> Observations {
    let table = sample("e_sub140.csv");
    let values = column(&table, "z");
    let design = Design::constant(values.len());
    Observations::new(plane(&table, "x", "y"), values, design)
}

#[test]
fn fits_with_a_nugget_are_never_below_those_without() {
    let data = [
        ("smooth", grid(8, |_, x, y| smooth(x, y))),
        ("rounded", grid(8, |_, x, y| (1000.0 * smooth(x, y)).round() / 1000.0)),
        ("noisy", grid(8, |i, x, y| smooth(x, y) + 0.3 * noise(i))),
        ("white", grid(8, |i, _, _| noise(i))),
        ("subset", subset()),
    ];
    for (what, observations) in &data {
        for name in ["exponential", "gaussian", "spherical", "powered-exponential", "matern"] {
            let without = fitted(observations, name, |_| {});
            let with = fitted(observations, name, estimated);
            let (lower, higher) = (without.evaluation.loglik(), with.evaluation.loglik());
            assert!(
                higher >= lower - 1e-6,
                "{what}, {name}: {higher} with a nugget, {lower} without"
            );
            let is_said = with.bounds_hit.iter().any(|hit| hit.bound == 0.0);
            assert_eq!(is_said, with.model.nugget == 0.0, "{what}, {name}: {:?}", with.bounds_hit);
        }
    }
}

#[test]
fn rounding_is_a_nugget_however_small() {
    let observations = grid(8, |_, x, y| (1e4 * smooth(x, y)).round() / 1e4);
    let with = fitted(&observations, "gaussian", estimated);
    let share = with.model.nugget / with.model.variance();
    assert!((1e-12..1e-7).contains(&share), "{share:e}");
    let known = |share: f64| {
        let bounds = Some((share * with.model.variance(), 2.0 * share * with.model.variance()));
        fitted(&observations, "gaussian", |options| {
            options.nugget = NuggetChoice::Estimated { bounds };
        })
    };
    assert!(with.evaluation.loglik() > known(1e-6).evaluation.loglik() + 1.0);
    // The variance of rounding to a unit is a twelfth of its square.
    let rounding = 1e-8 / 12.0;
    assert!((rounding / 3.0..3.0 * rounding).contains(&with.model.nugget), "{}", with.model.nugget);
}

#[test]
fn every_bound_that_is_reached_is_said() {
    let observations = subset();
    let hits = |name: &str, change: &dyn Fn(&mut FitOptions)| -> Vec<String> {
        let fit = fitted(&observations, name, change);
        fit.bounds_hit.iter().map(ToString::to_string).collect()
    };
    let upper = ["range ended at its upper bound, 0.02"];
    let bounded = |options: &mut FitOptions| options.bounds[1] = Some((0.01, 0.02));
    assert_eq!(hits("exponential", &bounded), upper);
    let other_fixed = |options: &mut FitOptions| {
        bounded(options);
        options.fixed[0] = Some(1.0);
    };
    assert_eq!(hits("exponential", &other_fixed), upper);
    let from_bound = |options: &mut FitOptions| {
        bounded(options);
        options.start[1] = Some(0.02);
    };
    assert_eq!(hits("exponential", &from_bound), upper);
    let few = |options: &mut FitOptions| {
        from_bound(options);
        options.max_evaluations = 1;
    };
    assert_eq!(hits("exponential", &few), upper);
    let zero = ["nugget ended at its lower bound, 0"];
    assert_eq!(hits("exponential", &estimated), zero);
    let from_zero = |options: &mut FitOptions| {
        options.nugget = NuggetChoice::Estimated { bounds: Some((0.0, 10.0)) };
    };
    assert_eq!(hits("exponential", &from_zero), zero);
    let above = |options: &mut FitOptions| {
        options.nugget = NuggetChoice::Estimated { bounds: Some((0.25, 10.0)) };
    };
    assert_eq!(hits("exponential", &above), ["nugget ended at its lower bound, 0.25"]);
}

#[test]
fn white_noise_ends_in_words() {
    let observations = grid(8, |i, _, _| noise(i));
    for change in [|_: &mut FitOptions| {}, estimated] {
        let fit = fitted(&observations, "exponential", change);
        assert!(
            fit.remarks.iter().any(|remark| remark.contains("no spatial correlation was found")),
            "{:?}",
            fit.remarks
        );
    }
    // What the remark compares with is the limit of a short range.
    let short = fitted(&observations, "exponential", |options| options.fixed[1] = Some(1e-4));
    let n = observations.len() as f64;
    let residuals = observations.design.residuals(&observations.values);
    let square = residuals.iter().map(|r| r * r).sum::<f64>() / n;
    let alone = -0.5 * n * ((2.0 * PI * square).ln() + 1.0);
    assert!((short.evaluation.loglik() - alone).abs() < 1e-9);
    let structured = fitted(&subset(), "exponential", |_| {});
    assert!(structured.remarks.is_empty(), "{:?}", structured.remarks);
}

#[test]
fn few_observations_are_said_and_too_few_refused() {
    let observations = subset();
    let first = |count: usize| observations.subset(&(0..count).collect::<Vec<_>>());
    let of = |count: usize| {
        let mut few = first(count);
        few.design = Design::constant(count);
        outcome(&few, "exponential", estimated)
    };
    let error = of(4).expect_err("as many parameters").to_string();
    assert!(error.contains("4 observations are too few for 4 parameters"), "{error}");
    assert!(error.contains("(Intercept), variance, range, nugget"), "{error}");
    let said = of(5).expect("one more").remarks;
    assert!(said.iter().any(|remark| remark.contains("5 observations are few")), "{said:?}");
    let said = of(30).expect("many more").remarks;
    assert!(!said.iter().any(|remark| remark.contains("are few")), "{said:?}");
}

#[test]
fn a_search_starts_where_it_is_told_to() {
    let observations = subset();
    let found = fitted(&observations, "matern", estimated);
    let values = found.model.values.clone();
    let from = |options: &mut FitOptions| {
        estimated(options);
        options.start = values.iter().copied().map(Some).collect();
        options.start_nugget = Some(found.model.nugget);
    };
    let first = fitted(&observations, "matern", |options| {
        from(options);
        options.max_evaluations = 1;
    });
    let (one, other) = (first.evaluation.loglik(), found.evaluation.loglik());
    assert!((one - other).abs() < 1e-9, "{one} {other}");
    let again = fitted(&observations, "matern", from);
    assert!(again.evaluation.loglik() >= other - 1e-9);
    let outside = outcome(&observations, "matern", |options| {
        options.bounds[1] = Some((0.1, 0.2));
        options.start[1] = Some(0.3);
    });
    let error = outside.expect_err("no place of the search").to_string();
    assert_eq!(error, "the search cannot start from range=0.3: it goes from 0.1 to 0.2");
}
