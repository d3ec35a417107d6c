//! What a projection gives: numbers for machines, and some for people.

use serde_json::{Map, Value, json};
use tegula_diodon::verdict;

use tegula_diodon::output::ProjectionOutput;

use super::setup::Setup;
use super::{Outcome, Project};
use crate::diodon::overlap::Times;
use crate::machine::peak_resident;
use crate::output::{Console, bytes, count, number, seconds};

impl Project {
    /// What is known before the run.
    pub(super) fn facts(&self, setup: &Setup) -> Map<String, Value> {
        let Setup { embedding, source, ids, plan, run, .. } = setup;
        let mut facts = Map::new();
        let mut set = |key: &str, value: Value| facts.insert(key.to_owned(), value);
        set("embedding", self.folder.display().to_string().into());
        set("embedded_items", embedding.items().into());
        set("new_items", ids.len().into());
        set("axes", embedding.axes().into());
        set("input", source.name().into());
        set("element", source.element().name().into());
        set("eigenvalues", embedding.eigenvalues.clone().into());
        set("weighted", embedding.weights.is_some().into());
        set("lingoes_constant", json!((embedding.constant > 0.0).then_some(embedding.constant)));
        set("cailliez_constant", json!((embedding.offset > 0.0).then_some(embedding.offset)));
        set("ring_bytes", plan.ring_bytes.into());
        set("panel_bytes", plan.panel_bytes.into());
        set("tegula_version", env!("CARGO_PKG_VERSION").into());
        run.describe_json(&mut facts);
        facts
    }

    pub(super) fn result(&self, setup: &Setup, outcome: &Outcome) -> Value {
        let mut result = self.facts(setup);
        let (projection, findings) = (&outcome.projection, &outcome.projection.findings);
        let readers = self.most_readers(setup).unwrap_or(setup.run.workers());
        let phases = setup.is_recorded.then(|| Times::of(&outcome.trace).json());
        let more = [
            ("share_on_axes", json!(share(outcome))),
            ("negative_residuals", negative(outcome).into()),
            ("seconds", outcome.seconds.into()),
            ("phases", json!(phases)),
            ("peak_rss_bytes", json!(peak_resident())),
            ("bytes_read", projection.bytes_read.into()),
            ("tiles", projection.tiles.into()),
            ("tiles_held", projection.held.into()),
            ("readers", readers.into()),
            ("checks", json!({ "least": findings.least, "greatest": findings.greatest })),
        ];
        result.extend(more.map(|(key, value)| (key.to_owned(), value)));
        result.insert("files".to_owned(), ProjectionOutput::FILES.to_vec().into());
        outcome.account.describe_json(&mut result);
        Value::Object(result)
    }

    pub(super) fn describe(&self, console: &Console, setup: &Setup, outcome: &Outcome) {
        let findings = &outcome.projection.findings;
        let names = setup.source.row_names();
        verdict::warnings(findings, names).iter().for_each(|note| console.note(note));
        console.line("");
        if let Some(share) = share(outcome) {
            let share = number(100.0 * share, 4);
            console.line(format_args!(
                "the axes show {share} % of the squared distances of the new items from the centre"
            ));
        }
        let negative = negative(outcome);
        if negative > 0 {
            console.note(format_args!(
                "{} a negative squared distance from the space of the axes: such distances are not Euclidean",
                if negative == 1 { "1 new item has".to_owned() } else { format!("{negative} new items have") },
            ));
        }
        console.line(format_args!(
            "{} placed, {} read, in {}",
            count(setup.ids.len(), "new item"),
            bytes(outcome.projection.bytes_read as f64),
            seconds(outcome.seconds)
        ));
        outcome.account.describe(console);
    }
}

/// Share of the squared distances from the centre that the axes show, where these are positive.
fn share(outcome: &Outcome) -> Option<f64> {
    let norms2: f64 = outcome.projection.norms2.iter().sum();
    let squares: f64 = outcome.projection.coordinates.iter().map(|y| y * y).sum();
    (norms2 > 0.0).then(|| squares / norms2)
}

/// Number of items with a negative residual, beyond rounding.
fn negative(outcome: &Outcome) -> usize {
    let largest = outcome.projection.norms2.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    let residuals = &outcome.projection.residuals2;
    residuals.iter().filter(|&&residual| residual < -1e-9 * largest).count()
}
