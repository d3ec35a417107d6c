//! What a prediction starts from: the training data of a model, and the places.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use tegula_data::expression::{Expression, split_list};
use tegula_data::format::{NamedValues, Table, TableError};
use tegula_kernels::geometry::Points;

use super::data::{Data, complete_rows};
use super::model_file::ModelFile;
use super::places::{Coordinates, STANDARD_INPUT, read_table};
use crate::error::refused;
use crate::output::{Console, count};

/// Places to predict at.
pub(super) struct Places {
    /// The table they come from.
    pub(super) table: Table,
    /// Rows of it that are places.
    pub(super) rows: Vec<usize>,
    /// The places.
    pub(super) points: Points,
    /// The regressors of the mean there.
    pub(super) drift: Vec<Vec<f64>>,
}

/// What to predict from, and where.
#[derive(Args, Debug)]
#[command(next_help_heading = "Data")]
pub(crate) struct InputFlags {
    /// What fit wrote
    #[arg(value_name = "MODEL.json", help_heading = None)]
    pub(super) model: PathBuf,
    /// Places to predict at, one per row; the table may have other columns, too
    #[arg(long, value_name = "PLACES.csv")]
    pub(super) at: PathBuf,
    /// Coordinates in PLACES.csv [default: as in the training data]
    #[arg(long, value_name = "X,Y[,Z]", allow_hyphen_values = true)]
    coords: Option<String>,
    /// Training data [default: the file that the model names, which must not have changed]
    #[arg(long, value_name = "DATA.csv")]
    train: Option<PathBuf>,
    /// Where rows lack a value, predict NA instead of refusing the table
    #[arg(long)]
    drop_missing: bool,
}

impl InputFlags {
    /// The training data: the file that the model names, as it was, or the one that `--train`
    /// names.
    pub(super) fn training_data(&self, file: &ModelFile, console: &Console) -> Result<Data> {
        if self.train.is_none() && file.file == Path::new(STANDARD_INPUT) {
            return Err(refused(format!(
                "{} was fitted to standard input: say where its data are with --train DATA.csv",
                self.model.display()
            )));
        }
        let path = self.train.clone().unwrap_or_else(|| beside(&file.file, &self.model));
        let table = read_table(&path).map_err(|error| match error {
            TableError::Open { .. } if self.train.is_none() => refused(format!(
                "{error}; {} names this file as its training data: say where it is with --train",
                self.model.display()
            )),
            error => error.into(),
        })?;
        let digest = table.digest().to_string();
        if digest != file.digest {
            let (path, model) = (path.display(), self.model.display());
            let text = format!(
                "{path} is not the data that {model} was fitted to: its digest is {digest}, the \
                 model's data had {}",
                file.digest
            );
            if self.train.is_none() {
                return Err(refused(format!("{text}. Fit again, or take it with --train {path}")));
            }
            console.warn(text);
        }
        let texts: Vec<&str> = file.coords.iter().map(String::as_str).collect();
        let coordinates = Coordinates::new(&table, &texts, Some(file.distance), false)?;
        let values = Expression::column_or_parse(&file.values, &table)?;
        let drop_missing = file.drop_missing || self.drop_missing;
        Data::from_table(table, coordinates, values, file.mean.clone(), drop_missing)
    }

    /// The places to predict at, with the regressors of the mean there.
    pub(super) fn places(&self, file: &ModelFile, data: &Data) -> Result<Places> {
        let table = read_table(&self.at)?;
        let texts: Vec<&str> = match &self.coords {
            Some(list) => split_list(list),
            None => file.coords.iter().map(String::as_str).collect(),
        };
        let mut coordinates = Coordinates::new(&table, &texts, Some(file.distance), false)?;
        coordinates.take_order_of(&data.coordinates);
        if coordinates.geometry() != data.coordinates.geometry() {
            let wanted = file.coords.len();
            return Err(refused(format!(
                "--coords: the model has {}, not {}",
                count(wanted, "coordinate"),
                texts.len()
            )));
        }
        let values = coordinates.evaluate(&table)?;
        let regressors = file.mean.columns(&table)?;
        let names = file.mean.names();
        let mut needed = coordinates.named(&values);
        let pairs = names.iter().zip(&regressors);
        needed.extend(pairs.map(|(name, values)| NamedValues { name, values }));
        let rows = complete_rows(&table, &needed, self.drop_missing)?;
        let points = coordinates.points(&table, &values, &rows)?;
        let kept = |column: &Vec<f64>| rows.iter().map(|&row| column[row]).collect();
        let drift = regressors.iter().map(kept).collect();
        Ok(Places { table, rows, points, drift })
    }
}

/// `file`, or, if it is not there, the file of this name relative to the folder of `model`.
fn beside(file: &Path, model: &Path) -> PathBuf {
    let near = model.parent().map(|folder| folder.join(file));
    match near {
        Some(near) if !file.exists() && near.exists() => near,
        _ => file.to_owned(),
    }
}
