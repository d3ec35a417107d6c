//! What an analysis of a table gives: numbers for machines, and tables for people.

use serde_json::{Map, Value, json};
use tegula_diodon::instruments::Explained;
use tegula_diodon::output::Output;
use tegula_diodon::{Ordination, pca};

use super::{Analysis, ComponentFlags, Outcome, Setup};
use crate::diodon::axes::{axes_json, describe_axes};
use crate::diodon::overlap::Times;
use crate::machine::peak_resident;
use crate::output::{Console, bytes, number, seconds};

impl ComponentFlags {
    /// What is known before the run.
    pub(super) fn facts(&self, setup: &Setup, analysis: &dyn Analysis) -> Map<String, Value> {
        let Setup { source, method, request, plan, run, .. } = setup;
        let [m, n] = source.shape();
        let mut facts = Map::new();
        let mut set = |key: &str, value: Value| facts.insert(key.to_owned(), value);
        set("rows", m.into());
        set("columns", n.into());
        set("input", source.name().into());
        set("element", source.element().name().into());
        set("pretreatment", json!(analysis.pretreatment()));
        set("method", method.name.into());
        set("width", request.width.into());
        set("tolerance", request.tolerance.into());
        set("ring_bytes", plan.ring_bytes.into());
        set("panel_bytes", plan.panel_bytes.into());
        set("overlap", self.stream.json());
        set("tegula_version", env!("CARGO_PKG_VERSION").into());
        if analysis.pretreatment().is_some() {
            setup.side_inputs.describe_json(&mut facts);
        }
        run.describe_json(&mut facts);
        facts
    }

    pub(super) fn result(
        &self,
        (setup, analysis): (&Setup, &dyn Analysis),
        outcome: &Outcome,
        ordination: &Ordination,
    ) -> Value {
        let mut result = self.facts(setup, analysis);
        let workers = setup.run.workers();
        let more = [
            ("axes", ordination.axes().into()),
            ("passes", outcome.passes.into()),
            ("converged", outcome.triples.has_converged.into()),
            ("eigenvalues", ordination.eigenvalues.clone().into()),
            ("residuals", json!(ordination.residuals)),
            ("inertia", ordination.trace.into()),
            ("inertia_rounding", outcome.triples.rounding.into()),
            ("notes", outcome.form.notes.clone().into()),
            ("seconds", outcome.seconds.into()),
            ("phases", Times::of(&outcome.trace).json()),
            ("peak_rss_bytes", json!(peak_resident())),
            ("bytes_read", outcome.bytes_read.into()),
            ("tiles", outcome.tiles.into()),
            ("tiles_held", outcome.held.into()),
            ("readers", setup.most_readers(self.readers).unwrap_or(workers).into()),
        ];
        result.extend(more.map(|(key, value)| (key.to_owned(), value)));
        if let Some(explained) = &outcome.explained {
            result.insert("constrained_inertia".to_owned(), explained.constrained.into());
            result.insert("total_inertia".to_owned(), explained.total.into());
            result.insert("dropped_instruments".to_owned(), json!(dropped(setup, explained)));
        }
        result
            .extend(axes_json(ordination).into_iter().map(|(key, value)| (key.to_owned(), value)));
        if analysis.pretreatment().is_none() {
            let [rows, columns] = dropped_lines(setup, outcome);
            result.insert("dropped_rows".to_owned(), rows.into());
            result.insert("dropped_columns".to_owned(), columns.into());
        }
        if self.output_folder.is_some() {
            result.insert("files".to_owned(), Output::files(ordination, false).into());
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
        outcome.form.notes.iter().for_each(|note| console.warn(note));
        if let Some(note) = pca::rounding_note(&outcome.triples) {
            console.warn(note);
        }
        console.line("");
        describe_axes(console, ordination);
        console.line("");
        console.field("inertia", number(ordination.trace, 8));
        if let Some(explained) = &outcome.explained {
            describe_explained(console, setup, explained);
        }
        let found = ordination.axes();
        if found < setup.request.axes {
            console.warn(format_args!(
                "{found} of {} axes: no more eigenvalues can be told from zero",
                setup.request.axes
            ));
        }
        if !outcome.triples.has_converged {
            console.warn(
                "not all axes have converged: see the residuals, and allow more --passes or a larger --tolerance",
            );
        }
        // There are two at least.
        console.line(format_args!(
            "{} passes over the table, {} read, in {}",
            outcome.passes,
            bytes(outcome.bytes_read as f64),
            seconds(outcome.seconds)
        ));
        outcome.account.describe(console);
    }
}

/// Names of rows and of columns that were left out.
fn dropped_lines<'a>(setup: &'a Setup, outcome: &Outcome) -> [Vec<&'a str>; 2] {
    let names = [&setup.names.items, &setup.names.variables];
    let dropped = &outcome.form.dropped;
    [0, 1].map(|side: usize| dropped[side].iter().map(|&line| names[side][line].as_str()).collect())
}

/// Names of instruments that were left out.
fn dropped<'a>(setup: &'a Setup, explained: &Explained) -> Vec<&'a str> {
    let ids = setup.side_inputs.instruments.as_ref().map(|instruments| &instruments.ids);
    let name = |&place: &usize| ids.map_or("", |ids| ids[place].as_str());
    explained.dropped.iter().map(name).collect()
}

/// Prints what the instruments explain.
fn describe_explained(console: &Console, setup: &Setup, explained: &Explained) {
    let dropped = dropped(setup, explained);
    if !dropped.is_empty() {
        console.warn(format_args!(
            "left out, being constant or sums of other instruments: {}",
            dropped.join(", ")
        ));
    }
    console.field(
        "explained",
        format_args!(
            "{:.2} % of the inertia of the table, {}, by the instruments",
            100.0 * explained.share(),
            number(explained.total, 8)
        ),
    );
}
