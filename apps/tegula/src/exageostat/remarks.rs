//! What a person should know of a run: said on standard error, and kept for `remarks` of the JSON.

use serde_json::Value;
use tegula_exageostat::model::Model;
use tegula_kernels::geometry::Geometry;

use crate::output::Console;

/// Remarks on a run.
pub(super) struct Remarks<'a> {
    console: &'a Console,
    texts: Vec<String>,
}

impl<'a> Remarks<'a> {
    /// None so far.
    pub(super) fn new(console: &'a Console) -> Self {
        Self { console, texts: Vec::new() }
    }

    /// Says each of `texts`, but not where nothing but warnings is wanted.
    pub(super) fn note(&mut self, texts: impl IntoIterator<Item = String>) {
        for text in texts {
            self.console.remark(&text);
            self.texts.push(text);
        }
    }

    /// Warns of `text`.
    pub(super) fn warn(&mut self, text: String) {
        self.console.warn(&text);
        self.texts.push(text);
    }

    /// Warns if the parameters of `model` are not known to give a covariance in `geometry`.
    pub(super) fn caution(&mut self, model: &Model, geometry: Geometry) {
        let covariance = model.covariance;
        let Some(text) = covariance.caution(geometry, &model.values) else { return };
        if covariance.is_planar() {
            return self.warn(format!("{text}: results may be meaningless"));
        }
        let keep = match covariance.sphere_bound() {
            Some((name, most)) => format!("keep it there (in a fit by --fix {name}={most}), or "),
            None => String::new(),
        };
        self.warn(format!(
            "{text}; results may be meaningless: {keep}take --distance chordal, with which it is one \
             for all parameters"
        ));
    }

    /// All of them, then `more`, for `remarks`.
    pub(super) fn json(&self, more: &[String]) -> Value {
        [&self.texts[..], more].concat().into()
    }
}
