//! What a table becomes before its axes are sought, and the sums from which that follows.

use std::fmt::Debug;

use tegula_files::source::Source;
use tegula_kernels::kernel::sweep::{Entry, Findings, Offender, Offenders};
use tegula_runtime::flow::Flow;

use crate::EmbedError;
use crate::verdict::limit;

/// Sums along the lines of a table, by rows `[0]` and by columns `[1]`.
#[derive(Clone, Debug)]
pub struct Margins {
    /// Sum of the entries of each line, weighted as the treatment has it.
    pub sums: [Vec<f64>; 2],
    /// Sum of their squares, with the same weights.
    pub squares: [Vec<f64>; 2],
    /// What was noticed about the entries.
    pub findings: Findings,
}

/// `P = diag(a) (X - F H') diag(b)`: scales of the lines, and a correction of low rank.
#[derive(Clone, Debug)]
pub struct Form {
    /// `a` and `b`; all are one where there are none.
    pub scales: [Option<Vec<f64>>; 2],
    /// `F`, `m x r`, and `H`, `n x r`, by columns.
    pub factors: [Vec<f64>; 2],
    /// `r`.
    pub rank: usize,
    /// A bound of the squared norm of what is multiplied with, before it is centred: rounding is
    /// relative to it.
    pub magnitude2: f64,
    /// What the user should know, in a sentence each.
    pub notes: Vec<String>,
    /// Passes that were made beside the first one.
    pub passes: usize,
    /// Rows `[0]` and columns `[1]` that are left out, in ascending order: their scale is 0.
    pub dropped: [Vec<usize>; 2],
}

impl Form {
    /// The table as it is, with this squared norm.
    #[must_use]
    pub fn plain(magnitude2: f64) -> Self {
        let (scales, factors) = ([None, None], [Vec::new(), Vec::new()]);
        let (notes, dropped) = (Vec::new(), Default::default());
        Self { scales, factors, rank: 0, magnitude2, notes, passes: 0, dropped }
    }

    /// The scale of line `line` of side `side`.
    pub(crate) fn scale(&self, side: usize, line: usize) -> f64 {
        self.scales[side].as_ref().map_or(1.0, |scales| scales[line])
    }

    /// Squares of the scales of the `lines` lines of a side.
    pub(super) fn squared_scales(&self, side: usize, lines: usize) -> Vec<f64> {
        (0..lines).map(|line| self.scale(side, line).powi(2)).collect()
    }

    /// Entry `(line, k)` of `F` or `H`, of `lines` lines.
    pub(crate) fn factor(&self, side: usize, (line, k): (usize, usize), lines: usize) -> f64 {
        self.factors[side][line + k * lines]
    }
}

/// How a table is centred and scaled.
pub trait Treatment: Debug {
    /// What entries must be.
    fn entry(&self) -> Entry {
        Entry::Plain
    }

    /// Weights of the rows in sums of columns, and of the columns in sums of rows; all are one
    /// where there are none.
    fn weights(&self) -> [Option<&[f64]>; 2] {
        [None, None]
    }

    /// The form, from sums along lines that are weighted so.
    ///
    /// # Errors
    /// If the table has none, or cannot be read.
    fn form(
        &self,
        flow: &mut Flow,
        margins: &Margins,
        source: &dyn Source,
    ) -> Result<Form, EmbedError>;
}

/// Refuses entries that are no numbers, or negative beyond rounding where they should count; what
/// can be lived with is a sentence.
pub(super) fn refuse(
    findings: &Findings,
    source: &dyn Source,
) -> Result<Option<String>, EmbedError> {
    let Findings { infinite, negative, .. } = findings;
    let is_rounding = negative.largest <= limit(findings, source.element(), None);
    let (offenders, reason) = if infinite.count > 0 {
        (infinite, "infinite or no numbers; leave such lines out, or fill the gaps")
    } else if negative.count > 0 && !is_rounding {
        (negative, "negative, which counts are not; see whether this is a table of counts")
    } else if negative.count > 0 {
        return Ok(Some(format!(
            "{} entries are below zero by rounding, {:.1e} at most: {}; they count as 0",
            negative.count,
            negative.largest,
            places(negative, source)
        )));
    } else {
        return Ok(None);
    };
    Err(EmbedError::Entries(format!(
        "{}: {} entries ({}) are {reason}",
        source.name(),
        offenders.count,
        places(offenders, source)
    )))
}

/// The first offenders: `(2, 5) = -1`, rows and columns counted from 1, by name where there are
/// names.
fn places(offenders: &Offenders, source: &dyn Source) -> String {
    let one = |offender: &Offender| {
        let row = line_name(source.row_names(), offender.row as usize);
        let column = line_name(source.column_names(), offender.column as usize);
        format!("({row}, {column}) = {}", offender.value)
    };
    let mut text: Vec<String> = offenders.first().iter().map(one).collect();
    if offenders.count > text.len() as u64 {
        text.push("...".to_owned());
    }
    text.join(", ")
}

/// The name of a line and its number from 1, or the number alone.
pub(crate) fn line_name(names: Option<&[String]>, line: usize) -> String {
    match names.and_then(|names| names.get(line)) {
        Some(name) => format!("{name} [{}]", line + 1),
        None => (line + 1).to_string(),
    }
}

/// The first few of `lines` by name: `a [1], b [7], ...`.
pub(crate) fn line_names(names: Option<&[String]>, lines: &[usize]) -> String {
    const SHOWN: usize = 5;
    let mut text: Vec<String> =
        lines.iter().take(SHOWN).map(|&line| line_name(names, line)).collect();
    if lines.len() > SHOWN {
        text.push("...".to_owned());
    }
    text.join(", ")
}
