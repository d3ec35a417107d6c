//! Likelihoods, fits and krigings against the answers of independent tools (`tests/answers`).

use std::ops::ControlFlow;

use serde_json::Value;
use tegula_data::format::Table;
use tegula_exageostat::covariance::{Covariance, find};
use tegula_exageostat::design::Design;
use tegula_exageostat::fit::{Fit, FitError, FitOptions, Journal, NuggetChoice, fit, fit_from};
use tegula_exageostat::likelihood::{Likelihood, LikelihoodError, Overlap};
use tegula_exageostat::model::Model;
use tegula_exageostat::observations::Observations;
use tegula_exageostat::predict::Predictor;
use tegula_exageostat::sample::{Random, sample as draw, scattered_places};
use tegula_kernels::geometry::Geometry;
use tegula_tests::{
    answer_table, answers, assert_close, column, flow, likelihood, numbers, plane, root, sample,
    synthetic,
};

fn covariance(name: &str) -> &'static Covariance {
    find(name).unwrap_or_else(|error| panic!("{error}"))
}

/// Values and nugget from a `theta` with or without a fourth entry.
fn split(theta: &Value) -> (Vec<f64>, f64) {
    let theta = numbers(theta);
    (theta[..3].to_vec(), theta.get(3).copied().unwrap_or(0.0))
}

fn number(value: &Value, key: &str) -> f64 {
    value[key].as_f64().unwrap_or_else(|| panic!("{key} in {value}"))
}

#[test]
fn loglikelihoods_of_the_synthetic_set() {
    let (observations, answers) = (synthetic(), answers("a_synth1600.json"));
    let mut likelihood = likelihood(&observations, 192);
    let lists = [
        ("loglik", "matern"),
        ("loglik_nugget", "matern"),
        ("loglik_powexp", "powered-exponential"),
    ];
    let mut count = 0;
    for (list, name) in lists {
        for answer in answers[list].as_array().expect("a list") {
            let (values, nugget) = split(&answer["theta"]);
            let evaluation =
                likelihood.evaluate(covariance(name), &values, nugget).expect("positive definite");
            // (1, .1, 1.27) has condition number 1e9: two double-precision codes agree to 2e-8.
            let tolerance = if values[2] == 1.27 { 1e-7 } else { 1e-9 };
            let what = format!("{name} {values:?} nugget {nugget}");
            assert_close(evaluation.loglik(), number(answer, "loglik"), tolerance, &what);
            assert_close(evaluation.quadratic, number(answer, "quad"), tolerance, &what);
            count += 1;
        }
    }
    assert_eq!(count, 15);
}

#[test]
fn loglikelihoods_to_forty_digits() {
    let table = sample("e_sub140.csv");
    let values = column(&table, "z");
    let observations =
        Observations::new(plane(&table, "x", "y"), values.clone(), Design::zero(values.len()));
    let mut likelihood = likelihood(&observations, 64);
    let answers = answers("e_sub140_mp.json");
    // The last two are nearly singular: condition numbers of about 1e13 and 1e17 leave the second
    // with few digits or none; what matters is that the answer is near or refused.
    for (answer, tolerance) in
        answers["loglik"].as_array().expect("a list").iter().zip([1e-13, 1e-9, 1e-2])
    {
        let theta = numbers(&answer["theta"]);
        let expected: f64 = answer["loglik"].as_str().expect("digits").parse().expect("a number");
        let evaluation =
            likelihood.evaluate(covariance("matern"), &theta, 0.0).expect("still definite");
        assert_close(evaluation.loglik(), expected, tolerance, &format!("{theta:?}"));
    }
    let hopeless = likelihood.evaluate(covariance("gaussian"), &[1.0, 1.0], 0.0);
    assert!(
        matches!(hopeless, Err(LikelihoodError::NotPositiveDefinite { n: 140, .. })),
        "{hopeless:?}"
    );
    let theta = [1.0, 0.1, 0.5];
    assert!(likelihood.evaluate(covariance("matern"), &theta, 0.0).is_ok(), "the flow goes on");
}

#[test]
fn every_toggle_gives_the_same_likelihood() {
    let observations = synthetic();
    let expected = -1139.086343557942;
    let all = Overlap::default();
    let toggles = [
        Overlap { asynchronous: false, ..all },
        Overlap { local_solve: false, ..all },
        Overlap { priorities: false, ..all },
        Overlap { submission_order: false, ..all },
        Overlap { memory_cache: false, ..all },
    ];
    for overlap in toggles {
        for workers in [1, 3] {
            let mut likelihood: Likelihood<f64> =
                Likelihood::new(flow(workers), &observations, 200, overlap);
            for _ in 0..2 {
                let evaluation = likelihood.evaluate(covariance("matern"), &[1.0, 0.1, 0.5], 0.0);
                let loglik = evaluation.expect("positive definite").loglik();
                assert_close(loglik, expected, 1e-11, &format!("{overlap:?}, {workers} workers"));
            }
        }
    }
}

#[test]
fn single_precision_is_near() {
    let mut likelihood: Likelihood<f32> =
        Likelihood::new(flow(2), &synthetic(), 192, Overlap::default());
    let evaluation =
        likelihood.evaluate(covariance("matern"), &[1.0, 0.1, 0.5], 0.0).expect("definite");
    assert_close(evaluation.loglik(), -1139.086343557942, 1e-3, "in f32");
}

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
    // Evaluations so far and the evaluations that this run makes; the outcome of the run.
    let run = |journal: &mut Journal, workers: usize, most: usize| {
        let overlap = Overlap::default();
        let mut likelihood =
            Likelihood::<f64>::new(flow(workers), &observations, 32 * workers, overlap);
        let mut made = 0;
        fit_from(&mut likelihood, &observations, covariance, &options, journal, |_, state, _| {
            made += usize::from(!state.is_taken_over);
            if made < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })
    };
    let mut whole = Journal::default();
    let expected = run(&mut whole, 2, usize::MAX).expect("a fit");
    assert!(expected.converged && expected.taken_over == 0, "{expected:?}");
    assert_eq!(whole.len(), expected.evaluations);
    let written = |journal: &Journal| {
        let mut bytes = Vec::new();
        journal.write(&mut bytes).expect("there is room");
        Journal::read(&mut &bytes[..]).expect("all of it")
    };
    for stop in (1..expected.evaluations).step_by(7) {
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

/// The Texas stations: places, temperature, and latitude as a column of the mean.
fn texas(constant: bool) -> (Table, Observations) {
    let table = sample("texas-wind.csv");
    let (latitude, longitude) = (column(&table, "latitude"), column(&table, "longitude"));
    let values = column(&table, "air_temperature_c");
    let points =
        tegula_kernels::geometry::Points::new(Geometry::GreatCircle, &[&latitude, &longitude])
            .expect("stations on the sphere");
    let n = values.len();
    let design = if constant {
        Design::constant(n)
    } else {
        let names = ["intercept", "latitude"].map(str::to_owned).to_vec();
        Design::new(names, vec![vec![1.0; n], latitude], n).expect("independent columns")
    };
    (table, Observations::new(points, values, design))
}

/// Meuse, if the set-up has fetched it (it is under the GPL, so it is not part of the project).
#[allow(clippy::print_stderr)]
fn meuse() -> Option<Table> {
    let path = root().join("target/peers/meuse.csv");
    if path.exists() {
        return Some(Table::read(&path).unwrap_or_else(|error| panic!("{error}")));
    }
    eprintln!("SKIPPED: {} is not there; scripts/setup fetches it", path.display());
    None
}

/// Meuse in km, log zinc, with the mean that `design` makes of (sqrt(dist), values).
fn meuse_observations(
    table: &Table,
    design: impl FnOnce(Vec<f64>, &mut Vec<f64>) -> Design,
) -> Observations {
    let km = |name| column(table, name).iter().map(|x| x / 1000.0).collect::<Vec<f64>>();
    let points = tegula_kernels::geometry::Points::new(Geometry::Plane, &[&km("x"), &km("y")])
        .expect("in the plane");
    let mut values: Vec<f64> = column(table, "zinc").iter().map(|z| z.ln()).collect();
    let root_of_distance = column(table, "dist").iter().map(|d| d.sqrt()).collect();
    let design = design(root_of_distance, &mut values);
    Observations::new(points, values, design)
}

fn demeaned(values: &mut [f64]) {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    values.iter_mut().for_each(|z| *z -= mean);
}

fn with_sqrt_dist(dist: Vec<f64>, values: &[f64]) -> Design {
    let n = values.len();
    let names = ["intercept", "sqrt(dist)"].map(str::to_owned).to_vec();
    Design::new(names, vec![vec![1.0; n], dist], n).expect("independent columns")
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
        predictor.predict(&whole.points.select(&held), &drift(&held), |_| {}).expect("memory");
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

#[test]
fn draws_have_the_covariance_asked_for() {
    // 2000 draws at 12 places: each entry of the sample covariance has standard error
    // sqrt((C_ii C_jj + C_ij^2) / 2000); five of them bound all 78 entries but once in 10^4.
    let (points, _) = scattered_places(Geometry::Plane, 12, &mut Random::new(3)).expect("places");
    let model = Model::new(covariance("matern"), vec![2.0, 0.3, 1.2], 0.1).expect("parameters");
    let draws: Vec<Vec<f64>> = (0..2000)
        .map(|seed| {
            draw::<f64>(&mut flow(1), &model, &points, &mut Random::new(seed), 5).expect("definite")
        })
        .collect();
    let function = model.covariance.function(&model.values);
    let theory = |i: usize, j: usize| {
        if i == j { 2.1 } else { function(points.distance(i, j)) }
    };
    for i in 0..12 {
        for j in 0..=i {
            let mean = draws.iter().map(|z| z[i] * z[j]).sum::<f64>() / draws.len() as f64;
            let error = ((theory(i, i) * theory(j, j) + theory(i, j).powi(2)) / 2000.0).sqrt();
            assert!(
                (mean - theory(i, j)).abs() < 5.0 * error,
                "({i}, {j}): {mean} {}",
                theory(i, j)
            );
        }
    }
}

#[test]
fn a_draw_is_the_same_for_any_number_of_workers() {
    let (points, _) = scattered_places(Geometry::Plane, 300, &mut Random::new(1)).expect("places");
    let model = Model::new(covariance("exponential"), vec![1.0, 0.2], 0.0).expect("parameters");
    let one =
        draw::<f64>(&mut flow(1), &model, &points, &mut Random::new(9), 64).expect("definite");
    let three =
        draw::<f64>(&mut flow(3), &model, &points, &mut Random::new(9), 64).expect("definite");
    assert_eq!(one, three);
}

/// The likelihood does not depend on what the mean explains, however large that is.
#[test]
fn a_mean_far_from_zero_costs_no_digits() {
    let table = sample("e_sub140.csv");
    let (x, z) = (column(&table, "x"), column(&table, "z"));
    let points = plane(&table, "x", "y");
    let evaluate = |offset: f64, single: bool| {
        let values: Vec<f64> = z.iter().zip(&x).map(|(z, x)| z + offset * (1.0 + x)).collect();
        let names = ["intercept", "x"].map(str::to_owned).to_vec();
        let columns = vec![vec![1.0; z.len()], x.clone()];
        let design = Design::new(names, columns, z.len()).expect("independent");
        let observations = Observations::new(points.clone(), values, design);
        let (matern, parameters) = (covariance("matern"), [1.0, 0.1, 0.5]);
        let evaluation = if single {
            let overlap = Overlap::default();
            let mut likelihood = Likelihood::<f32>::new(flow(2), &observations, 32, overlap);
            likelihood.evaluate(matern, &parameters, 0.0)
        } else {
            likelihood(&observations, 32).evaluate(matern, &parameters, 0.0)
        };
        let evaluation = evaluation.expect("definite");
        let coefficients = observations.design.coefficients(&evaluation.coefficients);
        (evaluation.loglik(), coefficients)
    };
    let (plain, coefficients) = evaluate(0.0, false);
    for offset in [1e3, 1e6, 1e8] {
        // The values themselves are rounded to 1e-16 of the offset.
        let (loglik, moved) = evaluate(offset, false);
        assert!((loglik - plain).abs() < 1e-9 + 1e-13 * offset, "{offset}: {loglik}, {plain}");
        for (moved, plain) in moved.iter().zip(&coefficients) {
            assert!((moved - plain - offset).abs() < 1e-9 + 1e-13 * offset, "{moved}, {plain}");
        }
        // In single precision what is left counts, not what was taken off.
        let (single, _) = evaluate(offset, true);
        assert!((single - plain).abs() < 1e-2, "{offset}: {single}, {plain}");
    }
}
