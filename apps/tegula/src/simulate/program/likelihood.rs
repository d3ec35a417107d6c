//! What `exageostat` runs: evaluations of the likelihood, fits and predictions.

use tegula_exageostat::likelihood::Overlap;
use tegula_exageostat::program::Described;
use tegula_plan::distribution::messages;
use tegula_runtime::flow::{Flow, FlowError};

use super::{Measure, Setting, Sizes, Spread, Tasks, Workload, held, triangle};

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

/// Most tasks that a flow holds for an evaluation on `n` tiles along an edge.
fn most(n: u64) -> u64 {
    held(n * (n + 1) * (n + 2) / 6 + n * (n + 4), 3, 0)
}

/// A program of `exageostat` that submits its tasks so.
const fn of(
    name: &'static str,
    summary: &'static str,
    submit: fn(&mut Flow, &Setting) -> Result<(), FlowError>,
) -> Workload {
    Workload {
        name,
        summary,
        tasks: Tasks::Described {
            submit,
            most: |sizes| most(sizes.tiles as u64),
            working_set: triangle,
            flops: None,
        },
        spread: Spread::GeneratedAndFactorised,
        messages: Some(messages::cholesky),
        measures: MEASURES,
    }
}

const EVALUATION: &str =
    "an evaluation of the likelihood: generation, Cholesky, determinant, solve, dot product";

pub(super) const EXAGEOSTAT: [Workload; 4] = [
    of("exageostat", EVALUATION, evaluate),
    of("loglik", EVALUATION, evaluate),
    of("fit", "so many evaluations of the likelihood, one after the other", |flow, setting| {
        let (described, evaluations) = (described(setting), setting.sizes.evaluations);
        match setting.sizes.is_single() {
            true => described.fit::<f32>(flow, evaluations),
            false => described.fit::<f64>(flow, evaluations),
        }
    }),
    of("predict", "an evaluation, and predictions at so many places", |flow, setting| {
        let (described, places) = (described(setting), setting.sizes.places);
        match setting.sizes.is_single() {
            true => described.predict::<f32>(flow, places),
            false => described.predict::<f64>(flow, places),
        }
    }),
];

fn evaluate(flow: &mut Flow, setting: &Setting) -> Result<(), FlowError> {
    match setting.sizes.is_single() {
        true => described(setting).evaluate::<f32>(flow),
        false => described(setting).evaluate::<f64>(flow),
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
