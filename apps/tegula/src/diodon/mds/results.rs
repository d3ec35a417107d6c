//! What an embedding gives: places of the items, numbers for machines, and tables for people.

use serde_json::{Map, Value, json};
use tegula_diodon::output::Output;
use tegula_diodon::{Accuracy, Ordination, OrdinationInput, verdict};

use super::setup::Setup;
use super::{Mds, Outcome, count_of_passes};
use crate::diodon::axes::{axes_json, describe_axes};
use crate::diodon::overlap::Times;
use crate::machine::peak_resident;
use crate::output::{Console, bytes, count, number, seconds};

impl Mds {
    /// What is known before the run.
    pub(super) fn facts(&self, setup: &Setup) -> Map<String, Value> {
        let Setup { distances, method, request, plan, run, .. } = setup;
        let mut facts = Map::new();
        let mut set = |key: &str, value: Value| facts.insert(key.to_owned(), value);
        set("n", distances.n().into());
        set("input", distances.source.name().into());
        set("element", distances.source.element().name().into());
        set("method", method.name.into());
        set("width", request.width.into());
        set("tolerance", request.tolerance.into());
        set("weighted", setup.weights.is_some().into());
        set("ring_bytes", plan.ring_bytes.into());
        set("panel_bytes", plan.panel_bytes.into());
        set("overlap", self.stream.json());
        set("tegula_version", env!("CARGO_PKG_VERSION").into());
        run.describe_json(&mut facts);
        facts
    }

    pub(super) fn result(
        &self,
        setup: &Setup,
        outcome: &Outcome,
        ordination: &Ordination,
    ) -> Value {
        let mut result = self.facts(setup);
        let times = Times::of(&outcome.trace);
        let findings = &outcome.sums.findings;
        let gof =
            ordination.sum_absolute().zip(ordination.sum_positive()).map(|(absolute, positive)| {
                let sum: f64 = ordination.eigenvalues.iter().sum();
                [sum / absolute, sum / positive]
            });
        let more = [
            ("axes", ordination.axes().into()),
            ("passes", outcome.passes.into()),
            ("passes_taken_over", outcome.taken_over.into()),
            ("converged", json!(outcome.leading.has_converged)),
            ("eigenvalues", ordination.eigenvalues.clone().into()),
            ("residuals", json!(ordination.residuals)),
            ("negative_eigenvalues", ordination.negative.clone().into()),
            ("trace", ordination.trace.into()),
            ("frobenius2", ordination.frobenius2.into()),
            ("gof", json!(gof)),
            ("lingoes_constant", json!(outcome.constant())),
            ("cailliez_constant", json!((outcome.offset > 0.0).then_some(outcome.offset))),
            ("seconds", outcome.seconds.into()),
            ("phases", json!(setup.is_recorded.then(|| times.json()))),
            ("peak_rss_bytes", json!(peak_resident())),
            ("bytes_read", outcome.bytes_read.into()),
            ("tiles", outcome.tiles.into()),
            ("tiles_held", outcome.held.into()),
            ("readers", json!(setup.most_readers(self.readers).unwrap_or(setup.run.workers()))),
            (
                "checks",
                json!({
                    "pairs": outcome.pairs,
                    "pairs_compared": findings.compared,
                    "tiles_compared": outcome.compared,
                    "asymmetric": findings.asymmetric.count,
                    "diagonal": findings.diagonal.count,
                    "negative": findings.negative.count,
                    "rounding": verdict::limit(
                        findings,
                        setup.distances.source.element(),
                        self.tolerated.symmetry_tolerance
                    ),
                    "least": findings.least,
                    "greatest": findings.greatest,
                }),
            ),
            ("notes", notes(setup, outcome).into()),
        ];
        result.extend(more.map(|(key, value)| (key.to_owned(), value)));
        result
            .extend(axes_json(ordination).into_iter().map(|(key, value)| (key.to_owned(), value)));
        if self.output_folder.is_some() {
            let files = Output::files(ordination, setup.weights.is_some());
            result.insert("files".to_owned(), files.into());
        }
        outcome.account.describe_json(&mut result);
        Value::Object(result)
    }

    pub(super) fn describe(
        &self,
        console: &Console,
        setup: &Setup,
        outcome: &Outcome,
        ordination: &Ordination,
    ) {
        notes(setup, outcome).iter().for_each(|note| console.note(note));
        console.line("");
        describe_axes(console, ordination);
        console.line("");
        let found = ordination.axes();
        if found < setup.request.axes {
            console.warn(format_args!(
                "{found} of {} axes: no more eigenvalues are above what the precision of the distances tells from zero",
                setup.request.axes
            ));
        }
        if outcome.leading.has_converged == Some(false) {
            console.warn(
                "not all axes have converged: see the residuals, and allow more --passes or a larger --tolerance",
            );
        }
        if let Some(lowest) = ordination.negative.first() {
            let (lowest, negative) =
                (number(*lowest, 4), count(ordination.negative.len(), "negative eigenvalue"));
            let which = match ordination.accuracy {
                Accuracy::Exact => format!("{negative} found, down to {lowest}"),
                _ => format!(
                    "{negative} met, the lowest about {lowest} (an estimate; --method exact finds all)"
                ),
            };
            let remedy = "--correction makes them so";
            console.note(format_args!("the distances are not Euclidean: {which}; {remedy}"));
        }
        let compared = outcome.sums.findings.compared;
        if outcome.pairs.is_some_and(|pairs| pairs > 0 && pairs == compared) {
            console.line(format_args!(
                "all {compared} entries below the diagonal were compared with those above"
            ));
        }
        if outcome.offset > 0.0 {
            let constant = number(outcome.offset, 8);
            console.line(format_args!("cailliez: {constant} added to each distance"));
        }
        if let Some(constant) = outcome.constant() {
            let constant = number(constant, 8);
            console.line(format_args!("lingoes: {constant} added to each eigenvalue"));
        }
        console.line(format_args!(
            "{} over the distances{}, {} read, in {}",
            count_of_passes(outcome.passes),
            match outcome.taken_over {
                0 => String::new(),
                some => format!(", {some} of them of an earlier run"),
            },
            bytes(outcome.bytes_read as f64),
            seconds(outcome.seconds)
        ));
        let times = Times::of(&outcome.trace);
        if times.either > 0.0 {
            console.detail(format_args!(
                "read for {}, multiplied for {}, both at a time for {:.0} % of the time of either",
                seconds(times.read),
                seconds(times.products),
                100.0 * times.both / times.either
            ));
        }
        outcome.account.describe(console);
    }
}

/// What was noticed about the distances, and how far they were looked at, in a sentence each.
fn notes(setup: &Setup, outcome: &Outcome) -> Vec<String> {
    let findings = &outcome.sums.findings;
    let mut notes = verdict::warnings(findings, setup.distances.source.row_names());
    notes.extend(outcome.pairs.and_then(|pairs| unseen(findings.compared, pairs)));
    notes
}

/// What was not looked at, where `compared` of so many pairs of entries were.
fn unseen(compared: u64, pairs: u64) -> Option<String> {
    (compared < pairs).then(|| {
        let share = number(100.0 * compared as f64 / pairs as f64, 3);
        format!(
            "of {pairs} entries below the diagonal, {share} % were read and compared with those above, some of every item; \
             the others were not looked at, and do not count"
        )
    })
}

/// The places of the items.
pub(super) fn ordination(setup: &Setup, outcome: &Outcome) -> Ordination {
    let Outcome { leading, sums, .. } = outcome;
    let n = setup.distances.n();
    let scale = |item: usize| setup.weights.as_ref().map_or(1.0, |weights| weights[item].sqrt());
    let mut coordinates = leading.vectors.clone();
    for (vector, value) in coordinates.chunks_exact_mut(n).zip(&leading.values) {
        let length = value.sqrt();
        for (item, x) in vector.iter_mut().enumerate() {
            *x *= length / scale(item);
        }
    }
    let shift = outcome.constant().map_or(0.0, |constant| constant * (1.0 - 1.0 / n as f64));
    let weighted = if setup.weights.is_some() { ", weighted" } else { "" };
    Ordination {
        method: format!("principal coordinates, {}{weighted}", setup.method.name),
        ids: setup.distances.ids.clone(),
        coordinates,
        eigenvalues: leading.values.clone(),
        residuals: leading.residuals.clone(),
        negative: leading.negative.clone(),
        spectrum: leading.spectrum.clone(),
        input: OrdinationInput::Distances,
        accuracy: match (&leading.spectrum, leading.has_converged) {
            (Some(_), _) => Accuracy::Exact,
            (None, Some(true)) => Accuracy::Converged,
            (None, _) => Accuracy::Estimated,
        },
        trace: sums.trace,
        frobenius2: Some(sums.frobenius2),
        norms2: sums.norms2().map(|norm| norm + shift).collect(),
        masses: None,
        variables: None,
        constraints: None,
    }
}
