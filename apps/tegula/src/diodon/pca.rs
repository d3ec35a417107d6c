//! `tegula diodon pca`: principal components of a table.

use anyhow::Result;
use clap::Args;
use clap::builder::TypedValueParser;
use tegula_diodon::Ordination;
use tegula_diodon::pca::{self, Listed, PRETREATMENTS};
use tegula_diodon::singular::Triples;
use tegula_diodon::table::{Form, Treatment};

use super::components::{Analysis, ComponentFlags, Setting};
use crate::flags::member;

/// Flags of `pca`.
#[derive(Args, Debug)]
pub(crate) struct Pca {
    /// The table, a row for each item and a column for each variable: HDF5, .npy, CSV ... ("tegula diodon
    /// formats")
    #[arg(value_name = "X")]
    input: String,
    /// What is done to the table before: centring, scaling
    #[arg(long, value_name = "NAME", default_value = "standard", help_heading = "Model", value_parser = pretreatments())]
    pretreatment: usize,
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

    fn listed(&self) -> &'static Listed {
        &PRETREATMENTS[self.pretreatment]
    }
}

impl Analysis for Pca {
    fn pretreatment(&self) -> Option<&'static str> {
        Some(self.listed().name)
    }

    fn treatment(&self) -> Box<dyn Treatment> {
        Box::new(self.listed().pretreatment)
    }

    fn ordination(&self, setting: &Setting, triples: &Triples, _: &Form) -> Ordination {
        pca::ordination(triples, setting.names.clone(), (self.listed(), setting.method))
    }
}
