//! `tegula exageostat loglik`: the log-likelihood under given parameters, and its gradient.

mod sets;

use std::time::Instant;

use anyhow::{Result, bail};
use clap::Args;
use serde_json::{Map, Value};
use tegula_exageostat::covariance::Covariance;
use tegula_exageostat::likelihood::{Criterion, Evaluate, Evaluation, LikelihoodError, Score};
use tegula_exageostat::model::Model;
use tegula_exageostat::program::Computation;
use tegula_kernels::scalar::Real;
use tegula_runtime::trace::Trace;
use tegula_traces::phase_times;

use super::auto::{Choice, alternative, closer, too_far};
use super::data::Data;
use super::mean_file::{coefficients_json, mean_json};
use super::method::{Approximation, describe_error, doubt, method_json};
use super::remarks::Remarks;
use super::setup::{Problem, Setup};
use super::subject::{Given, Subject};
use super::transform::to_json;
use super::{describe_covariance, object, parameter_list, parameters_json};
use crate::error::refused;
use crate::flags::{GenerationFlags, MatrixFlags, OutputFlags, OverlapFlags, RunFlags, TraceFlags};
use crate::output::{Account, Align, Console, Progress, Table, count, number, seconds};
use crate::ranks;

/// The phases of an evaluation, in their order.
const PHASES: [&str; 5] = ["generation", "factorization", "determinant", "solve", "dot"];

/// Those of one that is approximated, once neighbours are found.
const APPROXIMATED: [&str; 1] = ["likelihood"];

/// Those that a gradient adds; one that is approximated has the last alone.
const GRADIENT: [&str; 2] = ["inverse", "score"];

/// Evaluations that a gradient is worth beside the one that it is of.
const GRADIENT_EVALUATIONS: usize = 3;

/// What to do about several observations at a place.
const NO_NUGGET: &str = "give one with --nugget VALUE";

/// Flags of `loglik`.
#[derive(Args, Debug)]
pub(crate) struct Loglik {
    #[command(flatten)]
    subject: Subject,
    /// How the likelihood is computed: exact, vecchia:M with M neighbours of each place (or
    /// vecchia:M:ORDER:FORM; grouped is nearer to exact, latent is for noise), tlr:EPS by tiles of
    /// low rank, each to EPS of the variance, mixed:EPS with small tiles in 32 bits, dst:RANGE with
    /// covariances tapered to 0 there, or as fits, with an error of at most X, auto:X [default:
    /// exact, or that of the model]
    #[arg(long, value_name = "NAME", help_heading = "Model", value_parser = Choice::parse)]
    method: Option<Choice>,
    /// The derivative by each parameter and by the nugget, too, with the mean at its best
    #[arg(long, help_heading = "Model")]
    gradient: bool,
    #[command(flatten)]
    matrix: MatrixFlags,
    #[command(flatten)]
    run: RunFlags,
    /// Evaluate N times; the time is the median
    #[arg(long, value_name = "N", help_heading = "Run", default_value_t = 1, conflicts_with = "params_file", value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
    #[command(flatten)]
    generation: GenerationFlags,
    #[command(flatten)]
    overlap: OverlapFlags,
    #[command(flatten)]
    trace: TraceFlags,
    #[command(flatten)]
    output: OutputFlags,
}

/// An evaluation with its time and its tasks.
struct Timed {
    evaluation: Evaluation,
    gradient: Option<Vec<f64>>,
    seconds: f64,
    trace: Trace,
    account: Account,
    remark: Option<String>,
}

impl Loglik {
    pub(crate) fn run(&self) -> Result<()> {
        let console = self.output.console(None)?;
        self.trace.check()?;
        let mut remarks = Remarks::new(&console);
        let (data, given, mut setup, accuracy) = self.prepare(&console, &mut remarks)?;
        let result = if setup.is_dry {
            setup.estimate(&console, self.evaluations(&given))?
        } else {
            let model = match given {
                Given::One(model) => model,
                Given::Sets(covariance, sets) => {
                    self.evaluate_sets(&data, (covariance, &sets), &setup, &console)?;
                    return console.finish();
                }
            };
            let (mut times, mut error) = if setup.is_double() {
                self.evaluate::<f64>(&data, &model, &setup, &console)?
            } else {
                self.evaluate::<f32>(&data, &model, &setup, &console)?
            };
            while let Some(vecchia) = closer(setup.vecchia(), error, accuracy, &console) {
                let method = Approximation::Vecchia(vecchia);
                let problem = Problem { method, ..setup.problem };
                setup = Setup::new(&self.matrix, &self.run, problem, model.covariance)?;
                (times, error) = self.evaluate::<f64>(&data, &model, &setup, &console)?;
            }
            let repeats: Vec<f64> = times.iter().map(|timed| timed.seconds).collect();
            let middle = middle(&times)?;
            let typical = &times[middle];
            self.describe(&console, (&data, &setup), typical, (&repeats, error));
            if self.trace.is_wanted() && self.repeat > 1 {
                console.note("the trace is that of the evaluation whose time is the median");
            }
            setup.run.keep_times(&typical.account, &console);
            let mut result = self.result(&data, &model, &setup, typical, &repeats);
            let warnings =
                [too_far(error, accuracy), doubt(setup.method(), error, data.observations.len())];
            warnings.into_iter().flatten().for_each(|text| remarks.warn(text));
            let mut method = method_json(setup.method(), error);
            accuracy.into_iter().for_each(|most| method["error_asked"] = most.into());
            result.insert("method".to_owned(), method);
            result.insert("remarks".to_owned(), remarks.json(&[]));
            let result = Value::Object(result);
            self.trace.write(&mut times[middle].trace, &result, &console)?;
            result
        };
        self.output.write(&result)?;
        console.finish()
    }

    /// Reads everything, refuses what cannot be used, and prints what will be done.
    fn prepare(
        &self,
        console: &Console,
        remarks: &mut Remarks<'_>,
    ) -> Result<(Data, Given, Setup, Option<f64>)> {
        let memory = self.run.memory()?;
        let (data, given, method) = self.subject.load(memory, remarks)?;
        if self.gradient && data.transform.tukey().is_some() {
            return Err(refused(
                "--gradient: with tukey-gh the values follow the variance: there are derivatives \
                 of other transformations alone",
            ));
        }
        let computation = if self.gradient { Computation::Fit } else { Computation::Likelihood };
        let (covariance, problem) = (given.covariance(), data.problem(computation));
        let choice = self.method.unwrap_or(Choice::Named(method));
        let has_nugget = matches!(&given, Given::One(model) if model.nugget > 0.0);
        let has_noise = has_nugget && data.is_plain(covariance);
        let (method, accuracy) = choice.settle(problem.n, has_noise, memory);
        if let Some(how) = method.of_likelihoods().filter(|_| self.gradient) {
            return Err(refused(format!(
                "--gradient: there are no derivatives of likelihoods {how}; give --method exact or \
                 vecchia:M"
            )));
        }
        let method = method.settle(&data.observations.points);
        data.check_noise(method.name())?;
        let problem = Problem { method, ..problem };
        if matches!((&given, accuracy, method.name()), (Given::Sets(..), Some(_), Some(_))) {
            return Err(refused(
                "--method auto looks at the error of one set of parameters: name a method for \
                 --params-file, as vecchia:30:grouped",
            ));
        }
        let setup = Setup::new(&self.matrix, &self.run, problem, covariance);
        let setup = setup.map_err(|failure| alternative(problem.n, failure))?;
        if let Given::One(model) = &given {
            data.check_places(model.nugget > 0.0, NO_NUGGET, console)?;
        }
        data.describe(console);
        describe_covariance(console, covariance);
        match &given {
            Given::One(model) => console.field("parameters", parameter_list(model)),
            Given::Sets(_, sets) => {
                console.field("parameters", count(sets.len(), "set"));
            }
        }
        setup.describe(console);
        remarks.note(setup.remark());
        remarks.note(self.subject.suspicions(&data));
        if let Given::One(model) = &given {
            remarks.caution(model, problem.geometry);
        }
        Ok((data, given, setup, accuracy))
    }

    /// Evaluations that a run is worth, and why they are so many.
    fn evaluations(&self, given: &Given) -> (usize, &'static str) {
        let each = if self.gradient { 1 + GRADIENT_EVALUATIONS } else { 1 };
        match (given, self.gradient) {
            (Given::Sets(_, sets), _) => (each * sets.len(), "--params-file"),
            (Given::One(_), false) => (self.repeat as usize, "--repeat"),
            (Given::One(_), true) => (each * self.repeat as usize, "--gradient takes some"),
        }
    }

    /// One evaluation, with the derivatives by the parameters and the nugget if they are wanted.
    fn evaluate_once(
        &self,
        likelihood: &mut dyn Evaluate,
        Model { covariance, values, nugget }: &Model,
    ) -> Result<(Evaluation, Option<Vec<f64>>), LikelihoodError> {
        let (how, is_wanted) = ((Criterion::Full, false), |_: &Evaluation| self.gradient);
        let (evaluation, score) = likelihood.score(covariance, values, *nugget, how, &is_wanted)?;
        // From the coordinates of the parameters to these.
        let natural = |score: Score| {
            let pairs = covariance.parameters.iter().zip(values);
            let scales = pairs.map(|(one, &value)| one.scale.slope(value)).chain([1.0]);
            score.gradient.iter().zip(scales).map(|(slope, scale)| slope / scale).collect()
        };
        Ok((evaluation, score.map(natural)))
    }

    /// Evaluates as often as asked for, then how far the likelihood may be from the exact one, if
    /// it is approximated.
    fn evaluate<T: Real>(
        &self,
        data: &Data,
        model: &Model,
        setup: &Setup,
        console: &Console,
    ) -> Result<(Vec<Timed>, Option<f64>)> {
        let overlap = self.overlap.overlap();
        let flow = setup.run.flow(true, overlap.memory_cache);
        let how = (overlap, self.generation.owners(&setup.run)?);
        let mut likelihood = setup.likelihood::<T>(flow, &data.observations, how);
        let mut times = Vec::new();
        // Neighbours are searched for once.
        likelihood.flow().wait()?;
        let mut progress = Progress::new(console);
        progress.follow(likelihood.flow().watch(), setup.tasks(), "evaluation 1");
        for done in 1..=self.repeat {
            progress.begin(setup.tasks(), format!("evaluation {done} of {}", self.repeat));
            let before = Account::of(likelihood.flow());
            let start = Instant::now();
            let (evaluation, gradient) = self.evaluate_once(&mut *likelihood, model)?;
            let seconds = start.elapsed().as_secs_f64();
            check_finite(&evaluation)?;
            let account = Account::of(likelihood.flow()).since(&before);
            let (trace, remark) = (likelihood.flow().take_trace(), likelihood.remark());
            times.push(Timed { evaluation, gradient, seconds, trace, account, remark });
        }
        let Model { covariance, values, nugget } = model;
        let found = times.last().map_or(f64::NAN, |last| last.evaluation.loglik());
        let known = (Criterion::Full, found);
        let error = likelihood.error_estimate(covariance, values, *nugget, known)?;
        Ok((times, error))
    }

    fn describe(
        &self,
        console: &Console,
        (data, setup): (&Data, &Setup),
        timed: &Timed,
        (repeats, error): (&[f64], Option<f64>),
    ) {
        let evaluation = &timed.evaluation;
        console.line("");
        let mut table = Table::new(&[
            ("log-likelihood", Align::Left),
            (&number(evaluation.loglik() + data.log_jacobian(), 12), Align::Right),
        ]);
        table.row(vec!["log-determinant".to_owned(), number(evaluation.logdet, 12)]);
        table.row(vec!["quadratic form".to_owned(), number(evaluation.quadratic, 12)]);
        let coefficients = data.coefficients(evaluation);
        for one in coefficients.each {
            table.row(vec![format!("mean: {}", one.name), number(one.estimate, 12)]);
        }
        let covariance = setup.covariance;
        let names = covariance.parameters.iter().map(|parameter| parameter.name).chain(["nugget"]);
        for (name, slope) in names.zip(timed.gradient.iter().flatten()) {
            table.row(vec![format!("derivative by {name}"), number(*slope, 12)]);
        }
        console.line(table);
        console.line("");
        error.into_iter().for_each(|error| describe_error(console, setup.method(), error));
        let time = median(repeats);
        let gflops = (evaluation.places() as f64).powi(3) / 3.0 / time * 1e-9;
        let rate = match setup.method() {
            _ if self.gradient => String::new(),
            Approximation::None => format!(", {} Gflop/s", number(gflops, 3)),
            _ => String::new(),
        };
        let note = match repeats.len() {
            1 => String::new(),
            repeats => format!(" (median of {repeats})"),
        };
        console.line(format_args!("evaluated in {}{note}{rate}", seconds(time),));
        timed.remark.iter().for_each(|remark| console.line(remark));
        timed.account.describe(console);
        if console.is_verbose() {
            describe_phases(console, &timed.trace);
        }
    }

    fn result(
        &self,
        data: &Data,
        model: &Model,
        setup: &Setup,
        timed: &Timed,
        repeats: &[f64],
    ) -> Map<String, Value> {
        let evaluation = &timed.evaluation;
        let coefficients = data.coefficients(evaluation);
        let mut result = object([
            ("loglik", (evaluation.loglik() + data.log_jacobian()).into()),
            ("log_jacobian", data.log_jacobian().into()),
            ("transform", to_json(data.transform)),
            ("logdet", evaluation.logdet.into()),
            ("quadratic", evaluation.quadratic.into()),
            ("n", evaluation.places().into()),
            ("replicates", evaluation.replicates.into()),
            ("covariance", model.covariance.name.into()),
            ("params", parameters_json(model)),
            ("nugget", model.nugget.into()),
            ("mean", mean_json(&data.mean, &coefficients, &data.aliased)),
            ("coefficients", coefficients_json(&coefficients, &data.aliased)),
            ("seconds", median(repeats).into()),
            ("repeats", repeats.into()),
            ("phases", self.phases_json(&timed.trace, setup.vecchia().is_some())),
        ]);
        if let Some(gradient) = &timed.gradient {
            result.insert("gradient".to_owned(), gradient_json(model.covariance, gradient));
        }
        setup.describe_json(&mut result);
        timed.account.describe_json(&mut result);
        self.overlap.describe_json(&mut result);
        result.insert("data".to_owned(), super::model_file::data_json(data));
        result
    }

    /// Seconds that the tasks of each phase took, summed over the workers.
    fn phases_json(&self, trace: &Trace, is_approximated: bool) -> Value {
        let phases = if is_approximated { &APPROXIMATED[..] } else { &PHASES[..] };
        let more = if is_approximated { &GRADIENT[1..] } else { &GRADIENT[..] };
        let more = more.iter().filter(|_| self.gradient);
        let times = phase_times(trace);
        let busy = |name: &str| {
            let own = times.iter().filter(|time| time.phase == name);
            own.map(|time| time.busy_seconds).sum::<f64>()
        };
        let all = phases.iter().chain(more);
        Value::Object(all.map(|name| ((*name).to_owned(), busy(name).into())).collect())
    }
}

/// Refuses a log-likelihood that is no number.
fn check_finite(evaluation: &Evaluation) -> Result<()> {
    let loglik = evaluation.loglik();
    if !loglik.is_finite() {
        bail!(
            "the log-likelihood is {loglik}: values or parameters are too large or too small for \
             this precision; change their units"
        );
    }
    Ok(())
}

/// A `gradient` as JSON, by the names of the parameters and `nugget`.
fn gradient_json(covariance: &Covariance, gradient: &[f64]) -> Value {
    let names = covariance.parameters.iter().map(|parameter| parameter.name).chain(["nugget"]);
    Value::Object(names.map(str::to_owned).zip(gradient.iter().map(|&x| x.into())).collect())
}

/// The evaluation whose time is the median; over ranks, whose times differ, that of rank 0.
fn middle(times: &[Timed]) -> Result<usize> {
    let mut order: Vec<usize> = (0..times.len()).collect();
    order.sort_by(|&a, &b| times[a].seconds.total_cmp(&times[b].seconds));
    let mine = order[order.len() / 2];
    let Some(world) = ranks::world() else { return Ok(mine) };
    let said = world.broadcast((mine as u32).to_le_bytes().to_vec())?;
    Ok(said.try_into().map_or(mine, |said| u32::from_le_bytes(said) as usize).min(times.len() - 1))
}

/// The median of some times.
fn median(times: &[f64]) -> f64 {
    let mut sorted = times.to_vec();
    sorted.sort_by(f64::total_cmp);
    f64::midpoint(sorted[(sorted.len() - 1) / 2], sorted[sorted.len() / 2])
}

/// Prints when each phase ran and how long its tasks took.
fn describe_phases(console: &Console, trace: &Trace) {
    let mut table = Table::new(&[
        ("phase", Align::Left),
        ("busy", Align::Right),
        ("from", Align::Right),
        ("to", Align::Right),
    ]);
    for time in phase_times(trace) {
        let times = [time.busy_seconds, time.start_seconds, time.end_seconds].map(seconds);
        table.row([time.phase.to_owned()].into_iter().chain(times).collect());
    }
    console.line(table);
}
