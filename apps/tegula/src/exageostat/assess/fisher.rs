//! `--fisher`: standard errors and correlations by the expected information at the model.

use anyhow::Result;
use serde_json::{Map, Value, json};
use tegula_exageostat::assess::Fisher;
use tegula_exageostat::likelihood::{Criterion, Overlap};
use tegula_exageostat::model::Model;
use tegula_kernels::scalar::Real;

use super::{Assess, Known};
use crate::output::{Align, Console, Progress, Table, number, seconds};

/// What the data tell of the parameters.
pub(super) struct Done {
    /// Names of what is not known.
    names: Vec<&'static str>,
    values: Vec<f64>,
    /// None if the information is singular.
    fisher: Option<Fisher>,
    criterion: Criterion,
    /// Which information it is: "expected", or where there is none "average" or "observed".
    kind: &'static str,
    /// What that is by, if not by the likelihood itself.
    source: Option<String>,
    seconds: f64,
}

impl Assess {
    /// The information at the model on what its fit has estimated; if that is nothing, or not said,
    /// on all parameters, and on a nugget above 0.
    pub(super) fn information<T: Real>(of: &Known<'_>, console: &Console) -> Result<Done> {
        let Model { covariance, values, nugget } = &of.file.model;
        let fitted = of.file.fitted.as_ref();
        let is_restricted = fitted.is_some_and(|fitted| fitted.is_restricted);
        let criterion = if is_restricted { Criterion::Restricted } else { Criterion::Full };
        let names = covariance.parameters.iter().map(|parameter| parameter.name);
        let names: Vec<&'static str> = names.chain(["nugget"]).collect();
        let is_there = |k: &usize| *k < values.len() || *nugget > 0.0;
        let all = || (0..names.len()).filter(is_there);
        let is_named = |fitted: &super::Fitted, k| fitted.estimated.iter().any(|n| n == names[k]);
        let estimated = all().filter(|&k| fitted.is_some_and(|fitted| is_named(fitted, k)));
        let estimated: Vec<usize> = estimated.collect();
        let which = if estimated.is_empty() { all().collect() } else { estimated };
        let mut progress = Progress::new(console);
        let flow = of.setup.run.flow(false, true);
        let how = (Overlap::default(), None);
        let mut likelihood = of.setup.likelihood::<T>(flow, &of.data.observations, how);
        progress.follow(likelihood.flow().watch(), 8.0 * of.setup.tasks(), "information");
        let (_, information) = likelihood.information(covariance, values, *nugget, criterion)?;
        progress.clear();
        let kind = likelihood.information_kind(criterion);
        let fisher = Fisher::new(&information, &of.file.model, &which);
        let value = |&k: &usize| values.get(k).copied().unwrap_or(*nugget);
        Ok(Done {
            names: which.iter().map(|&k| names[k]).collect(),
            values: which.iter().map(value).collect(),
            fisher,
            criterion,
            kind: kind.name(),
            source: likelihood.information_source(),
            seconds: progress.seconds(),
        })
    }
}

impl Done {
    /// Prints them.
    pub(super) fn describe(&self, console: &Console) {
        console.line("");
        let Some(fisher) = &self.fisher else {
            console.note("the information is singular: data like these do not tell all parameters");
            return;
        };
        let correlations = self.names.iter().map(|name| (*name, Align::Right));
        let head =
            [("parameter", Align::Left), ("value", Align::Right), ("std. error", Align::Right)];
        let mut table = Table::new(&head.into_iter().chain(correlations).collect::<Vec<_>>());
        let n = self.names.len();
        for (i, name) in self.names.iter().enumerate() {
            let start =
                [(*name).to_owned(), number(self.values[i], 6), number(fisher.std_errors[i], 4)];
            let row = (0..n).map(|j| match j.cmp(&i) {
                std::cmp::Ordering::Less => number(fisher.correlations[i + j * n], 3),
                std::cmp::Ordering::Equal => "1".to_owned(),
                std::cmp::Ordering::Greater => String::new(),
            });
            table.row(start.into_iter().chain(row).collect());
        }
        console.line(table);
        console.line("");
        let which = if self.criterion == Criterion::Restricted { "restricted " } else { "" };
        console.line(format_args!(
            "standard errors and correlations by the {} information of the {which}likelihood, in {}",
            self.kind,
            seconds(self.seconds)
        ));
        self.source.iter().for_each(|source| console.note(source));
    }

    /// The same as JSON.
    pub(super) fn json(&self) -> Value {
        let n = self.names.len();
        let rows = |of: &[f64]| -> Value {
            (0..n).map(|i| (0..n).map(|j| of[i + j * n]).collect::<Vec<f64>>()).collect()
        };
        let Some(fisher) = &self.fisher else { return Value::Null };
        let errors = self.names.iter().zip(&fisher.std_errors);
        let errors: Map<String, Value> =
            errors.map(|(name, error)| ((*name).to_owned(), (*error).into())).collect();
        json!({
            "parameters": self.names,
            "std_errors": errors,
            "correlations": rows(&fisher.correlations),
            "information": rows(&fisher.information),
            "information_kind": self.kind,
            "criterion": if self.criterion == Criterion::Restricted { "reml" } else { "ml" },
            "seconds": self.seconds,
        })
    }
}
