//! `tegula diodon pca`: principal components of a table.

use anyhow::Result;
use clap::Args;
use clap::builder::TypedValueParser;
use std::ffi::OsString;
use tegula_diodon::diagram::Diagram;
use tegula_diodon::pca::{self, PRETREATMENTS, PretreatmentEntry};
use tegula_diodon::singular::Triples;
use tegula_diodon::table::{Form, TableOptions};
use tegula_diodon::{EmbedError, Ordination};
use tegula_runtime::flow::Flow;

use super::components::{Analysis, ComponentFlags, MainTable, Setup, SideInputs};
use crate::flags::member;

/// Flags of `pca`.
#[derive(Args, Debug)]
pub(crate) struct Pca {
    /// The table, a row for each item: HDF5, .npy, CSV ... ("tegula diodon formats")
    #[arg(value_name = "X")]
    input: OsString,
    /// What is done to the table before: centring, scaling
    #[arg(long, value_name = "NAME", default_value = "standard", help_heading = "Model", value_parser = pretreatments())]
    pretreatment: usize,
    /// Metric of the rows: a file of weights, or a positive definite matrix
    ///
    /// Weights are lines "id,weight" or "weight"; means and norms of columns are taken in the
    /// metric.
    #[arg(long, value_name = "FILE", help_heading = "Model")]
    row_metric: Option<OsString>,
    /// Metric of the columns, given in the same way; means of rows are taken in it
    #[arg(long, value_name = "FILE", help_heading = "Model")]
    column_metric: Option<OsString>,
    /// Instrumental variables of the rows: components of what they explain linearly
    ///
    /// As rda of vegan and pcaiv of ade4. The file has a row for each of the table, matched by name
    /// where both have names. A column of texts is categories: each but the first, the reference,
    /// becomes a variable of 0 and 1, called by column and category (treatment contrasts, as
    /// model.matrix of R).
    #[arg(long, value_name = "FILE", help_heading = "Model")]
    instruments: Option<OsString>,
    /// Components of what the instruments leave (as pcaivortho of ade4)
    #[arg(long, requires = "instruments", help_heading = "Model")]
    residual: bool,
    #[command(flatten)]
    flags: ComponentFlags,
}

/// A parser of the names of [`PRETREATMENTS`].
fn pretreatments() -> impl TypedValueParser<Value = usize> {
    member(PRETREATMENTS.iter().map(|listed| (listed.name, listed.summary)).collect())
}

impl Pca {
    pub(crate) fn run(&self) -> Result<()> {
        self.flags.analyse(&self.input, self)
    }

    fn listed(&self) -> &'static PretreatmentEntry {
        &PRETREATMENTS[self.pretreatment]
    }
}

impl Analysis for Pca {
    fn pretreatment(&self) -> Option<&'static str> {
        Some(self.listed().name)
    }

    fn side_inputs(&self, table: &MainTable<'_>) -> Result<SideInputs> {
        let metric = |side, flag, spec: &Option<OsString>| {
            let spec = spec.as_ref();
            spec.map_or_else(|| Ok(Default::default()), |spec| table.metric(side, (flag, spec)))
        };
        let rows = metric(0, "--row-metric", &self.row_metric)?;
        let columns = metric(1, "--column-metric", &self.column_metric)?;
        let instruments = self.instruments.as_ref().map(|spec| table.instruments(spec));
        let (instruments, factors) = instruments.transpose()?.unzip();
        let (metrics, factors) = ([rows, columns], factors.unwrap_or_default());
        Ok(SideInputs { metrics, instruments, factors, is_residual: self.residual })
    }

    fn diagram(
        &self,
        flow: &mut Flow,
        setup: &Setup,
        options: TableOptions,
    ) -> Result<Diagram, EmbedError> {
        let metrics = setup.side_inputs.metrics.clone();
        Diagram::new(flow, &setup.source, (self.listed().pretreatment, metrics), options)
    }

    fn ordination(&self, setup: &Setup, triples: &Triples, _: &Form) -> Ordination {
        let (listed, method) = (self.listed(), setup.method);
        let found = pca::ordination(
            triples,
            (setup.names.clone(), &setup.side_inputs.metrics),
            (listed, method),
        );
        let instruments = match (&setup.side_inputs.instruments, setup.side_inputs.is_residual) {
            (None, _) => return found,
            (Some(_), false) => "on instrumental variables",
            (Some(_), true) => "without instrumental variables",
        };
        let method = found.method.replace("components", &format!("components {instruments}"));
        Ordination { method, ..found }
    }
}
