//! The sweep, block by block, so that widened entries stay in the second cache until both products
//! have used them.

use std::cell::RefCell;
use std::ops::Range;

use pulp::Arch;

use super::lines::Lines;
use super::widened::Widened;
use super::{Entry, Findings, Panels, Tile};
use crate::backend::Blas;
use crate::scalar::Real;

/// Rows and columns of a block of widened entries: few enough for the second cache, and so many
/// that what products lay out anew for each of them is little beside.
const BLOCK: [usize; 2] = [128, 1024];

/// Entries of a row that are looked at together: some stay in registers, all in the first cache.
const PART: usize = 256;

thread_local! {
    /// Room for what a tile is worked on with.
    static ROOM: RefCell<Vec<f64>> = const { RefCell::new(Vec::new()) };
}

/// What is noted of the lines that a tile is part of.
struct Notes<'a> {
    /// Weights of the tile's columns, in sums along its rows.
    crossing: &'a [f64],
    rows: Lines<'a>,
    columns: Option<Lines<'a>>,
}

impl Tile {
    /// Multiplies the `stored` tile by the panels of either side, and adds its sums to the lines.
    ///
    /// # Panics
    /// If a shape is another.
    pub fn sweep<T: Real>(
        &self,
        blas: &dyn Blas<T>,
        stored: &[u8],
        (right, left): (Option<Panels<'_>>, Option<Panels<'_>>),
        (rows, columns): (Option<Lines<'_>>, Option<Lines<'_>>),
    ) {
        let (m, n) = (self.m as usize, self.n as usize);
        assert_eq!(stored.len(), m * n * self.element.bytes(), "bytes of the stored tile");
        if m == 0 || n == 0 {
            return;
        }
        let mut notes = rows.map(|rows| Notes::new(self, rows, columns));
        // Of panels without columns there is nothing but the sums.
        let (right, left) = if self.width == 0 { (None, None) } else { (right, left) };
        let block = [BLOCK[0].min(m), BLOCK[1].min(n)];
        ROOM.with_borrow_mut(|room| {
            let mut widened = Widened::<T>::new(room, self, block, (right, left));
            for start in (0..n).step_by(block[1]) {
                let across = start..(start + block[1]).min(n);
                for top in (0..m).step_by(block[0]) {
                    let strip = top..(top + block[0]).min(m);
                    self.widen(stored, (&strip, &across), widened.entries, &mut notes);
                    widened.multiply(blas, &strip, &across);
                }
            }
            widened.finish();
        });
        if let Some(notes) = notes.filter(|_| self.is_diagonal) {
            self.check_symmetry(stored, notes.rows.findings);
        }
    }

    /// Widens a block and makes what its entries become, row after row; adds their sums to the
    /// lines.
    fn widen<T: Real>(
        &self,
        stored: &[u8],
        (strip, across): (&Range<usize>, &Range<usize>),
        entries: &mut [T],
        notes: &mut Option<Notes<'_>>,
    ) {
        let (n, size) = (self.n as usize, self.element.bytes());
        let mut line = [0.0; PART];
        for (row, entries) in strip.clone().zip(entries.chunks_exact_mut(across.len())) {
            let stored = &stored[(row * n + across.start) * size..(row * n + across.end) * size];
            let parts = stored.chunks(PART * size).zip(entries.chunks_mut(PART));
            for (part, (stored, entries)) in parts.enumerate() {
                let line = &mut line[..entries.len()];
                self.part(stored, (row, across.start + part * PART), line, notes.as_mut());
                entries.iter_mut().zip(line).for_each(|(to, x)| *to = T::of_f64(*x));
            }
        }
    }

    /// A part of a row, from a place on: what its entries become, and their sums.
    fn part(
        &self,
        stored: &[u8],
        place: (usize, usize),
        line: &mut [f64],
        notes: Option<&mut Notes<'_>>,
    ) {
        let (row, first) = place;
        let arch = Arch::new();
        arch.dispatch(
            #[inline(always)]
            || self.element.widen(stored, line),
        );
        let found = arch.dispatch(
            #[inline(always)]
            || self.become_of(line, place, notes.is_some()),
        );
        let Some(Notes { crossing, rows, columns }) = notes else { return };
        if found.is_wrong {
            self.note(stored, place, rows.findings);
        }
        rows.findings.least = rows.findings.least.min(found.least);
        rows.findings.greatest = rows.findings.greatest.max(found.greatest);
        arch.dispatch(
            #[inline(always)]
            || {
                add_along(line, row, rows, &crossing[first..]);
                if let Some(columns) = columns {
                    add_across(line, rows.weights[row], first, columns);
                }
            },
        );
    }

    /// Column of the tile in which row `row` of it meets the diagonal of the matrix, if the tile is
    /// one on it.
    fn diagonal_of(&self, row: usize) -> Option<usize> {
        let column = (self.row as usize + row).checked_sub(self.column as usize)?;
        (self.is_diagonal && column < self.n as usize).then_some(column)
    }

    /// Replaces entries of a row, those from a place on, by what they become.
    #[inline(always)]
    fn become_of(&self, line: &mut [f64], (row, first): (usize, usize), is_noted: bool) -> Found {
        let mut found =
            Found { is_wrong: false, least: f64::INFINITY, greatest: f64::NEG_INFINITY };
        // An entry on the diagonal, which is 0 but for rounding, is neither moved nor counted among
        // the least and the greatest: a neighbour stands in for it meanwhile.
        let diagonal = self.diagonal_of(row).and_then(|column| column.checked_sub(first));
        let diagonal = diagonal.filter(|&j| j < line.len());
        let kept = diagonal.map(|j| line[j]);
        let is_alone = diagonal.is_some() && line.len() == 1;
        if let Some(j) = diagonal {
            line[j] = line[if j == 0 { line.len() - 1 } else { j - 1 }];
        }
        if is_noted {
            let lowest = if self.entry == Entry::Plain { f64::MIN } else { 0.0 };
            let is_wrong = |x: f64| u64::from(!(x >= lowest && x <= f64::MAX));
            let wrong: u64 = line.iter().map(|&x| is_wrong(x)).sum();
            found.is_wrong = wrong > 0 || kept.is_some_and(|x| x != 0.0);
            if !is_alone {
                (found.least, found.greatest) = extremes(line);
            }
        }
        if self.entry != Entry::Plain {
            // What is no number stays so.
            line.iter_mut().for_each(|x| *x = if *x < 0.0 { 0.0 } else { *x });
        }
        if let Entry::Squared(offset) = self.entry
            && offset != 0.0
        {
            line.iter_mut().for_each(|x| *x += offset);
        }
        if let (Some(j), Some(value)) = (diagonal, kept) {
            line[j] = if self.entry == Entry::Plain { value } else { 0.0 };
        }
        if matches!(self.entry, Entry::Squared(_)) {
            line.iter_mut().for_each(|x| *x *= *x);
        }
        found
    }

    /// Notes what is wrong with entries of a row, those from a place on.
    #[cold]
    fn note(&self, stored: &[u8], (row, first): (usize, usize), findings: &mut Findings) {
        let mut line = vec![0.0; stored.len() / self.element.bytes()];
        self.element.widen(stored, &mut line);
        for (j, &value) in line.iter().enumerate() {
            let offender = self.offender((row, first + j), value, 0.0);
            let is_diagonal = self.diagonal_of(row) == Some(first + j);
            if !value.is_finite() {
                findings.infinite.note(offender, f64::NAN);
            } else if is_diagonal && value != 0.0 {
                findings.diagonal.note(offender, value.abs());
            } else if value < 0.0 && self.entry != Entry::Plain {
                findings.negative.note(offender, -value);
            }
        }
    }

    /// Notes where the square on the diagonal differs from its mirror image.
    fn check_symmetry(&self, stored: &[u8], findings: &mut Findings) {
        let (m, n, size) = (self.m as usize, self.n as usize, self.element.bytes());
        let Some(first) = self.diagonal_of(0) else { return };
        let side = m.min(n - first);
        let entry = |i: usize, j: usize| &stored[(i * n + first + j) * size..][..size];
        for i in 0..side {
            for j in i + 1..side {
                if entry(i, j) != entry(j, i) {
                    let mut values = [0.0; 2];
                    self.element.widen(entry(i, j), &mut values[..1]);
                    self.element.widen(entry(j, i), &mut values[1..]);
                    let [value, other] = values;
                    if value != other && !(value.is_nan() && other.is_nan()) {
                        let offender = self.offender((i, first + j), value, other);
                        findings.asymmetric.note(offender, (value - other).abs());
                    }
                }
            }
        }
        findings.compared += (side * side.saturating_sub(1) / 2) as u64;
    }
}

impl<'a> Notes<'a> {
    /// Of the lines of the bands that `tile` is part of; without `columns` its columns are among
    /// those of its rows' band.
    fn new(tile: &Tile, rows: Lines<'a>, columns: Option<Lines<'a>>) -> Self {
        let (across, along) = (tile.across(), tile.along());
        let crossing =
            &columns.as_ref().map_or(rows.weights, |lines| lines.weights)[across.clone()];
        Self { crossing, rows: rows.part(along), columns: columns.map(|lines| lines.part(across)) }
    }
}

/// What the entries of a part of a row are like.
struct Found {
    is_wrong: bool,
    least: f64,
    greatest: f64,
}

/// The least and the greatest of some entries; what is no number is neither.
#[inline(always)]
fn extremes(line: &[f64]) -> (f64, f64) {
    let (mut least, mut greatest) = ([f64::INFINITY; 8], [f64::NEG_INFINITY; 8]);
    let (eights, rest) = line.as_chunks::<8>();
    for eight in eights {
        for lane in 0..8 {
            least[lane] = if eight[lane] < least[lane] { eight[lane] } else { least[lane] };
            greatest[lane] =
                if eight[lane] > greatest[lane] { eight[lane] } else { greatest[lane] };
        }
    }
    let all = |lanes: [f64; 8]| lanes.into_iter().chain(rest.iter().copied());
    (all(least).fold(f64::INFINITY, f64::min), all(greatest).fold(f64::NEG_INFINITY, f64::max))
}

/// Adds up a part of a row, whose columns have these weights.
#[inline(always)]
fn add_along(line: &[f64], row: usize, rows: &mut Lines<'_>, weights: &[f64]) {
    let (mut sums, mut squares) = ([0.0; 8], [0.0; 8]);
    let weights = &weights[..line.len()];
    let (eights, rest) = line.as_chunks::<8>();
    let (heavy, light) = weights.as_chunks::<8>();
    for (eight, weights) in eights.iter().zip(heavy) {
        for lane in 0..8 {
            sums[lane] += weights[lane] * eight[lane];
            squares[lane] += weights[lane] * eight[lane] * eight[lane];
        }
    }
    for (lane, (x, weight)) in rest.iter().zip(light).enumerate() {
        sums[lane] += weight * x;
        squares[lane] += weight * x * x;
    }
    rows.sums[row] += sums.iter().sum::<f64>();
    rows.squares[row] += squares.iter().sum::<f64>();
}

/// Adds a part of a row, from column `first` on, to the sums of its columns.
#[inline(always)]
fn add_across(line: &[f64], weight: f64, first: usize, columns: &mut Lines<'_>) {
    let (sums, squares) = (&mut columns.sums[first..], &mut columns.squares[first..]);
    for ((sum, square), x) in sums.iter_mut().zip(squares).zip(line) {
        *sum += weight * x;
        *square += weight * x * x;
    }
}
