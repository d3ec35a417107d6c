//! The data that a model was fitted to, found again.

use std::path::{Path, PathBuf};

use anyhow::Result;
use tegula_exageostat::program::Computation;
use tegula_exageostat::transform::Transform;
use tegula_files::expression::Expression;
use tegula_files::{Table, TableError};

use super::data::Data;
use super::method::Method;
use super::model_file::ModelFile;
use super::parameter_list;
use super::places::{Coordinates, STANDARD_INPUT, column_list, read_table};
use super::remarks::Remarks;
use super::setup::{Problem, Setup};
use super::values::Observed;
use crate::error::refused;
use crate::files::check_kept;
use crate::flags::{MatrixFlags, RunFlags};
use crate::output::Console;

/// Where the data of a model are.
pub(super) struct Training<'a> {
    /// The model.
    pub(super) model: &'a Path,
    /// What `--train` names, in place of the file that the model does.
    pub(super) train: Option<&'a Path>,
    /// Whether rows without a value are left out, also where they were not in the fit.
    pub(super) drop_missing: bool,
    /// Bytes that the table may take.
    pub(super) memory: u64,
}

impl Training<'_> {
    /// The data of the model that `file` holds.
    ///
    /// # Errors
    /// If they are not there, or, without `--train`, not what they were.
    pub(super) fn data(&self, file: &ModelFile, remarks: &mut Remarks<'_>) -> Result<Data> {
        let table = self.table(file)?;
        let digest = table.digest().to_string();
        if digest != file.digest {
            let (path, model) = (table.path().display(), self.model.display());
            let text = format!(
                "{path} is not the data that {model} was fitted to: its digest is {digest}, the \
                 model's data had {}",
                file.digest
            );
            if self.train.is_none() {
                return Err(refused(format!("{text}. Fit again, or take it with --train {path}")));
            }
            self.check_numbers(&table, file)?;
            remarks.warn(text);
        }
        let texts: Vec<&str> = file.coords.iter().map(String::as_str).collect();
        let coordinates = Coordinates::new(&table, &texts, Some(file.distance), false)?
            .with_time(&table, file.time.as_deref())?;
        let values = Observed::parse(&file.values, &table)?
            .replicated(file.are_replicates)?
            .with_noise(file.noise.as_deref(), &table)?;
        let drop_missing = file.drop_missing || self.drop_missing;
        let mean = file.mean.clone();
        let mut data = Data::from_table(table, coordinates, values, mean, drop_missing)?;
        match file.transform {
            Transform::TukeyGh { .. } => {
                let given = file.coefficients.iter().flatten();
                data.take_about(file.transform, given.map(|(_, value)| *value).collect())?;
            }
            transform => data.take(transform)?,
        }
        Ok(data)
    }

    /// The data, and how the model is assessed on them; prints both.
    ///
    /// # Errors
    /// As [`data`](Self::data), and if there are no means to assess it.
    pub(super) fn assessment(
        &self,
        file: &ModelFile,
        (matrix, run): (&MatrixFlags, &RunFlags),
        method: Method,
        console: &Console,
        remarks: &mut Remarks<'_>,
    ) -> Result<(Data, Setup)> {
        let model = &file.model;
        let data = self.data(file, remarks)?;
        let problem = data.problem(Computation::Assessment);
        let method = method.settle(&data.observations.points);
        let problem = Problem { method, ..problem };
        let setup = Setup::new(matrix, run, problem, model.covariance)?;
        data.check_places(model.nugget > 0.0, "fit again with --estimate-nugget", console)?;
        data.describe(console);
        console.field("covariance", model.covariance.name);
        console.field("parameters", parameter_list(model));
        setup.describe(console);
        remarks.note(setup.remark());
        remarks.caution(model, problem.geometry);
        Ok((data, setup))
    }

    /// The table that holds them.
    fn table(&self, file: &ModelFile) -> Result<Table> {
        if self.train.is_none() && file.file == Path::new(STANDARD_INPUT) {
            return Err(refused(format!(
                "{} was fitted to standard input: say where its data are with --train DATA.csv",
                self.model.display()
            )));
        }
        let path = self.train.map_or_else(|| default_train(&file.file, self.model), Path::to_owned);
        check_kept("the training data", &path)?;
        read_table(&path, self.memory).map_err(|error| match error {
            TableError::Open { .. } if self.train.is_none() => refused(format!(
                "{error}; {} names this file as its training data: say where it is with --train",
                self.model.display()
            )),
            error => error.into(),
        })
    }

    /// Refuses other data with a header where the model takes columns by number.
    fn check_numbers(&self, table: &Table, file: &ModelFile) -> Result<()> {
        let is_number = |text: &&str| {
            let inside = |e: Expression| e.columns().iter().any(|n| table.is_found_by_number(n));
            table.is_found_by_number(text) || Expression::parse(text).is_ok_and(inside)
        };
        let texts = file.coords.iter().chain([&file.values]).map(String::as_str);
        let numbers: Vec<&str> = texts.chain(file.mean.inputs()).filter(is_number).collect();
        if numbers.is_empty() {
            return Ok(());
        }
        Err(refused(format!(
            "{} has a header ({}), and {} takes columns by number ({}) of data without one: fit again",
            table.path().display(),
            column_list(table),
            self.model.display(),
            numbers.join(", ")
        )))
    }
}

/// `file`, or, if it is not there, the file of this name relative to the folder of `model`.
fn default_train(file: &Path, model: &Path) -> PathBuf {
    let near = model.parent().map(|folder| folder.join(file));
    match near {
        Some(near) if !file.exists() && near.exists() => near,
        _ => file.to_owned(),
    }
}
