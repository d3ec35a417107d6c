//! `tegula diodon coa`: correspondence analysis of a table of counts.

use anyhow::Result;
use clap::Args;
use std::ffi::OsString;
use tegula_diodon::coa::{self, Correspondence};
use tegula_diodon::diagram::Diagram;
use tegula_diodon::singular::Triples;
use tegula_diodon::table::{Form, Table, TableOptions};
use tegula_diodon::{EmbedError, Ordination};
use tegula_runtime::flow::Flow;

use super::components::{Analysis, ComponentFlags, Setup};

/// Flags of `coa`.
#[derive(Args, Debug)]
pub(crate) struct Coa {
    /// The table of counts: HDF5, .npy, CSV ... ("tegula diodon formats")
    ///
    /// Counts are not negative. Rows and columns of zeros have no profile, and are left out.
    #[arg(value_name = "N")]
    input: OsString,
    #[command(flatten)]
    flags: ComponentFlags,
}

impl Coa {
    pub(crate) fn run(&self) -> Result<()> {
        self.flags.analyse(&self.input, self)
    }
}

impl Analysis for Coa {
    fn diagram(
        &self,
        flow: &mut Flow,
        setup: &Setup,
        options: TableOptions,
    ) -> Result<Diagram, EmbedError> {
        let table = Table::new(flow, &setup.source, Box::new(Correspondence), options);
        Ok(Diagram::plain(table))
    }

    fn ordination(&self, setup: &Setup, triples: &Triples, form: &Form) -> Ordination {
        coa::ordination(triples, form, setup.names.clone(), setup.method)
    }
}
