//! `tegula diodon distances`: a matrix of distances between points or sequences, computed and
//! written.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde_json::json;
use tegula_diodon::distance::{
    DistanceSource, MetricChoice, MetricInput, WriteOptions, write_matrix,
};
use tegula_files::matrix::create_matrix;
use tegula_files::source::{Sink, Source, SourceError};
use tegula_kernels::element::Element;

use super::computed::{PointFlags, metrics_help};
use crate::flags::{OutputFlags, parse_bytes};
use crate::machine::usable_memory;
use crate::output::{Console, Progress, bytes, count, number, seconds};
use crate::ranks;

/// Kinds of numbers that can be asked for, by their names on the command line.
const ELEMENTS: [(&str, Element); 4] =
    [("f32", Element::F32), ("f64", Element::F64), ("f16", Element::F16), ("u16", Element::U16)];

/// Memory where the system does not tell how much there is.
const UNKNOWN_MEMORY: u64 = 1 << 30;

/// Flags of `distances`.
#[derive(Args, Debug)]
#[command(after_help = metrics_help())]
pub(crate) struct Distances {
    /// Sequences as FASTA (also .gz), or points as a table: a row each, its name in the first
    /// column unless that holds numbers
    #[arg(value_name = "SEQUENCES.fasta|POINTS.csv")]
    input: PathBuf,
    /// How distance is measured: one of those below
    #[arg(long, value_name = "NAME", help_heading = "Data")]
    metric: MetricChoice,
    #[command(flatten)]
    points: PointFlags,
    /// Numbers of the file; u16 holds whole numbers, f16 halves up to 1024
    #[arg(long, value_name = "KIND", help_heading = "Output", default_value = "f32", value_parser = elements())]
    element: Element,
    /// Write the matrix to FILE; the end of its name says in which format
    #[arg(long = "output", short = 'o', value_name = "FILE", help_heading = "Output")]
    output_file: PathBuf,
    /// Cores that compute [default: those this process may use]
    #[arg(long, value_name = "N", help_heading = "Run", value_parser = clap::value_parser!(u16).range(1..=1024))]
    workers: Option<u16>,
    /// Memory for blocks that are kept to be written again below the diagonal; those that find no
    /// room are computed twice [default: half of the machine's]
    #[arg(long, value_name = "BYTES", help_heading = "Run", value_parser = parse_bytes)]
    memory: Option<u64>,
    #[command(flatten)]
    output: OutputFlags,
}

/// A parser of the names of [`ELEMENTS`].
fn elements() -> impl TypedValueParser<Value = Element> {
    let names = PossibleValuesParser::new(ELEMENTS.map(|(name, _)| name));
    names.map(|name| {
        let listed = ELEMENTS.iter().find(|(listed, _)| *listed == name);
        listed.map_or(Element::F32, |&(_, element)| element)
    })
}

impl Distances {
    pub(crate) fn run(&self) -> Result<()> {
        let console = self.output.console(Some(&self.output_file))?;
        let memory = self.memory.or_else(usable_memory).unwrap_or(UNKNOWN_MEMORY);
        let source = self.points.source(&self.input, self.metric, memory)?;
        let source = source.with_element(self.element);
        let workers = self.workers.map_or_else(|| ranks::cores(0), usize::from);
        let [n, _] = source.shape();
        self.describe(&console, n, workers);
        let options = WriteOptions { workers, kept_bytes: self.kept_bytes() };
        let mut progress = Progress::new(&console);
        let sink = self.sink(&source)?;
        write_matrix(&source, sink, options, &mut |done, all| progress.share(done, all, "blocks"))?;
        let elapsed = progress.seconds();
        progress.clear();
        let rate = n as f64 * n as f64 / elapsed;
        console.line(format_args!(
            "written to {} in {}, {} million entries per second",
            self.output_file.display(),
            seconds(elapsed),
            number(rate / 1e6, 3)
        ));
        self.output.write(&json!({
            "n": n,
            "metric": self.metric.to_string(),
            "element": self.element.name(),
            "output": self.output_file.display().to_string(),
            "workers": workers,
            "seconds": elapsed,
            "entries_per_second": rate,
        }))?;
        console.finish()
    }

    fn describe(&self, console: &Console, n: usize, workers: usize) {
        let metric = self.metric.metric;
        let what = match metric.takes() {
            MetricInput::Points => "point",
            MetricInput::Sequences => "sequence",
        };
        console.field("data", format_args!("{}: {}", self.input.display(), count(n, what)));
        console.field("metric", format_args!("{}: {}", self.metric, metric.formula));
        let size = n as f64 * n as f64 * self.element.bytes() as f64;
        console.field("matrix", format_args!("{n} x {n} {}, {}", self.element.name(), bytes(size)));
        console.field("run", count(workers, "core"));
    }

    /// Where the matrix goes.
    fn sink(&self, source: &DistanceSource) -> Result<Box<dyn Sink>, SourceError> {
        let names = [source.row_names(), source.column_names()];
        create_matrix(&self.output_file, None, source.shape(), names, source.element())
    }

    /// Bytes of blocks that are kept.
    fn kept_bytes(&self) -> usize {
        let half = usable_memory().map_or(0, |bytes| bytes / 2);
        usize::try_from(self.memory.unwrap_or(half)).unwrap_or(usize::MAX)
    }
}
