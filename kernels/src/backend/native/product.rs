//! Matrix products by blocks: `A` packed into the second cache, `B` once for all of `A`.

use super::caches;
use super::micro::{Ahead, Groups, Kit, Target};
use super::pack::{Strided, with_workspace};
use crate::scalar::Real;
use crate::tile::{TileMut, TileRef};

/// Rows and inner size of the blocks of an `m x k` operand `A`. A strip of `B` of that inner size,
/// `NR` columns wide, stays in the first cache beside what passes through; a block of `A` stays in
/// the second cache while `B` passes.
pub(super) fn block_of_a<T: Real, K: Kit<T>>(m: usize, k: usize) -> (usize, usize) {
    let caches = caches::sizes();
    let kc = piece(k, caches.first * 4 / 5 / (K::NR * size_of::<T>()), 1);
    let mc = piece(m, caches.second / 32 * 15 / (kc * size_of::<T>()), K::MR);
    (mc, kc)
}

/// Columns of a packed block of `B`.
const NC: usize = 1024;

/// Which entries of `C` are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// All.
    Whole,
    /// On and below the diagonal.
    Lower,
}

/// `C = alpha A B + beta C` on a part of `C`, whose rows are adjacent in memory.
///
/// # Safety
/// The processor has the set of `K`.
pub(super) unsafe fn multiply<T: Real, K: Kit<T>>(
    part: Part,
    alpha: T,
    a: TileRef<'_, T>,
    b: TileRef<'_, T>,
    beta: T,
    mut c: TileMut<'_, T>,
) {
    let (m, n, k) = (a.rows(), b.cols(), a.cols());
    debug_assert!(c.row_stride() == 1 || m <= 1);
    let (a, b) = (Strided::new(a), Strided::new(b).transposed());
    let (mc, kc) = block_of_a::<T, K>(m, k);
    let nc = piece(n, NC, K::NR);
    let (ld, first) = (c.col_stride(), c.as_mut_ptr());
    let a_size = mc.next_multiple_of(K::MR) * kc;
    with_workspace(
        [2 * a_size, nc.next_multiple_of(K::NR) * kc],
        |[a_room, b_room]: [*mut T; 2]| {
            for j in (0..n).step_by(nc) {
                for p in (0..k).step_by(kc) {
                    let (width, depth) = (nc.min(n - j), kc.min(k - p));
                    let first_row = if part == Part::Lower { j / mc * mc } else { 0 };
                    for (turn, i) in (first_row..m).step_by(mc).enumerate() {
                        let height = mc.min(m - i);
                        let next = i + height;
                        let block = Block {
                            part,
                            below: i.cast_signed() - j.cast_signed(),
                            a: a.part(i, p, height, depth),
                            b: b.part(j, p, width, depth),
                            next: a.part(next, p, mc.min(m - next), depth),
                            fresh: i == first_row,
                            packed_a: a_room.wrapping_add(turn % 2 * a_size),
                            packed_next: a_room.wrapping_add((turn + 1) % 2 * a_size),
                            packed_b: b_room,
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
        },
    );
}

/// Size of equal pieces of `total`, none larger than `most`, multiples of `unit` (or the total).
fn piece(total: usize, most: usize, unit: usize) -> usize {
    let most = (most / unit * unit).max(unit);
    let pieces = total.div_ceil(most).max(1);
    total.div_ceil(pieces).next_multiple_of(unit).max(unit)
}

/// One block of the product: a packed block of `A` against packed strips of `B`.
struct Block<T> {
    part: Part,
    /// How far the first row is under the diagonal at the first column.
    below: isize,
    a: Strided<T>,
    /// Transposed.
    b: Strided<T>,
    /// The part of `a` of the block after this one, to be packed meanwhile.
    next: Strided<T>,
    /// Whether this is the first block, for which nothing is packed yet.
    fresh: bool,
    packed_a: *mut T,
    packed_next: *mut T,
    packed_b: *mut T,
    alpha: T,
    beta: T,
    c: *mut T,
    ld: usize,
}

impl<T: Real> Block<T> {
    /// Computes.
    ///
    /// # Safety
    /// The processor has the set of `K`; strips are inside the operands, which the packed areas
    /// hold; if not `fresh`, `a` and `b` are packed there already.
    unsafe fn run<K: Kit<T>>(&self) {
        let (height, width, depth) = (self.a.width, self.b.width, self.a.k);
        if self.fresh {
            for i in (0..height).step_by(K::MR) {
                let strip = self.a.part(i, 0, K::MR.min(height - i), depth);
                // SAFETY: as promised by the caller.
                unsafe { K::pack_rows(strip, self.packed_a.add(i * depth)) };
            }
            let strip = self.b.part(0, 0, K::NR.min(width), depth);
            // SAFETY: as promised by the caller.
            unsafe { K::pack_cols(strip, self.packed_b) };
        }
        for j in (0..width).step_by(K::NR) {
            for i in (0..height).step_by(K::MR) {
                // SAFETY: as promised by the caller; strip `j` of `b` was packed with strip `j - NR`.
                unsafe { self.micro_block::<K>(i, j) };
            }
        }
    }

    /// Block `(i, j)` of the registers, and a share of the packing for later.
    ///
    /// # Safety
    /// As for `run`, with strip `i` of `a` and `j` of `b` packed.
    unsafe fn micro_block<K: Kit<T>>(&self, i: usize, j: usize) {
        let (height, width, depth) = (self.a.width, self.b.width, self.a.k);
        let (rows, cols) = (K::MR.min(height - i), K::NR.min(width - j));
        let below = self.below + i.cast_signed() - j.cast_signed();
        let (next_b, to_b) = self.share_of_b::<K>(i, j);
        let (next_a, to_a) = self.share_of_a::<K>(i, j);
        // SAFETY: the packed strips hold `depth` groups, the target is inside `C`, and the shares
        // are inside the operands and the packed areas.
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
                let a = self.packed_a.add(i * depth);
                let b = Groups { first: self.packed_b.add(j * depth), stride: K::NR };
                K::product(depth, a, b, &target, &Ahead::of([next_b, next_a]));
            }
            if next_b.k > 0 {
                K::pack_cols(next_b, to_b);
            }
            if next_a.k > 0 {
                K::pack_rows(next_a, to_a);
            }
        }
    }

    /// What to pack of the next strip of `b` after block `(i, j)`, and where.
    fn share_of_b<K: Kit<T>>(&self, i: usize, j: usize) -> (Strided<T>, *mut T) {
        let (width, depth) = (self.b.width, self.b.k);
        let next = j + K::NR;
        if !self.fresh || next >= width {
            return (self.b.part(0, 0, 0, 0), self.packed_b);
        }
        let blocks = self.a.width.div_ceil(K::MR);
        let (first, end) = share(depth, i / K::MR, blocks);
        let strip = self.b.part(next, first, K::NR.min(width - next), end - first);
        (strip, self.packed_b.wrapping_add(next * depth + first * K::NR))
    }

    /// What to pack of the next part of `a` after block `(i, j)`, and where.
    fn share_of_a<K: Kit<T>>(&self, i: usize, j: usize) -> (Strided<T>, *mut T) {
        let (height, depth) = (self.next.width, self.next.k);
        let (strips, blocks) = (height.div_ceil(K::MR), self.a.width.div_ceil(K::MR));
        let calls = blocks * self.b.width.div_ceil(K::NR);
        let call = j / K::NR * blocks + i / K::MR;
        if strips == 0 {
            return (self.next.part(0, 0, 0, 0), self.packed_next);
        }
        let calls_of_strip = calls / strips;
        let strip = call / calls_of_strip * K::MR;
        if strip >= height {
            return (self.next.part(0, 0, 0, 0), self.packed_next);
        }
        let (first, end) = share(depth, call % calls_of_strip, calls_of_strip);
        let groups = self.next.part(strip, first, K::MR.min(height - strip), end - first);
        (groups, self.packed_next.wrapping_add(strip * depth + first * K::MR))
    }
}

/// Share `index` of `of` of `total` units.
pub(super) fn share(total: usize, index: usize, of: usize) -> (usize, usize) {
    (total * index / of, total * (index + 1) / of)
}
