//! Matrix products by blocks: `A` packed into the second cache, `B` once for all of `A`.

use super::micro::{Ahead, Kit, Target};
use super::pack::{Strided, with_workspace};
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

/// Inner size of a block; even a `48 x KC` strip of single precision is near the first cache.
const KC: usize = 512;

/// Bytes of a packed block of `A`: half of a second cache of 2 MiB, all of one of 1 MiB.
const A_BYTES: usize = 480 << 10;

/// Columns of a packed block of `B`.
const NC: usize = 1024;

/// Bytes of a cache line.
const LINE: usize = 64;

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
pub(super) unsafe fn multiply<T: Scalar, K: Kit<T>>(
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
    let kc = piece(k, KC, 1);
    let mc = piece(m, A_BYTES / (kc * size_of::<T>()), K::MR);
    let nc = piece(n, NC, K::NR);
    let (ld, first) = (c.col_stride(), c.as_mut_ptr());
    with_workspace([mc.next_multiple_of(K::MR) * kc, nc.next_multiple_of(K::NR) * kc], |room| {
        for j in (0..n).step_by(nc) {
            for p in (0..k).step_by(kc) {
                let (width, depth) = (nc.min(n - j), kc.min(k - p));
                let first_row = if part == Part::Lower { j / mc * mc } else { 0 };
                for i in (first_row..m).step_by(mc) {
                    let height = mc.min(m - i);
                    let next = i + height;
                    let block = Block {
                        part,
                        below: i.cast_signed() - j.cast_signed(),
                        a: a.part(i, p, height, depth),
                        b: b.part(j, p, width, depth),
                        next: a.part(next, p, mc.min(m - next), depth),
                        fresh: i == first_row,
                        alpha,
                        beta: if p == 0 { beta } else { T::ONE },
                        c: first.wrapping_add(i + j * ld),
                        ld,
                    };
                    // SAFETY: the parts are inside the operands, the room holds them packed, and
                    // the first block of rows packs `b` for the others.
                    unsafe { block.run::<K>(room) };
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

/// One block of the product.
struct Block<T> {
    part: Part,
    /// How far the first row is under the diagonal at the first column.
    below: isize,
    a: Strided<T>,
    b: Strided<T>,
    /// The part of `a` of the block after this one.
    next: Strided<T>,
    /// Whether `b` is not packed yet.
    fresh: bool,
    alpha: T,
    beta: T,
    c: *mut T,
    ld: usize,
}

impl<T: Scalar> Block<T> {
    /// Computes.
    ///
    /// # Safety
    /// The processor has the set of `K`; the room holds the packed operands; if not `fresh`, `b` is
    /// packed there already.
    unsafe fn run<K: Kit<T>>(&self, room: [*mut T; 2]) {
        let (height, width, depth) = (self.a.width, self.b.width, self.a.k);
        // SAFETY: as promised by the caller; strips are inside the operands.
        unsafe {
            for i in (0..height).step_by(K::MR) {
                let strip = self.a.part(i, 0, K::MR.min(height - i), depth);
                K::pack_rows(strip, room[0].add(i * depth));
            }
            for j in (0..width).step_by(K::NR) {
                let strip = self.b.part(j, 0, K::NR.min(width - j), depth);
                let packed = room[1].add(j * depth);
                if self.fresh {
                    K::pack_cols(strip, packed);
                }
                self.column::<K>(room[0], packed, j);
            }
        }
    }

    /// The blocks of one packed strip of `b`.
    ///
    /// # Safety
    /// As for `run`.
    unsafe fn column<K: Kit<T>>(&self, a: *const T, b: *const T, j: usize) {
        let (height, width, depth) = (self.a.width, self.b.width, self.a.k);
        for i in (0..height).step_by(K::MR) {
            let below = self.below + i.cast_signed() - j.cast_signed();
            if self.part == Part::Lower && below <= -K::MR.cast_signed() {
                continue;
            }
            let target = Target {
                c: self.c.wrapping_add(i + j * self.ld),
                ld: self.ld,
                rows: K::MR.min(height - i),
                cols: K::NR.min(width - j),
                below: if self.part == Part::Whole { isize::MAX } else { below },
                alpha: self.alpha,
                beta: self.beta,
            };
            // SAFETY: the packed strips hold `depth` groups and the target is inside `C`.
            unsafe {
                let ahead = self.ahead::<K>(i, j, b.add(K::NR * depth));
                K::product(depth, a.add(i * depth), b, &target, ahead);
            }
        }
    }

    /// What to fetch while block `(i, j)` is computed, so that packing finds its source nearby: the
    /// next strip of `b` during the first block of a column, and slices, a cache line high, of the
    /// next part of `a` during the others.
    fn ahead<K: Kit<T>>(&self, i: usize, j: usize, next_packed: *const T) -> Ahead<T> {
        let line = LINE / size_of::<T>();
        let (blocks, columns) = (self.a.width.div_ceil(K::MR), self.b.width.div_ceil(K::NR));
        let (block, column) = (i / K::MR, j / K::NR);
        let nothing = Ahead { first: next_packed, stride: 0 };
        if block == 0 {
            return match (self.fresh, self.b.across, j + K::NR < self.b.width) {
                (_, _, false) => nothing,
                (false, _, _) => Ahead { first: next_packed, stride: K::NR.cast_signed() },
                (true, 1, _) => {
                    let strip = self.b.part(j + K::NR, 0, 0, 0);
                    Ahead { first: strip.first, stride: strip.along }
                }
                (true, ..) => nothing,
            };
        }
        // Slices are spread over the last calls, so that they are still near when they are packed.
        let slices = self.next.width.div_ceil(line);
        let calls_left = (columns - column) * (blocks - 1) - block;
        if self.next.across == 1 && calls_left < slices {
            let strip = self.next.part(calls_left * line, 0, 0, 0);
            return Ahead { first: strip.first, stride: strip.along };
        }
        nothing
    }
}
