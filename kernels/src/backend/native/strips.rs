//! Products of operands that lie in strips already: nothing is packed.

use super::micro::{Ahead, Groups, Kit, Target};
use super::pack::Strided;
use super::product::{Part, block_of_a, share};
use crate::scalar::Real;
use crate::strips::StripsRef;
use crate::tile::TileMut;

/// Bytes of a cache line.
const LINE: usize = 64;

/// `C = alpha A B' + beta C` on a part of `C`, whose rows are adjacent in memory.
///
/// Strips of `A` that the second cache holds meet one group of `NR` rows of `B` after the other,
/// which the first cache holds: a strip is `MR / NR` such groups.
///
/// # Safety
/// The processor has the set of `K`; strips are `MR` high, of `k > 0` columns; shapes agree.
pub(super) unsafe fn multiply<T: Real, K: Kit<T>>(
    part: Part,
    alpha: T,
    a: StripsRef<'_, T>,
    b: StripsRef<'_, T>,
    beta: T,
    mut c: TileMut<'_, T>,
) {
    let (m, n, k) = (a.shape().rows, b.shape().rows, a.shape().cols);
    debug_assert!(c.row_stride() == 1 || m <= 1);
    let (mc, kc) = block_of_a::<T, K>(m, k);
    let (ld, first) = (c.col_stride(), c.as_mut_ptr());
    for p in (0..k).step_by(kc) {
        for i in (0..m).step_by(mc) {
            let block = Block {
                part,
                a: Operand::of(a),
                b: Operand::of(b),
                rows: i..m.min(i + mc),
                after: m.min(i + 2 * mc),
                columns: n,
                p,
                depth: kc.min(k - p),
                target: Target {
                    c: first,
                    ld,
                    rows: K::MR,
                    cols: K::NR,
                    below: isize::MAX,
                    alpha,
                    beta: if p == 0 { beta } else { T::ONE },
                },
            };
            // SAFETY: the block is inside the operands and `C`, as the caller promises.
            unsafe { block.run::<K>() };
        }
    }
}

/// Where an operand lies.
#[derive(Clone, Copy)]
struct Operand<T> {
    first: *const T,
    height: usize,
    stride: usize,
}

impl<T> Operand<T> {
    fn of(strips: StripsRef<'_, T>) -> Self {
        let shape = strips.shape();
        Self { first: strips.as_ptr(), height: shape.height, stride: shape.stride() }
    }

    /// Element `(i, p)`.
    fn at(self, i: usize, p: usize) -> *const T {
        let place = i / self.height * self.stride + p * self.height + i % self.height;
        self.first.wrapping_add(place)
    }
}

/// Some strips of `A` against all of `B`, over a piece of the inner size.
struct Block<T> {
    part: Part,
    a: Operand<T>,
    b: Operand<T>,
    rows: std::ops::Range<usize>,
    /// End of the rows of the block after this one.
    after: usize,
    columns: usize,
    /// First column of the operands, and how many there are.
    p: usize,
    depth: usize,
    /// All of `C`.
    target: Target<T>,
}

impl<T: Real> Block<T> {
    /// Computes.
    ///
    /// # Safety
    /// The processor has the set of `K`; operands and target hold the block.
    unsafe fn run<K: Kit<T>>(&self) {
        for j in (0..self.columns).step_by(K::NR) {
            for i in self.rows.clone().step_by(K::MR) {
                let below = i.cast_signed() - j.cast_signed();
                let rows = K::MR.min(self.rows.end - i);
                if self.part == Part::Lower && below <= -rows.cast_signed() {
                    continue;
                }
                let target = Target {
                    c: self.target.c.wrapping_add(i + j * self.target.ld),
                    rows,
                    cols: K::NR.min(self.columns - j),
                    below: if self.part == Part::Whole { isize::MAX } else { below },
                    ..self.target
                };
                let (a, b) = (self.a.at(i, self.p), self.b.at(j, self.p));
                let b = Groups { first: b, stride: self.b.height };
                let ahead = Ahead::of([self.ahead_of_b::<K>(i, j), self.ahead_of_a::<K>(i, j)]);
                // SAFETY: the strips hold `depth` groups and the target is inside `C`.
                unsafe { K::product(self.depth, a, b, &target, &ahead) };
            }
        }
    }

    /// What to fetch of the next rows of `B` during block `(i, j)` of the registers.
    fn ahead_of_b<K: Kit<T>>(&self, i: usize, j: usize) -> Strided<T> {
        let next = j + K::NR;
        let (strip, strips) = self.place_of::<K>(i);
        let (first, end) = share(self.depth, strip, strips);
        let width = K::NR.min(self.columns.saturating_sub(next));
        let along = self.b.height.cast_signed();
        Strided { first: self.b.at(next, self.p + first), width, k: end - first, across: 1, along }
    }

    /// What to fetch of `A`: the next strip as long as they are new, then those of the next block.
    fn ahead_of_a<K: Kit<T>>(&self, i: usize, j: usize) -> Strided<T> {
        let line = LINE / size_of::<T>();
        let (strip, strips) = self.place_of::<K>(i);
        let last = i + K::MR >= self.rows.end;
        let (from, elements, index, of) = if j == 0 && self.rows.start == 0 && !last {
            (i + K::MR, self.depth * K::MR, 0, 1)
        } else {
            let calls = self.columns.div_ceil(K::NR) * strips;
            let rows = (self.after - self.rows.end).next_multiple_of(K::MR);
            (self.rows.end, self.depth * rows, j / K::NR * strips + strip, calls)
        };
        let (first, end) = share(elements / line, index, of);
        let place = self.a.at(from, self.p).wrapping_add(first * line);
        Strided { first: place, width: line, k: end - first, across: 1, along: line.cast_signed() }
    }

    /// Which strip of the block row `i` begins, and of how many.
    fn place_of<K: Kit<T>>(&self, i: usize) -> (usize, usize) {
        ((i - self.rows.start) / K::MR, self.rows.len().div_ceil(K::MR))
    }
}
