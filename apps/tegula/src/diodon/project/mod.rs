//! `tegula diodon project`: new items on the axes of embedded ones.

mod results;
mod setup;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::Result;
use clap::Args;
use serde_json::Value;
use tegula_diodon::output::ProjectionOutput;
use tegula_diodon::projection::{Projection, ProjectionOptions, project};
use tegula_diodon::stream::Overlap;
use tegula_kernels::scalar::{Precision, Real};
use tegula_runtime::trace::Trace;

use super::matrix::ReadFlags;
use super::readers;
use super::written::describe_written;
use crate::error::refused;
use crate::flags::{MatrixFlags, OutputFlags, RunFlags, TraceFlags};
use crate::output::{Account, Console, Progress, check_folder_to_make};
use crate::ranks::is_root;
use setup::Setup;

/// Flags of `project`.
#[derive(Args, Debug)]
pub(crate) struct Project {
    /// The embedding: the folder that "tegula diodon mds -o FOLDER" wrote
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    /// Distances of new items, a row each, to the embedded ones, a column each
    ///
    /// Columns are matched with embedded items by name; where either has no names, they are in the
    /// same order. Formats are those of "tegula diodon formats".
    #[arg(value_name = "NEW")]
    input: OsString,
    /// Labels of new and embedded items, to colour them by: a file of lines "id,label,..."
    ///
    /// The page colours by the first column, and offers the others. Its first line may be a header.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    labels: Option<PathBuf>,
    /// Folder for coordinates.csv, quality.csv, summary.json and report.html
    ///
    /// The page shows new items among the embedded ones. They take the place of all that an earlier
    /// run left there.
    #[arg(long, short, value_name = "DIR", help_heading = "Output")]
    output_folder: PathBuf,
    /// Tasks that read at a time [default: as many as there are workers]
    #[arg(long, value_name = "N", help_heading = "Run", value_parser = clap::value_parser!(u32).range(1..=1024))]
    readers: Option<u32>,
    #[command(flatten)]
    read: ReadFlags,
    #[command(flatten)]
    matrix: MatrixFlags,
    #[command(flatten)]
    run: RunFlags,
    #[command(flatten)]
    trace: TraceFlags,
    #[command(flatten)]
    output: OutputFlags,
}

/// What was computed.
struct Outcome {
    projection: Projection,
    seconds: f64,
    trace: Trace,
    account: Account,
}

impl Project {
    pub(crate) fn run(&self) -> Result<()> {
        let console = self.output.console(None)?;
        self.trace.check()?;
        check_folder_to_make(&self.output_folder)
            .map_err(|reason| refused(format!("-o: {reason}")))?;
        let place = |folder: &PathBuf| folder.canonicalize().ok();
        if place(&self.folder).is_some() && place(&self.folder) == place(&self.output_folder) {
            return Err(refused(format!(
                "-o would overwrite the embedding in {}: name another folder",
                self.folder.display()
            )));
        }
        let setup = self.set_up(&console)?;
        if self.matrix.dry_run {
            let mut facts = self.facts(&setup);
            setup.expected().describe(&setup.run, &console, &mut facts)?;
            self.output.write(&Value::Object(facts))?;
            return console.finish();
        }
        let mut outcome = if setup.run.precision == Precision::Double {
            self.place::<f64>(&setup, &console)?
        } else {
            self.place::<f32>(&setup, &console)?
        };
        let result = self.result(&setup, &outcome);
        self.describe(&console, &setup, &outcome);
        if is_root() {
            let output = ProjectionOutput {
                embedding: &setup.embedding,
                ids: &setup.ids,
                projection: &outcome.projection,
                labels: setup.labels.as_ref(),
                summary: &result,
                title: &self.input.to_string_lossy(),
            };
            let folder = &self.output_folder;
            describe_written(&console, folder, &output.write(folder)?);
        }
        setup.run.keep_times(&outcome.account, &console);
        self.trace.write(&mut outcome.trace, &result, &console)?;
        self.output.write(&result)?;
        console.finish()
    }

    fn place<T: Real>(&self, setup: &Setup, console: &Console) -> Result<Outcome> {
        let mut options = setup.run.exec_options(setup.is_recorded);
        readers::cap(&mut options, self.most_readers(setup));
        let start = Instant::now();
        let mut flow = setup.run.flow_on(options, true);
        let mut progress = Progress::new(console);
        progress.follow(flow.watch(), 2.0 * setup.tiles as f64, "the pass");
        let options = ProjectionOptions {
            edge: setup.run.nb,
            memory: setup.plan.ring_bytes,
            overlap: Overlap::default(),
        };
        let placed = project::<T>(&mut flow, &setup.source, &setup.embedding, options);
        progress.clear();
        Ok(Outcome {
            projection: placed?,
            seconds: start.elapsed().as_secs_f64(),
            account: Account::of(&mut flow),
            trace: flow.take_trace(),
        })
    }

    /// Tasks that may read at a time, if fewer than there are workers.
    fn most_readers(&self, setup: &Setup) -> Option<usize> {
        readers::at_most(self.readers, (None, setup.bearable), setup.run.workers())
    }
}
