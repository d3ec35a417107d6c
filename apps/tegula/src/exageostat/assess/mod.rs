//! `tegula exageostat assess`: how good a model is on its data, left out one by one or in parts;
//! what they tell of its parameters, what wrong ones cost, and whether another model does as well.

mod against;
mod fisher;
mod folds;
mod misspecified;
mod scores;

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use serde_json::{Map, Value};
use tegula_exageostat::assess::{Criteria, Folds, LeftOut, leave_one_out};
use tegula_exageostat::likelihood::{Likelihood, Overlap};
use tegula_exageostat::transform::Transform;
use tegula_kernels::scalar::Real;
use tegula_runtime::trace::Trace;

use super::beside::write_beside;
use super::data::Data;
use super::method::Method;
use super::model_file::{Fitted, ModelFile};
use super::remarks::Remarks;
use super::setup::Setup;
use super::training::Training;
use super::transform::{Column, to_json};
use super::{object, parameters_json};
use crate::error::refused;
use crate::flags::{ContextFlags, MatrixFlags, OutputFlags, RunFlags, TraceFlags};
use crate::output::{Account, Console, Form, Progress, check_form, count, number, seconds};
use scores::unknown;

/// Factorisations that leaving out one at a time is worth: one, and the inverse.
const FACTORIZATIONS: usize = 3;

/// Those that the information is worth.
const INFORMATION: usize = 8;

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
    /// Leave out K random parts in turn, by --seed, and predict each from the others
    ///
    /// The parameters stay as they are; the mean is estimated anew from the others.
    #[arg(long, value_name = "K", help_heading = "Assessment", value_parser = clap::value_parser!(u32).range(2..))]
    cross_validate: Option<u32>,
    /// The same with K blocks of neighbours (k-means of the coordinates): what is far from the data
    #[arg(long, value_name = "K", help_heading = "Assessment", conflicts_with = "cross_validate", value_parser = clap::value_parser!(u32).range(2..))]
    blocks: Option<u32>,
    /// Standard errors and correlations of the parameters by the expected information
    #[arg(long, help_heading = "Assessment")]
    fisher: bool,
    /// What predictions by this model cost where --truth is true: mean loss of efficiency, mean
    /// misspecification of the mean squared error, and the root of its mean square
    #[arg(long, help_heading = "Assessment", requires = "truth")]
    mloe_mmom: bool,
    /// True parameters of the covariance: "name=value,...", nugget 0 unless said
    #[arg(
        long,
        value_name = "LIST",
        help_heading = "Assessment",
        allow_hyphen_values = true,
        requires = "mloe_mmom"
    )]
    truth: Option<String>,
    /// Places for --mloe-mmom [default: a grid over the data]
    #[arg(long, value_name = "PLACES.csv", help_heading = "Assessment", requires = "mloe_mmom")]
    at: Option<PathBuf>,
    /// Coordinates in PLACES.csv [default: as in the training data]
    #[arg(
        long,
        value_name = "X,Y[,Z]",
        help_heading = "Assessment",
        allow_hyphen_values = true,
        requires = "at"
    )]
    coords: Option<String>,
    /// Likelihood-ratio test against another fit to the same data, one of the two a special case of
    /// the other
    ///
    /// A nugget of 0 is at the end of its domain, where the statistic is chi-squared with 0 and
    /// with 1 degree of freedom, half and half.
    #[arg(long, value_name = "OTHER.json", help_heading = "Assessment")]
    against: Option<PathBuf>,
    #[command(flatten)]
    matrix: MatrixFlags,
    #[command(flatten)]
    run: RunFlags,
    #[command(flatten)]
    contexts: ContextFlags,
    /// Write the columns of the data, then observed, predicted, std_error and standardised (error
    /// by std_error) to FILE, and with parts that of each row; "-" is standard output
    #[arg(long = "output", short = 'o', value_name = "FILE", help_heading = "Output")]
    output_file: Option<PathBuf>,
    #[command(flatten)]
    trace: TraceFlags,
    #[command(flatten)]
    output: OutputFlags,
}

/// A model on its data, and how tasks run.
struct Known<'a> {
    file: &'a ModelFile,
    data: &'a Data,
    setup: &'a Setup,
}

/// What is asked for, settled before anything is computed.
struct Plan {
    folds: Option<(&'static str, Folds)>,
    truth: Option<misspecified::Task>,
    against: Option<against::Done>,
}

/// Each observation against all the others, with time and tasks.
struct LeaveOneOut {
    left_out: Vec<LeftOut>,
    seconds: f64,
    trace: Trace,
    account: Account,
}

/// All that was computed.
struct Done {
    one_by_one: Option<LeaveOneOut>,
    folds: Option<folds::Done>,
    fisher: Option<fisher::Done>,
    misspecified: Option<misspecified::Done>,
    against: Option<against::Done>,
}

impl Assess {
    pub(crate) fn run(&self) -> Result<()> {
        let console = self.output.console(self.output_file.as_deref())?;
        self.trace.check()?;
        let file = ModelFile::read(&self.model)?;
        self.output_file.as_deref().map_or(Ok(()), |path| check_form("-o", path, Form::Table))?;
        let mut remarks = Remarks::new(&console);
        self.check_method(&file)?;
        let (train, drop_missing) = (self.train.as_deref(), self.drop_missing);
        let memory = self.run.memory()?;
        let training = Training { model: &self.model, train, drop_missing, memory };
        let flags = (&self.matrix, &self.run);
        let method = file.method.beyond_likelihoods(None);
        let (data, setup) = training.assessment(&file, flags, method, &console, &mut remarks)?;
        if data.values.fields().count() > 1 && (self.mloe_mmom || self.output_file.is_some()) {
            let flag = if self.mloe_mmom { "--mloe-mmom" } else { "-o" };
            return Err(refused(format!(
                "{flag} is for one field of one variable: leave it out, or fit a model to one by itself"
            )));
        }
        let of = Known { file: &file, data: &data, setup: &setup };
        let plan = self.plan(&of)?;
        if setup.is_dry {
            let work = (self.factorizations(&plan, &setup), "factorizations, inverses, solves");
            self.output.write(&setup.estimate(&console, work)?)?;
            return console.finish();
        }
        let mut done = if setup.is_double() {
            self.compute::<f64>(&of, plan, &console)?
        } else {
            self.compute::<f32>(&of, plan, &console)?
        };
        let criteria = criteria(of.file, of.data);
        done.describe(&of, criteria, &console);
        self.write(&of, &done, &console)?;
        let mut result = done.result(&of, criteria);
        result.insert("remarks".to_owned(), remarks.json(&[]));
        let result = Value::Object(result);
        if let Some(LeaveOneOut { trace, account, .. }) = &mut done.one_by_one {
            setup.run.keep_times(account, &console);
            self.trace.write(trace, &result, &console)?;
        }
        self.output.write(&result)?;
        console.finish()
    }

    /// Refuses what neighbours alone cannot tell.
    fn check_method(&self, file: &ModelFile) -> Result<()> {
        let has_parts = self.cross_validate.is_some() || self.blocks.is_some();
        if file.method.beyond_likelihoods(None) == Method::Exact {
            return Ok(());
        }
        let what = if self.mloe_mmom {
            "--mloe-mmom takes weights of all observations"
        } else if self.trace.is_wanted() {
            "--trace is of leave-one-out, which is of the exact likelihood"
        } else if has_parts || self.fisher || self.against.is_some() {
            return Ok(());
        } else {
            "leave-one-out is of the exact likelihood; --cross-validate K or --blocks K leave out \
             parts, with neighbours as well"
        };
        Err(refused(format!(
            "{} was fitted with --method vecchia: {what}; or fit again without --method",
            self.model.display()
        )))
    }

    /// Settles what flags ask for.
    fn plan(&self, of: &Known<'_>) -> Result<Plan> {
        Ok(Plan {
            folds: self.folds(of)?,
            truth: self.truth(of.file, of.data, self.run.memory()?)?,
            against: self.against(of.file, of.data)?,
        })
    }

    /// Factorisations that all is worth.
    fn factorizations(&self, plan: &Plan, setup: &Setup) -> usize {
        let one_by_one = if setup.vecchia().is_none() { FACTORIZATIONS } else { 0 };
        let folds = plan.folds.as_ref().map_or(0, |(_, folds)| folds.count());
        let places = plan.truth.as_ref().map_or(0, |task| task.factorizations(setup.problem.n));
        one_by_one + folds + places + if self.fisher { INFORMATION } else { 0 }
    }

    fn compute<T: Real>(&self, of: &Known<'_>, plan: Plan, console: &Console) -> Result<Done> {
        let Plan { folds, truth, against } = plan;
        let is_exact = of.setup.vecchia().is_none();
        let one_by_one = is_exact.then(|| self.leave_out::<T>(of, console)).transpose()?;
        let folds = folds.map(|folds| self.leave_parts_out::<T>(of, folds, console)).transpose()?;
        let fisher = self.fisher.then(|| Self::information::<T>(of, console)).transpose()?;
        let misspecified = truth.map(|task| Self::compare::<T>(of, task, console)).transpose()?;
        Ok(Done { one_by_one, folds, fisher, misspecified, against })
    }

    fn leave_out<T: Real>(&self, of: &Known<'_>, console: &Console) -> Result<LeaveOneOut> {
        let Known { file, data, setup } = of;
        let mut progress = Progress::new(console);
        let flow = setup.run.flow(self.trace.is_wanted(), true);
        let tasks = FACTORIZATIONS as f64 * setup.tasks();
        progress.follow(flow.watch(), tasks, "cross-validation");
        let (nb, overlap) = (setup.nb(), Overlap::default());
        let likelihood = Likelihood::<T>::new(flow, &data.observations, nb, overlap);
        let (left_out, mut flow) = leave_one_out(likelihood, &file.model)?;
        progress.clear();
        let (account, trace) = (Account::of(&mut flow), flow.take_trace());
        Ok(LeaveOneOut { left_out, seconds: progress.seconds(), trace, account })
    }

    /// Writes what was predicted beside the columns of the data.
    fn write(&self, of: &Known<'_>, done: &Done, console: &Console) -> Result<()> {
        let Some(path) = &self.output_file else { return Ok(()) };
        let one_by_one = done.one_by_one.as_ref().map(|done| &done.left_out);
        let parts = done.folds.as_ref().map(|done| &done.left_out);
        let Some(left_out) = parts.or(one_by_one) else {
            return Err(refused(
                "-o: nothing was left out; ask for parts with --cross-validate K or --blocks K",
            ));
        };
        let observed = of.data.observations.values.clone();
        let each = |value: fn(&LeftOut) -> f64| left_out.iter().map(value).collect::<Vec<f64>>();
        let predicted = observed.iter().zip(left_out).map(|(z, one)| z - one.residual).collect();
        let mut columns: Vec<Column> = vec![
            ("observed", observed),
            ("predicted", predicted),
            ("std_error", each(|one| one.variance.sqrt())),
            ("standardised", each(LeftOut::standardised)),
        ];
        if let Some(done) = &done.folds {
            let part = done.folds.of().iter().map(|&fold| (fold + 1) as f64).collect();
            columns.push(("part", part));
        }
        let names = write_beside(path, (&of.data.table, &of.data.rows), &columns)?;
        console.line(format_args!("{} written to {}", names.join(", "), path.display()));
        Ok(())
    }
}

/// The criteria of the fit, if the model says what was estimated.
pub(super) fn criteria(file: &ModelFile, data: &Data) -> Option<Criteria> {
    let fitted = file.fitted.as_ref()?;
    let fields = data.values.replicates();
    let (coefficients, n) = (fields * data.design().columns(), fields * fitted.n);
    let estimated = fitted.estimated.len();
    Some(if fitted.is_restricted {
        Criteria::new(fitted.loglik, estimated, n.saturating_sub(coefficients))
    } else {
        Criteria::new(fitted.loglik, estimated + coefficients, n)
    })
}

impl Done {
    /// Prints the scores, the criteria and all that was asked for.
    fn describe(&self, of: &Known<'_>, criteria: Option<Criteria>, console: &Console) {
        if let Some(done) = &self.one_by_one {
            for table in scores::tables("leave-one-out", of.data, &done.left_out) {
                console.line("");
                console.line(table);
            }
        }
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
        if let Some(done) = &self.one_by_one {
            let lost = unknown(&done.left_out);
            if lost > 0 {
                let lost = count(lost, "observation");
                console
                    .note(format_args!("{lost} alone tell a coefficient of the mean and got NA"));
            }
            console.line(format_args!("cross-validated in {}", seconds(done.seconds)));
            done.account.describe(console);
        }
        if of.data.transform != Transform::None {
            console.note(
                "scores and errors are on the transformed scale, criteria on that of the values",
            );
        }
        self.folds.iter().for_each(|done| done.describe(of.data, console));
        self.fisher.iter().for_each(|done| done.describe(console));
        self.misspecified.iter().for_each(|done| done.describe(console));
        self.against.iter().for_each(|done| done.describe(console));
    }

    /// The result as JSON.
    fn result(&self, of: &Known<'_>, criteria: Option<Criteria>) -> Map<String, Value> {
        let Known { file, data, setup } = of;
        let is_transformed = data.transform != Transform::None;
        let of_one = self.one_by_one.as_ref();
        let loo = of_one.map(|done| scores::left_out_json(data, &done.left_out, is_transformed));
        let mut result = object([
            ("n", data.observations.len().into()),
            ("loo", loo.into()),
            ("aic", criteria.map(|criteria| criteria.aic).into()),
            ("aicc", criteria.and_then(|criteria| criteria.aicc).into()),
            ("bic", criteria.map(|criteria| criteria.bic).into()),
            ("covariance", file.model.covariance.name.into()),
            ("params", parameters_json(&file.model)),
            ("nugget", file.model.nugget.into()),
            ("transform", to_json(file.transform)),
            ("seconds", of_one.map(|done| done.seconds).into()),
            ("data", super::model_file::data_json(data)),
        ]);
        if let Some(done) = &self.folds {
            result.insert("folds".to_owned(), done.json(data, is_transformed));
        }
        if let Some(done) = &self.fisher {
            result.insert("fisher".to_owned(), done.json());
        }
        if let Some(done) = &self.misspecified {
            done.describe_json(&mut result);
        }
        if let Some(done) = &self.against {
            result.insert("against".to_owned(), done.json());
        }
        setup.describe_json(&mut result);
        if let Some(done) = of_one {
            done.account.describe_json(&mut result);
        }
        result
    }
}
