//! What is read beside a table: metrics of its rows and columns, and instrumental variables.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use anyhow::Result;
use serde_json::{Map, Value, json};
use tegula_diodon::Names;
use tegula_diodon::instruments::Instruments;
use tegula_diodon::metric::Metric;
use tegula_files::source::{Block, Source};

use super::factors::Factor;
use crate::diodon::matrix::open;
use crate::diodon::weights;
use crate::error::refused;
use crate::output::{Console, bytes, count};

/// Bytes of a block that is read outside of the stream, and of what is made of it.
const BLOCK: u64 = 64 << 20;

/// What is read beside a table; nothing, unless it is asked for.
#[derive(Debug, Default)]
pub(in crate::diodon) struct SideInputs {
    /// Metrics of the rows and of the columns.
    pub(in crate::diodon) metrics: [Metric; 2],
    pub(in crate::diodon) instruments: Option<Instruments>,
    /// Columns of categories among the instruments.
    pub(in crate::diodon) factors: Vec<Factor>,
    /// Whether what the instruments leave is wanted, and not what they explain.
    pub(in crate::diodon) is_residual: bool,
}

/// A table to which something belongs.
#[derive(Clone, Copy, Debug)]
pub(in crate::diodon) struct MainTable<'a> {
    pub(in crate::diodon) source: &'a dyn Source,
    pub(in crate::diodon) names: &'a Names,
    /// Bytes that may be used.
    pub(in crate::diodon) memory: u64,
    /// Folder for texts that do not fit.
    pub(in crate::diodon) scratch: &'a Path,
}

impl<'a> MainTable<'a> {
    /// Names of the rows or of the columns, or numbers.
    fn ids(&self, side: usize) -> &'a [String] {
        if side == 0 { &self.names.items } else { &self.names.variables }
    }

    /// Names of the rows or of the columns, if the table has some.
    pub(super) fn own_names(&self, side: usize) -> Option<&'a [String]> {
        if side == 0 { self.source.row_names() } else { self.source.column_names() }
    }

    pub(super) fn room(&self) -> (u64, PathBuf) {
        (self.memory / 4, self.scratch.to_owned())
    }

    /// Refuses a file whose lines have other names, or another order of them.
    pub(super) fn check(
        &self,
        side: usize,
        (flag, source): (&str, &dyn Source),
        names: Option<&[String]>,
    ) -> Result<()> {
        let (Some(own), Some(names)) = (self.own_names(side), names) else { return Ok(()) };
        let Some(place) = (0..own.len()).find(|&place| own[place] != names[place]) else {
            return Ok(());
        };
        let what = if side == 0 { "row" } else { "column" };
        Err(refused(format!(
            "{flag} {}: line {} is {}, but {what} {} of {} is {}: bring both into one order",
            source.name(),
            place + 1,
            names[place],
            place + 1,
            self.source.name(),
            own[place]
        )))
    }

    /// Reads the metric of the rows (`side` 0) or of the columns that `spec` names: weights, or a
    /// square matrix.
    ///
    /// # Errors
    /// If it cannot be read, is not of these lines, or is no metric.
    pub(in crate::diodon) fn metric(
        &self,
        side: usize,
        (flag, spec): (&str, &OsStr),
    ) -> Result<Metric> {
        let ids = self.ids(side);
        if weights::are_in(Path::new(spec), ids) {
            return Ok(Metric::diagonal(weights::read_column(flag, Path::new(spec), ids)?));
        }
        let source = open(spec, None, self.room(), None)?;
        let (n, [rows, columns]) = (ids.len(), source.shape());
        let what = if side == 0 { "rows" } else { "columns" };
        if rows != n || (columns != n && columns != 1) {
            return Err(refused(format!(
                "{flag} {}: {rows} x {columns}, but there are {n} {what}: a metric of them is a column of {n} weights, or a \
                 {n} x {n} matrix",
                source.name()
            )));
        }
        self.check(side, (flag, &*source), source.row_names())?;
        if columns == 1 {
            let weights = entries(&*source)?;
            if let Some(line) = weights.iter().position(|x| !(*x > 0.0 && x.is_finite())) {
                let (name, weight) = (source.name(), weights[line]);
                let id = &ids[line];
                return Err(refused(format!(
                    "{flag} {name}: {weight} of {id} is no weight: it must be above 0"
                )));
            }
            return Ok(Metric::diagonal(weights));
        }
        let wanted = square_bytes(n);
        if wanted > self.memory {
            return Err(refused(format!(
                "{flag} {}: a {n} x {n} metric takes {}, more than the {} of memory; weights take less",
                source.name(),
                bytes(wanted as f64),
                bytes(self.memory as f64)
            )));
        }
        Ok(Metric::full(source)?)
    }
}

/// All entries of a small matrix, row by row.
pub(super) fn entries(source: &dyn Source) -> Result<Vec<f64>> {
    let ([rows, columns], element) = (source.shape(), source.element());
    let block = Block { rows: 0..rows, columns: 0..columns };
    let mut stored = vec![0; block.entries() * element.bytes()];
    source.reader()?.read(&block, &mut stored)?;
    let mut entries = vec![0.0; block.entries()];
    element.widen(&stored, &mut entries);
    Ok(entries)
}

/// Bytes of the triangle of a metric, tiles on the diagonal whole.
fn square_bytes(n: usize) -> u64 {
    4 * n as u64 * (n as u64 + 1024)
}

impl SideInputs {
    /// Whether axes come from a projection, and not from products in turn.
    pub(in crate::diodon) fn is_projection(&self) -> bool {
        self.instruments.is_some() && !self.is_residual
    }

    /// Bytes that it takes in memory, beside a table of this shape.
    pub(super) fn bytes(&self, [m, n]: [usize; 2]) -> u64 {
        let full = self.metrics.each_ref().map(Metric::is_full);
        let table = 8 * (m * n) as u64;
        let metrics = match full {
            [false, false] => 0,
            [true, true] => square_bytes(m) + square_bytes(n) + 3 * table,
            [true, false] => square_bytes(m) + BLOCK.max(24 * m as u64),
            [false, true] => square_bytes(n) + BLOCK.max(24 * n as u64),
        };
        let q = self.instruments.as_ref().map_or(0, |instruments| instruments.ids.len());
        metrics + 8 * (q * (6 * m + 3 * n)) as u64
    }

    /// Prints what was read.
    pub(super) fn describe(&self, console: &Console) {
        for (what, metric) in ["row metric", "column metric"].into_iter().zip(&self.metrics) {
            match metric {
                Metric::Identity => {}
                Metric::Diagonal(weights) => {
                    console.field(what, count(weights.len(), "weight"));
                }
                Metric::Full(_) => {
                    let n = metric.order().unwrap_or_default();
                    let rounding = match metric.asymmetry() {
                        0.0 => String::new(),
                        off => format!(
                            ", symmetric but for rounding, {off:.1e}: entries above the diagonal count"
                        ),
                    };
                    console.field(what, format_args!("{n} x {n}{rounding}"));
                }
            }
        }
        if let Some(instruments) = &self.instruments {
            let rest = if self.is_residual { ", of what they leave" } else { "" };
            let variables = count(instruments.ids.len(), "variable");
            console.field("instruments", format_args!("{variables}{rest}"));
        }
        for Factor { name, levels } in &self.factors {
            let reference = &levels[0];
            console.field(
                "",
                format_args!(
                    "{name}: categories, {}; the others differ from the reference '{reference}'",
                    count(levels.len(), "level")
                ),
            );
        }
    }

    /// The same for machines.
    pub(super) fn describe_json(&self, facts: &mut Map<String, Value>) {
        for (key, metric) in ["row_metric", "column_metric"].into_iter().zip(&self.metrics) {
            let name = match metric {
                Metric::Identity => "identity",
                Metric::Diagonal(_) => "diagonal",
                Metric::Full(_) => "full",
            };
            facts.insert(key.to_owned(), name.into());
        }
        let ids = self.instruments.as_ref().map(|instruments| &instruments.ids);
        facts.insert("instruments".to_owned(), json!(ids));
        let factor = |factor: &Factor| {
            let Factor { name, levels } = factor;
            json!({ "name": name, "levels": levels, "reference": levels[0] })
        };
        let factors: Vec<Value> = self.factors.iter().map(factor).collect();
        facts.insert("factors".to_owned(), factors.into());
        facts.insert("is_residual".to_owned(), self.is_residual.into());
    }
}
