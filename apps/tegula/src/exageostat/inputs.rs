//! What a prediction starts from: the training data of a model, and the places.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use tegula_files::expression::split_list;
use tegula_files::{NamedValues, Table, TableError, TableFile};
use tegula_kernels::geometry::Points;

use super::data::{Data, variable_names};
use super::grid::Grid;
use super::mean::{Mean, RowValues, undetermined};
use super::model_file::ModelFile;
use super::obvious;
use super::places::{Coordinates, column_list, options_for, read_table, table_path};
use super::remarks::Remarks;
use super::targets::Targets;
use super::training::Training;
use super::values::columns_by_variable;
use crate::error::refused;
use crate::guest;
use crate::output::count;

/// Places to predict at: some of all.
pub(super) struct Places {
    /// The part of the table that they come from.
    pub(super) table: Table,
    /// Rows of it that are places.
    pub(super) rows: Vec<usize>,
    /// Which columns of it are the places.
    pub(super) coordinates: Coordinates,
    /// The places.
    pub(super) points: Points,
    /// The regressors of the mean there, those that have no coefficients among them.
    drift: Vec<Vec<f64>>,
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
        let (_, drift) = data.mean.columns(&variables, (&table, &rows))?;
        let (coordinates, points) = (data.coordinates.clone(), data.observations.points.clone());
        Ok(Self { table, rows, coordinates, points, drift })
    }

    /// The regressors of the mean of a variable, those that have no coefficients among them.
    fn drift(&self, data: &Data, variable: usize) -> Vec<Vec<f64>> {
        match data.variables() {
            1 => self.drift.clone(),
            count => columns_by_variable(&self.drift, &vec![variable; self.rows.len()], count),
        }
    }

    /// The places where a variable is predicted, with the regressors of its mean.
    pub(super) fn of_variable(&self, data: &Data, variable: usize) -> (Points, Vec<Vec<f64>>) {
        let mut drift = self.drift(data, variable);
        data.aliased.iter().rev().for_each(|column| drop(drift.remove(column.place)));
        let points = self.points.clone();
        let points = match data.variables() {
            1 => points,
            _ => points.marked(&vec![variable as f64; self.rows.len()]),
        };
        (points, drift)
    }
}

/// What to predict from, and where.
#[derive(Args, Debug)]
#[command(next_help_heading = "Data")]
pub(crate) struct InputFlags {
    /// What fit wrote
    #[arg(value_name = "MODEL.json", help_heading = None)]
    pub(super) model: PathBuf,
    /// Places to predict at, one per row, as data come (CSV, GeoTIFF, NetCDF); the table may have
    /// other columns, too, and any length
    #[arg(long, value_name = "PLACES.csv")]
    pub(super) at: Option<PathBuf>,
    /// The nodes of a grid, in place of a table: a range for each coordinate, both ends included,
    /// then one for the time, if the model has one
    #[arg(
        long,
        value_name = "XMIN:XMAX:STEP,...",
        conflicts_with = "at",
        allow_hyphen_values = true
    )]
    pub(super) grid: Option<Grid>,
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

    /// Where to predict.
    ///
    /// # Errors
    /// If the table cannot be read, or the grid is none for the model.
    pub(super) fn targets(&self, file: &ModelFile, data: &Data, memory: u64) -> Result<Targets> {
        let Some(grid) = &self.grid else {
            let Some(path) = self.at.as_deref() else {
                return Err(refused(
                    "where to predict is missing: --at PLACES.csv names a table of places, --grid \
                     XMIN:XMAX:STEP,YMIN:YMAX:STEP makes a grid",
                ));
            };
            if let Some(table) = guest::table(path) {
                return Ok(Targets::Lent(table));
            }
            return Ok(Targets::Table(TableFile::open(table_path(path), &options_for(memory))?));
        };
        grid.check(&data.coordinates, &self.model)?;
        let names = self.texts(data).into_iter().chain(data.coordinates.time());
        let names: Vec<String> = names.map(str::to_owned).collect();
        let is_there = |wanted: &str| names.iter().any(|name| name.eq_ignore_ascii_case(wanted));
        let lacking: Vec<&str> =
            file.mean.inputs().into_iter().filter(|name| !is_there(name)).collect();
        if !lacking.is_empty() {
            return Err(refused(format!(
                "--grid gives the coordinates {} alone, and the mean of {} takes {} too: predict at \
                 a table that has them (--at)",
                names.join(", "),
                self.model.display(),
                lacking.join(", ")
            )));
        }
        Ok(Targets::Grid(grid.clone(), names))
    }

    /// The places of the whole table.
    ///
    /// # Errors
    /// If it cannot be read, or is too large, or one of its rows is no place for the model.
    pub(super) fn places(&self, file: &ModelFile, data: &Data, memory: u64) -> Result<Places> {
        let path = self.at.as_deref().expect("a table of places");
        let table = read_table(path, memory)?;
        let (name, placing) = (table.path().display().to_string(), self.placing(file, data));
        let places =
            placing.places(table).map_err(|error| match error.downcast::<TableError>() {
                Ok(error @ TableError::MissingValue { .. }) => lacking(&error),
                Ok(error) => error.into(),
                Err(error) => error,
            })?;
        if places.rows.is_empty() { Err(placing.no_place(&name)) } else { Ok(places) }
    }

    /// The coordinates of places as the user writes them.
    fn texts<'a>(&'a self, data: &'a Data) -> Vec<&'a str> {
        match &self.coords {
            Some(list) => split_list(list),
            None => data.coordinates.texts(),
        }
    }

    /// What makes places of tables, for the model that `file` holds and its `data`.
    pub(super) fn placing<'a>(&'a self, file: &'a ModelFile, data: &'a Data) -> Placing<'a> {
        Placing { flags: self, file, data }
    }
}

/// Makes places of tables.
pub(super) struct Placing<'a> {
    flags: &'a InputFlags,
    /// The model.
    pub(super) file: &'a ModelFile,
    /// What it was fitted to.
    pub(super) data: &'a Data,
}

impl Placing<'_> {
    /// The error of a table that holds no place.
    pub(super) fn no_place(&self, table: &str) -> anyhow::Error {
        let mut needed = self.flags.texts(self.data).join(", ");
        for name in variable_names(&self.data.mean) {
            needed += &format!(", {name}");
        }
        refused(format!("{table}: no row has values in all of {needed}"))
    }

    /// The places of `table`, with the regressors of the mean there.
    ///
    /// # Errors
    /// [`tegula_files::TableError::MissingValue`] if a row lacks a value that it may not; if the
    /// table has not the columns of the model, or a row is no place.
    pub(super) fn places(&self, table: Table) -> Result<Places> {
        let &Self { flags, file, data } = self;
        let texts = flags.texts(data);
        if flags.coords.is_none() {
            self.check_numbers(&table)?;
        }
        check_mean(&table, &file.mean, &flags.model)?;
        let coordinates = Coordinates::new(&table, &texts, Some(file.distance), false)
            .and_then(|coordinates| coordinates.with_time(&table, file.time.as_deref()));
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
        if !flags.drop_missing {
            table.require_complete(&needed)?;
        }
        let rows = table.complete_rows(&needed);
        let points = coordinates.points(&table, &values, &rows)?;
        let variables: Vec<_> = variables.iter().map(|values| values.of_rows(&rows)).collect();
        let (_, drift) = data.mean.columns(&variables, (&table, &rows))?;
        let places = Places { table, rows, coordinates, points, drift };
        for variable in 0..data.variables() {
            if let Some((row, column)) = undetermined(&data.aliased, &places.drift(data, variable))
            {
                return Err(refused(format!(
                    "{}: the data do not determine the mean here, where the column {} of it is no \
                     combination of the others, as it was in the data; leave such places out, or a \
                     term of the mean",
                    places.table.row_name(places.rows[row]),
                    column.name
                )));
            }
        }
        Ok(places)
    }

    /// `error`, which the coordinates `texts` of the model have met in the table of places, with
    /// what to do.
    fn with_hint(&self, error: anyhow::Error, texts: &[&str]) -> anyhow::Error {
        if self.flags.coords.is_some() {
            return error;
        }
        let (model, texts) = (self.flags.model.display(), texts.join(", "));
        refused(format!(
            "{error}; the coordinates of {model} are {texts}: --coords says which are here"
        ))
    }

    /// Refuses places with a header for a model whose coordinates are columns by number: those of
    /// data without one.
    fn check_numbers(&self, table: &Table) -> Result<()> {
        let coordinates = &self.data.coordinates;
        let columns = coordinates.columns();
        if !columns.iter().any(|name| table.is_found_by_number(name)) {
            return Ok(());
        }
        let likely = obvious::coordinates(table, |_| Ok(coordinates.count() == 3));
        let likely = likely.map_or_else(|_| "x,y".to_owned(), |names| names.join(","));
        Err(refused(format!(
            "{} has a header ({}), and the coordinates of {} are columns {} of data without one: \
             name the coordinates, as --coords {likely}",
            table.path().display(),
            column_list(table),
            self.flags.model.display(),
            columns.join(", ")
        )))
    }
}

/// The error of rows that lack a value, with what to do.
pub(super) fn lacking(error: &TableError) -> anyhow::Error {
    refused(format!("{error} (--drop-missing)"))
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
