//! Matrix products by blocks: `A` in the second cache, a micro-panel of `B` in the first. What does
//! not lie in micro-panels of the right height already is packed, `B` once for all of `A`.

use std::ops::Range;

use super::caches;
use super::micro::{Ahead, Target};
use super::micro_kernels::MicroKernels;
use super::pack::{Strided, with_workspace};
use crate::packed::PackedRef;
use crate::scalar::Real;
use crate::tile::{TileMut, TileRef};

/// Rows and inner size of the blocks of an `m x k` operand `A`. A micro-panel of `B` of that inner
/// size, `NR` columns wide, stays in the first cache beside what passes through; a block of `A`
/// stays in the second cache while `B` passes.
///
/// An eighth of that cache is enough, if it holds some micro-panels: the first `NR` columns wait
/// for all of the first block, the block after it is fetched at leisure. With half of a cache of 2
/// MiB tall products took a twelfth longer.
fn block_of_a<T: Real, K: MicroKernels<T>>(m: usize, k: usize) -> (usize, usize) {
    let caches = caches::sizes();
    let kc = piece(k, caches.first * 4 / 5 / (K::NR * size_of::<T>()), 1);
    let rows = |bytes: usize| bytes / (kc * size_of::<T>());
    let most = rows(caches.second / 8).max(4 * K::MR).min(rows(caches.second / 2));
    let mc = piece(m, most, K::MR);
    (mc, kc)
}

/// Columns of a block of `B`.
const NC: usize = 1024;

/// Which entries of `C` are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// All.
    Whole,
    /// On and below the diagonal.
    Lower,
}

/// An operand: its rows are those of `A`, or the columns of `B`.
#[derive(Clone, Copy)]
pub(super) enum Operand<T> {
    /// A matrix, whose blocks are packed.
    Matrix(Strided<T>),
    /// A packed matrix, with its number of columns.
    Packed(MicroPanels<T>, usize),
}

impl<T: Copy> Operand<T> {
    pub(super) fn matrix(a: TileRef<'_, T>) -> Self {
        Self::Matrix(Strided::new(a))
    }

    pub(super) fn packed(a: PackedRef<'_, T>) -> Self {
        let shape = a.shape();
        let panels =
            MicroPanels { first: a.as_ptr(), height: shape.height, stride: shape.stride() };
        Self::Packed(panels, shape.cols)
    }

    fn columns(self) -> usize {
        match self {
            Self::Matrix(a) => a.k,
            Self::Packed(_, columns) => columns,
        }
    }

    /// Whether it lies as it is read, packed with this height.
    fn is_read_so(self, height: usize) -> bool {
        matches!(self, Self::Packed(panels, _) if panels.height == height)
    }

    /// Elements of room for a block of so many, which is read packed with this height.
    fn room(self, height: usize, elements: usize) -> usize {
        if self.is_read_so(height) { 0 } else { elements }
    }

    /// The block from row `i` and column `p` on, which `room` holds packed if it has to be: where
    /// it is read, and what has to be packed.
    fn block(self, (i, p): (usize, usize), room: MicroPanels<T>) -> Side<T> {
        match self {
            Self::Packed(panels, _) if self.is_read_so(room.height) => {
                Side { read: panels.from(i, p), source: None }
            }
            Self::Packed(panels, left) => {
                Side { read: room, source: Some(Self::Packed(panels.from(i, p), left - p)) }
            }
            Self::Matrix(a) => {
                let part = a.part(i, p, a.width - i, a.k - p);
                Side { read: room, source: Some(Self::Matrix(part)) }
            }
        }
    }

    /// Rows `row..row + width`, of one micro-panel if it is packed, and columns `col..col + k`.
    #[inline(always)]
    fn part(self, row: usize, col: usize, width: usize, k: usize) -> Strided<T> {
        match self {
            Self::Matrix(a) => a.part(row, col, width, k),
            Self::Packed(panels, _) => {
                let first = panels.from(row, col).first.wrapping_add(row % panels.height);
                Strided { first, width, k, across: 1, along: panels.height.cast_signed() }
            }
        }
    }
}

/// Packed rows, as micro-kernels read them.
#[derive(Clone, Copy)]
pub(super) struct MicroPanels<T> {
    first: *const T,
    height: usize,
    /// Elements between micro-panels.
    stride: usize,
}

impl<T: Copy> MicroPanels<T> {
    /// Where micro-panel `index` begins.
    fn micro_panel(self, index: usize) -> *const T {
        self.first.wrapping_add(index * self.stride)
    }

    /// What is left from the micro-panel of row `row` and from column `col` on.
    fn from(self, row: usize, col: usize) -> Self {
        Self { first: self.micro_panel(row / self.height).wrapping_add(col * self.height), ..self }
    }
}

/// One side of a block of the product.
#[derive(Clone, Copy)]
struct Side<T> {
    /// Where it is read.
    read: MicroPanels<T>,
    /// What is packed there first.
    source: Option<Operand<T>>,
}

/// `C = alpha A B + beta C` on a part of `C`, whose rows are adjacent in memory; `b` is transposed.
///
/// # Safety
/// The processor has the set of `K`; the operands have as many rows as `C` has rows and columns,
/// and the same number of columns, at least one.
pub(super) unsafe fn multiply<T: Real, K: MicroKernels<T>>(
    part: Part,
    alpha: T,
    a: Operand<T>,
    b: Operand<T>,
    beta: T,
    mut c: TileMut<'_, T>,
) {
    let (m, n, k) = (c.rows(), c.cols(), a.columns());
    debug_assert!(c.row_stride() == 1 || m <= 1);
    debug_assert!(k == b.columns() && k > 0);
    let (mc, kc) = block_of_a::<T, K>(m, k);
    let nc = piece(n, NC, K::MR);
    let (ld, first) = (c.col_stride(), c.as_mut_ptr());
    let (a_size, b_size) = (mc * kc, nc * kc);
    let room = [a.room(K::MR, 2 * a_size), b.room(K::NR, b_size)];
    with_workspace(room, |[a_room, b_room]: [*mut T; 2]| {
        for j in (0..n).step_by(nc) {
            for p in (0..k).step_by(kc) {
                let (width, depth) = (nc.min(n - j), kc.min(k - p));
                let room =
                    |height, first: *mut T| MicroPanels { first, height, stride: height * depth };
                let a_room = |turn| room(K::MR, a_room.wrapping_add(turn % 2 * a_size));
                let first_row = if part == Part::Lower { j / mc * mc } else { 0 };
                for (turn, i) in (first_row..m).step_by(mc).enumerate() {
                    let height = mc.min(m - i);
                    let next = i + height;
                    let left = mc.min(m - next);
                    let block = Block {
                        part,
                        below: i.cast_signed() - j.cast_signed(),
                        size: (height, width, depth),
                        a: a.block((i, p), a_room(turn)),
                        b: b.block((j, p), room(K::NR, b_room)),
                        next: a.block((next, p), a_room(turn + 1)),
                        left,
                        fresh: i == first_row,
                        alpha,
                        beta: if p == 0 { beta } else { T::ONE },
                        c: first.wrapping_add(i + j * ld),
                        ld,
                    };
                    // SAFETY: the parts are inside the operands, the rooms hold them packed, and
                    // each block of rows packs for those after it.
                    unsafe { block.run::<K>() };
                }
            }
        }
    });
}

/// Size of equal pieces of `total`, none larger than `most`, multiples of `unit` (or the total).
fn piece(total: usize, most: usize, unit: usize) -> usize {
    let most = (most / unit * unit).max(unit);
    let pieces = total.div_ceil(most).max(1);
    total.div_ceil(pieces).next_multiple_of(unit).max(unit)
}

/// One block of the product: a block of `A` against micro-panels of `B`.
struct Block<T> {
    part: Part,
    /// How far the first row is under the diagonal at the first column.
    below: isize,
    /// Rows, columns, and inner size.
    size: (usize, usize, usize),
    a: Side<T>,
    b: Side<T>,
    /// The left operand of the block after this one, and how many rows it has.
    next: Side<T>,
    left: usize,
    /// Whether this is the first block of rows, for which nothing is packed yet.
    fresh: bool,
    alpha: T,
    beta: T,
    c: *mut T,
    ld: usize,
}

/// What will be read later: it is fetched, and packed if there is room for it.
///
/// It must not pass through memory on its way, or the processor would wait there until the last
/// block has been stored; hence all that makes it is inlined.
struct Later<T> {
    part: Strided<T>,
    room: Option<*mut T>,
}

impl<T: Real> Block<T> {
    /// Computes.
    ///
    /// # Safety
    /// The processor has the set of `K`; micro-panels are inside the operands, and where these are
    /// packed the rooms hold them; if not `fresh`, they are packed there already.
    unsafe fn run<K: MicroKernels<T>>(&self) {
        let (height, width, depth) = self.size;
        if let Some(a) = self.a.source.filter(|_| self.fresh) {
            for (panel, i) in (0..height).step_by(K::MR).enumerate() {
                let rows = a.part(i, 0, K::MR.min(height - i), depth);
                // SAFETY: as promised by the caller.
                unsafe { K::pack_rows(rows, self.a.read.micro_panel(panel).cast_mut()) };
            }
        }
        if let Some(b) = self.b.source.filter(|_| self.fresh) {
            let panel = b.part(0, 0, K::NR.min(width), depth);
            // SAFETY: as promised by the caller.
            unsafe { K::pack_cols(panel, self.b.read.first.cast_mut()) };
        }
        let blocks = height.div_ceil(K::MR);
        let mut of_a = Turns::new(blocks * width.div_ceil(K::NR), self.left.div_ceil(K::MR), depth);
        let of_b = Shares::new(depth, blocks);
        for (group, j) in (0..width).step_by(K::NR).enumerate() {
            for (panel, i) in (0..height).step_by(K::MR).enumerate() {
                let later_b = self.later_b::<K>(group + 1, of_b.range(panel));
                let later_a = self.later_a::<K>(panel, group, of_a.next());
                // SAFETY: as promised by the caller; a group of `b` was packed with the one before.
                unsafe { self.micro_block::<K>((panel, i), (group, j), (later_b, later_a)) };
            }
        }
    }

    /// Block `(i, j)` of the registers, and what is fetched or packed meanwhile.
    ///
    /// # Safety
    /// As for `run`, with the micro-panel of `a` and the group of `b` packed.
    #[inline(always)]
    unsafe fn micro_block<K: MicroKernels<T>>(
        &self,
        (panel, i): (usize, usize),
        (group, j): (usize, usize),
        (later_b, later_a): (Later<T>, Later<T>),
    ) {
        let (height, width, depth) = self.size;
        let (rows, cols) = (K::MR.min(height - i), K::NR.min(width - j));
        let below = self.below + i.cast_signed() - j.cast_signed();
        // SAFETY: the micro-panels hold `depth` groups, the target is inside `C`, and what is for
        // later is inside the operands and the rooms.
        unsafe {
            if self.part == Part::Whole || below > -rows.cast_signed() {
                let target = Target {
                    c: self.c.wrapping_add(i + j * self.ld),
                    ld: self.ld,
                    rows,
                    cols,
                    below: if self.part == Part::Whole { isize::MAX } else { below },
                    alpha: self.alpha,
                    beta: self.beta,
                };
                let (a, b) = (self.a.read.micro_panel(panel), self.b.read.micro_panel(group));
                let ahead = Ahead::of(later_b.part, later_a.part);
                K::product(depth, a, b, &target, &ahead);
            }
            if let Some(room) = later_b.room {
                K::pack_cols(later_b.part, room);
            }
            if let Some(room) = later_a.room {
                K::pack_rows(later_a.part, room);
            }
        }
    }

    /// Columns `share` of group `group` of `b`.
    #[inline(always)]
    fn later_b<K: MicroKernels<T>>(&self, group: usize, share: Range<usize>) -> Later<T> {
        let row = group * K::NR;
        let rows = row..self.size.1.min(row + K::NR).max(row);
        let source = self.b.source.filter(|_| self.fresh);
        Later::of(Side { source, ..self.b }, self.b.read.micro_panel(group), rows, share)
    }

    /// In the first group of `b` the next micro-panel of `a`, if this is new and was packed
    /// elsewhere, else a share of a micro-panel of the next block.
    #[inline(always)]
    fn later_a<K: MicroKernels<T>>(
        &self,
        panel: usize,
        group: usize,
        turn: Option<(usize, Range<usize>)>,
    ) -> Later<T> {
        let (height, _, depth) = self.size;
        let rows = |panel: usize, end: usize| panel * K::MR..end.min(panel * K::MR + K::MR);
        let is_new = self.fresh && self.a.source.is_none() && group == 0;
        if is_new && (panel + 1) * K::MR < height {
            let next = panel + 1;
            return Later::of(self.a, self.a.read.micro_panel(next), rows(next, height), 0..depth);
        }
        let (panel, share) = turn.unwrap_or((0, 0..0));
        Later::of(self.next, self.next.read.micro_panel(panel), rows(panel, self.left), share)
    }
}

impl<T: Copy> Later<T> {
    /// Columns `columns` of `rows` of a side, which are read at `place`.
    #[inline(always)]
    fn of(side: Side<T>, place: *const T, rows: Range<usize>, columns: Range<usize>) -> Self {
        let (width, k, height) = (rows.len(), columns.len(), side.read.height);
        let first = place.wrapping_add(columns.start * height);
        match side.source.filter(|_| width * k > 0) {
            Some(source) => Self {
                part: source.part(rows.start, columns.start, width, k),
                room: Some(first.cast_mut()),
            },
            None => Self {
                part: Strided { first, width, k, across: 1, along: height.cast_signed() },
                room: None,
            },
        }
    }
}

/// A total in equal shares, cut by a multiplication: divisions take longer than small blocks.
#[derive(Clone, Copy)]
struct Shares {
    total: usize,
    /// A share, times two to the power of `BITS`, rounded up.
    step: usize,
}

impl Shares {
    const BITS: u32 = 32;

    fn new(total: usize, of: usize) -> Self {
        Self { total, step: (total << Self::BITS).div_ceil(of.max(1)) }
    }

    #[inline(always)]
    fn range(self, index: usize) -> Range<usize> {
        let end = |index: usize| ((index * self.step) >> Self::BITS).min(self.total);
        end(index)..end(index + 1)
    }
}

/// The micro-panels of the next block over the calls of this one: each has some calls for its
/// columns.
struct Turns {
    panels: usize,
    panel: usize,
    calls: usize,
    call: usize,
    shares: Shares,
}

impl Turns {
    fn new(calls: usize, panels: usize, columns: usize) -> Self {
        let calls = calls / panels.max(1);
        Self { panels, panel: 0, calls, call: 0, shares: Shares::new(columns, calls) }
    }

    /// A micro-panel and the columns of it whose turn it is.
    #[inline(always)]
    fn next(&mut self) -> Option<(usize, Range<usize>)> {
        if self.panel == self.panels {
            return None;
        }
        let turn = (self.panel, self.shares.range(self.call));
        self.call += 1;
        if self.call == self.calls {
            (self.panel, self.call) = (self.panel + 1, 0);
        }
        Some(turn)
    }
}

#[cfg(test)]
mod tests {
    use super::{Shares, Turns};

    #[test]
    fn shares_cover_the_total_one_after_the_other() {
        for total in 0..70 {
            for of in 1..40 {
                let shares = Shares::new(total, of);
                let mut end = 0;
                for index in 0..of {
                    let range = shares.range(index);
                    assert_eq!(range.start, end, "share {index} of {of} of {total}");
                    end = range.end;
                }
                assert_eq!(end, total, "{of} shares of {total}");
            }
        }
    }

    #[test]
    fn every_strip_has_its_turns() {
        for (calls, panels, columns) in [(1, 1, 5), (7, 3, 9), (12, 12, 40), (30, 4, 1), (5, 0, 8)]
        {
            let mut turns = Turns::new(calls, panels, columns);
            let mut covered = vec![0; panels];
            for _ in 0..calls {
                if let Some((panel, columns)) = turns.next() {
                    assert_eq!(columns.start, covered[panel]);
                    covered[panel] = columns.end;
                }
            }
            assert!(covered.iter().all(|&end| end == columns), "{covered:?} of {columns}");
        }
    }
}
