//! Metrics: symmetric positive definite matrices by which rows, or columns, of a table are
//! compared.

mod root;

use std::sync::Arc;

use tegula_files::source::{Block, Source, pieces, rounding};
use tegula_runtime::flow::Flow;

use crate::EmbedError;
use crate::table::{line_name, read_block};
pub(crate) use root::Root;

/// A metric of the rows or of the columns of a table; copies share its entries.
#[derive(Clone, Debug, Default)]
pub enum Metric {
    /// All lines count the same, and each for itself.
    #[default]
    Identity,
    /// A weight for each line.
    Diagonal(Arc<[f64]>),
    /// A symmetric positive definite matrix.
    Full(Arc<Full>),
}

/// A metric as a matrix that is read where it is needed.
#[derive(Debug)]
pub struct Full {
    source: Arc<dyn Source>,
    /// `M 1`.
    ones: Vec<f64>,
    /// The largest sum of absolute values in a row, a bound of the largest eigenvalue.
    norm: f64,
    /// The largest difference of entries that mirror each other.
    asymmetry: f64,
}

/// Lines of the blocks in which a matrix is compared with its transpose.
const BAND: usize = 512;

impl Metric {
    /// The metric with these weights.
    ///
    /// # Panics
    /// If a weight is not positive.
    #[must_use]
    pub fn diagonal(weights: Vec<f64>) -> Self {
        for (line, weight) in weights.iter().enumerate() {
            assert!(*weight > 0.0 && weight.is_finite(), "weight {weight} of line {line}");
        }
        Self::Diagonal(weights.into())
    }

    /// The metric that `source` holds; whether it is positive definite shows when its root is
    /// taken.
    ///
    /// # Errors
    /// If it cannot be read, is not square, not symmetric but for [`rounding`], or holds what is no
    /// number.
    pub fn full(source: Arc<dyn Source>) -> Result<Self, EmbedError> {
        let [m, n] = source.shape();
        let wrong = |what: String| Err(EmbedError::Entries(format!("{}: {what}", source.name())));
        if m != n {
            return wrong(format!("a metric is square, not {m} x {n}"));
        }
        let (mut ones, mut sums) = (vec![0.0; n], vec![0.0; n]);
        let (mut reader, element) = (source.reader()?, source.element());
        let (mut largest, mut apart) = (0.0_f64, (0.0_f64, (0, 0)));
        for rows in pieces(n, BAND) {
            for columns in pieces(n, BAND) {
                let block = Block { rows: rows.clone(), columns: columns.clone() };
                let entries = read_block(&mut *reader, element, &block)?;
                let mirror = Block { rows: columns.clone(), columns: rows.clone() };
                let mirror = read_block(&mut *reader, element, &mirror)?;
                for (at, &x) in entries.iter().enumerate() {
                    let (i, j) = (at / columns.len(), at % columns.len());
                    let place = (rows.start + i, columns.start + j);
                    if !x.is_finite() {
                        return wrong(format!("{} is {x}", entry_name(&*source, place)));
                    }
                    ones[place.0] += x;
                    sums[place.0] += x.abs();
                    largest = largest.max(x.abs());
                    let difference = (x - mirror[j * rows.len() + i]).abs();
                    if difference > apart.0 {
                        apart = (difference, place);
                    }
                }
            }
        }
        if apart.0 > rounding(element) * largest {
            let place = entry_name(&*source, apart.1);
            let other = entry_name(&*source, (apart.1.1, apart.1.0));
            let off = apart.0;
            return wrong(format!(
                "a metric is symmetric, but {place} and {other} differ by {off}"
            ));
        }
        let norm = sums.into_iter().fold(0.0, f64::max);
        Ok(Self::Full(Arc::new(Full { source, ones, norm, asymmetry: apart.0 })))
    }

    /// By how much entries that mirror each other differ, at most: rounding, since more is refused.
    /// Those above the diagonal count.
    #[must_use]
    pub fn asymmetry(&self) -> f64 {
        if let Self::Full(full) = self { full.asymmetry } else { 0.0 }
    }

    /// Number of lines that it compares; any, of the identity.
    #[must_use]
    pub fn order(&self) -> Option<usize> {
        self.ones().map(<[f64]>::len)
    }

    /// `M 1`, but of the identity: weights of lines in means with respect to the metric.
    #[must_use]
    pub fn ones(&self) -> Option<&[f64]> {
        match self {
            Self::Identity => None,
            Self::Diagonal(weights) => Some(weights),
            Self::Full(full) => Some(&full.ones),
        }
    }

    /// `1' M 1`, of `lines` lines.
    #[must_use]
    pub fn total(&self, lines: usize) -> f64 {
        self.ones().map_or(lines as f64, |ones| ones.iter().sum())
    }

    /// The weight of each of `lines` lines; none where they are mixed.
    #[must_use]
    pub fn weights(&self, lines: usize) -> Option<Vec<f64>> {
        match self {
            Self::Identity => Some(vec![1.0; lines]),
            Self::Diagonal(weights) => Some(weights.to_vec()),
            Self::Full(_) => None,
        }
    }

    /// Roots of the weights, of a diagonal metric.
    #[must_use]
    pub fn weight_roots(&self) -> Option<Vec<f64>> {
        let Self::Diagonal(weights) = self else { return None };
        Some(weights.iter().map(|weight| weight.sqrt()).collect())
    }

    /// A bound of the largest eigenvalue of a full metric; 1 of others.
    #[must_use]
    pub(crate) fn full_norm(&self) -> f64 {
        if let Self::Full(full) = self { full.norm } else { 1.0 }
    }

    /// Whether it mixes lines.
    #[must_use]
    pub fn is_full(&self) -> bool {
        matches!(self, Self::Full(_))
    }

    /// The Cholesky factor of a full metric, in tiles of `edge` lines.
    ///
    /// # Errors
    /// If the metric is not positive definite, or cannot be read.
    pub(crate) fn root(&self, flow: &mut Flow, edge: usize) -> Result<Option<Root>, EmbedError> {
        let Self::Full(full) = self else { return Ok(None) };
        Root::of(flow, &*full.source, edge).map(Some)
    }
}

/// Entry `(i, j)` as messages call it.
fn entry_name(source: &dyn Source, (i, j): (usize, usize)) -> String {
    let (row, column) = (line_name(source.row_names(), i), line_name(source.column_names(), j));
    format!("entry ({row}, {column})")
}
