//! Columns whose deviations from their mean are lost in sums of squares: they are read once more.

use tegula_data::source::{Block, Source, SourceError, pieces};

use crate::table::ENTRIES;

/// Mean, squared norm of deviations from it, and whether nothing but rounding varies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Column {
    pub(super) mean: f64,
    pub(super) deviation2: f64,
    pub(super) is_constant: bool,
}

/// Reads `columns`, in ascending order, of `source`; sums are of differences from the first entry, which is
/// near the others.
///
/// # Errors
/// If a block cannot be read.
pub(super) fn read(source: &dyn Source, columns: &[usize]) -> Result<Vec<Column>, SourceError> {
    let ([m, _], element) = (source.shape(), source.element());
    let (Some(&first), Some(&last)) = (columns.first(), columns.last()) else {
        return Ok(Vec::new());
    };
    let width = last + 1 - first;
    let mut reader = source.reader()?;
    let mut origins = Vec::new();
    let mut sums = vec![[0.0_f64; 2]; columns.len()];
    for rows in pieces(m, (ENTRIES / width).max(1)) {
        let block = Block { rows, columns: first..last + 1 };
        let mut stored = vec![0; block.entries() * element.bytes()];
        reader.read(&block, &mut stored)?;
        let mut entries = vec![0.0; block.entries()];
        element.widen(&stored, &mut entries);
        for line in entries.chunks_exact(width) {
            if origins.is_empty() {
                origins = columns.iter().map(|j| line[j - first]).collect();
            }
            for ((sums, origin), j) in sums.iter_mut().zip(&origins).zip(columns) {
                let difference = line[j - first] - origin;
                sums[0] += difference;
                sums[1] += difference * difference;
            }
        }
    }
    let count = m as f64;
    let epsilon = element.epsilon().max(f64::EPSILON);
    let column = |(&[sum, squares], &origin): (&[f64; 2], &f64)| {
        let deviation2 = (squares - sum * sum / count).max(0.0);
        let rounding2 = count * (2.0 * epsilon * origin).powi(2);
        Column { mean: origin + sum / count, deviation2, is_constant: deviation2 <= rounding2 }
    };
    Ok(sums.iter().zip(&origins).map(column).collect())
}
