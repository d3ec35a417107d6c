//! What principal components and correspondence analysis have in common: flags, setups, the run,
//! and what is told of it.

mod factors;
mod results;
mod setup;
mod side_inputs;

use std::ffi::OsStr;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::Result;
use clap::Args;
use clap::builder::TypedValueParser;
use serde_json::Value;
use tegula_diodon::diagram::Diagram;
use tegula_diodon::instruments::{self, Explained};
use tegula_diodon::output::Output;
use tegula_diodon::singular::{self, METHODS, Operator, Triples};
use tegula_diodon::table::{Form, TableOptions};
use tegula_diodon::{Constraints, EmbedError, Ordination};
use tegula_kernels::scalar::{Precision, Real};
use tegula_runtime::exec::Exec;
use tegula_runtime::flow::{Flow, FlowOptions};
use tegula_runtime::trace::Trace;

use super::axes::tolerance;
use super::matrix::ReadFlags;
use super::overlap::StreamFlags;
use super::readers;
use super::written::describe_written;
use crate::error::refused;
use crate::flags::{MatrixFlags, OutputFlags, RunFlags, TraceFlags, member};
use crate::guest;
use crate::output::{Account, Console, Progress, check_folder_to_make};
use crate::ranks::is_root;
pub(super) use setup::Setup;
pub(super) use side_inputs::{MainTable, SideInputs};

/// Flags of both.
#[derive(Args, Debug)]
pub(super) struct ComponentFlags {
    /// Number of axes
    #[arg(long, value_name = "K", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=1000), help_heading = "Model")]
    axes: u32,
    /// How they are found [default: exact for small tables, else krylov]
    #[arg(long, value_name = "NAME", help_heading = "Model", value_parser = methods())]
    method: Option<usize>,
    /// Passes that krylov makes at most, before those for the coordinates
    #[arg(long, value_name = "P", help_heading = "Model", value_parser = clap::value_parser!(u32).range(3..=10_000))]
    passes: Option<u32>,
    /// Vectors of a block beyond the axes [default: max(k, 10)]
    ///
    /// So by default a block is max(2 k, k + 10) wide.
    #[arg(long, value_name = "S", help_heading = "Model", value_parser = clap::value_parser!(u32).range(0..=10_000))]
    oversample: Option<u32>,
    /// Residual at which krylov ends, relative to the eigenvalue [default: 1e-8]
    ///
    /// By default it is the precision of the products where that is less.
    #[arg(long, value_name = "T", help_heading = "Model", value_parser = tolerance)]
    tolerance: Option<f64>,
    /// Labels of the rows, to colour them by: a file of lines "id,label,..."
    ///
    /// The page colours by the first column, and offers the others. Its first line may be a header.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    labels: Option<PathBuf>,
    /// Folder for results: coordinates.csv, variables.csv, report.html and others
    ///
    /// They are coordinates, quality and contributions of rows (coordinates.csv, quality.csv,
    /// contributions.csv) and of variables (variables.csv, variables_quality.csv,
    /// variables_contributions.csv), eigenvalues.csv, instruments.csv if axes are those of
    /// --instruments, ordination.txt, summary.json and report.html. They take the place of all that
    /// an earlier run left there.
    #[arg(long, short, value_name = "DIR", help_heading = "Output")]
    output_folder: Option<PathBuf>,
    /// Tasks that read at a time [default: measured]
    #[arg(long, value_name = "N", help_heading = "Run", value_parser = clap::value_parser!(u32).range(1..=1024))]
    readers: Option<u32>,
    #[command(flatten)]
    read: ReadFlags,
    #[command(flatten)]
    stream: StreamFlags,
    #[command(flatten)]
    matrix: MatrixFlags,
    #[command(flatten)]
    run: RunFlags,
    #[command(flatten)]
    trace: TraceFlags,
    #[command(flatten)]
    output: OutputFlags,
}

/// A parser of the names of [`METHODS`].
fn methods() -> impl TypedValueParser<Value = usize> {
    member(METHODS.iter().map(|listed| (listed.name, listed.summary)).collect())
}

/// An analysis of a table.
pub(super) trait Analysis {
    /// The pretreatment, if it has a choice of them.
    fn pretreatment(&self) -> Option<&'static str> {
        None
    }

    /// Reads what belongs to the table beside it.
    fn side_inputs(&self, _: &MainTable<'_>) -> Result<SideInputs> {
        Ok(SideInputs::default())
    }

    /// The table with what is done to it.
    fn diagram(
        &self,
        flow: &mut Flow,
        setup: &Setup,
        options: TableOptions,
    ) -> Result<Diagram, EmbedError>;

    /// The result.
    fn ordination(&self, setup: &Setup, triples: &Triples, form: &Form) -> Ordination;
}

/// What was computed.
struct Outcome {
    triples: Triples,
    explained: Option<Explained>,
    form: Form,
    passes: usize,
    tiles: usize,
    held: usize,
    bytes_read: u64,
    seconds: f64,
    trace: Trace,
    account: Account,
}

impl ComponentFlags {
    /// Runs `analysis` on the table that `input` names.
    pub(super) fn analyse(&self, input: &OsStr, analysis: &dyn Analysis) -> Result<()> {
        let console = self.output.console(None)?;
        self.trace.check()?;
        if let Some(folder) = &self.output_folder {
            check_folder_to_make(folder).map_err(|reason| refused(format!("-o: {reason}")))?;
        }
        let setup = self.set_up(input, analysis, &console)?;
        if self.matrix.dry_run {
            let mut facts = self.facts(&setup, analysis);
            setup.expected().describe(&setup.run, &console, &mut facts)?;
            self.output.write(&Value::Object(facts))?;
            return console.finish();
        }
        let mut outcome = if setup.run.precision == Precision::Double {
            self.compute::<f64>(&setup, analysis, &console)?
        } else {
            self.compute::<f32>(&setup, analysis, &console)?
        };
        let mut ordination = analysis.ordination(&setup, &outcome.triples, &outcome.form);
        ordination.constraints = constraints(&setup, &mut outcome);
        guest::keep_ordination(&ordination);
        let result = self.result((&setup, analysis), &outcome, &ordination);
        self.describe(&console, &setup, &outcome, &ordination);
        if let Some(folder) = self.output_folder.as_deref().filter(|_| is_root()) {
            let labels = setup.labels.as_ref();
            let labels = labels.map(|labels| labels.without(&outcome.form.dropped[0]));
            let output = Output {
                ordination: &ordination,
                labels: labels.as_ref(),
                weights: None,
                summary: &result,
                title: &input.to_string_lossy(),
            };
            describe_written(&console, folder, &output.write(folder)?);
        }
        setup.run.keep_times(&outcome.account, &console);
        self.trace.write(&mut outcome.trace, &result, &console)?;
        self.output.write(&result)?;
        console.finish()
    }

    fn compute<T: Real>(
        &self,
        setup: &Setup,
        analysis: &dyn Analysis,
        console: &Console,
    ) -> Result<Outcome> {
        let mut options = setup.run.exec_options(setup.is_recorded);
        readers::cap(&mut options, setup.most_readers(self.readers));
        let start = Instant::now();
        let mut flow = Flow::new(Exec::new(options), FlowOptions::default());
        let table_options = TableOptions {
            edge: setup.run.nb,
            memory: setup.plan.ring_bytes,
            overlap: self.stream.overlap(),
        };
        let mut diagram = analysis.diagram(&mut flow, setup, table_options)?;
        let mut progress = Progress::new(console);
        progress.follow(flow.watch(), 0.0, "passes");
        let found = axes::<T>(&mut flow, &mut diagram, setup);
        progress.clear();
        let (triples, explained) = found?;
        let table = diagram.table();
        let (form, passes) = (table.form().clone(), table.passes());
        let (tiles, held) = (table.stream().tiles(), table.stream().held());
        let bytes_read = diagram.close(&mut flow);
        Ok(Outcome {
            triples,
            explained,
            form,
            passes,
            tiles,
            held,
            bytes_read,
            seconds: start.elapsed().as_secs_f64(),
            account: Account::of(&mut flow),
            trace: flow.take_trace(),
        })
    }
}

/// Instruments along the axes, where these are theirs.
fn constraints(setup: &Setup, outcome: &mut Outcome) -> Option<Constraints> {
    let along = outcome.explained.as_mut()?.axes.take()?;
    let ids = setup.side_inputs.instruments.as_ref()?.ids.clone();
    Some(Constraints { ids, along })
}

/// The components that are asked for, and what instruments explain, if there are any.
fn axes<T: Real>(
    flow: &mut Flow,
    diagram: &mut Diagram,
    setup: &Setup,
) -> Result<(Triples, Option<Explained>), EmbedError> {
    let Setup { request, side_inputs, .. } = setup;
    let (triples, explained) = match &side_inputs.instruments {
        None => (singular::leading::<T>(flow, diagram, request)?, None),
        Some(variables) => {
            let (triples, explained) = if side_inputs.is_residual {
                instruments::residual::<T>(flow, diagram, (variables, request))?
            } else {
                instruments::constrained(flow, diagram, (variables, request.axes))?
            };
            (triples, Some(explained))
        }
    };
    Ok((diagram.components(flow, triples)?, explained))
}
