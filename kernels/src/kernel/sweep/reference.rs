//! The sweep, entry by entry.

use super::lines::Lines;
use super::{Entry, Panels, Tile};

impl Tile {
    /// What [`sweep`](Self::sweep) computes of products and sums, without the findings.
    pub fn reference(
        &self,
        stored: &[u8],
        (right, left): (Option<Panels<'_>>, Option<Panels<'_>>),
        (mut rows, mut columns): (Option<Lines<'_>>, Option<Lines<'_>>),
    ) {
        let (m, n, width) = self.shape();
        let mut entries = vec![0.0; m * n];
        self.element.widen(stored, &mut entries);
        for (place, entry) in entries.iter_mut().enumerate() {
            let is_diagonal = self.is_diagonal && place / n == place % n;
            if let Entry::Squared(offset) = self.entry {
                let distance = if is_diagonal { *entry } else { *entry + offset };
                *entry = distance * distance;
            }
        }
        let each = || (0..m).flat_map(|i| (0..n).map(move |j| (i, j)));
        if let Some(Panels { factor, sum }) = right {
            for (i, j) in each() {
                (0..width).for_each(|k| sum[i + k * m] += entries[i * n + j] * factor[j + k * n]);
            }
        }
        if let Some(Panels { factor, sum }) = left {
            for (i, j) in each() {
                (0..width).for_each(|k| sum[j + k * n] += entries[i * n + j] * factor[i + k * m]);
            }
        }
        for (i, j) in each() {
            let entry = entries[i * n + j];
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
