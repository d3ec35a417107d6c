//! Triangular solves and Cholesky factorizations of one tile, entirely in packed storage: a
//! micro-panel of `MR` rows of the unknown is packed, solved against the packed triangle, and
//! written back.
//!
//! The product with what is solved already and the small triangular solve are fused in registers,
//! as in Van Zee, van de Geijn, "BLIS", ACM TOMS 41 (2015), section on trsm. The factorization is
//! the up-looking one: each micro-panel of rows is solved against the rows above, then its own
//! diagonal block is factored (Golub, Van Loan, "Matrix computations", 4.2).

use super::micro::Ahead;
use super::micro_kernels::MicroKernels;
use super::pack::{Strided, with_workspace};
use crate::error::NumericalError;
use crate::option::{Diag, Triangle, Uplo};
use crate::packed::PackedMut;
use crate::scalar::Real;
use crate::tile::TileMut;

/// Largest order of a triangle that is packed as a whole: 1.6 MB of double precision, which a
/// second cache of 2 MiB holds. Larger ones are split by the caller.
pub(super) const ORDER: usize = 640;

/// A packed triangle in micro-panels of `NR` rows: micro-panel `q` holds `NR (q + 1)` groups of
/// `NR` elements, of which the last `NR` are its diagonal block with reciprocals on the diagonal.
#[derive(Clone, Copy)]
struct Packed<T> {
    first: *mut T,
    width: usize,
}

impl<T: Real> Packed<T> {
    fn micro_panel(self, q: usize) -> *mut T {
        self.first.wrapping_add(self.width * self.width * q * (q + 1) / 2)
    }

    /// Elements of a triangle of `order` rows.
    fn elements(order: usize, width: usize) -> usize {
        let panels = order.div_ceil(width);
        width * width * panels * (panels + 1) / 2
    }
}

/// `B = inv(T) B`, and the transposed result packed by `MR` rows too, if they are wanted.
///
/// # Safety
/// The processor has the set of `K`; micro-panels are `MR` high and have the shape of the
/// transposed `B`.
pub(super) unsafe fn solve<T: Real, K: MicroKernels<T>>(
    t: Triangle<'_, T>,
    b: TileMut<'_, T>,
    wanted: Option<PackedMut<'_, T>>,
) {
    let n = t.order();
    let columns = b.cols();
    // Upper triangles are lower ones with rows and columns in reverse order.
    let reverse = t.uplo == Uplo::Upper;
    let l = turned(Strided::new(t.entries), reverse, reverse);
    let b = turned(Strided::new(b.as_ref()), reverse, false).transposed();
    let padded = n.next_multiple_of(K::NR);
    let room = [2 * K::MR * padded, Packed::<T>::elements(n, K::NR)];
    with_workspace(room, |[x_room, l_room]: [*mut T; 2]| {
        let packed = Packed { first: l_room, width: K::NR };
        // Micro-panels that are not wanted take turns in the room of two.
        let (first, stride, turns) = match wanted {
            Some(mut panels) => (panels.as_mut_ptr(), panels.shape().stride(), usize::MAX),
            None => (x_room, K::MR * padded, 2),
        };
        let x = |turn: usize| first.wrapping_add(turn % turns * stride);
        let panel = |i: usize| b.part(i, 0, K::MR.min(columns.saturating_sub(i)), n);
        // SAFETY: the room holds two micro-panels and the packed triangle; micro-panels are inside
        // `b`, which is ours to write (its view was consumed).
        unsafe {
            pack_triangle::<T, K>(l, n, t.diag, packed);
            K::pack_rows(panel(0), x(0));
            for (turn, i) in (0..columns).step_by(K::MR).enumerate() {
                let (now, then) = (x(turn), x(turn + 1));
                (K::MR * n..K::MR * padded).for_each(|place| now.add(place).write(T::ZERO));
                solve_micro_panel::<T, K>(packed, now, panel(i), then, panel(i + K::MR));
            }
        }
    });
}

/// The matrix with its rows, columns or both in reverse order.
fn turned<T: Copy>(a: Strided<T>, rows: bool, cols: bool) -> Strided<T> {
    let mut turned = a;
    if rows && a.width > 0 {
        turned = Strided { across: -a.across, ..turned.part(a.width - 1, 0, a.width, a.k) };
    }
    if cols && a.k > 0 {
        turned = Strided { along: -a.along, ..turned.part(0, a.k - 1, a.width, a.k) };
    }
    turned
}

/// # Safety
/// `l` is readable on and below the diagonal, `packed` holds a triangle of `n` rows.
unsafe fn pack_triangle<T: Real, K: MicroKernels<T>>(
    l: Strided<T>,
    n: usize,
    diag: Diag,
    packed: Packed<T>,
) {
    for q in 0..n.div_ceil(K::NR) {
        let first = q * K::NR;
        let rows = K::NR.min(n - first);
        // SAFETY: the micro-panel holds `first` groups and the diagonal block after them.
        unsafe {
            let panel = packed.micro_panel(q);
            K::pack_cols(l.part(first, 0, rows, first), panel);
            let block = panel.add(first * K::NR);
            for c in 0..K::NR {
                for d in 0..K::NR {
                    let entry = || *l.part(first + d, first + c, 1, 1).first;
                    let value = if d == c && (d >= rows || diag == Diag::Unit) {
                        T::ONE
                    } else if d < c || d >= rows {
                        T::ZERO
                    } else if d == c {
                        T::ONE / entry()
                    } else {
                        entry()
                    };
                    block.add(c * K::NR + d).write(value);
                }
            }
        }
    }
}

/// Solves a packed micro-panel and writes it to `target`; meanwhile packs `next` for the next turn.
///
/// # Safety
/// The processor has the set of `K`; `x` holds the columns of `target`, `next_x` has room for those
/// of `next`, no more of them, and `l` is a triangle of at least that order.
unsafe fn solve_micro_panel<T: Real, K: MicroKernels<T>>(
    l: Packed<T>,
    x: *mut T,
    target: Strided<T>,
    next_x: *mut T,
    next: Strided<T>,
) {
    let order = target.k;
    for first in (0..order).step_by(K::NR) {
        let columns = K::NR.min(order - first);
        let share = next.part(0, first, next.width, columns);
        let nothing = Strided { width: 0, ..share };
        // SAFETY: micro-panel `q` of the triangle goes with columns up to `q * NR + NR` of `x`.
        unsafe {
            K::solve(first, x, l.micro_panel(first / K::NR), &Ahead::of(share, nothing));
            K::unpack_rows(x.add(first * K::MR), target.part(0, first, target.width, columns));
            if share.width > 0 {
                K::pack_rows(share, next_x.add(first * K::MR));
            }
        }
    }
}

/// Lower triangle of `A` becomes `L` with `L L' = A`.
///
/// # Safety
/// The processor has the set of `K`.
pub(super) unsafe fn factor<T: Real, K: MicroKernels<T>>(
    a: TileMut<'_, T>,
) -> Result<(), NumericalError> {
    let n = a.rows();
    let a = Strided::new(a.as_ref());
    let padded = n.next_multiple_of(K::MR);
    let room = [2 * K::MR * padded, Packed::<T>::elements(padded, K::NR)];
    with_workspace(room, |[x_room, l_room]: [*mut T; 2]| {
        let l = Packed { first: l_room, width: K::NR };
        let x = [x_room, x_room.wrapping_add(K::MR * padded)];
        for (turn, i) in (0..n).step_by(K::MR).enumerate() {
            let (now, then) = (x[turn % 2], x[(turn + 1) % 2]);
            let rows = K::MR.min(n - i);
            let left = K::MR.min(n - i - rows);
            // The last columns were not packed while the micro-panel before was solved.
            let seen = i.saturating_sub(K::MR);
            // SAFETY: the room holds two micro-panels and the packed factor; rows are inside `a`,
            // which is ours to write (its view was consumed), and only its lower triangle is
            // touched.
            unsafe {
                K::pack_rows(a.part(i, seen, rows, i - seen), now.add(seen * K::MR));
                pack_diagonal::<T>(a.part(i, i, rows, rows), K::MR, now.add(i * K::MR));
                let (target, next) = (a.part(i, 0, rows, i), a.part(i + rows, 0, left, i));
                solve_micro_panel::<T, K>(l, now, target, then, next);
                factor_diagonal::<T, K>(i, now, l).map_err(|failed| {
                    NumericalError::NotPositiveDefinite { order: i + failed + 1 }
                })?;
                unpack_diagonal::<T>(now.add(i * K::MR), K::MR, a.part(i, i, rows, rows));
            }
        }
        Ok(())
    })
}

/// Packs the lower triangle of a diagonal block, completed by rows of the identity.
///
/// # Safety
/// The block is readable on and below its diagonal; `to` holds `width * width` elements.
unsafe fn pack_diagonal<T: Real>(block: Strided<T>, width: usize, to: *mut T) {
    for j in 0..width {
        for i in 0..width {
            let value = if i >= block.width {
                if i == j { T::ONE } else { T::ZERO }
            } else if i >= j {
                // SAFETY: on or below the diagonal of the block.
                unsafe { *block.part(i, j, 1, 1).first }
            } else {
                T::ZERO
            };
            // SAFETY: inside the packed block.
            unsafe { to.add(j * width + i).write(value) };
        }
    }
}

/// # Safety
/// As `pack_diagonal`, the other way.
unsafe fn unpack_diagonal<T: Real>(from: *const T, width: usize, block: Strided<T>) {
    for j in 0..block.width {
        for i in j..block.width {
            // SAFETY: on or below the diagonal of the block.
            unsafe {
                let place = block.part(i, j, 1, 1).first.cast_mut();
                place.write(*from.add(j * width + i));
            }
        }
    }
}

/// Factors the diagonal block of the micro-panel of rows that begins at `first`, whose columns
/// before are solved, and appends its rows to the packed factor. The error is the failed row in the
/// micro-panel.
///
/// # Safety
/// As for `factor`.
unsafe fn factor_diagonal<T: Real, K: MicroKernels<T>>(
    first: usize,
    x: *mut T,
    l: Packed<T>,
) -> Result<(), usize> {
    for c in (0..K::MR).step_by(K::NR) {
        let done = first + c;
        // SAFETY: the micro-panel of `l` holds `done` groups and a block, the panel as many
        // columns.
        unsafe {
            let panel = l.micro_panel(done / K::NR);
            let own_rows = Strided {
                first: x.add(c).cast_const(),
                width: K::NR,
                k: done,
                across: 1,
                along: K::MR.cast_signed(),
            };
            K::pack_cols(own_rows, panel);
            K::reduce(done, x, panel);
            let block = panel.add(done * K::NR);
            let corner = x.add(done * K::MR + c);
            factor_corner::<T, K>(corner, block).map_err(|failed| c + failed)?;
            K::solve(0, x.add(done * K::MR), block, &Ahead::NOTHING);
        }
    }
    Ok(())
}

/// Factors the `NR x NR` block at `corner` of a panel into `block`: transposed, reciprocals on the
/// diagonal, zeros above. The error is the failed row.
///
/// # Safety
/// `corner` is a block of a panel, `block` one of a packed triangle.
unsafe fn factor_corner<T: Real, K: MicroKernels<T>>(
    corner: *const T,
    block: *mut T,
) -> Result<(), usize> {
    // SAFETY: all places are inside the two blocks.
    unsafe {
        for c in 0..K::NR {
            for d in 0..K::NR {
                let entry = if d >= c { *corner.add(c * K::MR + d) } else { T::ZERO };
                block.add(c * K::NR + d).write(entry);
            }
        }
        for c in 0..K::NR {
            let pivot = *block.add(c * K::NR + c);
            if !(pivot > T::ZERO && pivot.is_finite()) {
                return Err(c);
            }
            let reciprocal = T::ONE / pivot.sqrt();
            block.add(c * K::NR + c).write(reciprocal);
            for d in c + 1..K::NR {
                *block.add(c * K::NR + d) *= reciprocal;
            }
            for e in c + 1..K::NR {
                let factor = *block.add(c * K::NR + e);
                for d in e..K::NR {
                    *block.add(e * K::NR + d) -= factor * *block.add(c * K::NR + d);
                }
            }
        }
    }
    Ok(())
}
