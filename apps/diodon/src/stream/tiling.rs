//! Where a matrix is cut into bands and tiles.

use std::ops::Range;

use tegula_files::source::{Block, Source};

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

    /// The band of a line.
    #[must_use]
    pub fn band(&self, line: usize) -> usize {
        line / self.edge
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

/// A matrix in bands of rows and of columns, as its panels are cut, and in tiles: a band of columns
/// wide, and of a wide band only some rows high, so that of a matrix that is stored by rows long
/// pieces are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tiling {
    /// Bands of rows and of columns.
    pub bands: [Edges; 2],
    /// Rows of tiles; each is in one band.
    height: usize,
    /// Whether tiles below the diagonal are left out.
    pub is_symmetric: bool,
}

/// A tile: its bands, and its entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Bands of its rows and of its columns.
    pub bands: (usize, usize),
    /// Its rows and columns.
    pub block: Block,
}

/// Entries of a tile that is not square, at most, unless told otherwise: thousands of columns, and
/// enough rows to keep a worker busy for some milliseconds.
pub const TILE_ENTRIES: usize = 1 << 21;

impl Tiling {
    /// Cuts a matrix of this shape into bands of `edge` lines, and these into tiles of at most
    /// `entries` entries that begin at multiples of `grain` rows, if bands do; they have at least
    /// so many rows.
    ///
    /// # Panics
    /// If `edge` is zero.
    #[must_use]
    pub fn new(
        shape: [usize; 2],
        edge: usize,
        (grain, entries): (usize, usize),
        is_symmetric: bool,
    ) -> Self {
        let bands = shape.map(|length| Edges::new(length, edge));
        let [rows, columns] = bands.map(|edges| edges.widest());
        let most = (entries / columns).max(1);
        let grain = if edge.is_multiple_of(grain.max(1)) { grain.max(1) } else { 1 };
        let height = if rows <= most { rows } else { (most / grain * grain).max(grain).min(rows) };
        Self { bands, height, is_symmetric }
    }

    /// Cuts `source` into bands of `edge` lines, and these into tiles as it wants them, of
    /// [`TILE_ENTRIES`] entries at most.
    ///
    /// # Panics
    /// If `edge` is zero.
    #[must_use]
    pub fn of(source: &dyn Source, edge: usize, is_symmetric: bool) -> Self {
        Self::new(source.shape(), edge, (source.grain()[0], TILE_ENTRIES), is_symmetric)
    }

    /// Rows of the highest tile.
    #[must_use]
    pub fn height(&self) -> usize {
        self.height
    }

    /// Entries of the largest tile.
    #[must_use]
    pub fn entries(&self) -> usize {
        self.height * self.bands[1].widest()
    }

    /// Number of tiles of a band of rows.
    fn slices(&self, band: usize) -> usize {
        self.bands[0].range(band).len().div_ceil(self.height)
    }

    /// Number of tiles that are read in a pass.
    #[must_use]
    pub fn tiles(&self) -> usize {
        let columns = self.bands[1].count();
        let across = |band: usize| if self.is_symmetric { columns - band } else { columns };
        (0..self.bands[0].count()).map(|band| self.slices(band) * across(band)).sum()
    }

    /// All tiles, band of rows by band of rows and in each band by band of columns; of a symmetric
    /// matrix those of bands at and above the diagonal.
    #[must_use]
    pub fn all(&self) -> Vec<Place> {
        let [rows, columns] = self.bands.map(|edges| edges.count());
        let first = |i: usize| if self.is_symmetric { i } else { 0 };
        let pairs = (0..rows).flat_map(|i| (first(i)..columns).map(move |j| (i, j)));
        pairs.flat_map(|bands| self.places(bands)).collect()
    }

    /// The tiles of two bands from above.
    pub(super) fn places(&self, bands: (usize, usize)) -> impl Iterator<Item = Place> + use<> {
        let rows = self.bands[0].range(bands.0);
        let (columns, height) = (self.bands[1].range(bands.1), self.height);
        rows.clone().step_by(height).map(move |start| {
            let rows = start..(start + height).min(rows.end);
            Place { bands, block: Block { rows, columns: columns.clone() } }
        })
    }
}

/// Lines of a tile that is square, unless a chunk or memory wants others.
///
/// Measured: products with 50 columns are within some percent of their best speed from 512 to 2048
/// lines on.
const EDGE: usize = 1024;
/// Lines of the widest band: of a row that much is read at the speed of memory.
const WIDEST: usize = 4096;

/// The edge of bands of a matrix of `length` lines whose blocks should begin at multiples of
/// `grain`, with `slots` tiles of `element_bytes` bytes a number in `memory` bytes: wide if there
/// are as many as `slots / 2` of them even so, and no wider than the matrix.
#[must_use]
pub fn band_edge(
    (length, grain): (usize, [usize; 2]),
    element_bytes: usize,
    (slots, memory): (usize, u64),
) -> usize {
    let slots = slots.max(1);
    let most = memory as usize / slots / element_bytes.max(1);
    let (square, most) = (most.isqrt().max(1), most.max(1));
    let wide = if most < TILE_ENTRIES { 0 } else { (2 * length / slots).min(WIDEST) / EDGE * EDGE };
    let edge = wide.max(EDGE.min(square));
    // A common multiple of rows and columns of a chunk, if that is not far too large.
    let common = lcm(grain[0].max(1), grain[1].max(1));
    let edge = match common {
        grain if grain <= edge => edge / grain * grain,
        grain if grain <= WIDEST && grain <= square => grain,
        _ => edge,
    };
    edge.min(length)
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
    use super::{Edges, TILE_ENTRIES, Tiling, band_edge};

    #[test]
    fn bands_cover_all_lines_once() {
        for (length, edge) in [(0, 3), (1, 3), (7, 3), (9, 3), (5, 100)] {
            let edges = Edges::new(length, edge);
            let lines: Vec<usize> = (0..edges.count()).flat_map(|band| edges.range(band)).collect();
            assert_eq!(lines, (0..length).collect::<Vec<_>>());
            assert!(lines.iter().all(|&line| edges.range(edges.band(line)).contains(&line)));
        }
    }

    #[test]
    fn bands_begin_at_chunks_and_their_tiles_fit() {
        let plenty = (8, 1 << 40);
        let edge = |length, grain| band_edge((length, grain), 4, plenty);
        assert_eq!(edge(4000, [1, 1]), 1024);
        assert_eq!(edge(4000, [256, 256]), 1024);
        assert_eq!(edge(4000, [300, 300]), 900);
        assert_eq!(edge(4000, [1500, 1500]), 1500);
        assert_eq!(edge(4000, [1, 100_000]), 1024);
        assert_eq!(edge(400, [1, 1]), 400);
        assert_eq!(edge(10_000, [1, 1]), 2048);
        assert_eq!(edge(100_000, [1, 1]), 4096);
        assert_eq!(edge(100_000, [300, 300]), 3900);
        assert_eq!(band_edge((100_000, [256, 256]), 4, (8, 8 * 4 * 600 * 600)), 512);
    }

    #[test]
    fn tiles_of_wide_bands_are_low_and_begin_at_chunks() {
        let height =
            |edge, grain| Tiling::new([9000, 9000], edge, (grain, TILE_ENTRIES), true).height();
        assert_eq!(height(1024, 1), 1024);
        assert_eq!(height(4096, 1), 512);
        assert_eq!(height(3900, 300), 300);
        // Where bands do not begin at chunks, tiles need not either.
        assert_eq!(height(4096, 300), 512);
        // A chunk that is higher than it should be.
        assert_eq!(height(4096, 1024), 1024);
    }
}
