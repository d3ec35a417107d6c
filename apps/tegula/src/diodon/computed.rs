//! Distances that are computed from points or sequences.

use std::path::Path;

use anyhow::Result;
use clap::Args;
use tegula_diodon::distance::{
    DistanceSource, METRICS, MetricChoice, MetricInput, Points, Sequences,
};
use tegula_files::expression::split_list;
use tegula_files::{ColumnIndex, NamedValues, ReadOptions, Table};

use crate::error::refused;
use crate::guest;

/// What of a table are points.
#[derive(Args, Debug)]
pub(super) struct PointFlags {
    /// Column with the names of the points
    #[arg(long, value_name = "COLUMN", help_heading = "Data")]
    names: Option<String>,
    /// Columns with the coordinates, separated by commas [default: all but the names]
    #[arg(long, value_name = "LIST", help_heading = "Data")]
    columns: Option<String>,
}

/// A line for each metric.
pub(super) fn metrics_help() -> String {
    let list = |takes| {
        let metrics = METRICS.iter().filter(move |metric| metric.takes() == takes);
        metrics.map(|metric| format!("\n  {:<15} {}", metric.usage(), metric.summary))
    };
    let (points, sequences) = (list(MetricInput::Points), list(MetricInput::Sequences));
    format!(
        "Metrics of points:{}\nMetrics of sequences:{}",
        points.collect::<String>(),
        sequences.collect::<String>()
    )
}

impl PointFlags {
    /// Whether something was said about points.
    pub(super) fn is_given(&self) -> bool {
        self.names.is_some() || self.columns.is_some()
    }

    /// The distances between what `input` holds, which may take half of the `memory`.
    ///
    /// # Errors
    /// If it cannot be read, or holds nothing that the metric takes.
    pub(super) fn source(
        &self,
        input: &Path,
        metric: MetricChoice,
        memory: u64,
    ) -> Result<DistanceSource> {
        let name = input.display().to_string();
        if metric.metric.takes() == MetricInput::Points {
            let (points, bytes_read) = self.points(input, memory / 2)?;
            let source = DistanceSource::points(name, metric, points).map_err(refused)?;
            return Ok(source.of_file(bytes_read));
        }
        for (flag, given) in [("--names", &self.names), ("--columns", &self.columns)] {
            if given.is_some() {
                return Err(refused(format!("{flag} is for points, not for sequences")));
            }
        }
        let sequences = Sequences::read(input, memory / 2).map_err(refused)?;
        let source = DistanceSource::sequences(name, metric, &sequences).map_err(refused)?;
        Ok(source.of_file(sequences.bytes_read()))
    }

    /// The points of the table, and the bytes of its file.
    fn points(&self, input: &Path, memory_bytes: u64) -> Result<(Points, u64)> {
        let options = ReadOptions { memory_bytes, ..ReadOptions::default() };
        let lent = guest::table(input).map(Ok);
        let table = lent.unwrap_or_else(|| Table::read_with(input, &options))?;
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
        let points = Points::new(names, titles, coordinates.collect()).map_err(refused)?;
        Ok((points, table.bytes_read()))
    }

    /// The column with the names: the one asked for, or the first if it holds text or has no name,
    /// as R writes it.
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
}
