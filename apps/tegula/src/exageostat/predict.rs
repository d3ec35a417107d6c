//! `tegula exageostat predict`: kriging at the places of a table.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use serde_json::{Value, json};
use tegula_data::expression::{Expression, split_list};
use tegula_data::format::{NamedValues, Table, TableError};
use tegula_exageostat::likelihood::{Likelihood, Overlap};
use tegula_exageostat::predict::{Predictions, Predictor};
use tegula_kernels::scalar::{Precision, Scalar};

use super::data::{Data, complete_rows};
use super::model_file::ModelFile;
use super::places::{Coordinates, read_table};
use super::{caution, estimate, object, parameter_list, parameters_json};
use crate::error::refused;
use crate::flags::{MatrixFlags, OutputFlags, Run, RunFlags};
use crate::output::{
    Console, Progress, STANDARD_OUTPUT, count, is_standard_output, number, seconds, write_file,
};

/// Flags of `predict`.
#[derive(Args, Debug)]
pub(crate) struct Predict {
    /// What fit wrote
    #[arg(value_name = "MODEL.json", help_heading = None)]
    model: PathBuf,
    /// Places to predict at, one per row; the table may have other columns, too
    #[arg(long, value_name = "PLACES.csv", help_heading = "Data")]
    at: PathBuf,
    /// Coordinates in PLACES.csv [default: as in the training data]
    #[arg(long, value_name = "X,Y[,Z]", help_heading = "Data", allow_hyphen_values = true)]
    coords: Option<String>,
    /// Training data [default: the file that the model names, which must not have changed]
    #[arg(long, value_name = "DATA.csv", help_heading = "Data")]
    train: Option<PathBuf>,
    /// Where rows of PLACES.csv lack a value, predict NA instead of refusing the table
    #[arg(long, help_heading = "Data")]
    drop_missing: bool,
    #[command(flatten)]
    matrix: MatrixFlags,
    #[command(flatten)]
    run: RunFlags,
    /// Write the columns of PLACES.csv, then mean, variance and, with a nugget, variance_obs to
    /// FILE; "-" is standard output
    #[arg(long = "output", short = 'o', value_name = "FILE", help_heading = "Output", default_value = STANDARD_OUTPUT)]
    output_file: PathBuf,
    #[command(flatten)]
    output: OutputFlags,
}

/// Places to predict at.
struct Places {
    table: Table,
    rows: Vec<usize>,
    points: tegula_kernels::geometry::Points,
    drift: Vec<Vec<f64>>,
}

/// Predictions with their times.
struct Done {
    predictions: Predictions,
    loglik: f64,
    factorization_seconds: f64,
    prediction_seconds: f64,
}

impl Predict {
    pub(crate) fn run(&self) -> Result<()> {
        let console = self.output.console(Some(&self.output_file))?;
        let file = ModelFile::read(&self.model)?;
        let data = self.training_data(&file, &console)?;
        let places = self.places(&file, &data)?;
        let run = self.run.settle()?;
        let remedy = "fit again with --estimate-nugget";
        data.check_places(file.model.nugget > 0.0, remedy, &console)?;
        let nb = self.matrix.tile_size(data.observations.len(), run.workers);
        data.describe(&console);
        console.field("mean", data.mean.describe());
        console.field("covariance", file.model.covariance.name);
        console.field("parameters", parameter_list(&file.model));
        console.field(
            "places",
            format_args!(
                "{}: {}",
                places.table.path().display(),
                count(places.rows.len(), "place")
            ),
        );
        run.describe(&console, nb, self.matrix.precision);
        caution(&console, &file.model, data.coordinates.geometry());
        let matrix = estimate::Evaluation {
            n: data.observations.len(),
            nb,
            precision: self.matrix.precision,
            covariance: file.model.covariance,
            geometry: data.coordinates.geometry(),
        };
        if self.matrix.dry_run {
            // The solve for the places costs n^2 flops each, a factorisation n^3/3.
            let solves = (3 * places.rows.len()).div_ceil(matrix.n.max(1));
            let reason = format!("a factorization, and the places, which cost as much as {solves}");
            let plan = matrix.describe(&console, &run, (1 + solves, &reason))?;
            self.output.write(&plan)?;
            return console.finish();
        }
        matrix.check_memory()?;
        let done = match self.matrix.precision {
            Precision::Single => predict::<f32>(&file, &data, &places, &run, nb, &console)?,
            Precision::Double => predict::<f64>(&file, &data, &places, &run, nb, &console)?,
        };
        let names = self.write(&file, &places, &done.predictions)?;
        let error = mean_squared_error(&data, &places, &done.predictions);
        self.describe(&console, &places, &done, &names, error);
        let mut result = object([
            ("n", data.observations.len().into()),
            ("places", places.rows.len().into()),
            ("covariance", file.model.covariance.name.into()),
            ("params", parameters_json(&file.model)),
            ("nugget", file.model.nugget.into()),
            ("loglik", done.loglik.into()),
            ("columns", names.into()),
            ("mean_squared_error", error.map_or(Value::Null, Value::from)),
            ("seconds", (done.factorization_seconds + done.prediction_seconds).into()),
            (
                "phases",
                json!({ "factorization": done.factorization_seconds, "prediction": done.prediction_seconds }),
            ),
            ("data", super::model_file::data_json(&data)),
        ]);
        run.describe_json(&mut result, nb, self.matrix.precision);
        self.output.write(&Value::Object(result))?;
        console.finish()
    }

    /// The training data: the file that the model names, as it was, or the one that `--train`
    /// names.
    fn training_data(&self, file: &ModelFile, console: &Console) -> Result<Data> {
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
        Data::from_table(table, coordinates, values, file.mean.clone(), file.drop_missing)
    }

    /// The places to predict at, with the regressors of the mean there.
    fn places(&self, file: &ModelFile, data: &Data) -> Result<Places> {
        let table = read_table(&self.at)?;
        let texts: Vec<&str> = match &self.coords {
            Some(list) => split_list(list),
            None => file.coords.iter().map(String::as_str).collect(),
        };
        let coordinates = Coordinates::new(&table, &texts, Some(file.distance), false)?;
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

    /// Writes the predictions beside the columns of the places; returns the names of the columns.
    fn write(
        &self,
        file: &ModelFile,
        places: &Places,
        predictions: &Predictions,
    ) -> Result<Vec<String>> {
        let spread = |values: &[f64], more: f64| {
            let mut column = vec![f64::NAN; places.table.rows()];
            places.rows.iter().zip(values).for_each(|(&row, value)| column[row] = value + more);
            column
        };
        let nugget = file.model.nugget;
        let mut columns = vec![
            ("mean", spread(&predictions.mean, 0.0)),
            ("variance", spread(&predictions.variance, 0.0)),
        ];
        if nugget > 0.0 {
            columns.push(("variance_obs", spread(&predictions.variance, nugget)));
        }
        let names: Vec<String> =
            columns.iter().map(|(name, _)| free_name(&places.table, name, "predicted")).collect();
        let pairs = names.iter().zip(&columns);
        let extra: Vec<NamedValues<'_>> =
            pairs.map(|(name, (_, values))| NamedValues { name, values }).collect();
        write_file(&self.output_file, |out| places.table.fill_with(out, &extra))?;
        Ok(names)
    }

    fn describe(
        &self,
        console: &Console,
        places: &Places,
        done: &Done,
        names: &[String],
        error: Option<f64>,
    ) {
        let total = done.factorization_seconds + done.prediction_seconds;
        console.line("");
        console.line(format_args!(
            "predicted at {} in {} (factorization {}, places {})",
            count(places.rows.len(), "place"),
            seconds(total),
            seconds(done.factorization_seconds),
            seconds(done.prediction_seconds),
        ));
        let left = places.table.rows() - places.rows.len();
        if left > 0 {
            console.note(format_args!("{} lacked a value and got NA", count(left, "row")));
        }
        if let Some(error) = error {
            console.line(format_args!(
                "mean squared error against the observed values in {}: {}",
                places.table.path().display(),
                number(error, 6)
            ));
        }
        if names[0] != "mean" {
            console.note(format_args!(
                "the table has a column called mean already: the predictions are called {}",
                names.join(", ")
            ));
        }
        if !is_standard_output(&self.output_file) {
            console.line(format_args!(
                "{} written to {}",
                names.join(", "),
                self.output_file.display()
            ));
        }
    }
}

/// Factorises, then predicts block by block.
fn predict<T: Scalar>(
    file: &ModelFile,
    data: &Data,
    places: &Places,
    run: &Run,
    nb: usize,
    console: &Console,
) -> Result<Done> {
    let mut progress = Progress::new(console);
    let flow = run.flow(false, true);
    let likelihood = Likelihood::<T>::new(flow, &data.observations, nb, Overlap::default());
    let mut predictor = Predictor::new(likelihood, file.model.clone(), data.observations.clone())?;
    let factorization_seconds = progress.seconds();
    let total = places.rows.len();
    let predictions = predictor.predict(&places.points, &places.drift, |done| {
        progress.share(done, total, "places");
    })?;
    progress.clear();
    let prediction_seconds = progress.seconds() - factorization_seconds;
    let loglik = predictor.evaluation().loglik();
    Ok(Done { predictions, loglik, factorization_seconds, prediction_seconds })
}

/// Mean squared difference from the observed values, if the places have them.
fn mean_squared_error(data: &Data, places: &Places, predictions: &Predictions) -> Option<f64> {
    let observed = data.values.evaluate(&places.table).ok()?;
    let pairs = places.rows.iter().zip(&predictions.mean);
    let squares: Vec<f64> = pairs
        .map(|(&row, mean)| (observed[row] - mean).powi(2))
        .filter(|s| s.is_finite())
        .collect();
    (!squares.is_empty()).then(|| squares.iter().sum::<f64>() / squares.len() as f64)
}

/// `file`, or, if it is not there, the file of this name relative to the folder of `model`.
fn beside(file: &Path, model: &Path) -> PathBuf {
    let near = model.parent().map(|folder| folder.join(file));
    match near {
        Some(near) if !file.exists() && near.exists() => near,
        _ => file.to_owned(),
    }
}

/// `name`, or a variant of it that is no column of `table`.
pub(super) fn free_name(table: &Table, name: &str, prefix: &str) -> String {
    let is_free =
        |name: &String| table.names().iter().all(|other| !other.eq_ignore_ascii_case(name));
    let variants = (2..).map(|number| format!("{prefix}_{name}_{number}"));
    [name.to_owned(), format!("{prefix}_{name}")]
        .into_iter()
        .chain(variants)
        .find(is_free)
        .unwrap_or_else(|| name.to_owned())
}
