//! Log-likelihoods.

use std::sync::Arc;

use tegula_exageostat::design::Design;
use tegula_exageostat::likelihood::{Evaluate, Likelihood, LikelihoodError, Overlap};
use tegula_exageostat::observations::Observations;
use tegula_plan::distribution::distribution;
use tegula_runtime::flow::{Flow, FlowOptions};
use tegula_runtime::platform::{Machine, WorkerModel};
use tegula_runtime::ranks::Owners;
use tegula_runtime::sched::POLICIES;
use tegula_runtime::sim::{Sim, SimOptions};
use tegula_tests::{
    answers, assert_close, column, flow, likelihood, numbers, over_ranks, plane, sample, synthetic,
};

use super::{covariance, number, split};

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

/// Several at the same time are what each is by itself, on one rank and over several, and one
/// without a likelihood takes none from the others.
#[test]
fn evaluations_at_the_same_time_are_those_one_after_the_other() {
    let some: Vec<usize> = (0..1600).step_by(13).collect();
    let observations = synthetic().subset(&some);
    let matern = covariance("matern");
    let point = |i: usize| (vec![1.0 + 0.1 * i as f64, 0.05 + 0.01 * i as f64, 0.7], 0.01);
    let mut points: Vec<(Vec<f64>, f64)> = (0..13).map(point).collect();
    let mut alone = likelihood(&observations, 32);
    let mut one = |(values, nugget): &(Vec<f64>, f64)| alone.evaluate(matern, values, *nugget);
    let expected: Vec<f64> =
        points.iter().map(|point| one(point).expect("definite").loglik()).collect();
    for workers in [1, 2, 4] {
        let of = Overlap::default();
        let mut likelihood = Likelihood::<f64>::new(flow(workers), &observations, 32, of);
        assert!(workers == 1 || likelihood.at_once() > 1, "{}", likelihood.at_once());
        for _ in 0..2 {
            let found = likelihood.evaluate_each(matern, &points).into_iter();
            for (found, expected) in found.zip(&expected) {
                assert_close(found.expect("definite").loglik(), *expected, 1e-13, "at once");
            }
        }
    }
    let owners: Arc<dyn Owners> = distribution("block-cyclic", 3).expect("a distribution");
    for found in over_ranks(3, &owners, |flow| {
        let of = Overlap::default();
        let mut likelihood = Likelihood::<f64>::new(flow, &observations, 32, of);
        let found = likelihood.evaluate_each(matern, &points).into_iter();
        found.map(|found| found.expect("definite").loglik()).collect::<Vec<f64>>()
    }) {
        found.iter().zip(&expected).for_each(|(x, y)| assert_close(*x, *y, 1e-12, "over ranks"));
    }
    // Nearly singular, and with a parameter that is none.
    points[2] = (vec![1.0, 1e4, 5.0], 0.0);
    points[7].0[1] = -1.0;
    let mut likelihood = likelihood(&observations, 32);
    let found = likelihood.evaluate_each(matern, &points);
    assert_eq!(found.len(), points.len());
    for (place, (found, expected)) in found.into_iter().zip(&expected).enumerate() {
        match (place, found) {
            (2, Err(LikelihoodError::NotPositiveDefinite { .. })) => {}
            (7, Err(LikelihoodError::Covariance(_))) => {}
            (2 | 7, other) => panic!("{place}: {other:?}"),
            (_, found) => assert_close(found.expect("definite").loglik(), *expected, 1e-13, "rest"),
        }
    }
}

/// In simulated time: sixteen workers are not kept busy by ten tasks after each other.
#[test]
fn evaluations_at_the_same_time_keep_many_workers_busy() {
    let some: Vec<usize> = (0..480).collect();
    let observations = synthetic().subset(&some);
    let points: Vec<(Vec<f64>, f64)> = vec![(vec![1.0, 0.1, 0.5], 0.01); 32];
    let model = WorkerModel { gflops: 50.0, gbytes_per_second: 10.0, overhead_seconds: 1e-6 };
    let elapsed = |is_together: bool| {
        let policy = POLICIES.iter().find(|policy| policy.name == "prio").expect("it is listed");
        let sim = Sim::new(SimOptions::new(Machine::cores(16), vec![model], policy));
        let (flow, of) = (Flow::new(sim, FlowOptions::default()), Overlap::default());
        let mut likelihood = Likelihood::<f64>::new(flow, &observations, 120, of);
        let matern = covariance("matern");
        if is_together {
            likelihood.evaluate_each(matern, &points);
        } else {
            for (values, nugget) in &points {
                likelihood.evaluate(matern, values, *nugget).expect("simulated");
            }
        }
        let records = likelihood.flow().take_trace().records;
        records.iter().map(|record| record.end).max().expect("there are tasks") as f64
    };
    let share = elapsed(true) / elapsed(false);
    assert!(share < 0.3, "{share}");
}
