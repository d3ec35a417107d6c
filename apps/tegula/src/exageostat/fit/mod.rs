//! `tegula exageostat fit`: maximum likelihood.

mod facts;
mod grid;
mod nodes;
mod result;
mod starts;

use std::io::Write;
use std::ops::ControlFlow;
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use serde_json::Value;
use tegula_exageostat::fit::{self as library, Beside, FitError, FitOptions, Journal, Optimizer};
use tegula_exageostat::likelihood::Evaluate;
use tegula_exageostat::model::Model;
use tegula_exageostat::program::Computation;
use tegula_exageostat::transform::Transform;
use tegula_exageostat::tukey::TukeyLikelihood;
use tegula_kernels::scalar::Real;
use tegula_runtime::flow::Flow;

use crate::checkpoint::Checkpoints;
use crate::cluster::{Nodes, NodesChoice, TwoMaps, nodes_distribution, read_learnt};
use crate::error::refused;
use crate::exageostat::auto::{self, alternative, closer, too_far};
use crate::exageostat::data::Data;
use crate::exageostat::likeliest::{likeliest, nearby};
use crate::exageostat::mean::Mean;
use crate::exageostat::method::{Approximation, Method, describe_error, doubt};
use crate::exageostat::model_file::ModelFile;
use crate::exageostat::options::{EstimationFlags, expected_evaluations};
use crate::exageostat::page::Page;
use crate::exageostat::remarks::Remarks;
use crate::exageostat::report::{Done, best_so_far, describe};
use crate::exageostat::setup::{Problem, Setup};
use crate::exageostat::transform::{Choice, describe_choice};
use crate::exageostat::tukey;
use crate::exageostat::{describe_covariance, parameter_list};
use crate::flags::{
    CheckpointFlags, ContextFlags, CovarianceFlags, DataFlags, GenerationFlags, MatrixFlags,
    MeanFlags, OutputFlags, OverlapFlags, RunFlags, TraceFlags,
};
use crate::output::{
    Account, Console, Form, Progress, check_form, check_output, count, is_standard_output, number,
    seconds, write_json,
};
use grid::Grid;
pub(super) use grid::Profile;
use starts::Searches;

/// Flags of `fit`.
#[derive(Args, Debug)]
pub(crate) struct Fit {
    #[command(flatten)]
    data: DataFlags,
    #[command(flatten)]
    covariance: CovarianceFlags,
    #[command(flatten)]
    mean: MeanFlags,
    /// Transform the values: log, sqrt, box-cox[:LAMBDA], tukey-gh[:G:H] or none
    ///
    /// Of box-cox and tukey-gh alone the likeliest lambda, or g and h, are taken.
    ///
    /// The log-likelihood is that of the values as they are, so that those of transformations
    /// compare. Predictions come back to the scale of the values. With tukey-gh values are skewed
    /// (g) and have heavy tails (h) about the mean, and the variance is the square of their scale.
    #[arg(long, value_name = "NAME", help_heading = "Model", default_value = "none", value_parser = Choice::parse)]
    transform: Choice,
    #[command(flatten)]
    estimation: EstimationFlags,
    /// Fit with each of some values, and keep the best
    ///
    /// "smoothness=0.5,1.5,2.5", or "range=0.1:1:10" for 10 values from 0.1 to 1. The other
    /// parameters are estimated with each: the profile likelihood of the parameter. Fits run side
    /// by side where one does not keep all workers busy.
    #[arg(long, value_name = "NAME=V,...", help_heading = "Search", conflicts_with = "trace")]
    grid: Option<String>,
    /// Likelihood: exact, vecchia:M[:ORDER:FORM], tlr:EPS, mixed:EPS, dst:RANGE, or auto:X wrong by
    /// at most X [default: exact]
    ///
    /// With vecchia:M it is from M neighbours of each place; with tlr:EPS tiles of the covariance
    /// matrix are of low rank, each to EPS of the variance; with mixed:EPS small tiles are in 32
    /// bits, all to EPS of the variance; with dst:RANGE covariances are tapered to 0 at that
    /// distance; with auto:X the method is chosen so that the log-likelihood is wrong by at most X.
    #[arg(long, value_name = "NAME", help_heading = "Model", value_parser = auto::Choice::parse)]
    method: Option<auto::Choice>,
    #[command(flatten)]
    matrix: MatrixFlags,
    #[command(flatten)]
    run: RunFlags,
    #[command(flatten)]
    contexts: ContextFlags,
    #[command(flatten)]
    generation: GenerationFlags,
    /// Ranks that factorise, the fastest first: N, or auto[:STRATEGY] by what evaluations take
    ///
    /// More nodes share the work, and send more messages; a slow one may keep all others waiting.
    /// auto begins with all, and chooses after each evaluation; "tegula adapt replay -h" has the
    /// strategies. auto:energy spares joules, auto:product joules times seconds, as the hosts count
    /// them ("tegula info"); a strategy may stand before. All ranks generate the matrix, unless
    /// their number stands before that of those that factorise, as 3/2; auto:both chooses both.
    /// Tiles are distributed as by --distribution lp or lp-constrained.
    #[arg(long, value_name = "N|auto", help_heading = "Run", value_parser = NodesChoice::parse)]
    nodes: Option<NodesChoice>,
    #[command(flatten)]
    overlap: OverlapFlags,
    #[command(flatten)]
    checkpoint: CheckpointFlags,
    /// Write the model as JSON, for predict
    #[arg(long = "output", short = 'o', value_name = "MODEL.json", help_heading = "Output")]
    output_file: Option<PathBuf>,
    /// Write a page about the fit, as plot does
    #[arg(long, value_name = "FILE.html", help_heading = "Output")]
    report: Option<PathBuf>,
    #[command(flatten)]
    trace: TraceFlags,
    #[command(flatten)]
    output: OutputFlags,
}

impl Fit {
    pub(crate) fn run(&self) -> Result<()> {
        let console = self.output.console(self.output_file.as_deref())?;
        self.trace.check()?;
        self.output_file.as_deref().map_or(Ok(()), |path| check_form("-o", path, Form::Model))?;
        if let Some(path) = &self.report {
            check_output(path)?;
            check_form("--report", path, Form::Page)?;
        }
        self.checkpoint.begin()?;
        if self.transform == Choice::BoxCox && self.checkpoint.is_given() {
            return Err(refused(
                "--checkpoint and --resume keep a fit with one transformation: find lambda without \
                 them, then give it as --transform box-cox:LAMBDA",
            ));
        }
        let options = self.estimation.options(self.covariance.covariance, self.run.seed)?;
        let grid = self.grid.as_deref();
        let grid = grid.map(|text| Grid::read(text, self.covariance.covariance, &options));
        let grid = grid.transpose()?;
        let mut options = grid.as_ref().map_or(options, |grid| grid.first().clone());
        if grid.is_some() && (self.transform == Choice::BoxCox || self.transform.tukey().is_some())
        {
            return Err(refused(
                "--grid is of a fit without tukey-gh, and with a known lambda: --transform \
                 box-cox:LAMBDA",
            ));
        }
        let of = (self.transform, self.covariance.covariance);
        tukey::check(of, &options, self.checkpoint.is_given())?;
        let mut remarks = Remarks::new(&console);
        let (mut data, mut setup, accuracy) =
            self.prepare(&options, grid.as_ref(), &console, &mut remarks)?;
        if setup.is_dry {
            let expected = expected_evaluations(&options, self.optimizer(&options))
                .min(options.max_evaluations)
                * grid.as_ref().map_or(1, Grid::len);
            let plan = setup.estimate(&console, (expected, "what a fit usually takes"))?;
            self.output.write(&plan)?;
            return console.finish();
        }
        let mut checkpoints =
            self.checkpoint.open(self.about(&data, &options, &setup), &console)?;
        checkpoints.listen();
        let search = if setup.is_double() { Self::search::<f64> } else { Self::search::<f32> };
        let run = (&setup, &mut checkpoints);
        let with = (&data, &options, grid.as_ref());
        let (mut transform, mut done) = search(self, with, run, &console)?;
        let profile = done.profile.take();
        profile.iter().for_each(|profile| options = profile.kept.clone());
        let next = |setup: &Setup, done: &Done| {
            closer(setup.vecchia(), done.fit.loglik_error, accuracy, &console)
        };
        while let Some(vecchia) = next(&setup, &done) {
            let method = Approximation::Vecchia(vecchia);
            setup = self.setup(Problem { method, ..setup.problem })?;
            let from = nearby(&options, &done, 1.0);
            let options = if self.transform == Choice::BoxCox { &options } else { &from };
            let run = (&setup, &mut checkpoints);
            let before = done.seconds;
            (transform, done) = search(self, (&data, options, None), run, &console)?;
            done.seconds += before;
        }
        done.profile = profile;
        match done.tukey {
            Some(_) => {
                let coefficients = &done.fit.evaluation.coefficients;
                let coefficients = data.design().coefficients(coefficients);
                data.take_about(transform, coefficients)?;
            }
            None => data.take(transform)?,
        }
        describe(&console, (&data, self.transform), &options, &done);
        let error = done.fit.loglik_error;
        error.into_iter().for_each(|error| describe_error(&console, setup.method(), error));
        let warnings =
            [too_far(error, accuracy), doubt(setup.method(), error, data.observations.len())];
        warnings.into_iter().flatten().for_each(|text| remarks.warn(text));
        remarks.caution(&done.fit.model, data.coordinates.geometry());
        done.nodes.iter().for_each(|nodes| nodes.describe(&console));
        setup.run.keep_times(&done.account, &console);
        let mut result = self.result((&data, &options), &setup, &done, &remarks);
        if let Some(profile) = &done.profile {
            result["grid"] = profile.json(data.log_jacobian());
        }
        done.nodes.iter().for_each(|nodes| nodes.describe_json(&mut result));
        accuracy.into_iter().for_each(|most| result["method"]["error_asked"] = most.into());
        result["estimated"] = self.estimated(&options).into();
        let written = [
            self.write(&console, &result),
            self.trace.write(&mut done.trace, &result, &console),
            self.output.write(&result),
        ];
        written.into_iter().collect::<Result<()>>()?;
        self.write_report(&data, &setup, result, &console)?;
        console.finish()
    }

    /// The setup for `problem`.
    fn setup(&self, problem: Problem) -> Result<Setup> {
        let run = match self.nodes {
            Some(_) => {
                let asked = self.run.distribution();
                &self.run.planned_later(nodes_distribution(asked.as_deref())?)
            }
            None => &self.run,
        };
        Setup::new(&self.matrix, run, problem, self.covariance.covariance)
    }

    /// Reads everything, refuses what cannot be used, and prints what will be done. The number is
    /// the error of the log-likelihood that was asked for, if one was.
    fn prepare(
        &self,
        options: &FitOptions,
        grid: Option<&Grid>,
        console: &Console,
        remarks: &mut Remarks<'_>,
    ) -> Result<(Data, Setup, Option<f64>)> {
        let covariance = self.covariance.covariance;
        let mut data = Data::load(
            &self.data,
            Mean::parse(self.mean.text())?,
            Some(covariance),
            self.run.memory()?,
        )?;
        data.check_covariance(covariance)?;
        data.take(self.transform.first())?;
        library::check(&data.observations, covariance, options)
            .map_err(|error| refused(format!("{}: {error}", data.table.path().display())))?;
        let problem = data.problem(Computation::Fit);
        let method = self.method.unwrap_or(auto::Choice::Named(Method::Exact));
        let has_nugget = self.estimation.has_nugget() || grid.is_some_and(Grid::has_nugget);
        let has_noise = has_nugget && data.is_plain(covariance);
        let (method, accuracy) = method.settle(problem.n, has_noise, self.run.memory()?);
        let method = method.settle(&data.observations.points);
        if accuracy.is_some() && method.name().is_some() && self.checkpoint.is_given() {
            return Err(refused(
                "--checkpoint and --resume keep a fit with one approximation: name it by --method \
                 vecchia:M instead of auto",
            ));
        }
        data.check_noise(method.name())?;
        let setup = self.setup(Problem { method, ..problem });
        let setup = setup.map_err(|failure| alternative(problem.n, failure))?;
        let remedy = "estimate one (--estimate-nugget), or give one (--nugget VALUE)";
        data.check_places(has_nugget, remedy, console)?;
        data.describe_with(console, &describe_choice(self.transform, data.transform));
        describe_covariance(console, covariance);
        setup.describe(console);
        remarks.note(setup.remark());
        remarks.note(data.suspicions(&self.data));
        Ok((data, setup, accuracy))
    }

    /// Searches, and shows how far the search is.
    fn search<T: Real>(
        &self,
        (data, options, grid): (&Data, &FitOptions, Option<&Grid>),
        (setup, checkpoints): (&Setup, &mut Checkpoints),
        console: &Console,
    ) -> Result<(Transform, Done)> {
        let (mut journal, learnt) = match checkpoints.resumed() {
            Some(mut body) => {
                let journal = Journal::read(&mut body).context("the checkpoint cannot be read")?;
                (journal, read_learnt(&mut body))
            }
            None => Default::default(),
        };
        let mut nodes = self.begin_nodes(setup, &learnt)?;
        if !journal.is_empty() {
            let given = count(journal.len(), "evaluation");
            console.field("goes on", format_args!("with {given} of an earlier run"));
        }
        if self.transform == Choice::BoxCox {
            let found = likeliest(data, options, console, |data, options| {
                let mut journal = Journal::default();
                let run = (setup, &mut *checkpoints, &mut journal, &mut nodes);
                self.maximise::<T>((data, options), run, console)
            });
            return found.map(|(transform, done)| (transform, Done { nodes, ..done }));
        }
        let with = Searches { data, setup, console };
        let (profile, seconds) = match grid {
            Some(grid) => {
                let (profile, seconds) = self.over_grid::<T>(grid, with, &mut journal)?;
                (Some(profile), seconds)
            }
            None => (None, self.explore::<T>(with, options, &mut journal)?),
        };
        let options = profile.as_ref().map_or(options, |profile| &profile.kept);
        let run = (setup, checkpoints, &mut journal, &mut nodes);
        let mut done = self.maximise::<T>((data, options), run, console)?;
        done.seconds += seconds;
        done.profile = profile;
        done.nodes = nodes;
        Ok((done.tukey.map_or(data.transform, |tukey| tukey.transform), done))
    }

    /// Searches with the values of `data` as they are.
    fn maximise<T: Real>(
        &self,
        (data, options): (&Data, &FitOptions),
        (setup, checkpoints, journal, nodes): (
            &Setup,
            &mut Checkpoints,
            &mut Journal,
            &mut Option<Nodes<TwoMaps>>,
        ),
        console: &Console,
    ) -> Result<Done> {
        let overlap = self.overlap.overlap();
        let mut flow = setup.run.flow(self.trace.is_wanted(), overlap.memory_cache);
        let generators = match nodes {
            Some(nodes) => {
                nodes.enter(&mut flow);
                Some(nodes.earlier_owners())
            }
            None => self.generation.owners(&setup.run)?,
        };
        let how = (overlap, generators);
        let task = tukey::task(self.transform, data, options);
        let (mut plain, mut tukey) = (None, None);
        let (observations, options) = task
            .as_ref()
            .map_or((&data.observations, options), |task| (&task.observations, &task.options));
        let likelihood: &mut dyn Evaluate = match &task {
            Some(task) => {
                let inner = setup.resolver::<T>(flow, observations, how)?;
                tukey.insert(TukeyLikelihood::new(inner, task.margin.clone()))
            }
            None => &mut **plain.insert(setup.likelihood::<T>(flow, observations, how)),
        };
        let mut progress = Progress::new(console);
        progress.follow(likelihood.flow().watch(), setup.tasks(), "evaluation 1");
        let covariance = self.covariance.covariance;
        let (mut made, mut best, mut failure) = (0, None, None);
        let log_jacobian = data.log_jacobian();
        let mut between = |flow: &mut Flow, state: &library::Progress, journal: &Journal| {
            let is_own = state.beside != Beside::Surrogate;
            made += usize::from(!state.is_known);
            let own = |loglik: f64| number(loglik + log_jacobian, 9);
            let next = state.evaluations + 1;
            let highest = if state.best.is_finite() {
                format!(", best {}", own(state.best))
            } else {
                String::new()
            };
            progress.begin(setup.tasks(), format!("evaluation {next}{highest}"));
            if is_own {
                let loglik = state.loglik.map_or_else(|| "none".to_owned(), own);
                let (values, nugget) = (state.values.clone(), state.nugget);
                let model = Model { covariance, values, nugget };
                console.detail(format_args!(
                    "{:5}  {loglik:>14}  {}",
                    state.evaluations,
                    parameter_list(&model)
                ));
                if state.loglik == Some(state.best) {
                    best = Some((state.best + log_jacobian, model));
                }
                progress.show(|elapsed| {
                    format!(
                        "{} in {}: loglik {loglik}, best {}, {} per evaluation",
                        count(state.evaluations, "evaluation"),
                        seconds(elapsed),
                        number(state.best, 9),
                        seconds(elapsed / made.max(1) as f64),
                    )
                });
                if state.is_known {
                    return ControlFlow::Continue(());
                }
                let chosen = nodes.as_mut().map_or(Ok(false), |nodes| {
                    let took = (nodes::kind(state), nodes.seconds());
                    nodes.next(flow, took, console)
                });
                if let Err(error) = chosen {
                    failure = Some(error);
                    return ControlFlow::Break(());
                }
            }
            let save = &mut |_: &mut Flow, out: &mut dyn Write| {
                journal.write(out)?;
                Ok(nodes.as_ref().map_or(Ok(()), |nodes| nodes.write(out))?)
            };
            let goes_on = checkpoints.pause(flow, console, (0, save));
            nodes.iter_mut().for_each(Nodes::go_on);
            goes_on
        };
        let found =
            library::fit_from(likelihood, observations, covariance, options, journal, &mut between);
        progress.clear();
        if let Some(failure) = failure {
            return Err(failure);
        }
        let fit = match found {
            Err(FitError::Stopped { evaluations }) => {
                let done = count(evaluations, "evaluation");
                let found = best.map(|(loglik, model)| best_so_far(options, loglik, &model));
                let ending = checkpoints.interruption(&done, found);
                return Err(ending.expect("it was stopped in a pause"));
            }
            found => found?,
        };
        let (fit, tukey_estimates) = match &mut tukey {
            Some(tukey) => {
                let (fit, estimates) = tukey.finish(fit, options)?;
                (fit, Some(estimates))
            }
            None => (fit, None),
        };
        let seconds = progress.seconds();
        let flow = match (&mut plain, &mut tukey) {
            (Some(plain), _) => plain.flow(),
            (None, Some(tukey)) => tukey.flow(),
            (None, None) => unreachable!("one of them was made"),
        };
        let (account, trace) = (Account::of(flow), flow.take_trace());
        Ok(Done {
            fit,
            seconds,
            account,
            trace,
            tukey: tukey_estimates,
            profile: None,
            nodes: None,
        })
    }

    /// Writes the model, and says how to go on.
    fn write(&self, console: &Console, result: &Value) -> Result<()> {
        let Some(path) = &self.output_file else { return Ok(()) };
        write_json(path, result)?;
        if !is_standard_output(path) {
            let path = path.display();
            console.line(format_args!("\nmodel written to {path}; next:"));
            console.line(format_args!(
                "  tegula exageostat predict {path} --at places.csv -o predictions.csv"
            ));
        }
        Ok(())
    }

    /// Writes the page about the fit, if that was asked for.
    fn write_report(
        &self,
        data: &Data,
        setup: &Setup,
        result: Value,
        console: &Console,
    ) -> Result<()> {
        let Some(path) = &self.report else { return Ok(()) };
        let file = &ModelFile::of_json(path, result)?;
        let seed = self.run.seed;
        Page { file, data, setup, predicted: None, seed }.write(path, console)?;
        Ok(())
    }

    /// Who searches: what has no derivatives is searched by values.
    fn optimizer(&self, options: &FitOptions) -> Optimizer {
        match (self.method, options.optimizer) {
            (_, Optimizer::Bobyqa) | (Some(auto::Choice::Named(Method::Dst(_))), _) => {
                Optimizer::Bobyqa
            }
            (Some(auto::Choice::Named(Method::Tlr(_) | Method::Mixed(_))), _) => {
                Optimizer::Surrogate
            }
            (_, optimizer) => optimizer,
        }
    }
}
