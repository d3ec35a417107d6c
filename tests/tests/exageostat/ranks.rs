//! Likelihoods over ranks.

use std::sync::Arc;

use tegula_exageostat::likelihood::{Criterion, Evaluate, Evaluation, Likelihood, Overlap, Score};
use tegula_plan::distribution::{Traffic, distribution};
use tegula_runtime::exec::Exec;
use tegula_runtime::flow::{Flow, FlowOptions};
use tegula_runtime::ranks::Owners;
use tegula_tests::{over_ranks, synthetic};

use super::covariance;

const RANKS: usize = 4;

fn owners(name: &str) -> Arc<dyn Owners> {
    distribution(name, RANKS).expect("a distribution")
}

/// From one evaluation to the next tiles may be factorised, and generated, by others.
#[test]
fn every_evaluation_may_have_owners_of_its_own() {
    let observations = synthetic();
    let evaluate = |likelihood: &mut Likelihood<f64>, step: usize| -> Evaluation {
        let theta = [1.0 + 0.1 * step as f64, 0.1, 0.5];
        likelihood.evaluate(covariance("matern"), &theta, 0.0).expect("positive definite")
    };
    // Who factorises; from the fifth evaluation on those generate who factorise in the next.
    let homes = ["block-cyclic", "row-cyclic", "column-cyclic", "block-cyclic"];
    let new = |flow: Flow| Likelihood::<f64>::new(flow, &observations, 160, Overlap::default());
    let mut alone = new(Flow::new(Exec::with_workers(1), FlowOptions::default()));
    let expected: Vec<Evaluation> = (0..8).map(|step| evaluate(&mut alone, step)).collect();
    let sent_by = |changes: bool| -> Vec<Traffic> {
        let ranks = over_ranks(RANKS, &owners(homes[0]), |flow| {
            let mut likelihood = new(flow);
            let mut sent = Vec::new();
            for (step, expected) in expected.iter().enumerate() {
                if changes {
                    likelihood.flow().set_owners(owners(homes[step % homes.len()]));
                    if step >= homes.len() {
                        likelihood.generate_by(owners(homes[(step + 1) % homes.len()]));
                    }
                }
                let found = evaluate(&mut likelihood, step);
                let error = (found.loglik() - expected.loglik()).abs();
                assert!(error < 1e-9 * expected.loglik().abs(), "evaluation {step}: {error}");
                sent.push(likelihood.flow().traffic().expect("all ranks are there"));
            }
            sent
        });
        ranks.into_iter().next().expect("there is a rank 0")
    };
    let messages = |sent: &[Traffic]| -> Vec<u64> {
        let before = std::iter::once(0).chain(sent.iter().map(|sent| sent.messages));
        sent.iter().zip(before).map(|(sent, before)| sent.messages - before).collect()
    };
    let (kept, changed) = (messages(&sent_by(false)), messages(&sent_by(true)));
    assert!(kept.iter().all(|&messages| messages == kept[0]), "{kept:?}");
    // Tiles that are dealt by rows or columns alone go to more ranks; a map that comes again costs
    // the same again.
    assert_eq!(changed[0], kept[0]);
    assert!(changed[1] > kept[0] && changed[2] > kept[0], "{changed:?} beside {kept:?}");
    assert_eq!(changed[3], kept[0]);
    // What others generate is sent once more; in the end those generate who factorise.
    assert!((4..7).all(|step| changed[step] > changed[step - 4]), "{changed:?}");
    assert_eq!(changed[7], changed[3]);
}

/// The gradient, and the average information, are those of one rank.
#[test]
fn a_score_is_the_same_over_ranks() {
    let observations = synthetic();
    let score = |flow: Flow| {
        let mut likelihood = Likelihood::<f64>::new(flow, &observations, 160, Overlap::default());
        let (theta, how) = ([1.1, 0.1, 0.6], (Criterion::Restricted, true));
        // The second one finds what the first has left.
        (0..2)
            .map(|_| likelihood.score(covariance("matern"), &theta, 0.02, how, &|_| true))
            .map(|found| found.expect("positive definite").1.expect("it is wanted"))
            .last()
            .expect("two of them")
    };
    let alone = score(Flow::new(Exec::with_workers(1), FlowOptions::default()));
    for found in over_ranks(RANKS, &owners("block-cyclic"), score) {
        let numbers = |score: &Score| -> Vec<f64> {
            score.gradient.iter().chain(&score.information).copied().collect()
        };
        for (found, expected) in numbers(&found).into_iter().zip(numbers(&alone)) {
            let error = (found - expected).abs();
            assert!(error < 1e-7 * expected.abs().max(1.0), "{found}, not {expected}");
        }
    }
}
