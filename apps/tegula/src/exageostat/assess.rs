//! `tegula exageostat assess`: leave-one-out cross-validation and information criteria of a model.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use serde_json::{Map, Value, json};
use tegula_exageostat::assess::{Criteria, LEVELS, LeaveOneOut, Scores, leave_one_out};
use tegula_exageostat::likelihood::{Likelihood, Overlap};
use tegula_exageostat::program::Computation;
use tegula_exageostat::transform::Transform;
use tegula_kernels::scalar::Real;
use tegula_runtime::trace::Trace;

use super::data::Data;
use super::method::Method;
use super::model_file::ModelFile;
use super::predict::write_beside;
use super::remarks::Remarks;
use super::setup::Setup;
use super::training::Training;
use super::transform::{Column, to_json};
use super::{object, parameter_list, parameters_json};
use crate::error::refused;
use crate::flags::{MatrixFlags, OutputFlags, RunFlags, TraceFlags};
use crate::output::{
    Account, Align, Console, Form, Progress, Table, check_form, count, number, seconds,
};

/// Factorisations that the work is worth: one, and the inverse.
const FACTORIZATIONS: usize = 3;

/// Flags of `assess`.
#[derive(Args, Debug)]
pub(crate) struct Assess {
    /// What fit wrote
    #[arg(value_name = "MODEL.json")]
    model: PathBuf,
    /// Training data [default: the file that the model names, which must not have changed]
    #[arg(long, value_name = "DATA.csv", help_heading = "Data")]
    train: Option<PathBuf>,
    /// Leave out rows that lack a value
    #[arg(long, help_heading = "Data")]
    drop_missing: bool,
    #[command(flatten)]
    matrix: MatrixFlags,
    #[command(flatten)]
    run: RunFlags,
    /// Write the columns of the data, then observed, predicted, std_error and standardised (error
    /// by std_error) to FILE; "-" is standard output
    #[arg(long = "output", short = 'o', value_name = "FILE", help_heading = "Output")]
    output_file: Option<PathBuf>,
    #[command(flatten)]
    trace: TraceFlags,
    #[command(flatten)]
    output: OutputFlags,
}

/// Errors with their time and their tasks.
struct Done {
    errors: LeaveOneOut,
    seconds: f64,
    trace: Trace,
    account: Account,
}

impl Assess {
    pub(crate) fn run(&self) -> Result<()> {
        let console = self.output.console(self.output_file.as_deref())?;
        self.trace.check()?;
        let file = ModelFile::read(&self.model)?;
        self.output_file.as_deref().map_or(Ok(()), |path| check_form("-o", path, Form::Table))?;
        let mut remarks = Remarks::new(&console);
        let (data, setup) = self.prepare(&file, &console, &mut remarks)?;
        if setup.is_dry {
            let reason = "a factorization, and an inverse, which costs as much as two";
            self.output.write(&setup.estimate(&console, (FACTORIZATIONS, reason))?)?;
            return console.finish();
        }
        let mut done = if setup.is_double() {
            self.leave_out::<f64>(&file, &data, &setup, &console)?
        } else {
            self.leave_out::<f32>(&file, &data, &setup, &console)?
        };
        let scores = Scores::new(&done.errors.errors, &done.errors.variances);
        let criteria = criteria(&file, &data);
        describe(&console, &data, &done, (&scores, criteria));
        self.write(&data, &done.errors, &console)?;
        setup.run.keep_times(&done.account, &console);
        let mut result = result(&file, &data, &setup, &done, (&scores, criteria));
        result.insert("remarks".to_owned(), remarks.json(&[]));
        let result = Value::Object(result);
        self.trace.write(&mut done.trace, &result, &console)?;
        self.output.write(&result)?;
        console.finish()
    }

    /// Reads the data, refuses what cannot be used, and prints what will be done.
    fn prepare(
        &self,
        file: &ModelFile,
        console: &Console,
        remarks: &mut Remarks<'_>,
    ) -> Result<(Data, Setup)> {
        if file.method != Method::Exact {
            return Err(refused(format!(
                "{} was fitted with --method vecchia: leave-one-out is of the exact likelihood; fit \
                 again without --method, or hold out places and give them to predict --at",
                self.model.display()
            )));
        }
        let (model, train) = (&file.model, self.train.as_deref());
        let (drop_missing, memory) = (self.drop_missing, self.run.memory()?);
        let data =
            Training { model: &self.model, train, drop_missing, memory }.data(file, remarks)?;
        let problem = data.problem(Computation::Assessment);
        let setup = Setup::new(&self.matrix, &self.run, problem, model.covariance)?;
        data.check_places(model.nugget > 0.0, "fit again with --estimate-nugget", console)?;
        data.describe(console);
        console.field("covariance", model.covariance.name);
        console.field("parameters", parameter_list(model));
        setup.describe(console);
        remarks.caution(model, problem.geometry);
        Ok((data, setup))
    }

    fn leave_out<T: Real>(
        &self,
        file: &ModelFile,
        data: &Data,
        setup: &Setup,
        console: &Console,
    ) -> Result<Done> {
        let mut progress = Progress::new(console);
        let flow = setup.run.flow(self.trace.is_wanted(), true);
        let tasks = FACTORIZATIONS as f64 * setup.tasks();
        progress.follow(flow.watch(), tasks, "cross-validation");
        let (nb, overlap) = (setup.nb(), Overlap::default());
        let likelihood = Likelihood::<T>::new(flow, &data.observations, nb, overlap);
        let (errors, mut flow) = leave_one_out(likelihood, &file.model)?;
        progress.clear();
        let (account, trace) = (Account::of(&mut flow), flow.take_trace());
        Ok(Done { errors, seconds: progress.seconds(), trace, account })
    }

    /// Writes the errors beside the columns of the data.
    fn write(&self, data: &Data, found: &LeaveOneOut, console: &Console) -> Result<()> {
        let Some(path) = &self.output_file else { return Ok(()) };
        let observed = data.observations.values.clone();
        let predicted = observed.iter().zip(&found.errors).map(|(z, error)| z - error).collect();
        let deviations: Vec<f64> = found.variances.iter().map(|v| v.sqrt()).collect();
        let standardised = found.errors.iter().zip(&deviations).map(|(e, s)| e / s).collect();
        let columns: [Column; 4] = [
            ("observed", observed),
            ("predicted", predicted),
            ("std_error", deviations),
            ("standardised", standardised),
        ];
        let names = write_beside(path, (&data.table, &data.rows), &columns)?;
        console.line(format_args!("{} written to {}", names.join(", "), path.display()));
        Ok(())
    }
}

/// The criteria of the fit, if the model says what was estimated.
fn criteria(file: &ModelFile, data: &Data) -> Option<Criteria> {
    let fitted = file.fitted?;
    let coefficients = data.observations.design.columns();
    Some(if fitted.is_restricted {
        Criteria::new(fitted.loglik, fitted.estimated, fitted.n.saturating_sub(coefficients))
    } else {
        Criteria::new(fitted.loglik, fitted.estimated + coefficients, fitted.n)
    })
}

/// Prints the scores and criteria.
fn describe(
    console: &Console,
    data: &Data,
    done: &Done,
    (scores, criteria): (&Scores, Option<Criteria>),
) {
    console.line("");
    let mut table = Table::new(&[
        ("leave-one-out", Align::Left),
        (&count(scores.n, "observation"), Align::Right),
        ("", Align::Left),
    ]);
    let coverage = scores.coverage.map(|share| number(100.0 * share, 3)).join(", ");
    let levels = LEVELS.map(|(percent, _)| percent.to_string()).join(", ");
    for (name, value, meaning) in [
        ("rmse", number(scores.rmse, 6), "root of the mean squared error"),
        ("mean error", number(scores.mean_error, 6), "observed less predicted"),
        (
            "msse",
            number(scores.msse, 6),
            "mean squared standardised error: 1 if variances are right",
        ),
        ("crps", number(scores.crps, 6), "ranked probability score: less is better"),
        ("log score", number(scores.log_score, 6), "minus the log-density: less is better"),
        ("coverage", coverage, &format!("percent within the intervals of {levels} %")),
        ("pit", scores.pit.map(|count| count.to_string()).join(" "), "10 bins, even if calibrated"),
    ] {
        table.row([name, &value, meaning].map(str::to_owned).to_vec());
    }
    console.line(table);
    console.line("");
    match criteria {
        Some(Criteria { aic, aicc, bic }) => {
            let aicc = aicc.map_or_else(|| "none".to_owned(), |aicc| number(aicc, 8));
            let [aic, bic] = [aic, bic].map(|value| number(value, 8));
            console.line(format_args!("  AIC {aic}, AICc {aicc}, BIC {bic} (less is better)"));
        }
        None => console.note(
            "the model does not say which parameters were estimated: fit again for AIC and BIC",
        ),
    }
    console.line("");
    let lost = data.observations.len() - scores.n;
    if lost > 0 {
        let lost = count(lost, "observation");
        console.note(format_args!("{lost} alone tell a coefficient of the mean and got NA"));
    }
    if data.transform != Transform::None {
        console
            .note("scores and errors are on the transformed scale, criteria on that of the values");
    }
    console.line(format_args!("cross-validated in {}", seconds(done.seconds)));
    done.account.describe(console);
}

/// The result as JSON.
fn result(
    file: &ModelFile,
    data: &Data,
    setup: &Setup,
    done: &Done,
    (scores, criteria): (&Scores, Option<Criteria>),
) -> Map<String, Value> {
    let levels = LEVELS.iter().zip(scores.coverage);
    let coverage: Map<String, Value> =
        levels.map(|((percent, _), share)| (percent.to_string(), share.into())).collect();
    let loo = json!({
        "n": scores.n,
        "rmse": scores.rmse,
        "mean_error": scores.mean_error,
        "msse": scores.msse,
        "crps": scores.crps,
        "log_score": scores.log_score,
        "coverage": coverage,
        "pit": scores.pit,
        "is_transformed": data.transform != Transform::None,
    });
    let mut result = object([
        ("n", data.observations.len().into()),
        ("loo", loo),
        ("aic", criteria.map(|criteria| criteria.aic).into()),
        ("aicc", criteria.and_then(|criteria| criteria.aicc).into()),
        ("bic", criteria.map(|criteria| criteria.bic).into()),
        ("covariance", file.model.covariance.name.into()),
        ("params", parameters_json(&file.model)),
        ("nugget", file.model.nugget.into()),
        ("transform", to_json(file.transform)),
        ("seconds", done.seconds.into()),
        ("data", super::model_file::data_json(data)),
    ]);
    setup.describe_json(&mut result);
    done.account.describe_json(&mut result);
    result
}
