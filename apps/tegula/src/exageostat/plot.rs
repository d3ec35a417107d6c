//! `tegula exageostat plot`: a page about a model and its data.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use serde_json::Value;

use super::model_file::ModelFile;
use super::object;
use super::page::{Page, Predicted};
use super::remarks::Remarks;
use super::training::Training;
use crate::flags::{MatrixFlags, OutputFlags, RunFlags};
use crate::output::{Form, check_form};

/// Factorisations that the work is worth: those of a cross-validation.
const FACTORIZATIONS: usize = 3;

/// Flags of `plot`.
#[derive(Args, Debug)]
pub(crate) struct Plot {
    /// What fit wrote
    #[arg(value_name = "MODEL.json")]
    model: PathBuf,
    /// Training data [default: the file that the model names, which must not have changed]
    #[arg(long, visible_alias = "data", value_name = "DATA.csv", help_heading = "Data")]
    train: Option<PathBuf>,
    /// Leave out rows that lack a value
    #[arg(long, help_heading = "Data")]
    drop_missing: bool,
    /// What predict wrote, for maps of predictions and their standard errors
    #[arg(long, value_name = "PREDICTIONS.csv", help_heading = "Data")]
    predictions: Option<PathBuf>,
    #[command(flatten)]
    matrix: MatrixFlags,
    #[command(flatten)]
    run: RunFlags,
    /// Write the page to FILE, which needs no other; "-" is standard output
    #[arg(long = "output", short = 'o', value_name = "FILE.html", help_heading = "Output")]
    output_file: PathBuf,
    #[command(flatten)]
    output: OutputFlags,
}

impl Plot {
    pub(crate) fn run(&self) -> Result<()> {
        let console = self.output.console(Some(&self.output_file))?;
        check_form("-o", &self.output_file, Form::Page)?;
        let file = ModelFile::read(&self.model)?;
        let mut remarks = Remarks::new(&console);
        let (train, drop_missing) = (self.train.as_deref(), self.drop_missing);
        let memory = self.run.memory()?;
        let training = Training { model: &self.model, train, drop_missing, memory };
        let flags = (&self.matrix, &self.run);
        let (data, setup) =
            training.assessment(&file, flags, file.method, &console, &mut remarks)?;
        if setup.is_dry {
            let reason = "a factorization, and an inverse, which costs as much as two";
            self.output.write(&setup.estimate(&console, (FACTORIZATIONS, reason))?)?;
            return console.finish();
        }
        let predictions = self.predictions.as_deref();
        let predicted =
            predictions.map(|path| Predicted::read(path, &file, &data, memory)).transpose()?;
        let page = Page { file: &file, data: &data, setup: &setup, predicted, seed: self.run.seed };
        let bytes = page.write(&self.output_file, &console)?;
        let result = object([
            ("page", self.output_file.display().to_string().into()),
            ("bytes", bytes.into()),
            ("n", data.observations.len().into()),
            ("data", super::model_file::data_json(&data)),
            ("remarks", remarks.json(&[])),
        ]);
        self.output.write(&Value::Object(result))?;
        console.finish()
    }
}
