//! `tegula diodon distances`: a matrix of distances between points or sequences, computed and written.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde_json::json;
use tegula_data::expression::split_list;
use tegula_data::format::matrix::create_matrix;
use tegula_data::format::{ColumnIndex, NamedValues, Table};
use tegula_data::source::{Sink, Source, SourceError};
use tegula_diodon::distance::{
    DistanceSource, METRICS, MetricChoice, Points, Sequences, Takes, WriteOptions, write_matrix,
};
use tegula_kernels::element::Element;
use tegula_runtime::platform::usable_cores;

use crate::error::refused;
use crate::flags::{OutputFlags, parse_bytes};
use crate::machine::usable_memory;
use crate::output::{Console, Progress, bytes, check_apart, count, number, seconds};

/// Kinds of numbers that can be asked for, by their names on the command line.
const ELEMENTS: [(&str, Element); 4] =
    [("f32", Element::F32), ("f64", Element::F64), ("f16", Element::F16), ("u16", Element::U16)];

/// Flags of `distances`.
#[derive(Args, Debug)]
#[command(after_help = metrics_help())]
pub(crate) struct Distances {
    /// Sequences as FASTA (also .gz), or points as a table: a row each, its name in the first column
    /// unless that holds numbers
    #[arg(value_name = "SEQUENCES.fasta|POINTS.csv")]
    input: PathBuf,
    /// How distance is measured: one of those below
    #[arg(long, value_name = "NAME", help_heading = "Data")]
    metric: MetricChoice,
    /// Column with the names of the points
    #[arg(long, value_name = "COLUMN", help_heading = "Data")]
    names: Option<String>,
    /// Columns with the coordinates, separated by commas [default: all but the names]
    #[arg(long, value_name = "LIST", help_heading = "Data")]
    columns: Option<String>,
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

/// A line for each metric.
fn metrics_help() -> String {
    let list = |takes| {
        let metrics = METRICS.iter().filter(move |metric| metric.takes() == takes);
        metrics.map(|metric| format!("\n  {:<15} {}", metric.usage(), metric.summary))
    };
    let (points, sequences) = (list(Takes::Points), list(Takes::Sequences));
    format!(
        "Metrics of points:{}\nMetrics of sequences:{}",
        points.collect::<String>(),
        sequences.collect::<String>()
    )
}

impl Distances {
    pub(crate) fn run(&self) -> Result<()> {
        let console = self.output.console(Some(&self.output_file))?;
        let outputs = [("-o", Some(self.output_file.as_path())), self.output.path()];
        check_apart(&outputs, &[("the input", &self.input)])?;
        let source = self.source()?.with_element(self.element);
        let workers = self.workers.map_or_else(usable_cores, usize::from);
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
            Takes::Points => "point",
            Takes::Sequences => "sequence",
        };
        console.field("data", format_args!("{}: {}", self.input.display(), count(n, what)));
        console.field("metric", format_args!("{}: {}", self.metric, metric.formula));
        let size = n as f64 * n as f64 * self.element.bytes() as f64;
        console.field("matrix", format_args!("{n} x {n} {}, {}", self.element.name(), bytes(size)));
        console.field("run", count(workers, "core"));
    }

    /// The matrix that is to be written.
    fn source(&self) -> Result<DistanceSource> {
        let name = self.input.display().to_string();
        if self.metric.metric.takes() == Takes::Points {
            let points = self.points()?;
            return DistanceSource::points(name, self.metric, points).map_err(refused);
        }
        for (flag, given) in [("--names", &self.names), ("--columns", &self.columns)] {
            if given.is_some() {
                return Err(refused(format!("{flag} is for points, not for sequences")));
            }
        }
        let sequences = Sequences::read(&self.input).map_err(refused)?;
        DistanceSource::sequences(name, self.metric, &sequences).map_err(refused)
    }

    /// The points of the table.
    fn points(&self) -> Result<Points> {
        let table = Table::read(&self.input)?;
        let names = self.names_column(&table)?;
        let columns = self.coordinate_columns(&table, names)?;
        let titles: Vec<String> = columns.iter().map(|&column| table.name(column)).collect();
        let numbers = columns.iter().map(|&column| table.numbers(column));
        let numbers = numbers.collect::<Result<Vec<&[f64]>, _>>()?;
        let pairs = titles.iter().zip(&numbers);
        let named: Vec<NamedValues<'_>> =
            pairs.map(|(name, values)| NamedValues { name, values }).collect();
        table.require_complete(&named)?;
        let rows = 0..table.rows();
        let coordinates =
            rows.clone().flat_map(|row| numbers.iter().map(move |values| values[row]));
        let names = match names {
            Some(column) => table.texts(column)?,
            None => rows.map(|row| (row + 1).to_string()).collect(),
        };
        Points::new(names, titles, coordinates.collect()).map_err(refused)
    }

    /// The column with the names: the one asked for, or the first if it holds text or has no name, as R writes it.
    fn names_column(&self, table: &Table) -> Result<Option<ColumnIndex>> {
        if let Some(wanted) = &self.names {
            return Ok(Some(table.find(wanted)?));
        }
        let first = ColumnIndex(0);
        let is_names = !table.is_numeric(first) || table.names()[0].is_empty();
        Ok(is_names.then_some(first))
    }

    /// The columns with the coordinates.
    fn coordinate_columns(
        &self,
        table: &Table,
        names: Option<ColumnIndex>,
    ) -> Result<Vec<ColumnIndex>> {
        let Some(list) = &self.columns else {
            let all = (0..table.names().len()).map(ColumnIndex);
            return Ok(all.filter(|&column| Some(column) != names).collect());
        };
        split_list(list).into_iter().map(|wanted| Ok(table.find(wanted)?)).collect()
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
