//! What a prediction starts from: the training data of a model, and the places.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use tegula_files::expression::split_list;
use tegula_files::{NamedValues, Table};
use tegula_kernels::geometry::Points;

use super::data::{Data, complete_rows, variable_names};
use super::mean::{Mean, RowValues, undetermined};
use super::model_file::ModelFile;
use super::obvious;
use super::places::{Coordinates, column_list, read_table};
use super::remarks::Remarks;
use super::training::Training;
use crate::error::refused;
use crate::output::count;

/// Places to predict at.
pub(super) struct Places {
    /// The table they come from.
    pub(super) table: Table,
    /// Rows of it that are places.
    pub(super) rows: Vec<usize>,
    /// Which columns of it are the places.
    pub(super) coordinates: Coordinates,
    /// The places.
    pub(super) points: Points,
    /// The regressors of the mean there.
    pub(super) drift: Vec<Vec<f64>>,
}

impl Places {
    /// The places of `data` themselves.
    ///
    /// # Errors
    /// Never for data that have a mean.
    pub(super) fn of_data(data: &Data) -> Result<Self> {
        let (table, rows) = (data.table.clone(), data.rows.clone());
        let variables = data.mean.values(&table)?;
        let variables: Vec<_> = variables.iter().map(|values| values.of_rows(&rows)).collect();
        let (_, mut drift) = data.mean.columns(&variables, (&table, &rows))?;
        data.aliased.iter().rev().for_each(|column| drop(drift.remove(column.place)));
        let (coordinates, points) = (data.coordinates.clone(), data.observations.points.clone());
        Ok(Self { table, rows, coordinates, points, drift })
    }
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
    pub(super) coords: Option<String>,
    /// Training data [default: the file that the model names, which must not have changed]
    #[arg(long, value_name = "DATA.csv")]
    pub(super) train: Option<PathBuf>,
    /// Where rows lack a value, predict NA instead of refusing the table
    #[arg(long)]
    pub(super) drop_missing: bool,
}

impl InputFlags {
    /// The training data: the file that the model names, as it was, or the one that `--train`
    /// names.
    pub(super) fn training_data(
        &self,
        file: &ModelFile,
        memory: u64,
        remarks: &mut Remarks<'_>,
    ) -> Result<Data> {
        let (train, drop_missing) = (self.train.as_deref(), self.drop_missing);
        Training { model: &self.model, train, drop_missing, memory }.data(file, remarks)
    }

    /// The places to predict at, with the regressors of the mean there.
    pub(super) fn places(&self, file: &ModelFile, data: &Data, memory: u64) -> Result<Places> {
        let table = read_table(&self.at, memory)?;
        let texts = match &self.coords {
            Some(list) => split_list(list),
            None => data.coordinates.texts(),
        };
        if self.coords.is_none() {
            self.check_numbers(&table, &data.coordinates)?;
        }
        check_mean(&table, &file.mean, &self.model)?;
        let coordinates = Coordinates::new(&table, &texts, Some(file.distance), false);
        let mut coordinates = coordinates.map_err(|error| self.with_hint(error, &texts))?;
        coordinates.take_order_of(&data.coordinates);
        if coordinates.count() != data.coordinates.count() {
            return Err(refused(format!(
                "--coords: the model has {}, not {}",
                count(data.coordinates.count(), "coordinate"),
                texts.len()
            )));
        }
        let values = coordinates.evaluate(&table).map_err(|error| self.with_hint(error, &texts))?;
        let variables = data.mean.values(&table)?;
        let names = variable_names(&data.mean);
        let present: Vec<Vec<f64>> = variables.iter().map(RowValues::presence).collect();
        let mut needed = coordinates.named(&values);
        let pairs = names.iter().zip(&present);
        needed.extend(pairs.map(|(name, values)| NamedValues { name, values }));
        let rows = complete_rows(&table, &needed, self.drop_missing)?;
        let points = coordinates.points(&table, &values, &rows)?;
        let variables: Vec<_> = variables.iter().map(|values| values.of_rows(&rows)).collect();
        let (_, mut drift) = data.mean.columns(&variables, (&table, &rows))?;
        if let Some((row, column)) = undetermined(&data.aliased, &drift) {
            return Err(refused(format!(
                "{}, line {}: the data do not determine the mean here, where the column {} of it is \
                 no combination of the others, as it was in the data; leave such places out, or a \
                 term of the mean",
                table.path().display(),
                table.line(rows[row]),
                column.name
            )));
        }
        data.aliased.iter().rev().for_each(|column| drop(drift.remove(column.place)));
        Ok(Places { table, rows, coordinates, points, drift })
    }

    /// `error`, which the coordinates `texts` of the model have met in the table of places, with
    /// what to do.
    fn with_hint(&self, error: anyhow::Error, texts: &[&str]) -> anyhow::Error {
        if self.coords.is_some() {
            return error;
        }
        let (model, texts) = (self.model.display(), texts.join(", "));
        refused(format!(
            "{error}; the coordinates of {model} are {texts}: --coords says which are here"
        ))
    }

    /// Refuses places with a header for a model whose coordinates are columns by number: those of
    /// data without one.
    fn check_numbers(&self, table: &Table, coordinates: &Coordinates) -> Result<()> {
        let columns = coordinates.columns();
        if !columns.iter().any(|name| table.is_found_by_number(name)) {
            return Ok(());
        }
        let likely = obvious::coordinates(table, |_| Ok(coordinates.count() == 3));
        let likely = likely.map_or_else(|_| "x,y".to_owned(), |names| names.join(","));
        Err(refused(format!(
            "{} has a header ({}), and the coordinates of {} are columns {} of data without one: \
             name the coordinates, as --coords {likely}",
            self.at.display(),
            column_list(table),
            self.model.display(),
            columns.join(", ")
        )))
    }
}

/// Refuses places with a header for a model whose mean takes columns by number.
fn check_mean(table: &Table, mean: &Mean, model: &Path) -> Result<()> {
    let number = mean.inputs().into_iter().find(|name| table.is_found_by_number(name));
    number.map_or(Ok(()), |name| {
        Err(refused(format!(
            "{} has a header ({}), and the mean of {} takes column {name} of data without one: \
             leave out the header, or fit to data with one",
            table.path().display(),
            column_list(table),
            model.display()
        )))
    })
}
