//! A symmetric tridiagonal matrix as QR iterations can take it: in diagonal blocks, each of norm
//! one and without entries whose squares would leave the range, as graded matrices have them; and
//! in 64 bits, which take no longer there and lose nothing.

use crate::scalar::Real;

/// A diagonal block, divided by its largest entry.
pub(super) struct Block {
    /// Its first row.
    pub(super) first: usize,
    pub(super) diagonal: Vec<f64>,
    pub(super) below: Vec<f64>,
    /// What it was divided by.
    pub(super) norm: f64,
}

/// The blocks of the matrix with this diagonal and these entries below it, which are finite.
///
/// Those below it that are under rounding beside both of their neighbours are taken for zero:
/// LAPACK's `steqr`. So are, within a block, entries under the square root of the smallest normal
/// number.
pub(super) fn blocks<R: Real>(diagonal: &[R], below: &[R]) -> Vec<Block> {
    let is_cut = |i: usize| {
        let size = diagonal[i].abs().sqrt() * diagonal[i + 1].abs().sqrt();
        below[i].abs() <= R::EPSILON * size
    };
    let mut blocks = Vec::new();
    let mut first = 0;
    for end in 1..=diagonal.len() {
        if end == diagonal.len() || is_cut(end - 1) {
            blocks.push(Block::new(first, &diagonal[first..end], &below[first..end - 1]));
            first = end;
        }
    }
    blocks
}

impl Block {
    fn new<R: Real>(first: usize, diagonal: &[R], below: &[R]) -> Self {
        let size = |largest: f64, x: &R| largest.max(x.to_f64().abs());
        let norm = diagonal.iter().chain(below).fold(0.0, size);
        let norm = if norm == 0.0 { 1.0 } else { norm };
        let divided = |x: &R| {
            let quotient = x.to_f64() / norm;
            if quotient.abs() < f64::MIN_POSITIVE.sqrt() { 0.0 } else { quotient }
        };
        let [diagonal, below] = [diagonal, below].map(|part| part.iter().map(divided).collect());
        Self { first, diagonal, below, norm }
    }
}

#[cfg(test)]
mod tests {
    use super::blocks;

    #[test]
    fn blocks_are_cut_where_nothing_couples_them() {
        let (diagonal, below) = ([1.0, 2.0, 1e-300, 4e-300, 0.0], [0.5, 1e-170, 1e-300, 0.0]);
        let found = blocks::<f64>(&diagonal, &below);
        let shapes: Vec<_> =
            found.iter().map(|block| (block.first, block.diagonal.len())).collect();
        assert_eq!(shapes, [(0, 2), (2, 2), (4, 1)]);
        assert_eq!(found[1].diagonal, [0.25, 1.0]);
        assert_eq!((found[1].norm, found[2].norm), (4e-300, 1.0));
        // Entries that would underflow when squared.
        let graded = blocks::<f64>(&[1.0, 1e-200], &[1e-30]);
        assert_eq!((graded.len(), graded[0].diagonal[1], graded[0].below[0]), (1, 0.0, 1e-30));
    }
}
