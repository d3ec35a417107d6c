//! `tegula diodon coa`: correspondence analysis of a table of counts.

use anyhow::Result;
use clap::Args;
use tegula_diodon::Ordination;
use tegula_diodon::coa::{self, Correspondence};
use tegula_diodon::singular::Triples;
use tegula_diodon::table::{Form, Treatment};

use super::components::{Analysis, ComponentFlags, Setting};

/// Flags of `coa`.
#[derive(Args, Debug)]
pub(crate) struct Coa {
    /// The table of counts, without negative entries and lines of zeros: HDF5, .npy, CSV ... ("tegula diodon
    /// formats")
    #[arg(value_name = "N")]
    input: String,
    #[command(flatten)]
    flags: ComponentFlags,
}

impl Coa {
    pub(crate) fn run(&self) -> Result<()> {
        self.flags.analyse(&self.input, self)
    }
}

impl Analysis for Coa {
    fn treatment(&self) -> Box<dyn Treatment> {
        Box::new(Correspondence)
    }

    fn ordination(&self, setting: &Setting, triples: &Triples, form: &Form) -> Ordination {
        coa::ordination(triples, form, setting.names.clone(), setting.method)
    }
}
