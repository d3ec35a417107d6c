//! The sweep, entry by entry.

use super::lines::Lines;
use super::{Entry, Panels, Tile};

impl Tile {
    /// What [`sweep`](Self::sweep) computes of products and sums, without the findings.
    pub fn reference(
        &self,
        stored: &[u8],
        (mut right, mut left): (Option<Panels<'_>>, Option<Panels<'_>>),
        (mut rows, mut columns): (Option<Lines<'_>>, Option<Lines<'_>>),
    ) {
        let (m, n, width) = self.shape();
        let (top, start) = (self.top as usize, self.left as usize);
        if width == 0 {
            (right, left) = (None, None);
        }
        let mut entries = vec![0.0; m * n];
        self.element.widen(stored, &mut entries);
        for (place, entry) in entries.iter_mut().enumerate() {
            let (i, j) = (self.row as usize + place / n, self.column as usize + place % n);
            let is_diagonal = self.is_diagonal && i == j;
            if self.entry != Entry::Plain && (is_diagonal || *entry < 0.0) {
                *entry = 0.0;
            }
            if let Entry::Squared(offset) = self.entry {
                let distance = if is_diagonal { 0.0 } else { *entry + offset };
                *entry = distance * distance;
            }
        }
        let each = || (0..m).flat_map(|i| (0..n).map(move |j| (i, j)));
        for (i, j) in each() {
            let (entry, i, j) = (entries[i * n + j], top + i, start + j);
            if let Some(Panels { factor, sum }) = &mut right {
                let (high, low) = (factor.len() / width, sum.len() / width);
                (0..width).for_each(|k| sum[i + k * low] += entry * factor[j + k * high]);
            }
            if let Some(Panels { factor, sum }) = &mut left {
                let (high, low) = (factor.len() / width, sum.len() / width);
                (0..width).for_each(|k| sum[j + k * low] += entry * factor[i + k * high]);
            }
        }
        for (i, j) in each() {
            let (entry, i, j) = (entries[i * n + j], top + i, start + j);
            if let Some(rows) = &mut rows {
                let weights = columns.as_ref().map_or(rows.weights, |columns| columns.weights);
                rows.sums[i] += weights[j] * entry;
                rows.squares[i] += weights[j] * entry * entry;
                if let Some(columns) = &mut columns {
                    columns.sums[j] += rows.weights[i] * entry;
                    columns.squares[j] += rows.weights[i] * entry * entry;
                }
            }
        }
    }
}
