//! The log-likelihood of one set of parameters after the other, on data that are read once.

use std::io::{self, Write};
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use tegula_exageostat::covariance::Covariance;
use tegula_exageostat::likelihood::{Evaluate, Evaluation, LikelihoodError};
use tegula_exageostat::model::Model;
use tegula_files::WriteError;
use tegula_kernels::scalar::Real;

use super::{Loglik, NO_NUGGET, check_finite, gradient_json};
use crate::error::{self, message};
use crate::exageostat::data::Data;
use crate::exageostat::mean_file::coefficients_json;
use crate::exageostat::parameter_sets::ParameterSet;
use crate::exageostat::setup::Setup;
use crate::exageostat::{parameter_list, parameters_json};
use crate::output::{Account, Console, Progress, count, is_standard_output, number, write_file};
use crate::ranks;

/// What a set came to: its likelihood, and its derivatives if they are wanted.
type Outcome = (Evaluation, Option<Vec<f64>>);

/// The greatest log-likelihood so far, and the number of its set.
#[derive(Default)]
struct Tally {
    failed: usize,
    best: Option<(f64, usize)>,
}

impl Loglik {
    /// Evaluates `sets` of the parameters of a covariance, and tells each as soon as it is known.
    ///
    /// # Errors
    /// If something else than parameters is to blame, or no set has a likelihood.
    pub(super) fn evaluate_sets(
        &self,
        data: &Data,
        given: (&'static Covariance, &[ParameterSet]),
        setup: &Setup,
        console: &Console,
    ) -> Result<()> {
        if setup.is_double() {
            self.evaluate_each::<f64>(data, given, setup, console)
        } else {
            self.evaluate_each::<f32>(data, given, setup, console)
        }
    }

    fn evaluate_each<T: Real>(
        &self,
        data: &Data,
        (covariance, sets): (&'static Covariance, &[ParameterSet]),
        setup: &Setup,
        console: &Console,
    ) -> Result<()> {
        let overlap = self.overlap.overlap();
        let flow = setup.run.flow(self.trace.is_wanted(), overlap.memory_cache);
        let how = (overlap, self.generation.owners(&setup.run)?);
        let mut likelihood = setup.likelihood::<T>(flow, &data.observations, how);
        let mut lines = Lines { path: self.output.json.as_deref(), kept: Vec::new() };
        let mut tally = Tally::default();
        let mut progress = Progress::new(console);
        console.line("");
        console.line(format_args!("{:>6}  {:>18}  parameters", "set", "log-likelihood"));
        let is_singular = !data.observations.coincident().is_empty();
        let at_once = if self.gradient || is_singular { 1 } else { likelihood.at_once() };
        let mut number = 0;
        'sets: for some in sets.chunks(at_once) {
            let start = Instant::now();
            let outcomes = if is_singular && some[0].nugget == 0.0 {
                vec![Err(data.check_places(false, NO_NUGGET, console).expect_err("some"))]
            } else {
                self.outcomes(&mut *likelihood, covariance, some)?
            };
            let seconds = start.elapsed().as_secs_f64() / some.len() as f64;
            for (set, outcome) in some.iter().zip(outcomes) {
                number += 1;
                let ParameterSet { values, nugget, .. } = set.clone();
                let model = Model { covariance, values, nugget };
                tally.add(number, data, &outcome);
                describe(console, (number, &model), data, &outcome);
                let mut result = result(data, &model, &outcome);
                result["set"] = number.into();
                result["line"] = set.line.into();
                result["seconds"] = seconds.into();
                if !lines.push(result)? {
                    break 'sets;
                }
            }
            progress.share(number, sets.len(), "sets");
        }
        lines.finish()?;
        progress.clear();
        let account = Account::of(likelihood.flow());
        self.summarise(console, sets.len(), &tally, progress.seconds());
        setup.run.keep_times(&account, console);
        let about = json!({ "covariance": covariance.name, "n": data.observations.len() });
        self.trace.write(&mut likelihood.flow().take_trace(), &about, console)?;
        match tally.best {
            Some(_) => Ok(()),
            None => bail!("no set of parameters has a likelihood: each line says why"),
        }
    }

    /// What some sets come to, or why they have no likelihood.
    ///
    /// # Errors
    /// If something else than parameters is to blame.
    fn outcomes(
        &self,
        likelihood: &mut dyn Evaluate,
        covariance: &'static Covariance,
        sets: &[ParameterSet],
    ) -> Result<Vec<Result<Outcome>>> {
        let found: Vec<Result<Outcome, LikelihoodError>> = match sets {
            [ParameterSet { values, nugget, .. }] => {
                let model = Model { covariance, values: values.clone(), nugget: *nugget };
                vec![self.evaluate_once(likelihood, &model)]
            }
            _ => {
                let point = |set: &ParameterSet| (set.values.clone(), set.nugget);
                let points: Vec<(Vec<f64>, f64)> = sets.iter().map(point).collect();
                let found = likelihood.evaluate_each(covariance, &points).into_iter();
                found.map(|one| Ok((one?, None))).collect()
            }
        };
        found.into_iter().map(settle).collect()
    }

    /// Prints what all sets came to.
    fn summarise(&self, console: &Console, sets: usize, tally: &Tally, elapsed: f64) {
        console.line("");
        let failed = match tally.failed {
            0 => String::new(),
            failed => format!(", {failed} of them without a likelihood"),
        };
        console.line(format_args!(
            "evaluated {}{failed} in {}",
            count(sets, "set"),
            crate::output::seconds(elapsed)
        ));
        if let Some((loglik, set)) = tally.best {
            console.line(format_args!("the greatest is {} of set {set}", number(loglik, 12)));
        }
    }
}

impl Tally {
    fn add(&mut self, set: usize, data: &Data, outcome: &Result<Outcome>) {
        let Ok((evaluation, _)) = outcome else {
            self.failed += 1;
            return;
        };
        let loglik = evaluation.loglik() + data.log_jacobian();
        if self.best.is_none_or(|(best, _)| loglik > best) {
            self.best = Some((loglik, set));
        }
    }
}

/// An outcome, or why there is none.
///
/// # Errors
/// If something else than parameters is to blame.
fn settle(found: Result<Outcome, LikelihoodError>) -> Result<Result<Outcome>> {
    match found {
        Err(error @ LikelihoodError::Flow(_)) => Err(error.into()),
        Err(error) => Ok(Err(error.into())),
        Ok(outcome) => Ok(check_finite(&outcome.0).map(|()| outcome)),
    }
}

/// Prints the line of a set.
fn describe(console: &Console, (set, model): (usize, &Model), data: &Data, out: &Result<Outcome>) {
    let parameters = parameter_list(model);
    let (loglik, more) = match out {
        Ok((evaluation, gradient)) => {
            let slopes = gradient.as_ref().map(|gradient| {
                let each: Vec<String> = gradient.iter().map(|slope| number(*slope, 6)).collect();
                format!("; derivatives {}", each.join(", "))
            });
            (number(evaluation.loglik() + data.log_jacobian(), 12), slopes.unwrap_or_default())
        }
        Err(failure) => ("none".to_owned(), format!(": {}", message(failure))),
    };
    console.line(format_args!("{set:>6}  {loglik:>18}  {parameters}{more}"));
}

/// The result of a set as JSON.
fn result(data: &Data, model: &Model, outcome: &Result<Outcome>) -> Value {
    let mut result = json!({
        "set": null, "line": null, "covariance": model.covariance.name,
        "params": parameters_json(model), "nugget": model.nugget,
        "loglik": null, "logdet": null, "quadratic": null, "n": data.observations.len(),
    });
    match outcome {
        Ok((evaluation, gradient)) => {
            let coefficients = data.coefficients(evaluation);
            result["loglik"] = (evaluation.loglik() + data.log_jacobian()).into();
            result["logdet"] = evaluation.logdet.into();
            result["quadratic"] = evaluation.quadratic.into();
            result["coefficients"] = coefficients_json(&coefficients, &data.aliased);
            if let Some(gradient) = gradient {
                result["gradient"] = gradient_json(model.covariance, gradient);
            }
        }
        Err(failure) => result["error"] = message(failure).into(),
    }
    result
}

/// Takes JSON, a line for each object: to standard output at once, to a file all or nothing.
struct Lines<'a> {
    path: Option<&'a Path>,
    kept: Vec<Value>,
}

impl Lines<'_> {
    /// Takes one more; false if nobody reads any more.
    fn push(&mut self, value: Value) -> Result<bool> {
        let Some(path) = self.path else { return Ok(true) };
        if !is_standard_output(path) {
            self.kept.push(value);
            return Ok(true);
        }
        if !ranks::is_root() {
            return Ok(true);
        }
        // A reader of lines has one with an error in it.
        error::expect_json(false);
        let mut out = io::stdout().lock();
        match writeln!(out, "{value}").and_then(|()| out.flush()) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(ranks::ranks() > 1),
            written => written.map(|()| true).context("cannot write to standard output"),
        }
    }

    fn finish(&self) -> Result<()> {
        let Some(path) = self.path.filter(|path| !is_standard_output(path)) else { return Ok(()) };
        write_file::<WriteError>(path, |out| {
            self.kept.iter().try_for_each(|value| writeln!(out, "{value}"))?;
            Ok(())
        })
    }
}
