//! Products of small matrices straight from where they lie: to lay operands out would cost more
//! than to multiply them.

use std::ops::Range;

use super::lanes::Edge;
use super::micro_kernels::MicroKernels;
use super::pack::{Strided, with_workspace};
use crate::option::{Diag, Triangle, Uplo};
use crate::scalar::Real;
use crate::tile::{TileMut, TileRef};

/// Most numbers of the left factor, which stays in the near caches.
const LEFT: usize = 16384;

/// Largest order of a small triangle.
pub(super) const ORDER: usize = 32;

/// `C = alpha A B + beta C`, of `m x n` with an inner size of `k`.
#[derive(Clone, Copy)]
pub(super) struct Product<T> {
    m: usize,
    n: usize,
    k: usize,
    alpha: T,
    /// Zero overwrites.
    beta: T,
    /// First element; rows are adjacent.
    a: *const T,
    /// Elements between columns.
    lda: usize,
    b: *const T,
    /// Elements between rows.
    down: usize,
    /// Elements between columns.
    right: usize,
    /// First element; rows are adjacent.
    c: *mut T,
    /// Elements between columns.
    ldc: usize,
    triangle: Option<Factor>,
}

/// Which factor of a product is a triangle, if `C` lies where the other one does.
///
/// A block of the result is stored after all that it is made of is read; what comes later needs
/// nothing that was there if blocks are made from the last one on where the triangle reaches back.
#[derive(Clone, Copy)]
struct Factor {
    is_left: bool,
    /// Whether row `i` of `T B`, or column `i` of `B T`, is made of none after `i`, rather than
    /// none before.
    reaches_back: bool,
}

impl Factor {
    /// The inner indices that rows `i` and columns `j` of the result are made of, of `k`.
    fn range(self, i: Range<usize>, j: Range<usize>, k: usize) -> Range<usize> {
        let own = if self.is_left { i } else { j };
        if self.reaches_back { 0..own.end } else { own.start..k }
    }
}

impl<T: Real> Product<T> {
    /// `C = C - A B'`, with `C` of `m x n` at `c`, and the `k` columns of `A` at `a`, whose first
    /// rows are those of `B`; all in a matrix with columns `ld` apart.
    ///
    /// # Safety
    /// They are there, and `C` is apart from `A`.
    pub(super) unsafe fn less_adjoint(
        m: usize,
        n: usize,
        k: usize,
        a: *const T,
        c: *mut T,
        ld: usize,
    ) -> Self {
        let (alpha, beta, triangle) = (-T::ONE, T::ONE, None);
        Self { m, n, k, alpha, beta, a, lda: ld, b: a, down: ld, right: 1, c, ldc: ld, triangle }
    }
}

/// Whether a product is small enough.
pub(super) fn suits<T: Real, K: MicroKernels<T>>(m: usize, n: usize, k: usize) -> bool {
    m * k <= LEFT && m * n * k <= K::MOST
}

/// `C = alpha A B + beta C`, where the rows of `C` are adjacent in memory.
///
/// # Safety
/// The processor has the set of `K`.
pub(super) unsafe fn multiply<T: Real, K: MicroKernels<T>>(
    alpha: T,
    a: TileRef<'_, T>,
    b: TileRef<'_, T>,
    beta: T,
    mut c: TileMut<'_, T>,
) {
    let (m, n, k) = (a.rows(), b.cols(), a.cols());
    let product = Product {
        m,
        n,
        k,
        alpha,
        beta,
        a: a.as_ptr(),
        lda: a.col_stride(),
        b: b.as_ptr(),
        down: b.row_stride(),
        right: b.col_stride(),
        c: c.as_mut_ptr(),
        ldc: c.col_stride(),
        triangle: None,
    };
    if a.row_stride() == 1 || m == 1 {
        // SAFETY: views hold what they say.
        return unsafe { K::multiply(&product) };
    }
    with_workspace([m * k, 0], |[room, _]: [*mut T; 2]| {
        // SAFETY: the room holds the entries, which are inside the view.
        unsafe {
            copy(Strided::new(a), room);
            K::multiply(&Product { a: room, lda: m, ..product });
        }
    });
}

/// Writes the entries of `a` without gaps.
///
/// # Safety
/// `to` holds them, and `a` is readable.
unsafe fn copy<T: Real>(a: Strided<T>, to: *mut T) {
    for i in 0..a.width {
        for p in 0..a.k {
            // SAFETY: inside both.
            unsafe { to.add(i + p * a.width).write(*a.part(i, p, 1, 1).first) };
        }
    }
}

/// Writes the matrix that a triangle stands for, zeros and ones included.
fn complete<T: Real>(t: Triangle<'_, T>, room: &mut [T]) {
    let n = t.order();
    for (j, column) in room.chunks_exact_mut(n).enumerate() {
        let mine = if t.uplo == Uplo::Lower { j..n } else { 0..j + 1 };
        match t.entries.col(j) {
            Some(entries) => column[mine.clone()].copy_from_slice(&entries[mine.clone()]),
            None => mine.clone().for_each(|i| column[i] = t.entries.at(i, j)),
        }
        column[..mine.start].fill(T::ZERO);
        column[mine.end..].fill(T::ZERO);
        if t.diag == Diag::Unit {
            column[j] = T::ONE;
        }
    }
}

/// `B = T B`, of a triangle of at most [`ORDER`] rows, and with rows or columns of `B` adjacent in
/// memory.
///
/// # Safety
/// The processor has the set of `K`.
pub(super) unsafe fn multiply_triangle<T: Real, K: MicroKernels<T>>(
    t: Triangle<'_, T>,
    mut b: TileMut<'_, T>,
) {
    let n = t.order();
    with_workspace([n * n, 0], |[room, _]: [*mut T; 2]| {
        // SAFETY: the room holds the matrix.
        complete(t, unsafe { std::slice::from_raw_parts_mut(room, n * n) });
        let (first, columns) = (b.as_mut_ptr(), b.cols());
        let (alpha, beta, k, c) = (T::ONE, T::ZERO, n, first);
        let is_left = b.row_stride() == 1;
        let triangle = Some(Factor { is_left, reaches_back: t.uplo == Uplo::Lower });
        let product = if is_left {
            let (m, n, ldc) = (n, columns, b.col_stride());
            let (a, lda, b, down, right) = (room.cast_const(), m, first.cast_const(), 1, ldc);
            Product { m, n, k, alpha, beta, a, lda, b, down, right, c, ldc, triangle }
        } else {
            // B' T'.
            let (m, ldc) = (columns, b.row_stride());
            let (a, lda, b, down, right) = (first.cast_const(), ldc, room.cast_const(), n, 1);
            Product { m, n, k, alpha, beta, a, lda, b, down, right, c, ldc, triangle }
        };
        // SAFETY: views and room hold what they say.
        unsafe { K::multiply(&product) };
    });
}

/// The product, block by block.
///
/// # Safety
/// The processor has the set of `S`, and the operands hold what they say.
#[inline(always)]
pub(super) unsafe fn multiply_body<T: Real, S: Edge<T>>(product: &Product<T>) {
    let &Product { m, n, triangle, .. } = product;
    let from_last = triangle.is_some_and(|factor| factor.reaches_back);
    let (high, wide) = S::BLOCK;
    let height = high * S::LANES;
    let width = n.div_ceil(n.div_ceil(wide).max(1)).max(1);
    let (down, right) = (m.div_ceil(height), n.div_ceil(width));
    for j in 0..right {
        let j = width * if from_last { right - 1 - j } else { j };
        for i in 0..down {
            let i = height * if from_last { down - 1 - i } else { i };
            // SAFETY: the block is inside the product.
            unsafe {
                rows::<T, S>(product, (i, j), (height.min(m - i), width.min(n - j)));
            }
        }
    }
}

/// The block at `(i, j)` of so many rows and columns.
#[inline(always)]
unsafe fn rows<T: Real, S: Edge<T>>(
    product: &Product<T>,
    place: (usize, usize),
    (rows, columns): (usize, usize),
) {
    // SAFETY: see `multiply_body`.
    unsafe {
        match rows.div_ceil(S::LANES) {
            1 => with_columns::<T, S, 1>(product, place, rows, columns),
            2 => with_columns::<T, S, 2>(product, place, rows, columns),
            _ => with_columns::<T, S, 3>(product, place, rows, columns),
        }
    }
}

#[inline(always)]
unsafe fn with_columns<T: Real, S: Edge<T>, const H: usize>(
    product: &Product<T>,
    place: (usize, usize),
    rows: usize,
    columns: usize,
) {
    // Blocks that are wider than those of the set are not compiled.
    let wide = const { S::BLOCK.1 };
    // SAFETY: see `multiply_body`.
    unsafe {
        match columns {
            1 => block::<T, S, H, 1>(product, place, rows),
            2 => block::<T, S, H, 2>(product, place, rows),
            3 if wide >= 3 => block::<T, S, H, 3>(product, place, rows),
            4 if wide >= 4 => block::<T, S, H, 4>(product, place, rows),
            5 if wide >= 5 => block::<T, S, H, 5>(product, place, rows),
            6 if wide >= 6 => block::<T, S, H, 6>(product, place, rows),
            7 if wide >= 7 => block::<T, S, H, 7>(product, place, rows),
            8 if wide >= 8 => block::<T, S, H, 8>(product, place, rows),
            _ => unreachable!("{columns} columns of a block"),
        }
    }
}

/// A block of `H` registers by `N` columns, of which the last register counts as far as `rows` go.
#[inline(always)]
unsafe fn block<T: Real, S: Edge<T>, const H: usize, const N: usize>(
    product: &Product<T>,
    (i, j): (usize, usize),
    rows: usize,
) {
    let &Product { k, alpha, beta, lda, down, right, ldc, triangle, .. } = product;
    let inner = triangle.map_or(0..k, |factor| factor.range(i..i + rows, j..j + N, k));
    // SAFETY: the block is inside the product.
    unsafe {
        let mask = S::first(rows - (H - 1) * S::LANES);
        let mut sums = [[S::zero(); H]; N];
        let mut a = product.a.add(i + inner.start * lda);
        let mut b = product.b.add(j * right + inner.start * down);
        for _ in inner {
            let mut column = [S::zero(); H];
            for (h, part) in column.iter_mut().enumerate() {
                let from = a.add(h * S::LANES);
                *part = if h + 1 < H { S::load(from) } else { S::load_first(from, mask) };
            }
            for (d, sums) in sums.iter_mut().enumerate() {
                let factor = S::splat(*b.add(d * right));
                for (sum, &part) in sums.iter_mut().zip(&column) {
                    *sum = S::add_product(part, factor, *sum);
                }
            }
            (a, b) = (a.wrapping_add(lda), b.wrapping_add(down));
        }
        let (alpha, factor) = (S::splat(alpha), S::splat(beta));
        for (d, sums) in sums.iter().enumerate() {
            let column = product.c.add(i + (j + d) * ldc);
            for (h, &sum) in sums.iter().enumerate() {
                let to = column.add(h * S::LANES);
                let mut new = S::mul(alpha, sum);
                if h + 1 < H {
                    if beta != T::ZERO {
                        new = S::add_product(factor, S::load(to), new);
                    }
                    S::store(to, new);
                } else {
                    if beta != T::ZERO {
                        new = S::add_product(factor, S::load_first(to, mask), new);
                    }
                    S::store_first(to, mask, new);
                }
            }
        }
    }
}
