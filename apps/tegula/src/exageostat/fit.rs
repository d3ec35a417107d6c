//! `tegula exageostat fit`: maximum likelihood.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use serde_json::{Value, json};
use tegula_exageostat::fit::{self as library, FitOptions, NuggetChoice, fit};
use tegula_exageostat::likelihood::Likelihood;
use tegula_exageostat::model::Model;
use tegula_kernels::scalar::{Precision, Scalar};
use tegula_runtime::trace::Trace;

use super::data::Data;
use super::mean::{Coefficients, Mean};
use super::options::EstimationFlags;
use super::{
    caution, describe_covariance, estimate, methods, object, parameter_list, parameters_json,
};
use crate::error::refused;
use crate::flags::{
    CovarianceFlags, DataFlags, MatrixFlags, OutputFlags, OverlapFlags, Run, RunFlags, TraceFlags,
};
use crate::output::{
    Align, Console, Progress, Table, count, is_standard_output, number, seconds, write_json,
};

/// Evaluations that a fit is expected to take, by number of parameters that are searched.
fn expected_evaluations(options: &FitOptions) -> usize {
    let nugget = usize::from(matches!(options.nugget, NuggetChoice::Estimated { .. }));
    let free = options.fixed.iter().filter(|fixed| fixed.is_none()).count() + nugget;
    // The variance is profiled out.
    [2, 2, 20, 50, 90, 140][free.min(5)]
}

/// Flags of `fit`.
#[derive(Args, Debug)]
pub(crate) struct Fit {
    #[command(flatten)]
    data: DataFlags,
    #[command(flatten)]
    covariance: CovarianceFlags,
    /// Mean: zero, constant, or a formula over columns ("x + y + sqrt(dist)")
    #[arg(
        long,
        value_name = "MEAN",
        help_heading = "Model",
        default_value = "constant",
        allow_hyphen_values = true
    )]
    mean: String,
    #[command(flatten)]
    estimation: EstimationFlags,
    /// How the likelihood is computed
    #[arg(long, value_name = "NAME", help_heading = "Model", default_value = "exact", value_parser = methods())]
    method: String,
    #[command(flatten)]
    matrix: MatrixFlags,
    #[command(flatten)]
    run: RunFlags,
    #[command(flatten)]
    overlap: OverlapFlags,
    /// Write the model as JSON, for predict
    #[arg(long = "output", short = 'o', value_name = "MODEL.json", help_heading = "Output")]
    output_file: Option<PathBuf>,
    #[command(flatten)]
    trace: TraceFlags,
    #[command(flatten)]
    output: OutputFlags,
}

/// A fit with its time and its tasks.
struct Done {
    fit: library::Fit,
    seconds: f64,
    trace: Trace,
}

impl Fit {
    pub(crate) fn run(&self) -> Result<()> {
        let console = self.output.console(self.output_file.as_deref())?;
        self.trace.check()?;
        let covariance = self.covariance.covariance;
        let options = self.estimation.options(covariance)?;
        let data = Data::load(&self.data, Mean::parse(&self.mean)?)?;
        data.observations
            .check_fit()
            .map_err(|error| refused(format!("{}: {error}", data.table.path().display())))?;
        let run = self.run.settle()?;
        data.describe(&console);
        console.field("mean", data.mean.describe());
        describe_covariance(&console, covariance);
        let remedy = "estimate one (--estimate-nugget), or give one (--nugget VALUE)";
        data.check_places(self.estimation.has_nugget(), remedy, &console)?;
        let n = data.observations.len();
        let nb = self.matrix.tile_size(n, run.workers);
        run.describe(&console, nb, self.matrix.precision);
        let matrix = estimate::Evaluation {
            n,
            nb,
            precision: self.matrix.precision,
            covariance,
            geometry: data.coordinates.geometry(),
        };
        if self.matrix.dry_run {
            let expected = expected_evaluations(&options).min(self.estimation.max_evaluations());
            let plan = matrix.describe(&console, &run, (expected, "what a fit usually takes"))?;
            self.output.write(&plan)?;
            return console.finish();
        }
        matrix.check_memory()?;
        let done = match self.matrix.precision {
            Precision::Single => self.search::<f32>(&data, &options, &run, nb, &console)?,
            Precision::Double => self.search::<f64>(&data, &options, &run, nb, &console)?,
        };
        self.describe(&console, &data, &options, &done);
        let result = self.result(&data, &run, nb, &done);
        self.write(&console, &result)?;
        self.trace.write(&done.trace, &console)?;
        self.output.write(&result)?;
        console.finish()
    }

    /// Searches, and shows how far the search is.
    fn search<T: Scalar>(
        &self,
        data: &Data,
        options: &FitOptions,
        run: &Run,
        nb: usize,
        console: &Console,
    ) -> Result<Done> {
        let overlap = self.overlap.overlap();
        let flow = run.flow(self.trace.is_wanted(), overlap.memory_cache);
        let mut likelihood = Likelihood::<T>::new(flow, &data.observations, nb, overlap);
        let mut progress = Progress::new(console);
        let covariance = self.covariance.covariance;
        let fit = fit(&mut likelihood, &data.observations, covariance, options, |state| {
            let loglik = state.loglik.map_or_else(|| "none".to_owned(), |l| number(l, 9));
            let (values, nugget) = (state.values.clone(), state.nugget);
            console.detail(format_args!(
                "{:5}  {loglik:>14}  {}",
                state.evaluations,
                parameter_list(&Model { covariance, values, nugget })
            ));
            progress.show(|elapsed| {
                format!(
                    "{} in {}: loglik {loglik}, best {}, {} per evaluation",
                    count(state.evaluations, "evaluation"),
                    seconds(elapsed),
                    number(state.best, 9),
                    seconds(elapsed / state.evaluations as f64),
                )
            });
        })?;
        progress.clear();
        let seconds = progress.seconds();
        Ok(Done { fit, seconds, trace: likelihood.flow().take_trace() })
    }

    fn describe(&self, console: &Console, data: &Data, options: &FitOptions, done: &Done) {
        let fit = &done.fit;
        console.line("");
        console.line(self.estimates(options, fit));
        let coefficients = coefficients(data, fit);
        if !coefficients.names.is_empty() {
            console.line("");
            console.line(mean_table(&coefficients));
        }
        console.line("");
        console.line(format_args!("  log-likelihood  {}", number(fit.evaluation.loglik(), 10)));
        console.line("");
        console.line(self.message(done));
        caution(console, &fit.model, data.coordinates.geometry());
        fit.bounds_hit.iter().for_each(|hit| {
            console.warn(format_args!("{hit}: the maximum may lie beyond; --bounds moves it"));
        });
        fit.remarks.iter().for_each(|remark| console.note(remark));
        if !fit.converged {
            console.warn(format_args!(
                "the search has not converged: these are the best of {}; more are allowed with \
                 --max-evaluations, or a larger --tolerance",
                count(fit.evaluations, "evaluation")
            ));
        }
    }

    /// The estimates as a table.
    fn estimates(&self, options: &FitOptions, fit: &library::Fit) -> Table {
        let mut table = Table::new(&[
            ("parameter", Align::Left),
            ("estimate", Align::Right),
            ("", Align::Left),
        ]);
        let covariance = fit.model.covariance;
        for (index, parameter) in covariance.parameters.iter().enumerate() {
            let fixed = if options.fixed[index].is_some() { "(fixed) " } else { "" };
            let value = number(fit.model.values[index], 6);
            table.row(vec![
                parameter.name.to_owned(),
                value,
                format!("{fixed}{}", parameter.meaning),
            ]);
        }
        let (value, remark) = match options.nugget {
            NuggetChoice::Fixed(0.0) => ("0".to_owned(), "(fixed) variance of the noise"),
            NuggetChoice::Fixed(value) => (number(value, 6), "(fixed) variance of the noise"),
            NuggetChoice::Estimated { .. } => {
                (number(fit.model.nugget, 6), "variance of the noise")
            }
        };
        table.row(vec!["nugget".to_owned(), value, remark.to_owned()]);
        table
    }

    /// How the search ended, in a line.
    fn message(&self, done: &Done) -> String {
        let state = if done.fit.converged { "converged" } else { "stopped" };
        format!(
            "{state} after {} in {} ({} each)",
            count(done.fit.evaluations, "evaluation"),
            seconds(done.seconds),
            seconds(done.seconds / done.fit.evaluations as f64)
        )
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

    fn result(&self, data: &Data, run: &Run, nb: usize, done: &Done) -> Value {
        let fit = &done.fit;
        let coefficients = coefficients(data, fit);
        let hits: Vec<Value> = fit
            .bounds_hit
            .iter()
            .map(|hit| json!({ "parameter": hit.parameter, "end": hit.end, "bound": hit.bound, "is_share_of_variance": hit.is_share }))
            .collect();
        let mut result = object([
            ("tegula_version", env!("CARGO_PKG_VERSION").into()),
            ("covariance", fit.model.covariance.name.into()),
            ("params", parameters_json(&fit.model)),
            ("nugget", fit.model.nugget.into()),
            ("std_errors", Value::Null),
            ("loglik", fit.evaluation.loglik().into()),
            ("evaluations", fit.evaluations.into()),
            ("failed_evaluations", fit.failed_evaluations.into()),
            ("iterations", fit.iterations.into()),
            ("converged", fit.converged.into()),
            ("message", self.message(done).into()),
            ("remarks", fit.remarks.clone().into()),
            (
                "mean",
                json!({ "formula": data.mean.text(), "names": coefficients.names, "coefficients": coefficients.values, "standard_errors": coefficients.standard_errors }),
            ),
            ("bounds_hit", hits.into()),
            ("seconds", done.seconds.into()),
            ("method", self.method.clone().into()),
            ("optimizer", self.estimation.optimizer.clone().into()),
            ("data", super::model_file::data_json(data)),
        ]);
        run.describe_json(&mut result, nb, self.matrix.precision);
        self.overlap.describe_json(&mut result);
        Value::Object(result)
    }
}

fn coefficients(data: &Data, fit: &library::Fit) -> Coefficients {
    let (c, a) = (&fit.evaluation.coefficients, &fit.evaluation.coefficient_covariance);
    Coefficients::new(&data.observations.design, c, a)
}

/// The coefficients of the mean as a table.
fn mean_table(coefficients: &Coefficients) -> Table {
    let mut table = Table::new(&[
        ("mean", Align::Left),
        ("coefficient", Align::Right),
        ("standard error", Align::Right),
    ]);
    let values = coefficients.values.iter().zip(&coefficients.standard_errors);
    for (name, (value, error)) in coefficients.names.iter().zip(values) {
        table.row(vec![name.clone(), number(*value, 6), number(*error, 3)]);
    }
    table
}
