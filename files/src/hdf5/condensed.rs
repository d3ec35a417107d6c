//! Blocks of a symmetric matrix of which the entries above the diagonal are stored row after row,
//! as SciPy's `pdist` gives them.

use super::entries::{Entries, Failure};
use crate::source::Block;

/// Where the entry in row `i` and column `j > i` stands.
fn place(n: usize, i: usize, j: usize) -> usize {
    i * (2 * n - i - 1) / 2 + j - i - 1
}

/// Reads `block` of the matrix of order `n` whose upper triangle `stored` is; returns the bytes
/// taken from the file.
pub(super) fn read(
    stored: &mut Entries,
    n: usize,
    block: &Block,
    entries: &mut [u8],
) -> Result<u64, Failure> {
    let size = stored.entry_bytes();
    let (rows, columns) = (&block.rows, &block.columns);
    let width = columns.len();
    let mut taken = 0;
    for i in rows.clone() {
        let line = &mut entries[(i - rows.start) * width * size..][..width * size];
        if columns.contains(&i) {
            line[(i - columns.start) * size..][..size].fill(0);
        }
        let right = columns.start.max(i + 1)..columns.end;
        if !right.is_empty() {
            let from = place(n, i, right.start);
            let line = &mut line[(right.start - columns.start) * size..];
            taken += stored.read(&(0..1), &(from..from + right.len()), line)?;
        }
    }
    // What is below the diagonal stands in the rows of the columns.
    let mut run = vec![0; rows.len() * size];
    for j in columns.clone() {
        let below = rows.start.max(j + 1)..rows.end;
        if below.is_empty() {
            continue;
        }
        let from = place(n, j, below.start);
        let run = &mut run[..below.len() * size];
        taken += stored.read(&(0..1), &(from..from + below.len()), run)?;
        for (i, entry) in below.zip(run.chunks_exact(size)) {
            let to = ((i - rows.start) * width + j - columns.start) * size;
            entries[to..to + size].copy_from_slice(entry);
        }
    }
    Ok(taken)
}

#[cfg(test)]
mod tests {
    use super::place;

    #[test]
    fn entries_follow_each_other() {
        let n = 7;
        let places: Vec<usize> =
            (0..n).flat_map(|i| (i + 1..n).map(move |j| place(n, i, j))).collect();
        assert_eq!(places, (0..21).collect::<Vec<_>>());
    }
}
