//! `tegula exageostat predict`: kriging at the places of a table or the nodes of a grid.

mod sides;

use std::path::PathBuf;
use std::str::FromStr;

use anyhow::Result;
use clap::Args;
use serde_json::{Map, Value, json};
use tegula_exageostat::block::Block;
use tegula_exageostat::joint::MOST_PLACES;
use tegula_exageostat::likelihood::{Likelihood, Overlap};
use tegula_exageostat::predict::{self as library, Predictions, Predictor};
use tegula_exageostat::program::Computation;
use tegula_exageostat::sample::Random;
use tegula_exageostat::transform::Transform;
use tegula_exageostat::vecchia::{Form as VecchiaForm, LocalPredictor, VecchiaLikelihood};
use tegula_files::FillError;
use tegula_files::matrix::{Rounding, Transfer, create_matrix, writable_format};
use tegula_files::source::MemorySource;
use tegula_kernels::element::Element;
use tegula_kernels::geometry::Points;
use tegula_kernels::scalar::Real;
use tegula_runtime::trace::Trace;

use crate::error::refused;
use crate::exageostat::beside::free_name;
use crate::exageostat::data::Data;
use crate::exageostat::inputs::{InputFlags, Placing};
use crate::exageostat::method::{Approximation, Method};
use crate::exageostat::model_file::ModelFile;
use crate::exageostat::observed::Errors;
use crate::exageostat::prediction_file::PredictionFile;
use crate::exageostat::remarks::Remarks;
use crate::exageostat::setup::{Problem, Setup};
use crate::exageostat::targets::{PART, Survey, Targets};
use crate::exageostat::transform::{Column, Lost, columns, to_json};
use crate::exageostat::{object, parameter_list, parameters_json};
use crate::flags::{MatrixFlags, OutputFlags, RunFlags, TraceFlags};
use crate::guest;
use crate::output::{
    Account, Console, Filling, Progress, STANDARD_OUTPUT, check_output, count, is_standard_output,
    seconds, unfilled, write_file,
};
use crate::ranks;
use sides::Sides;

/// Flags of `predict`.
#[derive(Args, Debug)]
pub(crate) struct Predict {
    #[command(flatten)]
    input: InputFlags,
    /// How places are predicted: exact, from all observations, or vecchia:M, from the M nearest of
    /// each [default: as the model was fitted]
    #[arg(long, value_name = "NAME", help_heading = "Model", value_parser = Method::parse)]
    method: Option<Method>,
    /// Predict from the K observations nearest to each place; the mean of the field stays that of
    /// all [default: all, or as --method says]
    #[arg(long, value_name = "K", help_heading = "Model", value_parser = at_least_one)]
    neighbours: Option<usize>,
    /// Predict the mean of the field over a rectangle about each place instead of the field at it;
    /// the columns of the mean are those of the place
    #[arg(long, value_name = "WIDTH[xHEIGHT]", help_heading = "Model", value_parser = Sides::from_str)]
    block: Option<Sides>,
    #[command(flatten)]
    matrix: MatrixFlags,
    #[command(flatten)]
    run: RunFlags,
    /// Write the columns of the places, then mean, variance and, with a nugget, variance_obs to
    /// FILE; "-" is standard output; of a grid also GeoTIFF (.tif) or NetCDF (.nc)
    ///
    /// Parquet (.parquet) is written by programs that were built with it.
    /// They are of the field without noise; variance_obs is that of new observations. With a
    /// transformation they are on the scale of the values, with median, lower95 and upper95, the
    /// ends of an interval; with a nugget follow mean_obs, variance_obs, lower95_obs and
    /// upper95_obs of new observations; transformed_mean and transformed_variance are on the
    /// transformed scale. A mean that does not exist (a negative lambda, heavy tails) is NA.
    #[arg(long = "output", short = 'o', value_name = "FILE", help_heading = "Output", default_value = STANDARD_OUTPUT)]
    output_file: PathBuf,
    /// Write the covariance matrix of the predictions to FILE, by its name .csv, .npy or .h5; on
    /// the transformed scale, without noise. 5000 places at most
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    joint: Option<PathBuf>,
    /// Draw the field K times given the observations (--seed), without noise, on the scale of the
    /// values: columns sim1 to simK. 5000 places at most
    #[arg(long, value_name = "K", help_heading = "Output", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    simulate: Option<u32>,
    #[command(flatten)]
    trace: TraceFlags,
    #[command(flatten)]
    output: OutputFlags,
}

/// Reads a number of neighbours.
fn at_least_one(text: &str) -> Result<usize, String> {
    let count = text.parse().ok().filter(|&count| count > 0);
    count.ok_or_else(|| format!("'{text}' is no number of neighbours"))
}

/// What there is to predict, from what.
struct Job<'a> {
    placing: Placing<'a>,
    targets: &'a Targets,
    survey: &'a Survey,
    /// The names of the columns that are written.
    names: &'a [String],
    written: &'a PredictionFile,
    block: Option<&'a Block>,
    setup: &'a Setup,
    console: &'a Console,
}

/// What was predicted, and in what time.
struct Done {
    errors: Errors,
    lost: Lost,
    trace: Trace,
    account: Account,
    loglik: f64,
    factorization_seconds: f64,
    prediction_seconds: f64,
}

impl Predict {
    pub(crate) fn run(&self) -> Result<()> {
        let console = self.output.console(Some(&self.output_file))?;
        self.trace.check()?;
        let file = ModelFile::read(&self.input.model)?;
        PredictionFile::check_name(&self.output_file)?;
        let mut remarks = Remarks::new(&console);
        let memory = self.run.memory()?;
        let data = self.input.training_data(&file, memory, &mut remarks)?;
        self.check_composite(&file, &data)?;
        let targets = self.input.targets(&file, &data, memory)?;
        let placing = self.input.placing(&file, &data);
        let block = self.block(&file, &data)?;
        let survey = targets.survey(&placing)?;
        self.check_joint(&survey)?;
        let names = self.names(&targets, &file, &data);
        let written = &PredictionFile::of(&self.output_file, &placing, &targets, &names)?;
        let setup = self.prepare(&placing, &targets, &survey, &console, &mut remarks)?;
        if setup.is_dry {
            // The solve for the places costs n^2 flops each, a factorisation n^3/3.
            let solves = (3 * survey.places).div_ceil(setup.problem.n.max(1));
            let reason = format!("a factorization, and the places, which cost as much as {solves}");
            self.output.write(&setup.estimate(&console, (1 + solves, &reason))?)?;
            return console.finish();
        }
        let (targets, survey, names) = (&targets, &survey, &names[..]);
        let (block, setup) = (block.as_ref(), &setup);
        let job = Job { placing, targets, survey, names, written, block, setup, console: &console };
        let mut done =
            if setup.is_double() { self.predict::<f64>(&job)? } else { self.predict::<f32>(&job)? };
        self.describe(&job, &done);
        remarks.note(done.lost.remark(file.transform));
        setup.run.keep_times(&done.account, &console);
        let mut result = result(&job, &done);
        result.insert("neighbours".to_owned(), self.neighbours.into());
        let sides = self.block.as_ref().map_or(Value::Null, |sides| sides.0.clone().into());
        result.insert("block".to_owned(), sides);
        done.errors.describe_json(&mut result);
        result.insert("remarks".to_owned(), remarks.json(&[]));
        let result = Value::Object(result);
        self.trace.write(&mut done.trace, &result, &console)?;
        self.output.write(&result)?;
        console.finish()
    }

    /// Refuses what is not for several variables, or not for a covariance that is put together.
    fn check_composite(&self, file: &ModelFile, data: &Data) -> Result<()> {
        let covariance = file.model.covariance;
        let nearest = self.neighbours.map(|_| "vecchia");
        data.check_noise(nearest.or(self.method.unwrap_or(file.method).local()))?;
        if self.is_joint() && data.values.fields().count() > 1 {
            return Err(refused(format!(
                "--joint and --simulate are for one field of one variable, and {} is of {}: leave \
                 them out, or fit a model to one of these by itself",
                self.input.model.display(),
                count(data.values.fields().count(), "field")
            )));
        }
        let is_local = nearest.or(self.method.unwrap_or(file.method).local()).is_some();
        if !covariance.is_radial() && (self.block.is_some() || is_local && self.is_joint()) {
            let what = if self.block.is_some() {
                "predictions are at places, without --block"
            } else {
                "--joint and --simulate are from all observations, without --neighbours or vecchia:M"
            };
            let name = covariance.name;
            return Err(refused(format!(
                "{name} is put together from several covariances: {what}"
            )));
        }
        Ok(())
    }

    /// What is to be written where places are predicted together, if they are.
    fn is_joint(&self) -> bool {
        self.joint.is_some() || self.simulate.is_some()
    }

    /// The names of the columns that are written, none that `targets` have.
    fn names(&self, targets: &Targets, file: &ModelFile, data: &Data) -> Vec<String> {
        let all = columns(file.transform, file.model.nugget, &Predictions::default(), None);
        let fields = data.values.names();
        let of = |column: &str, field: &String| format!("{column}_{field}");
        let names: Vec<String> = match (data.variables(), data.values.replicates()) {
            (1, 1) => all.iter().map(|(column, _)| (*column).to_owned()).collect(),
            // The means, then what is the same of all replicates.
            (1, _) => {
                let means = fields.iter().map(|field| of("mean", field));
                means.chain(all[1..].iter().map(|(column, _)| (*column).to_owned())).collect()
            }
            _ => {
                let each = fields.iter().flat_map(|field| all.iter().map(move |all| (field, all)));
                each.map(|(field, (column, _))| of(column, field)).collect()
            }
        };
        let names = names.into_iter();
        let draws = (1..=self.simulate.unwrap_or(0)).map(|number| format!("sim{number}"));
        let names = names.chain(draws);
        names.map(|name| free_name(targets.names(), &name, "predicted")).collect()
    }

    /// Refuses more places than can be predicted together.
    fn check_joint(&self, survey: &Survey) -> Result<()> {
        let flag = if self.joint.is_some() { "--joint" } else { "--simulate" };
        if let Some(path) = &self.joint {
            check_output(path)?;
            writable_format(path, None)?;
        }
        if !self.is_joint() || survey.places <= MOST_PLACES {
            return Ok(());
        }
        Err(refused(format!(
            "{flag}: the covariance matrix of {} places has no room: it takes {MOST_PLACES} places at \
             most; predict fewer at a time",
            survey.places
        )))
    }

    /// Refuses what cannot be used, and prints what will be done.
    fn prepare(
        &self,
        placing: &Placing<'_>,
        targets: &Targets,
        survey: &Survey,
        console: &Console,
        remarks: &mut Remarks<'_>,
    ) -> Result<Setup> {
        let &Placing { file, data, .. } = placing;
        let model = &file.model;
        let problem = data.problem(Computation::Prediction);
        if self.method.is_some_and(|method| method.of_likelihoods().is_some()) {
            return Err(refused(
                "--method: predictions are exact or from neighbours: write exact or vecchia:M",
            ));
        }
        let method = self.method.unwrap_or(file.method).beyond_likelihoods(self.neighbours);
        if let Some(how) = file.method.of_likelihoods().filter(|_| self.method.is_none()) {
            let instead = match self.neighbours {
                None => "exact, in a dense matrix (--neighbours 30 takes those of each place)",
                Some(_) => "from neighbours, and so is what the mean is estimated by",
            };
            remarks.note(vec![format!(
                "the model was fitted {how}, which is for likelihoods alone: predictions are {instead}"
            )]);
        }
        let method = method.settle(&data.observations.points);
        let is_latent = matches!(
            method,
            Approximation::Vecchia(vecchia) if vecchia.form == VecchiaForm::Latent
        );
        if is_latent && (self.is_joint() || self.block.is_some()) {
            return Err(refused(
                "the latent form predicts each place by itself: for --joint, --simulate or --block \
                 give --method vecchia:M, another form",
            ));
        }
        let problem = Problem { places: survey.places, method, ..problem };
        let setup = Setup::new(&self.matrix, &self.run, problem, model.covariance)?;
        data.check_places(model.nugget > 0.0, "fit again with --estimate-nugget", console)?;
        data.describe(console);
        console.field("covariance", model.covariance.name);
        console.field("parameters", parameter_list(model));
        let count = count(survey.places, "place");
        console.field("places", format_args!("{}: {count}", targets.describe()));
        if let Some(block) = &self.block {
            console.field("block", format_args!("{block}, about each place"));
        }
        setup.describe(console);
        remarks.note(setup.remark());
        if let Some(neighbours) = self.neighbours {
            console.field("neighbours", format_args!("{neighbours} of each place"));
        }
        remarks.caution(model, problem.geometry);
        remarks.note(self.block.as_ref().and_then(|sides| sides.remark(data)));
        remarks.note(survey.remarks.clone());
        Ok(setup)
    }

    /// Factorises, then predicts and writes part by part.
    fn predict<T: Real>(&self, job: &Job<'_>) -> Result<Done> {
        let &Job { setup, console, .. } = job;
        let &Placing { file, data, .. } = &job.placing;
        let mut progress = Progress::new(console);
        let flow = setup.run.flow(self.trace.is_wanted(), true);
        progress.follow(flow.watch(), setup.tasks(), "factorization");
        let (model, observations) = (file.model.clone(), data.observations.clone());
        let mut predictor: Box<dyn library::Predict> = match (setup.vecchia(), self.neighbours) {
            (Some(vecchia), neighbours) => {
                let likelihood = VecchiaLikelihood::new(flow, &observations, vecchia);
                let mut local = LocalPredictor::new(likelihood, model, observations)?;
                neighbours.into_iter().for_each(|count| local.set_neighbours(count));
                Box::new(local)
            }
            (None, neighbours) => {
                let (nb, overlap) = (setup.nb(), Overlap::default());
                let likelihood = Likelihood::<T>::new(flow, &observations, nb, overlap);
                match neighbours.filter(|&count| count < observations.len()) {
                    Some(count) => {
                        Box::new(LocalPredictor::exact(likelihood, model, observations, count)?)
                    }
                    None => Box::new(Predictor::new(likelihood, model, observations)?),
                }
            }
        };
        job.block.into_iter().for_each(|block| predictor.set_block(block.clone()));
        progress.clear();
        let factorization_seconds = progress.seconds();
        let (errors, lost) = self.write(job, &mut *predictor, &mut progress)?;
        progress.clear();
        let prediction_seconds = progress.seconds() - factorization_seconds;
        let loglik = predictor.evaluation().loglik() + data.log_jacobian();
        let account = Account::of(predictor.flow());
        let trace = predictor.flow().take_trace();
        Ok(Done { errors, lost, trace, account, loglik, factorization_seconds, prediction_seconds })
    }

    /// Predicts and writes part by part; returns how far predictions are from what was observed,
    /// and what does not exist.
    fn write(
        &self,
        job: &Job<'_>,
        predictor: &mut dyn library::Predict,
        progress: &mut Progress,
    ) -> Result<(Errors, Lost)> {
        let &Job { targets, survey, names, written, setup, ref placing, .. } = job;
        let (transform, nugget) = (placing.file.transform, placing.file.model.nugget);
        // Parts that end where blocks do.
        let together = setup.nb() * library::BLOCKS_PER_WORKER * predictor.flow().workers();
        let rows =
            if self.is_joint() { usize::MAX } else { PART.next_multiple_of(together.max(1)) };
        let (mut errors, mut lost) = (Errors::default(), Lost::default());
        let filled = write_file(&self.output_file, |out| {
            let mut writer = written.begin(out, (targets, survey), names)?;
            let mut parts = survey.parts(targets, rows).map_err(unfilled)?;
            let mut before = 0;
            while let Some(part) = parts.next_part().map_err(unfilled)? {
                let places = placing.places(part).map_err(unfilled)?;
                let mut report =
                    |done: usize| progress.share(before + done, survey.places, "places");
                if self.is_joint() && before > 0 {
                    return Err(unfilled(refused("the table of places is too large to be held")));
                }
                let mut spread = Vec::new();
                for variable in 0..placing.data.variables() {
                    let (points, drift) = places.of_variable(placing.data, variable);
                    let (drift, trend) = placing.data.divided(&drift);
                    let trend = trend.as_deref();
                    let (predictions, draws) = if self.is_joint() {
                        let made = self.together(predictor, (&points, drift, trend), transform);
                        made.map_err(unfilled)?
                    } else {
                        let made = predictor.predict(&points, drift, &mut report);
                        (made.map_err(unfilled)?, Vec::new())
                    };
                    let columns = columns(transform, nugget, &predictions, trend);
                    lost.add(&columns);
                    let (at, more) = ((&places, &points), &predictions.replicates);
                    let means = [expected(&columns)].into_iter();
                    let means = means.chain(more.iter().map(Vec::as_slice));
                    for (field, means) in placing.data.values.fields().skip(variable).zip(means) {
                        errors.add((placing.data, field), at, means);
                    }
                    let (first, rest) = columns.split_at(1);
                    let all = first.iter().map(|(_, values)| values).chain(more);
                    let all = all.chain(rest.iter().map(|(_, values)| values)).chain(&draws);
                    spread.extend(all.map(|values| places.spread(values)));
                }
                writer.write(&places, &spread)?;
                before += places.rows.len();
            }
            Ok::<(), FillError<Filling>>(writer.finish()?)
        });
        filled.map_err(Filling::cause)?;
        Ok((errors, lost))
    }

    /// Predicts at all places together: writes their covariance matrix, and draws.
    fn together(
        &self,
        predictor: &mut dyn library::Predict,
        (points, drift, trend): (&Points, &[Vec<f64>], Option<&[f64]>),
        transform: Transform,
    ) -> Result<(Predictions, Vec<Vec<f64>>)> {
        let joint = predictor.joint(points, drift)?;
        if self.joint.as_deref().is_some_and(guest::keeps) {
            guest::keep_matrix(&joint.covariance);
        } else if let Some(path) = self.joint.as_ref().filter(|_| ranks::is_root()) {
            let shape = [joint.mean.len(); 2];
            let entries = joint.covariance.iter().flat_map(|entry| entry.to_ne_bytes()).collect();
            let (name, entries) = ("the covariance matrix", (Element::F64, entries));
            let matrix = MemorySource::new(name, shape, entries, [None, None]);
            let sink = create_matrix(path, None, shape, [None, None], Element::F64)?;
            Transfer::new(&matrix, Rounding::Refused, u64::MAX).run(sink, |_| {})?;
        }
        let count = self.simulate.unwrap_or(0) as usize;
        let mut draws = joint.draws(count, &mut Random::new(self.run.seed));
        for draw in &mut draws {
            for (place, value) in draw.iter_mut().enumerate() {
                *value = transform.invert(*value) + trend.map_or(0.0, |trend| trend[place]);
            }
        }
        let variance = joint.variance();
        let (mean, lagrange, replicates) = (joint.mean, joint.lagrange, Vec::new());
        Ok((Predictions { mean, variance, lagrange, replicates }, draws))
    }

    fn describe(&self, job: &Job<'_>, done: &Done) {
        let &Job { targets, survey, names, console, .. } = job;
        let total = done.factorization_seconds + done.prediction_seconds;
        console.line("");
        console.line(format_args!(
            "predicted at {} in {} (factorization {}, places {})",
            count(survey.places, "place"),
            seconds(total),
            seconds(done.factorization_seconds),
            seconds(done.prediction_seconds),
        ));
        done.account.describe(console);
        if let Some(left) = survey.left_out() {
            console.note(left);
        }
        done.errors.describe(console, &targets.describe());
        if job.placing.data.values.fields().count() == 1 && names[0] != "mean" {
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

/// What an observation is expected to be: the mean of new ones, where it is not that of the field.
fn expected(columns: &[Column]) -> &[f64] {
    let named = |wanted: &str| columns.iter().find(|(name, _)| *name == wanted);
    named("mean_obs").or_else(|| named("mean")).map_or(&[], |(_, values)| values)
}

/// The result as JSON.
fn result(job: &Job<'_>, done: &Done) -> Map<String, Value> {
    let &Placing { file, data, .. } = &job.placing;
    let mut result = object([
        ("n", data.observations.len().into()),
        ("places", job.survey.places.into()),
        ("covariance", file.model.covariance.name.into()),
        ("params", parameters_json(&file.model)),
        ("nugget", file.model.nugget.into()),
        ("loglik", done.loglik.into()),
        ("transform", to_json(file.transform)),
        ("columns", job.names.into()),
        ("seconds", (done.factorization_seconds + done.prediction_seconds).into()),
        (
            "phases",
            json!({
                "factorization": done.factorization_seconds,
                "prediction": done.prediction_seconds,
            }),
        ),
        ("data", crate::exageostat::model_file::data_json(data)),
    ]);
    job.setup.describe_json(&mut result);
    done.account.describe_json(&mut result);
    result
}
