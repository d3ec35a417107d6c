//! Fits.

use std::ops::ControlFlow;

use tegula_exageostat::design::Design;
use tegula_exageostat::fit::{
    Fit, FitError, FitOptions, Information, Journal, NuggetChoice, OPTIMIZERS, Optimizer, Progress,
    fit, fit_from,
};
use tegula_exageostat::likelihood::{Criterion, Evaluate, Likelihood, Overlap};
use tegula_exageostat::observations::Observations;
use tegula_runtime::flow::Flow;
use tegula_tests::{
    answers, assert_close, column, flow, likelihood, numbers, plane, sample, synthetic,
};

use super::{covariance, demeaned, meuse, meuse_observations, number, texas, with_sqrt_dist};

fn fitted(
    observations: &Observations,
    name: &str,
    nb: usize,
    change: impl FnOnce(&mut FitOptions),
) -> Fit {
    let covariance = covariance(name);
    let mut options = FitOptions::all_free(covariance.parameters.len());
    change(&mut options);
    let mut likelihood = likelihood(observations, nb);
    fit(&mut likelihood, observations, covariance, &options, |_| {})
        .unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn the_fit_of_the_synthetic_set_finds_the_maximum() {
    let observations = synthetic();
    let answers = answers("a_synth1600.json");
    let free = fitted(&observations, "matern", 192, |_| {});
    assert!(free.converged && free.bounds_hit.is_empty() && free.remarks.is_empty(), "{free:?}");
    let best = number(&answers["mle"], "loglik");
    assert!(
        (free.evaluation.loglik() - best).abs() < 1e-6,
        "{} against {best}",
        free.evaluation.loglik()
    );
    for (value, theta) in free.model.values.iter().zip(numbers(&answers["mle"]["theta"])) {
        assert_close(*value, theta, 1e-3, "estimate");
    }
    let half = fitted(&observations, "matern", 192, |options| options.fixed[2] = Some(0.5));
    let best = number(&answers["mle_nu_half"], "loglik");
    assert!(
        (half.evaluation.loglik() - best).abs() < 1e-6,
        "{} against {best}",
        half.evaluation.loglik()
    );
}

/// What a fit gives, to the last bit.
fn bits(fit: &Fit) -> Vec<u64> {
    let Fit { model, evaluation, .. } = fit;
    let numbers = model.values.iter().chain([&model.nugget]).chain(&evaluation.coefficients);
    let sums = [evaluation.logdet, evaluation.quadratic];
    let counts =
        [fit.evaluations, fit.failed_evaluations, fit.iterations, usize::from(fit.converged)];
    let numbers = numbers.copied().chain(sums).map(f64::to_bits);
    numbers.chain(counts.map(|count| count as u64)).collect()
}

#[test]
fn a_fit_that_is_stopped_anywhere_goes_on_to_the_same_end() {
    let table = sample("e_sub140.csv");
    let values = column(&table, "z");
    let design = Design::new(vec!["one".to_owned()], vec![vec![1.0; values.len()]], values.len());
    let observations = Observations::new(plane(&table, "x", "y"), values, design.expect("a mean"));
    let covariance = covariance("matern");
    let mut options = FitOptions::all_free(3);
    options.nugget = NuggetChoice::Estimated { bounds: None };
    options.fixed[2] = Some(1.0);
    (options.starts, options.profile_intervals) = (2, true);
    // Evaluations so far and the evaluations that this run makes; the outcome of the run.
    let run = |journal: &mut Journal, workers: usize, most: usize| {
        let overlap = Overlap::default();
        let mut likelihood =
            Likelihood::<f64>::new(flow(workers), &observations, 32 * workers, overlap);
        let mut made = 0;
        let mut between = |_: &mut Flow, state: &Progress, _: &Journal| {
            made += usize::from(!state.is_taken_over);
            if made < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        fit_from(&mut likelihood, &observations, covariance, &options, journal, &mut between)
    };
    let mut whole = Journal::default();
    let expected = run(&mut whole, 2, usize::MAX).expect("a fit");
    assert!(expected.converged && expected.taken_over == 0, "{expected:?}");
    assert_eq!(whole.len(), expected.evaluations);
    assert!(expected.starts.len() > 1, "{:?}", expected.starts);
    assert!(expected.profile_intervals.iter().any(Option::is_some));
    let written = |journal: &Journal| {
        let mut bytes = Vec::new();
        journal.write(&mut bytes).expect("there is room");
        Journal::read(&mut &bytes[..]).expect("all of it")
    };
    for stop in (1..expected.evaluations).step_by(expected.evaluations / 7) {
        let mut journal = Journal::default();
        let stopped = run(&mut journal, 1, stop);
        assert!(
            matches!(stopped, Err(FitError::Stopped { evaluations }) if evaluations == stop),
            "{stop}: {stopped:?}"
        );
        // Once to be stopped again, and once to the end; on other workers and tiles.
        let mut journal = written(&journal);
        assert!(matches!(run(&mut journal, 2, 1), Err(FitError::Stopped { .. })));
        assert_eq!(journal.len(), stop + 1);
        let fit = run(&mut written(&journal), 2, usize::MAX).expect("a fit");
        assert_eq!(fit.taken_over, stop + 1);
        let off = (fit.evaluation.loglik() / expected.evaluation.loglik() - 1.0).abs();
        assert!(off < 1e-10 && fit.converged, "{stop}: {off:e}");
        // All outcomes of one run give its result to the last bit.
        let again = run(&mut written(&whole), 1, 1).expect("nothing is left to evaluate");
        assert_eq!(bits(&again), bits(&expected));
    }
}

#[test]
fn bounds_and_fixed_parameters_are_kept_and_said() {
    let observations = synthetic();
    let fit = fitted(&observations, "matern", 192, |options| {
        options.fixed[2] = Some(0.5);
        options.bounds[1] = Some((0.01, 0.05));
    });
    assert!(fit.model.values[1] <= 0.05 && fit.model.values[2] == 0.5);
    let said: Vec<String> = fit.bounds_hit.iter().map(ToString::to_string).collect();
    assert_eq!(said, ["range ended at its upper bound, 0.05"]);
    let fixed_variance =
        fitted(&observations, "exponential", 192, |options| options.fixed[0] = Some(1.0));
    assert_eq!(fixed_variance.model.values[0], 1.0);
}

#[test]
fn meuse_fits() {
    let Some(table) = meuse() else { return };
    let answers = answers("b_meuse.json");
    let zero = meuse_observations(&table, |_, values| {
        demeaned(values);
        Design::zero(values.len())
    });
    let check = |fit: &Fit, answer: f64, what: &str| {
        assert!(
            (fit.evaluation.loglik() - answer).abs() < 1e-6,
            "{what}: {} against {answer}",
            fit.evaluation.loglik()
        );
    };
    let plain = fitted(&zero, "matern", 64, |_| {});
    check(&plain, number(&answers["mle_zero_mean_demeaned_sbn"], "loglik"), "no nugget");
    let estimate =
        |options: &mut FitOptions| options.nugget = NuggetChoice::Estimated { bounds: None };
    let nugget = fitted(&zero, "matern", 64, estimate);
    check(&nugget, number(&answers["mle_zero_mean_demeaned_sbn_nugget"], "loglik"), "nugget");
    let trend = meuse_observations(&table, |dist, values| with_sqrt_dist(dist, values));
    let fit = fitted(&trend, "exponential", 64, estimate);
    let answer = &answers["mle_sqrtdist_exp_nugget_loglik_ML"];
    check(&fit, number(answer, "value"), "trend");
    let beta = trend.design.coefficients(&fit.evaluation.coefficients);
    for (b, answer) in beta.iter().zip(numbers(&answer["detail"]["beta"])) {
        assert_close(*b, answer, 1e-4, "coefficient of the mean");
    }
}

#[test]
fn texas_fits_on_the_sphere() {
    let answers = answers("texas_wind.json");
    for (constant, key) in [(true, "constant"), (false, "latitude")] {
        let (_, observations) = texas(constant);
        let answer = &answers[format!("ml_exponential_nugget_{key}")];
        let fit = fitted(&observations, "exponential", 64, |options| {
            options.nugget = NuggetChoice::Estimated { bounds: None };
        });
        let (loglik, best) = (fit.evaluation.loglik(), number(answer, "loglik_ML"));
        assert!((loglik - best).abs() < 1e-6, "{key}: {loglik} against {best}");
        let beta = observations.design.coefficients(&fit.evaluation.coefficients);
        for (b, expected) in beta.iter().zip(numbers(&answer["beta"])) {
            assert_close(*b, expected, 1e-3, "coefficient of the mean");
        }
        let flat = fit.remarks.iter().any(|remark| remark.contains("flat along the range"));
        // With a constant mean the range is four times the extent of Texas: a ridge.
        assert!(flat || !constant, "{:?}", fit.remarks);
    }
}

#[test]
fn all_optimisers_find_the_same_maximum() {
    let some: Vec<usize> = (0..1600).step_by(7).collect();
    for observations in [synthetic().subset(&some), texas(true).1, texas(false).1] {
        for name in ["exponential", "matern", "powered-exponential"] {
            for nugget in [NuggetChoice::Fixed(0.5), NuggetChoice::Estimated { bounds: None }] {
                let found = OPTIMIZERS.iter().map(|&(optimizer, ..)| {
                    fitted(&observations, name, 128, |options| {
                        (options.optimizer, options.nugget) = (optimizer, nugget);
                    })
                });
                let found: Vec<Fit> = found.collect();
                let best = found.iter().fold(f64::NEG_INFINITY, |best, fit| best.max(fit.loglik));
                for (fit, (_, optimizer, _)) in found.iter().zip(OPTIMIZERS) {
                    let (loglik, model) = (fit.loglik, &fit.model);
                    assert!(fit.converged, "{optimizer} {name}");
                    assert!(
                        best - loglik < 1e-5,
                        "{optimizer} {name}: {loglik}, {best}: {model:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn gradients_save_evaluations() {
    let free = fitted(&synthetic(), "matern", 192, |_| {});
    assert!(free.evaluations <= 12 && free.scores <= free.evaluations, "{free:?}");
    assert!(
        free.uncertainty.gradient_norm.is_some_and(|norm| norm < 0.1),
        "{:?}",
        free.uncertainty
    );
    let without = fitted(&synthetic(), "matern", 192, |options| {
        options.optimizer = Optimizer::Bobyqa;
    });
    assert!(without.scores == 1, "for the standard errors: {}", without.scores);
    // The same standard errors, wherever within rounding of the maximum the search has ended.
    let errors = [&free, &without].map(|fit| fit.uncertainty.std_errors.clone());
    for (one, other) in errors[0].iter().zip(&errors[1]).take(3) {
        assert_close(one.expect("estimated"), other.expect("estimated"), 1e-2, "standard error");
    }
    assert_eq!(errors[0][3], None, "no nugget was estimated");
}

#[test]
fn restricted_likelihoods_are_those_of_independent_tools() {
    let answers = answers("texas_wind.json");
    for (constant, key) in [(true, "constant"), (false, "latitude")] {
        let (_, observations) = texas(constant);
        let answer = &answers[format!("ml_exponential_nugget_{key}")];
        let theta = numbers(&answer["theta"]);
        let mut likelihood = likelihood(&observations, 64);
        let evaluation = likelihood
            .evaluate(covariance("exponential"), &theta[..2], theta[3])
            .expect("positive definite");
        for (criterion, name) in
            [(Criterion::Full, "loglik_ML"), (Criterion::Restricted, "loglik_REML")]
        {
            assert_close(evaluation.value(criterion), number(answer, name), 1e-9, name);
        }
    }
    let Some(table) = meuse() else { return };
    let answers = self::answers("b_meuse.json");
    let restricted = |options: &mut FitOptions| {
        options.nugget = NuggetChoice::Estimated { bounds: None };
        options.criterion = Criterion::Restricted;
    };
    let trend = meuse_observations(&table, |dist, values| with_sqrt_dist(dist, values));
    let answer = &answers["mle_sqrtdist_exp_nugget_loglik_REML"];
    for &(optimizer, name, _) in OPTIMIZERS {
        let fit = fitted(&trend, "exponential", 64, |options| {
            restricted(options);
            options.optimizer = optimizer;
        });
        let best = number(answer, "value");
        assert!((fit.loglik - best).abs() < 1e-6, "{name}: {} against {best}", fit.loglik);
        let beta = trend.design.coefficients(&fit.evaluation.coefficients);
        for (b, expected) in beta.iter().zip(numbers(&answer["detail"]["beta"])) {
            assert_close(*b, expected, 1e-3, "coefficient of the mean");
        }
    }
    // With a constant mean the maximum lies at infinity: that is said.
    let constant = meuse_observations(&table, |_, values| Design::constant(values.len()));
    let fit = fitted(&constant, "exponential", 64, restricted);
    let is_said = |words: &str| fit.remarks.iter().any(|remark| remark.contains(words));
    assert!(
        is_said("flat along the range") && is_said("--fix range="),
        "{:?} {:?}",
        fit.remarks,
        fit.bounds_hit
    );
}

#[test]
fn profile_intervals_end_where_the_likelihood_has_fallen() {
    let some: Vec<usize> = (0..1600).step_by(8).collect();
    let observations = synthetic().subset(&some);
    let free = fitted(&observations, "matern", 128, |options| options.profile_intervals = true);
    for k in 0..3 {
        let interval = free.profile_intervals[k].clone().expect("it was estimated");
        let estimate = free.model.values[k];
        assert!(interval.low < estimate && estimate < interval.high, "{interval:?}");
        // Each point is a fit with the parameter fixed.
        let points = &interval.points;
        assert!(points.windows(2).all(|pair| pair[0].0 < pair[1].0), "{points:?}");
        assert!(points.contains(&(estimate, 0.0)) && points.len() > 2, "{points:?}");
        let (value, lost) = points[0];
        let fixed = fitted(&observations, "matern", 128, |options| {
            options.fixed[k] = Some(value);
            options.information = Information::Average;
        });
        assert!((free.loglik + lost - fixed.loglik).abs() < 1e-3, "{lost} at {value}");
        for (end, is_bound) in
            [(interval.low, interval.low_is_bound), (interval.high, interval.high_is_bound)]
        {
            let fixed = fitted(&observations, "matern", 128, |options| {
                options.fixed[k] = Some(end);
                options.information = Information::Average;
            });
            let loss = 2.0 * (free.loglik - fixed.loglik);
            if is_bound {
                assert!(loss < 3.841_459, "parameter {k}: {loss} at the bound {end}");
            } else {
                // The root of the loss is met to 0.005, so twice its square root times that.
                assert!((loss - 3.841_459).abs() < 0.03, "parameter {k}: {loss} at {end}");
            }
        }
    }
    assert_eq!(free.profile_intervals[3], None, "no nugget was estimated");
    // The search for the range may not go as far as its interval does.
    let bounded = fitted(&observations, "exponential", 128, |options| {
        options.profile_intervals = true;
        options.bounds[1] = Some((0.9 * free.model.values[1], 100.0));
    });
    if bounded.bounds_hit.is_empty() {
        let interval = bounded.profile_intervals[1].clone().expect("it was estimated");
        assert!(interval.low_is_bound && !interval.high_is_bound, "{interval:?}");
    }
}

#[test]
fn several_starts_find_the_same_maximum_or_better_ones() {
    let some: Vec<usize> = (0..1600).step_by(8).collect();
    let observations = synthetic().subset(&some);
    let one = fitted(&observations, "matern", 128, |_| {});
    let many = fitted(&observations, "matern", 128, |options| options.starts = 5);
    assert_eq!((one.starts.len(), one.agreeing_starts()), (1, 1));
    assert!(many.starts.len() > 1 && many.agreeing_starts() >= 1, "{:?}", many.starts);
    assert!(many.loglik > one.loglik - 1e-6, "{} against {}", many.loglik, one.loglik);
    let best = many.starts.iter().map(|end| end.loglik).fold(f64::NEG_INFINITY, f64::max);
    assert!((best - many.loglik).abs() < 1e-9, "{best} against {}", many.loglik);
    assert!((many.starts[0].loglik - one.starts[0].loglik).abs() < 1e-9, "the usual start first");
}

#[test]
fn standard_errors_are_by_the_information_that_is_asked_for() {
    let some: Vec<usize> = (0..1600).step_by(4).collect();
    let observations = synthetic().subset(&some);
    let [expected, average] = [Information::Expected, Information::Average].map(|information| {
        fitted(&observations, "matern", 128, |options| options.information = information)
    });
    assert_eq!(expected.uncertainty.information, Information::Expected);
    assert_eq!(average.uncertainty.information, Information::Average);
    assert_eq!(expected.evaluations, average.evaluations + 1);
    let (_, information) = likelihood(&observations, 100)
        .information(covariance("matern"), &expected.model.values, 0.0, Criterion::Full)
        .expect("positive definite");
    // The variance alone, were the others known, has a relative error of sqrt(2 / n).
    assert_close(information[0], 0.5 * 400.0, 1e-9, "information on the variance");
    for k in 0..3 {
        let [one, other] =
            [&expected, &average].map(|fit| fit.uncertainty.std_errors[k].expect("estimated"));
        assert!((0.5..2.0).contains(&(one / other)), "parameter {k}: {one} and {other}");
    }
}
