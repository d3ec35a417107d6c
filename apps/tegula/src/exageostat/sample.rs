//! `tegula exageostat sample`: a random field at scattered or given places, or one of a model, with
//! its mean.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use serde_json::Value;
use tegula_exageostat::covariance::{COVARIANCES, Covariance};
use tegula_exageostat::model::Model;
use tegula_exageostat::program::Computation;
use tegula_exageostat::sample::sample;
use tegula_exageostat::transform::Transform;
use tegula_files::{NamedValues, Table, WriteError, write_columns_to};
use tegula_kernels::geometry::{Geometry, Points};

use super::beside::free_name;
use super::data::{Data, complete_rows};
use super::generator::{Generator, Stream};
use super::inputs::{InputFlags, Places};
use super::mean::Mean;
use super::method::Approximation;
use super::model_file::ModelFile;
use super::places::{Coordinates, in_space, read_table};
use super::remarks::Remarks;
use super::setup::{Problem, Setup};
use super::training::Training;
use super::transform::{Choice, describe as describe_transform, to_json};
use super::{describe_covariance, object, parameter_list, parameters_json};
use crate::error::{no_room, refused};
use crate::flags::{
    Distance, MatrixFlags, OutputFlags, PlaceFlags, RunFlags, TraceFlags, covariance, nugget,
    parameters,
};
use crate::guest;
use crate::output::{
    Account, Form, Progress, STANDARD_OUTPUT, bytes, check_form, count, is_standard_output,
    seconds, write_file,
};

/// Name of the column with the drawn values.
const VALUE: &str = "value";

/// Flags of `sample`.
#[derive(Args, Debug)]
pub(crate) struct Sample {
    /// A model that fit wrote, drawn with its mean, on the scale of its values, at the places of
    /// its data or of --at
    #[arg(value_name = "MODEL.json", conflicts_with_all = ["n", "params", "covariance", "nugget", "distance", "dimensions"])]
    model: Option<PathBuf>,
    /// Number of places, scattered evenly over the unit square, interval or cube, or the sphere
    #[arg(short = 'n', long = "n", value_name = "N", help_heading = "Data", required_unless_present_any = ["at", "model"], conflicts_with = "at", value_parser = clap::value_parser!(u32).range(1..))]
    n: Option<u32>,
    /// Dimensions of the places
    #[arg(long, value_name = "D", help_heading = "Data", default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=3))]
    dimensions: u8,
    /// Times of each place, 1 to K, for covariances in space and time
    #[arg(long, value_name = "K", help_heading = "Data", conflicts_with_all = ["at", "model"], value_parser = clap::value_parser!(u32).range(1..))]
    times: Option<u32>,
    /// Whose random numbers, and places
    #[arg(long, value_name = "NAME", help_heading = "Data", default_value = "tegula")]
    generator: Generator,
    /// Draw at the places of this table instead
    #[arg(long, value_name = "PLACES.csv", help_heading = "Data")]
    at: Option<PathBuf>,
    /// Data of MODEL.json [default: the file that it names, which must not have changed]
    #[arg(long, value_name = "DATA.csv", help_heading = "Data", requires = "model")]
    train: Option<PathBuf>,
    /// Where rows of --at lack a value, draw NA instead of refusing the table
    #[arg(long, help_heading = "Data", requires = "model")]
    drop_missing: bool,
    #[command(flatten)]
    places: PlaceFlags,
    /// Covariance; "tegula exageostat covariances" explains them [default: matern]
    #[arg(long, value_name = "NAME", help_heading = "Model", value_parser = covariance())]
    covariance: Option<&'static Covariance>,
    /// Parameters: "variance=1,range=0.1,smoothness=0.5", or numbers in this order
    #[arg(
        long,
        value_name = "LIST",
        help_heading = "Model",
        allow_hyphen_values = true,
        required_unless_present = "model"
    )]
    params: Vec<String>,
    /// Variance of the noise of each observation [default: 0]
    #[arg(long, value_name = "VALUE", help_heading = "Model", value_parser = nugget, allow_negative_numbers = true)]
    nugget: Option<f64>,
    /// Draw values of which this transformation is Gaussian: log, sqrt, box-cox:LAMBDA,
    /// tukey-gh:G:H
    #[arg(long, value_name = "NAME", help_heading = "Model", conflicts_with = "model", value_parser = Choice::parse)]
    transform: Option<Choice>,
    #[command(flatten)]
    matrix: MatrixFlags,
    #[command(flatten)]
    run: RunFlags,
    /// Write the places and the values to FILE; "-" is standard output
    #[arg(long = "output", short = 'o', value_name = "FILE", help_heading = "Output", default_value = STANDARD_OUTPUT)]
    output_file: PathBuf,
    #[command(flatten)]
    trace: TraceFlags,
    #[command(flatten)]
    output: OutputFlags,
}

/// What to draw, and where.
struct Draw {
    model: Model,
    /// The places, once for each variable.
    points: Points,
    place: Where,
    /// The mean there, and the transformation after which the field has it.
    mean: Vec<f64>,
    transform: Transform,
    /// What a person reads of the mean.
    about_mean: String,
}

/// Where to draw.
enum Where {
    /// At the places that some rows of a table are.
    Table(Box<Table>, Vec<usize>),
    /// At coordinates of our own, with their names.
    Scattered(Vec<&'static str>, Vec<Vec<f64>>),
}

impl Where {
    /// What a person reads of these `n` places.
    fn describe(&self, n: usize) -> String {
        match self {
            Self::Table(table, _) => format!("{}: {}", table.path().display(), count(n, "place")),
            Self::Scattered(names, _) => format!("{n} scattered ({})", names.join(", ")),
        }
    }
}

impl Sample {
    pub(crate) fn run(&self) -> Result<()> {
        let console = self.output.console(Some(&self.output_file))?;
        self.trace.check()?;
        check_form("-o", &self.output_file, Form::Table)?;
        let mut remarks = Remarks::new(&console);
        let mut stream = self.generator.stream(self.run.seed)?;
        let Draw { model, points, place, mean, transform, about_mean } = match &self.model {
            Some(path) => self.of_model(path, &mut remarks)?,
            None => self.of_flags(&mut stream)?,
        };
        let (n, geometry) = (points.len(), points.geometry());
        let (columns, computation, method) = (1, Computation::Draw, Approximation::None);
        let problem = Problem { n, columns, places: 0, geometry, computation, method };
        let setup = Setup::new(&self.matrix, &self.run, problem, model.covariance)?;
        let variables = model.covariance.variables();
        console.field("places", place.describe(n / variables));
        describe_covariance(&console, model.covariance);
        console.field("parameters", parameter_list(&model));
        console.field("mean", about_mean);
        if transform != Transform::None {
            console.field("transform", describe_transform(transform));
        }
        setup.describe(&console);
        remarks.caution(&model, geometry);
        if setup.is_dry {
            self.output.write(&setup.estimate(&console, (1, "one draw"))?)?;
            return console.finish();
        }
        let mut progress = Progress::new(&console);
        let mut flow = setup.run.flow(self.trace.is_wanted(), true);
        progress.follow(flow.watch(), setup.tasks(), "drawing");
        let order = stream.order(n / variables, variables);
        let (model, points, e) = (&model, &points.select(&order), stream.normals(n));
        let drawn = if setup.is_double() {
            sample::<f64>(&mut flow, model, points, &e, setup.nb())?
        } else {
            sample::<f32>(&mut flow, model, points, &e, setup.nb())?
        };
        let mut field = vec![0.0; n];
        order.iter().zip(drawn).for_each(|(&place, value)| field[place] = value);
        let elapsed = progress.seconds();
        progress.clear();
        for (value, mean) in field.iter_mut().zip(&mean) {
            *value = match transform {
                // About the mean.
                Transform::TukeyGh { .. } => transform.invert(*value) + mean,
                _ => transform.invert(*value + mean),
            };
        }
        let names = self.write(&place, &field, variables)?;
        console.line(format_args!("drawn in {}", seconds(elapsed)));
        let account = Account::of(&mut flow);
        setup.run.keep_times(&account, &console);
        account.describe(&console);
        if !is_standard_output(&self.output_file) {
            console.line(format_args!(
                "values written to {}, {} {}",
                self.output_file.display(),
                if names.len() > 1 { "columns" } else { "column" },
                names.join(", ")
            ));
        }
        let mut result = object([
            ("n", n.into()),
            ("covariance", model.covariance.name.into()),
            ("params", parameters_json(model)),
            ("nugget", model.nugget.into()),
            ("column", names[0].clone().into()),
            ("columns", names.into()),
            ("transform", to_json(transform)),
            ("seconds", elapsed.into()),
            ("remarks", remarks.json(&[])),
        ]);
        setup.describe_json(&mut result);
        account.describe_json(&mut result);
        let result = Value::Object(result);
        self.trace.write(&mut flow.take_trace(), &result, &console)?;
        self.output.write(&result)?;
        console.finish()
    }

    /// A field of mean zero with the covariance that flags give.
    fn of_flags(&self, stream: &mut Stream) -> Result<Draw> {
        let covariance = self.covariance.unwrap_or(&COVARIANCES[0]);
        let values = parameters(covariance, &self.params)?;
        let model = Model::new(covariance, values, self.nugget.unwrap_or(0.0))?;
        let (points, place) = self.points(covariance, stream)?;
        let points = of_variables(points, covariance.variables());
        let mean = vec![0.0; points.len()];
        let transform = self
            .transform
            .map_or(Ok(Transform::None), |choice| choice.settled(model.variance()))?;
        let about_mean = Mean::Zero.describe();
        Ok(Draw { model, points, place, mean, transform, about_mean })
    }

    /// The field of the model in the file at `path`, with its mean.
    fn of_model(&self, path: &Path, remarks: &mut Remarks<'_>) -> Result<Draw> {
        let (file, memory) = (ModelFile::read(path)?, self.run.memory()?);
        if self.at.is_none() && self.places.coords.is_some() {
            return Err(refused("--coords names columns of --at, which is not given"));
        }
        let (train, drop_missing) = (self.train.as_deref(), self.drop_missing);
        let data = Training { model: path, train, drop_missing, memory }.data(&file, remarks)?;
        // Of several variables at all places of the data, where perhaps not all were observed.
        let several = || (data.variables() > 1).then(|| data.table.path().to_owned());
        let places = match self.at.clone().or_else(several) {
            Some(at) => {
                let (model, coords) = (path.to_owned(), self.places.coords.clone());
                let (at, train) = (Some(at), self.train.clone());
                InputFlags { model, at, grid: None, coords, train, drop_missing }
                    .places(&file, &data, memory)?
            }
            None => Places::of_data(&data)?,
        };
        let mut mean = Vec::new();
        for variable in 0..data.variables() {
            let (_, drift) = places.of_variable(&data, variable);
            mean.extend(mean_at(path, &file, &data, (&drift, places.rows.len()))?);
        }
        let Places { table, rows, points, .. } = places;
        let points = of_variables(points, data.variables());
        let (place, transform) = (Where::Table(Box::new(table), rows), file.transform);
        let about_mean = data.mean.describe().replace(" (estimated)", " (as it was estimated)");
        Ok(Draw { model: file.model, points, place, mean, transform, about_mean })
    }

    /// The places, and where they are from.
    fn points(&self, covariance: &Covariance, stream: &mut Stream) -> Result<(Points, Where)> {
        let Some(path) = &self.at else { return self.scattered(covariance, stream) };
        let (name, time) = (covariance.name, self.places.time.as_deref());
        match (covariance.has_time(), time) {
            (true, None) => {
                return Err(refused(format!(
                    "--covariance {name} is in space and time: say which column is the time, as \
                     --time t"
                )));
            }
            (false, Some(_)) => {
                return Err(refused(format!("--time: {name} does not depend on time")));
            }
            _ => {}
        }
        let table = read_table(path, self.run.memory()?)?;
        let (coords, distance) = (self.places.coords.as_deref(), self.places.distance);
        let coordinates =
            Coordinates::choose(&table, coords, distance, |_| Ok(true))?.with_time(&table, time)?;
        let values = coordinates.evaluate(&table)?;
        let rows = complete_rows(&table, &coordinates.named(&values), false)?;
        let points = coordinates.points(&table, &values, &rows)?;
        Ok((points, Where::Table(Box::new(table), rows)))
    }

    /// Scattered places.
    fn scattered(&self, covariance: &Covariance, stream: &mut Stream) -> Result<(Points, Where)> {
        if self.places.coords.is_some() {
            return Err(refused("--coords names columns of --at, which is not given"));
        }
        if self.places.time.is_some() {
            return Err(refused("--time names a column of --at, which is not given"));
        }
        if covariance.has_time() != self.times.is_some() {
            let name = covariance.name;
            return Err(refused(if covariance.has_time() {
                format!(
                    "--covariance {name} is in space and time: say how many times with --times K"
                )
            } else {
                format!("--times: {name} does not depend on time")
            }));
        }
        let (geometry, names): (Geometry, &[&'static str]) =
            match (self.places.distance, self.dimensions) {
                (Some(Distance::GreatCircle | Distance::Chordal), 2) => {
                    (Geometry::GreatCircle, &["latitude", "longitude"])
                }
                (Some(distance @ (Distance::GreatCircle | Distance::Chordal)), _) => {
                    let name = distance.name();
                    return Err(refused(format!("{name} distance is for --dimensions 2")));
                }
                (_, 1) => (Geometry::Line, &["x"]),
                (_, 2) => (Geometry::Plane, &["x", "y"]),
                (_, _) => (Geometry::Space, &["x", "y", "z"]),
            };
        let n = self.n.map_or(0, |n| n as usize);
        self.check_room(n * self.times.unwrap_or(1) as usize)?;
        let (mut points, mut coordinates) = stream.places(geometry, n)?;
        if self.places.distance == Some(Distance::Chordal) {
            points = in_space(&points)?;
        }
        let mut names = names.to_vec();
        if let Some(times) = self.times {
            stream.check_times()?;
            let all: Vec<usize> = (0..times).flat_map(|_| 0..n).collect();
            let at: Vec<f64> = (1..=times).flat_map(|time| vec![f64::from(time); n]).collect();
            points = points.select(&all).marked(&at);
            let repeat = |column: &mut Vec<f64>| *column = column.repeat(times as usize);
            coordinates.iter_mut().for_each(repeat);
            coordinates.push(at);
            names.push("t");
        }
        Ok((points, Where::Scattered(names, coordinates)))
    }

    /// Refuses `n` places whose matrix cannot fit, before they are drawn: that takes long, too.
    fn check_room(&self, n: usize) -> Result<()> {
        let (memory, number) = (self.run.memory()?, self.matrix.precision.bytes() as f64);
        let triangle = 0.5 * n as f64 * n as f64 * number;
        if triangle > memory as f64 && self.run.scratch().is_none() {
            return Err(no_room(format!(
                "the matrix of {} takes {}, this run may use {}; with --scratch DIR what does not \
                 fit goes to a file there",
                count(n, "place"),
                bytes(triangle),
                bytes(memory as f64)
            )));
        }
        Ok(())
    }

    /// Writes the field, a column for each variable; returns their names.
    fn write(&self, place: &Where, field: &[f64], variables: usize) -> Result<Vec<String>> {
        let fields = field.chunks_exact((field.len() / variables).max(1));
        let name = |variable: usize| match variables {
            1 => VALUE.to_owned(),
            _ => format!("{VALUE}{}", variable + 1),
        };
        let names = (0..variables).map(name);
        match place {
            Where::Table(table, rows) => {
                let names = names.map(|name| free_name(table.names(), &name, "drawn"));
                let names: Vec<String> = names.collect();
                let spread = |field: &[f64]| {
                    let mut values = vec![f64::NAN; table.rows()];
                    rows.iter().zip(field).for_each(|(&row, value)| values[row] = *value);
                    values
                };
                let columns: Vec<Vec<f64>> = fields.map(spread).collect();
                if guest::keeps(&self.output_file) {
                    guest::keep_columns(names.iter().cloned().zip(columns).collect());
                    return Ok(names);
                }
                let pairs = names.iter().zip(&columns);
                let extra: Vec<NamedValues<'_>> =
                    pairs.map(|(name, values)| NamedValues { name, values }).collect();
                write_file(&self.output_file, |out| table.fill_with(out, &extra))?;
                Ok(names)
            }
            Where::Scattered(own, coordinates) => {
                let names: Vec<String> = names.collect();
                let places = own.iter().copied().zip(coordinates.iter().map(Vec::as_slice));
                let columns: Vec<NamedValues<'_>> = places
                    .chain(names.iter().map(String::as_str).zip(fields))
                    .map(|(name, values)| NamedValues { name, values })
                    .collect();
                write_file::<WriteError>(&self.output_file, |out| {
                    Ok(write_columns_to(out, &columns)?)
                })?;
                Ok(names)
            }
        }
    }
}

/// Those places once for each variable, marked with it.
fn of_variables(points: Points, variables: usize) -> Points {
    if variables == 1 {
        return points;
    }
    let n = points.len();
    let all: Vec<usize> = (0..variables).flat_map(|_| 0..n).collect();
    let of: Vec<f64> = (0..variables).flat_map(|variable| vec![variable as f64; n]).collect();
    points.select(&all).marked(&of)
}

/// The mean of the model in the file at `path` at so many places: its coefficients times the
/// columns.
fn mean_at(
    path: &Path,
    file: &ModelFile,
    data: &Data,
    (drift, places): (&[Vec<f64>], usize),
) -> Result<Vec<f64>> {
    let names = data.design().names();
    let given = file.coefficients.as_deref().unwrap_or_default();
    if !given.iter().map(|(name, _)| name).eq(names) {
        return Err(refused(format!(
            "{}: its coefficients are not those of its mean on {}, which are {}: fit again",
            path.display(),
            data.table.path().display(),
            names.join(", ")
        )));
    }
    let mut mean = vec![0.0; places];
    for ((_, coefficient), column) in given.iter().zip(drift) {
        mean.iter_mut().zip(column).for_each(|(mean, x)| *mean += coefficient * x);
    }
    Ok(mean)
}
