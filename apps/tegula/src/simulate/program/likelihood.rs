//! What `exageostat` runs: evaluations of the likelihood, fits and predictions.

use tegula_exageostat::likelihood::Overlap;
use tegula_exageostat::program::Described;
use tegula_plan::distribution::messages;
use tegula_runtime::flow::{Flow, FlowError};

use super::{Measure, Setting, Sizes, Spread, Tasks, Workload, held, triangle};

/// The name of an evaluation of the likelihood.
pub(crate) const LIKELIHOOD: &str = "exageostat";

/// The name of several, one after the other.
pub(crate) const FIT: &str = "fit";

/// On each node one more worker, which runs only [`CRITICAL`] tasks.
pub(crate) const CRITICAL_WORKER: &str = "critical-worker";
/// Tasks that others wait for, behind which no long one should stand.
pub(crate) const CRITICAL: &[&str] = &["potrf"];

const MEASURES: &[Measure] = &[
    Measure { name: "overlap", without: "wait after each phase" },
    Measure { name: "local-solve", without: "updates of the solve tile by tile" },
    Measure { name: "priorities", without: "priorities in the factorisation alone" },
    Measure { name: "submission-order", without: "generate column by column" },
    Measure { name: CRITICAL_WORKER, without: "no worker for potrf alone beside the others" },
];

/// Most tasks that a flow holds for an evaluation.
fn evaluation(sizes: &Sizes) -> u64 {
    let n = sizes.tiles as u64;
    held(n * (n + 1) * (n + 2) / 6 + n * (n + 4), 3, 0)
}

/// The same with the blocks of places of a prediction.
fn prediction(sizes: &Sizes) -> u64 {
    let (n, blocks) = (sizes.tiles as u64, sizes.places.div_ceil(sizes.nb) as u64);
    evaluation(sizes) + blocks * held(n * (n + 1) / 2 + 4 * n, 3, 0)
}

/// A program of `exageostat` that submits its tasks so.
const fn of(
    name: &'static str,
    summary: &'static str,
    submit: fn(&mut Flow, &Setting) -> Result<(), FlowError>,
    most: fn(&Sizes) -> u64,
) -> Workload {
    Workload {
        name,
        summary,
        tasks: Tasks::Described { submit, most, working_set: triangle, flops: None },
        spread: Spread::GeneratedAndFactorised,
        messages: Some(messages::cholesky),
        measures: MEASURES,
        makes_contexts: false,
    }
}

const EVALUATION: &str =
    "an evaluation of the likelihood: generation, Cholesky, determinant, solve, dot product";

pub(super) const EXAGEOSTAT: [Workload; 4] = [
    of(LIKELIHOOD, EVALUATION, evaluate, evaluation),
    of("loglik", EVALUATION, evaluate, evaluation),
    of(FIT, "so many evaluations of the likelihood, one after the other", fit, evaluation),
    of("predict", "an evaluation, and predictions at so many places", predict, prediction),
];

fn evaluate(flow: &mut Flow, setting: &Setting) -> Result<(), FlowError> {
    match setting.sizes.is_single() {
        true => described(setting).evaluate::<f32>(flow),
        false => described(setting).evaluate::<f64>(flow),
    }
}

fn fit(flow: &mut Flow, setting: &Setting) -> Result<(), FlowError> {
    let (described, evaluations) = (described(setting), setting.sizes.evaluations);
    let begin = |flow: &mut Flow, number: usize| match &setting.evaluations {
        Some(own) => own.begin(flow, number),
        None => setting.earlier.clone(),
    };
    match setting.sizes.is_single() {
        true => described.fit::<f32>(flow, evaluations, begin)?,
        false => described.fit::<f64>(flow, evaluations, begin)?,
    }
    setting.evaluations.iter().for_each(|own| own.end(flow, evaluations));
    Ok(())
}

fn predict(flow: &mut Flow, setting: &Setting) -> Result<(), FlowError> {
    let (described, places) = (described(setting), setting.sizes.places);
    match setting.sizes.is_single() {
        true => described.predict::<f32>(flow, places),
        false => described.predict::<f64>(flow, places),
    }
}

fn described(setting: &Setting) -> Described {
    let Sizes { tiles, nb, .. } = setting.sizes;
    let overlap = Overlap {
        asynchronous: setting.has("overlap"),
        local_solve: setting.has("local-solve"),
        priorities: setting.has("priorities"),
        submission_order: setting.has("submission-order"),
        memory_cache: true,
    };
    Described { n: tiles * nb, nb, overlap, generators: setting.earlier.clone() }
}
