//! Sums along the lines (rows, or columns) of a band of tiles, gathered tile by tile.

use std::ops::Range;

use tegula_runtime::memory::Reduction;

use super::Findings;

/// Sums along `r` lines, in one buffer: their weights, their weighted sums, and those of their
/// squares, and what was found in tiles.
#[derive(Debug)]
pub struct Lines<'a> {
    /// Weights of these lines in sums along lines that cross them.
    pub weights: &'a [f64],
    /// `sum_j w_j f(a_ij)`.
    pub sums: &'a mut [f64],
    /// `sum_j w_j f(a_ij)^2`.
    pub squares: &'a mut [f64],
    /// What was found in tiles of which these are the rows.
    pub findings: &'a mut Findings,
}

/// Bytes of the buffer of `r` lines.
#[must_use]
pub const fn buffer_bytes(r: usize) -> usize {
    3 * r * size_of::<f64>() + size_of::<Findings>()
}

/// What a buffer holds before the first tile: lines with these weights.
#[must_use]
pub fn initial(weights: &[f64]) -> Vec<f64> {
    let r = weights.len();
    let mut buffer = vec![0.0; buffer_bytes(r) / size_of::<f64>()];
    buffer[..r].copy_from_slice(weights);
    *Lines::of(&mut buffer).findings = Findings::NONE;
    buffer
}

/// How sums that were gathered apart are added up.
#[must_use]
pub fn reduction() -> Reduction {
    Reduction {
        init: |copy| {
            copy.fill(0);
            *Lines::of(bytemuck::cast_slice_mut(copy)).findings = Findings::NONE;
        },
        fold: |into, copy| {
            // The parts of a buffer are only to be had of one that may be changed.
            let mut copy = bytemuck::cast_slice::<u8, f64>(copy).to_vec();
            let (into, from) = (Lines::of(bytemuck::cast_slice_mut(into)), Lines::of(&mut copy));
            into.sums.iter_mut().zip(from.sums).for_each(|(sum, share)| *sum += *share);
            into.squares.iter_mut().zip(from.squares).for_each(|(sum, share)| *sum += *share);
            into.findings.add(&*from.findings);
        },
        seed: Some(|copy, contents| {
            let lines = (contents.len() - size_of::<Findings>()) / 3;
            copy[..lines].copy_from_slice(&contents[..lines]);
        }),
    }
}

impl<'a> Lines<'a> {
    /// The parts of a buffer.
    ///
    /// # Panics
    /// If it is none of so many bytes as [`buffer_bytes`] says.
    #[must_use]
    pub fn of(buffer: &'a mut [f64]) -> Self {
        let own = size_of::<Findings>() / size_of::<f64>();
        let lines = buffer.len().checked_sub(own).expect("a buffer of lines ends in findings");
        let r = lines / 3;
        assert!(lines == 3 * r, "{lines} numbers are no three for each line");
        let (weights, rest) = buffer.split_at_mut(r);
        let (sums, rest) = rest.split_at_mut(r);
        let (squares, findings) = rest.split_at_mut(r);
        let findings = bytemuck::from_bytes_mut(bytemuck::cast_slice_mut(findings));
        Self { weights, sums, squares, findings }
    }

    /// The lines `range` of these.
    ///
    /// # Panics
    /// If there are not so many.
    #[must_use]
    pub fn part(self, range: Range<usize>) -> Self {
        let Self { weights, sums, squares, findings } = self;
        Self {
            weights: &weights[range.clone()],
            sums: &mut sums[range.clone()],
            squares: &mut squares[range],
            findings,
        }
    }
}
