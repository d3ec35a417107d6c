//! `tegula exageostat fit`: maximum likelihood.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use serde_json::{Value, json};
use tegula_exageostat::fit::{FitOptions, NuggetChoice, fit};
use tegula_exageostat::likelihood::Likelihood;
use tegula_exageostat::model::Model;
use tegula_kernels::scalar::Real;

use super::data::Data;
use super::mean::Mean;
use super::options::EstimationFlags;
use super::report::{Done, coefficients, describe, message};
use super::setting::{LIKELIHOOD, Setting};
use super::{describe_covariance, methods, object, parameter_list, parameters_json};
use crate::error::refused;
use crate::flags::{
    CovarianceFlags, DataFlags, MatrixFlags, OutputFlags, OverlapFlags, RunFlags, TraceFlags,
};
use crate::output::{
    Account, Console, Progress, check_apart, count, is_standard_output, number, seconds, write_json,
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

impl Fit {
    pub(crate) fn run(&self) -> Result<()> {
        let console = self.output.console(self.output_file.as_deref())?;
        self.trace.check()?;
        check_apart(
            &[("-o", self.output_file.as_deref()), self.output.path(), self.trace.path()],
            &[("the data", &self.data.data)],
        )?;
        let options = self.estimation.options(self.covariance.covariance)?;
        let (data, setting) = self.prepare(&console)?;
        if setting.is_dry {
            let expected = expected_evaluations(&options).min(options.max_evaluations);
            let plan = setting.estimate(&console, (expected, "what a fit usually takes"))?;
            self.output.write(&plan)?;
            return console.finish();
        }
        let mut done = if setting.is_double() {
            self.search::<f64>(&data, &options, &setting, &console)?
        } else {
            self.search::<f32>(&data, &options, &setting, &console)?
        };
        describe(&console, &data, &options, &done);
        setting.run.keep_times(&done.account, &console);
        let result = self.result(&data, &setting, &done);
        let written = [
            self.write(&console, &result),
            self.trace.write(&mut done.trace, &result, &console),
            self.output.write(&result),
        ];
        written.into_iter().collect::<Result<()>>()?;
        console.finish()
    }

    /// Reads everything, refuses what cannot be used, and prints what will be done.
    fn prepare(&self, console: &Console) -> Result<(Data, Setting)> {
        let covariance = self.covariance.covariance;
        let data = Data::load(&self.data, Mean::parse(&self.mean)?)?;
        data.observations
            .check_fit()
            .map_err(|error| refused(format!("{}: {error}", data.table.path().display())))?;
        let extent = data.extent(LIKELIHOOD);
        let setting = Setting::new(&self.matrix, &self.run, extent, covariance)?;
        let remedy = "estimate one (--estimate-nugget), or give one (--nugget VALUE)";
        data.check_places(self.estimation.has_nugget(), remedy, console)?;
        data.describe(console);
        describe_covariance(console, covariance);
        setting.describe(console);
        Ok((data, setting))
    }

    /// Searches, and shows how far the search is.
    fn search<T: Real>(
        &self,
        data: &Data,
        options: &FitOptions,
        setting: &Setting,
        console: &Console,
    ) -> Result<Done> {
        let overlap = self.overlap.overlap();
        let flow = setting.run.flow(self.trace.is_wanted(), overlap.memory_cache);
        let mut likelihood = Likelihood::<T>::new(flow, &data.observations, setting.nb(), overlap);
        let mut progress = Progress::new(console);
        progress.follow(likelihood.flow().watch(), setting.tasks(), "evaluation 1");
        let covariance = self.covariance.covariance;
        let fit = fit(&mut likelihood, &data.observations, covariance, options, |state| {
            let loglik = state.loglik.map_or_else(|| "none".to_owned(), |l| number(l, 9));
            let (values, nugget) = (state.values.clone(), state.nugget);
            console.detail(format_args!(
                "{:5}  {loglik:>14}  {}",
                state.evaluations,
                parameter_list(&Model { covariance, values, nugget })
            ));
            let (next, best) = (state.evaluations + 1, number(state.best, 9));
            progress.begin(setting.tasks(), format!("evaluation {next}, best {best}"));
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
        let flow = likelihood.flow();
        Ok(Done { fit, seconds, account: Account::of(flow), trace: flow.take_trace() })
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

    fn result(&self, data: &Data, setting: &Setting, done: &Done) -> Value {
        let fit = &done.fit;
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
            ("message", message(done).into()),
            ("remarks", fit.remarks.clone().into()),
            ("mean", coefficients(data, fit).json(&data.mean)),
            ("bounds_hit", hits.into()),
            ("seconds", done.seconds.into()),
            ("method", self.method.clone().into()),
            ("optimizer", self.estimation.optimizer.clone().into()),
            ("data", super::model_file::data_json(data)),
        ]);
        setting.describe_json(&mut result);
        done.account.describe_json(&mut result);
        self.overlap.describe_json(&mut result);
        Value::Object(result)
    }
}
