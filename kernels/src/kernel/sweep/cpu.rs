//! The sweep, a few rows at a time, so that widened entries stay in the second cache until both products have used them.

use std::cell::RefCell;
use std::ops::Range;

use pulp::Arch;

use super::lines::Lines;
use super::{Entry, Findings, Panels, Tile};
use crate::backend::Blas;
use crate::scalar::Real;
use crate::tile::{TileMut, TileRef};

/// Widened entries that are at hand at a time.
const ENTRIES: usize = 128 * 1024;

/// Entries of a row that are looked at together: some stay in registers, all in the first cache.
const PART: usize = 256;

thread_local! {
    /// Room for widened entries, and for panels in another precision.
    static ROOM: RefCell<Vec<f64>> = const { RefCell::new(Vec::new()) };
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
        (mut rows, mut columns): (Option<Lines<'_>>, Option<Lines<'_>>),
    ) {
        let (m, n) = (self.m as usize, self.n as usize);
        assert_eq!(stored.len(), m * n * self.element.bytes(), "bytes of the stored tile");
        if m == 0 || n == 0 {
            return;
        }
        // Of panels without columns there is nothing but the sums.
        let (right, left) = if self.width == 0 { (None, None) } else { (right, left) };
        let height = (ENTRIES / n.max(1)).clamp(1, m.max(1));
        ROOM.with_borrow_mut(|room| {
            let mut desk = Desk::<T>::new(room, self, height, (right, left));
            for top in (0..m).step_by(height) {
                let strip = top..(top + height).min(m);
                let line = n * self.element.bytes();
                let stored = &stored[strip.start * line..strip.end * line];
                self.widen(stored, strip.start, desk.entries, (&mut rows, &mut columns));
                desk.multiply(blas, strip, n);
            }
            desk.finish();
        });
        if self.is_diagonal
            && let Some(rows) = rows
        {
            self.check_symmetry(stored, rows.findings);
        }
    }

    /// Widens some rows from row `top` on and makes what they become, one after the other; adds their sums to the lines.
    fn widen<T: Real>(
        &self,
        stored: &[u8],
        top: usize,
        entries: &mut [T],
        (rows, columns): (&mut Option<Lines<'_>>, &mut Option<Lines<'_>>),
    ) {
        let (n, size) = (self.n as usize, self.element.bytes());
        let mut line = [0.0; PART];
        let lines = stored.chunks_exact(n * size).zip(entries.chunks_exact_mut(n));
        for (number, (stored, entries)) in lines.enumerate() {
            let parts = stored.chunks(PART * size).zip(entries.chunks_mut(PART));
            for (part, (stored, entries)) in parts.enumerate() {
                let line = &mut line[..entries.len()];
                self.part(stored, (top + number, part * PART), line, (rows, columns));
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
        (rows, columns): (&mut Option<Lines<'_>>, &mut Option<Lines<'_>>),
    ) {
        let (row, first) = place;
        let arch = Arch::new();
        arch.dispatch(
            #[inline(always)]
            || self.element.widen(stored, line),
        );
        let found = arch.dispatch(
            #[inline(always)]
            || self.become_of(line, place, rows.is_some()),
        );
        let Some(rows) = rows else { return };
        if found.is_wrong {
            self.note(stored, place, rows.findings);
        }
        rows.findings.least = rows.findings.least.min(found.least);
        rows.findings.greatest = rows.findings.greatest.max(found.greatest);
        arch.dispatch(
            #[inline(always)]
            || {
                let crossing = columns.as_ref().map_or(rows.weights, |lines| lines.weights);
                add_along(line, row, rows, &crossing[first..]);
                if let Some(columns) = columns {
                    add_across(line, rows.weights[row], first, columns);
                }
            },
        );
    }

    /// Replaces entries of a row, those from a place on, by what they become.
    #[inline(always)]
    fn become_of(&self, line: &mut [f64], (row, first): (usize, usize), is_noted: bool) -> Found {
        let mut found =
            Found { is_wrong: false, least: f64::INFINITY, greatest: f64::NEG_INFINITY };
        // An entry on the diagonal is neither moved nor counted among the least and the greatest: a neighbour stands
        // in for it meanwhile.
        let diagonal = row.checked_sub(first).filter(|&j| self.is_diagonal && j < line.len());
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
        if let Entry::Squared(offset) = self.entry
            && offset != 0.0
        {
            line.iter_mut().for_each(|x| *x += offset);
        }
        if let (Some(j), Some(value)) = (diagonal, kept) {
            line[j] = value;
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
            let is_diagonal = self.is_diagonal && row == first + j;
            if !value.is_finite() {
                findings.infinite.note(offender, f64::NAN);
            } else if is_diagonal && value != 0.0 {
                findings.diagonal.note(offender, value.abs());
            } else if value < 0.0 && self.entry != Entry::Plain {
                findings.negative.note(offender, -value);
            }
        }
    }

    /// Notes where a tile on the diagonal differs from its mirror image.
    fn check_symmetry(&self, stored: &[u8], findings: &mut Findings) {
        let (m, size) = (self.m as usize, self.element.bytes());
        let entry = |i: usize, j: usize| &stored[(i * m + j) * size..][..size];
        for i in 0..m {
            for j in i + 1..m {
                if entry(i, j) != entry(j, i) {
                    let mut values = [0.0; 2];
                    self.element.widen(entry(i, j), &mut values[..1]);
                    self.element.widen(entry(j, i), &mut values[1..]);
                    let [value, other] = values;
                    if value != other && !(value.is_nan() && other.is_nan()) {
                        let offender = self.offender((i, j), value, other);
                        findings.asymmetric.note(offender, (value - other).abs());
                    }
                }
            }
        }
        findings.compared += (m * m.saturating_sub(1) / 2) as u64;
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

/// What one tile is worked on with: widened entries, the panels in the precision of the products, and what they are added to.
struct Desk<'a, 'p, T> {
    entries: &'a mut [T],
    right: Option<Side<'a, 'p, T>>,
    left: Option<Side<'a, 'p, T>>,
}

/// One product. In the precision of the panels nothing is copied.
struct Side<'a, 'p, T> {
    panels: Panels<'p>,
    /// The factor, and what the product is added up in, in another precision.
    copies: Option<(&'a [T], &'a mut [T])>,
    width: usize,
}

impl<'a, 'p, T: Real> Desk<'a, 'p, T> {
    fn new(
        room: &'a mut Vec<f64>,
        tile: &Tile,
        height: usize,
        (right, left): (Option<Panels<'p>>, Option<Panels<'p>>),
    ) -> Self {
        let entries = height * tile.n as usize;
        let copies: usize = [&right, &left].into_iter().flatten().map(Panels::copies::<T>).sum();
        let words = ((entries + copies) * size_of::<T>()).div_ceil(size_of::<f64>());
        if room.len() < words {
            room.resize(words, 0.0);
        }
        let room: &mut [T] = bytemuck::cast_slice_mut(room);
        let (entries, rest) = room.split_at_mut(entries);
        let width = tile.width as usize;
        let (right, rest) = Side::new(right, width, rest);
        let (left, _) = Side::new(left, width, rest);
        Self { entries, right, left }
    }

    /// Multiplies by widened rows `strip` of `n` entries each.
    fn multiply(&mut self, blas: &dyn Blas<T>, strip: Range<usize>, n: usize) {
        let height = strip.len();
        let entries = TileRef::new(&self.entries[..height * n], n, height);
        if let Some(side) = &mut self.right {
            let (factor, sum) = side.views();
            let sum = sum.part(strip.start, 0, height, factor.cols());
            blas.gemm(T::ONE, entries.transposed(), factor, T::ONE, sum);
        }
        if let Some(side) = &mut self.left {
            let (factor, sum) = side.views();
            let factor = factor.part(strip.start, 0, height, factor.cols());
            blas.gemm(T::ONE, entries, factor, T::ONE, sum);
        }
    }

    /// Adds what was added up in another precision to the panels.
    fn finish(self) {
        [self.right, self.left].into_iter().flatten().for_each(Side::finish);
    }
}

impl Panels<'_> {
    /// Numbers that copies in the precision `T` take.
    fn copies<T: Real>(&self) -> usize {
        let is_same = size_of::<T>() == size_of::<f64>();
        if is_same { 0 } else { self.factor.len() + self.sum.len() }
    }
}

impl<'a, 'p, T: Real> Side<'a, 'p, T> {
    /// The product of `panels`, with copies at the front of `room` if need be; and the rest of it.
    fn new(
        panels: Option<Panels<'p>>,
        width: usize,
        room: &'a mut [T],
    ) -> (Option<Self>, &'a mut [T]) {
        let Some(panels) = panels else { return (None, room) };
        if panels.copies::<T>() == 0 {
            return (Some(Self { panels, copies: None, width }), room);
        }
        let (factor, room) = room.split_at_mut(panels.factor.len());
        let (sum, room) = room.split_at_mut(panels.sum.len());
        factor.iter_mut().zip(panels.factor).for_each(|(to, &x)| *to = T::of_f64(x));
        sum.fill(T::ZERO);
        (Some(Self { panels, copies: Some((factor, sum)), width }), room)
    }

    /// The factor and what the product is added to.
    fn views(&mut self) -> (TileRef<'_, T>, TileMut<'_, T>) {
        let width = self.width;
        let (factor, sum) = match &mut self.copies {
            Some((factor, sum)) => (&**factor, &mut **sum),
            None => {
                let Panels { factor, sum } = &mut self.panels;
                (bytemuck::cast_slice(factor), bytemuck::cast_slice_mut(sum))
            }
        };
        let rows = |length: usize| length / width.max(1);
        let (high, low) = (rows(factor.len()), rows(sum.len()));
        (TileRef::new(factor, high, width), TileMut::new(sum, low, width))
    }

    fn finish(self) {
        if let Some((_, copy)) = self.copies {
            self.panels.sum.iter_mut().zip(copy).for_each(|(to, x)| *to += x.to_f64());
        }
    }
}
