//! Means and norms of columns: from sums along them, read once more where sums of squares have lost
//! the deviations, and with respect to a full metric of the rows.

use tegula_files::source::{Block, Source, SourceError, pieces};
use tegula_kernels::option::Trans;
use tegula_runtime::flow::Flow;
use tegula_tiles::Order;

use crate::EmbedError;
use crate::metric::Root;
use crate::table::{ENTRIES, read_block};

/// Squared deviations below this share of the squares are computed once more, from differences.
const LOST: f64 = 1e-6;

/// What columns are centred and divided by.
#[derive(Clone, Debug)]
pub(super) struct Columns {
    pub(super) means: Vec<f64>,
    /// Squared norms of the columns, of their deviations where they are centred.
    pub(super) norms2: Vec<f64>,
    /// Columns of which nothing but rounding is left.
    pub(super) without: Vec<usize>,
}

impl Columns {
    /// From weighted sums of entries and of their squares, and the sum of the weights.
    pub(super) fn of_sums((sums, squares): (&[f64], &[f64]), total: f64, is_centred: bool) -> Self {
        let means: Vec<f64> = sums.iter().map(|sum| sum / total).collect();
        let left = |j: usize| if is_centred { means[j] * sums[j] } else { 0.0 };
        let norms2: Vec<f64> = (0..sums.len()).map(|j| (squares[j] - left(j)).max(0.0)).collect();
        let without = (0..sums.len()).filter(|&j| norms2[j] <= 0.0).collect();
        Self { means, norms2, without }
    }

    /// Reads those columns of `source` once more whose deviations are lost in the sums of squares.
    /// Returns whether there are any.
    ///
    /// # Errors
    /// If a block cannot be read.
    pub(super) fn restore(
        &mut self,
        source: &dyn Source,
        (weights, squares): (Option<&[f64]>, &[f64]),
    ) -> Result<bool, SourceError> {
        let is_lost = |&j: &usize| self.norms2[j] <= LOST * squares[j];
        let lost: Vec<usize> = (0..squares.len()).filter(is_lost).collect();
        self.without.clear();
        for (&j, column) in lost.iter().zip(read(source, &lost, weights)?) {
            (self.means[j], self.norms2[j]) = (column.mean, column.deviation2);
            if column.is_constant {
                self.without.push(j);
            }
        }
        Ok(!lost.is_empty())
    }
}

/// Mean, squared norm of deviations from it, and whether nothing but rounding varies.
#[derive(Clone, Copy, Debug)]
struct Column {
    mean: f64,
    deviation2: f64,
    is_constant: bool,
}

/// Reads `columns`, in ascending order, of `source`; sums are of differences from the first entry,
/// which is near the others.
///
/// # Errors
/// If a block cannot be read.
fn read(
    source: &dyn Source,
    columns: &[usize],
    weights: Option<&[f64]>,
) -> Result<Vec<Column>, SourceError> {
    let ([m, _], element) = (source.shape(), source.element());
    let (Some(&first), Some(&last)) = (columns.first(), columns.last()) else {
        return Ok(Vec::new());
    };
    let weight = |i: usize| weights.map_or(1.0, |weights| weights[i]);
    let width = last + 1 - first;
    let mut reader = source.reader()?;
    let mut origins = Vec::new();
    let mut sums = vec![[0.0_f64; 2]; columns.len()];
    for rows in pieces(m, (ENTRIES / width).max(1)) {
        let block = Block { rows: rows.clone(), columns: first..last + 1 };
        let entries = read_block(&mut *reader, element, &block)?;
        for (i, line) in rows.zip(entries.chunks_exact(width)) {
            if origins.is_empty() {
                origins = columns.iter().map(|j| line[j - first]).collect();
            }
            for ((sums, origin), j) in sums.iter_mut().zip(&origins).zip(columns) {
                let difference = line[j - first] - origin;
                sums[0] += weight(i) * difference;
                sums[1] += weight(i) * difference * difference;
            }
        }
    }
    let total = weights.map_or(m as f64, |weights| weights.iter().sum());
    let epsilon = element.epsilon().max(f64::EPSILON);
    let column = |(&[sum, squares], &origin): (&[f64; 2], &f64)| {
        let deviation2 = (squares - sum * sum / total).max(0.0);
        let rounding2 = total * (2.0 * epsilon * origin).powi(2);
        Column { mean: origin + sum / total, deviation2, is_constant: deviation2 <= rounding2 }
    };
    Ok(sums.iter().zip(&origins).map(column).collect())
}

/// Means and norms with respect to a full metric `D` of the rows, given by its root `L` and `D 1`,
/// where `x'D x = ||L'x||^2`. A pass, of differences from first entries where columns `is_centred`;
/// without norms unless they are wanted (`is_scaled`).
///
/// # Errors
/// If a block cannot be read.
pub(super) fn by_metric(
    flow: &mut Flow,
    source: &dyn Source,
    (root, ones): (&Root, &[f64]),
    (is_centred, is_scaled): (bool, bool),
) -> Result<Columns, EmbedError> {
    let ([m, n], element) = (source.shape(), source.element());
    let total: f64 = ones.iter().sum();
    let epsilon = element.epsilon().max(f64::EPSILON);
    let mut reader = source.reader()?;
    let mut found = Columns { means: Vec::new(), norms2: Vec::new(), without: Vec::new() };
    for columns in pieces(n, (ENTRIES / m).max(1)) {
        let width = columns.len();
        let block = Block { rows: 0..m, columns: columns.clone() };
        let mut entries = read_block(&mut *reader, element, &block)?;
        for (at, j) in columns.enumerate() {
            let origin = if is_centred { entries[at] } else { 0.0 };
            let column = || (0..m).map(|i| entries[at + i * width] - origin);
            let mean: f64 = column().zip(ones).map(|(x, one)| one * x).sum::<f64>() / total;
            if column().all(|x| x.abs() <= 2.0 * epsilon * origin.abs()) {
                found.without.push(j);
            }
            found.means.push(origin + mean);
            let off = if is_centred { origin + mean } else { 0.0 };
            (0..m).for_each(|i| entries[at + i * width] -= off);
        }
        if is_scaled {
            root.multiply_numbers(flow, Trans::Yes, (&mut entries, Order::RowMajor { ld: width }))?;
        }
        let norm2 = |at: usize| -> f64 { (0..m).map(|i| entries[at + i * width].powi(2)).sum() };
        found.norms2.extend((0..width).map(norm2));
    }
    Ok(found)
}
