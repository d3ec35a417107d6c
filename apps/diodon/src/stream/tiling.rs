//! Where a matrix is cut into tiles.

use std::ops::Range;

/// Cuts of rows, or of columns, at multiples of one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edges {
    length: usize,
    edge: usize,
}

impl Edges {
    /// Cuts `length` lines at multiples of `edge`.
    ///
    /// # Panics
    /// If `edge` is zero.
    #[must_use]
    pub fn new(length: usize, edge: usize) -> Self {
        assert!(edge > 0, "bands of no line");
        Self { length, edge: edge.min(length.max(1)) }
    }

    /// Number of bands.
    #[must_use]
    pub fn count(&self) -> usize {
        self.length.div_ceil(self.edge)
    }

    /// Lines of a band; the last one may have fewer than others.
    #[must_use]
    pub fn range(&self, band: usize) -> Range<usize> {
        let start = band * self.edge;
        start..(start + self.edge).min(self.length)
    }

    /// Most lines of a band.
    #[must_use]
    pub fn widest(&self) -> usize {
        self.edge
    }

    /// Number of lines.
    #[must_use]
    pub fn length(&self) -> usize {
        self.length
    }
}

/// Lines of a tile, unless a chunk or memory wants others.
///
/// Measured: products with 50 columns are within some percent of their best speed from 512 to 2048 lines on.
const EDGE: usize = 1024;

/// The edge of square tiles of a matrix whose blocks should begin at multiples of `grain`, with `slots` of them of
/// `element_bytes` bytes a number in `memory` bytes.
#[must_use]
pub fn tile_edge(grain: [usize; 2], element_bytes: usize, (slots, memory): (usize, u64)) -> usize {
    let most = (memory as usize / slots.max(1) / element_bytes.max(1)).isqrt().max(1);
    let edge = EDGE.min(most);
    // A common multiple of rows and columns of a chunk, if that is not far too large.
    let common = lcm(grain[0].max(1), grain[1].max(1));
    match common {
        grain if grain <= edge => edge / grain * grain,
        grain if grain <= 4 * EDGE && grain <= most => grain,
        _ => edge,
    }
}

fn lcm(a: usize, b: usize) -> usize {
    let gcd = |mut a: usize, mut b: usize| {
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    (a / gcd(a, b)).saturating_mul(b)
}

#[cfg(test)]
mod tests {
    use super::{Edges, tile_edge};

    #[test]
    fn bands_cover_all_lines_once() {
        for (length, edge) in [(0, 3), (1, 3), (7, 3), (9, 3), (5, 100)] {
            let edges = Edges::new(length, edge);
            let lines: Vec<usize> = (0..edges.count()).flat_map(|band| edges.range(band)).collect();
            assert_eq!(lines, (0..length).collect::<Vec<_>>());
        }
    }

    #[test]
    fn tiles_begin_at_chunks_and_fit() {
        let plenty = (8, 1 << 40);
        assert_eq!(tile_edge([1, 1], 4, plenty), 1024);
        assert_eq!(tile_edge([256, 256], 4, plenty), 1024);
        assert_eq!(tile_edge([300, 300], 4, plenty), 900);
        assert_eq!(tile_edge([1500, 1500], 4, plenty), 1500);
        assert_eq!(tile_edge([1, 100_000], 4, plenty), 1024);
        assert_eq!(tile_edge([256, 256], 4, (8, 8 * 4 * 600 * 600)), 512);
    }
}
