//! The QR factorisation of a front, or of block columns of it, on one core: below a staircase all
//! is zero, and reflectors end at it.
//!
//! Narrow fronts are factorised column by column; of wider ones blocks of columns are, and applied
//! as blocks (Schreiber, Van Loan 1989). A block reaches down to the staircase of its last column:
//! where that is steep, narrow blocks save more operations than the products of wide ones are
//! faster.

use std::marker::PhantomData;
use std::ops::Range;

use tegula_kernels::backend::Blas;
use tegula_kernels::kernel::{geqrt::Geqrt, unmqr::Unmqr};
use tegula_kernels::option::{Side, Storev, Trans};
use tegula_kernels::scalar::{Real, Scalar};
use tegula_kernels::sparse::norm2;
use tegula_kernels::tile::{TileMut, TileRef};

/// Fewest reflectors for which blocks pay.
const FEWEST: usize = 12;
/// Columns that a block may have.
const WIDTHS: [usize; 8] = [8, 16, 24, 32, 48, 64, 96, 128];
/// Columns of a block with which its products are half as fast as they can be.
const HALF: f64 = 6.0;

/// Reflectors that are applied together.
struct Block {
    columns: Range<usize>,
    /// The row after the last that is not zero.
    end: usize,
}

impl Block {
    /// The blocks of the columns from `first` on below a staircase of `heights`, as many columns as
    /// it has.
    fn all(heights: &[u32], columns: Range<usize>) -> Vec<Self> {
        let mut blocks = Vec::new();
        let mut first = columns.start;
        while first < columns.end {
            let left = columns.end - first;
            let end = |width: usize| heights[first + width - 1] as usize;
            let cost = |width: usize| {
                let work = 4.0 * (end(width) - first) as f64 + 2.0 * width as f64;
                work * (width as f64 + HALF) / width as f64
            };
            let widths = WIDTHS.iter().map(|&width| width.min(left));
            let width = widths.min_by(|&a, &b| cost(a).total_cmp(&cost(b))).expect("some widths");
            blocks.push(Self { columns: first..first + width, end: end(width) });
            first += width;
        }
        blocks
    }

    fn count(&self) -> usize {
        self.columns.len()
    }
}

/// Numbers that the triangles of the reflectors of `columns` take.
pub(super) fn triangle_entries(heights: &[u32], columns: Range<usize>) -> usize {
    Block::all(heights, columns).iter().map(|block| block.count().pow(2)).sum()
}

/// Factorises the front `a` of `m` rows, of which `heights` says how many may not be zero in each
/// column and those before it; columns of right-hand sides may follow. `R` stands on and above the
/// diagonal then, and below it what is of no use.
pub(super) fn factor<T: Scalar>(blas: &dyn Blas<T>, a: &mut [T], m: usize, heights: &[u32]) {
    let count = heights.len().min(m);
    if count < FEWEST {
        return by_columns(a, m, &heights[..count]);
    }
    let columns = a.len() / m;
    let mut triangles = vec![T::ZERO; WIDTHS[WIDTHS.len() - 1].pow(2)];
    let mut a = TileMut::new(a, m, columns);
    for block in Block::all(heights, 0..count) {
        let t = &mut triangles[..block.count().pow(2)];
        factor_block(blas, &block, a.reborrow(), 0, t);
    }
}

/// Factorises the block column `a`, whose first column is `columns.start` of its front, from the
/// row of that number on; the triangles of its reflectors go to `triangles`.
pub(super) fn factor_columns<T: Scalar>(
    blas: &dyn Blas<T>,
    mut a: TileMut<'_, T>,
    (heights, columns): (&[u32], Range<usize>),
    mut triangles: &mut [T],
) {
    let first = columns.start;
    for block in Block::all(heights, columns) {
        let (t, rest) = triangles.split_at_mut(block.count().pow(2));
        factor_block(blas, &block, a.reborrow(), first, t);
        triangles = rest;
    }
}

/// Factorises a block, and applies it to the columns of `a` after it; `a` begins at column `first`
/// of the front.
fn factor_block<T: Scalar>(
    blas: &dyn Blas<T>,
    block: &Block,
    a: TileMut<'_, T>,
    first: usize,
    triangle: &mut [T],
) {
    let (row, width) = (block.columns.start, block.count());
    let (rows, from, columns) = (block.end - row, row - first, a.cols());
    let (mut panel, rest) = a.part(row, from, rows, columns - from).split_cols(width);
    let mut tau = [T::ZERO; WIDTHS[WIDTHS.len() - 1]];
    let mut t = TileMut::new(triangle, width, width);
    let (storev, scalar) = (Storev::Columns, PhantomData);
    let geqrt = Geqrt { storev, m: rows, n: width, offset: 0, scalar };
    geqrt.compute(blas, panel.reborrow(), TileMut::new(&mut tau[..width], width, 1), t.reborrow());
    apply_block(blas, panel.as_ref(), t.as_ref(), rest);
}

/// Multiplies `c`, columns of a front, by `Q^H` of the reflectors in its block column `v`, which
/// begins at `columns.start`.
pub(super) fn apply_columns<T: Scalar>(
    blas: &dyn Blas<T>,
    v: TileRef<'_, T>,
    (heights, columns): (&[u32], Range<usize>),
    mut triangles: &[T],
    mut c: TileMut<'_, T>,
) {
    let (first, n) = (columns.start, c.cols());
    for block in Block::all(heights, columns) {
        let (row, width) = (block.columns.start, block.count());
        let (t, rest) = triangles.split_at(width * width);
        let (rows, t) = (block.end - row, TileRef::new(t, width, width));
        apply_block(
            blas,
            v.part(row, row - first, rows, width),
            t,
            c.reborrow().part(row, 0, rows, n),
        );
        triangles = rest;
    }
}

/// Multiplies `c` by `Q^H` of the reflectors below the diagonal of `v`.
fn apply_block<T: Scalar>(
    blas: &dyn Blas<T>,
    v: TileRef<'_, T>,
    t: TileRef<'_, T>,
    c: TileMut<'_, T>,
) {
    let (rows, width) = (v.rows(), v.cols());
    let unmqr = Unmqr {
        side: Side::Left,
        trans: Trans::Conj,
        storev: Storev::Columns,
        m: rows,
        n: c.cols(),
        order: rows,
        width,
        k: width,
        offset: 0,
        scalar: PhantomData,
    };
    unmqr.compute(blas, v, t, c);
}

/// The same, a reflector at a time.
fn by_columns<T: Scalar>(a: &mut [T], m: usize, heights: &[u32]) {
    for (k, &height) in heights.iter().enumerate() {
        let (done, rest) = a.split_at_mut((k + 1) * m);
        let v = &mut done[k * m + k..k * m + height as usize];
        let (beta, tau) = reflector(v);
        if tau != T::ZERO {
            v[0] = T::ONE;
            for column in rest.chunks_exact_mut(m) {
                let column = &mut column[k..height as usize];
                let factor = tau.conj() * dot(v, column);
                column.iter_mut().zip(&*v).for_each(|(x, &v)| *x -= factor * v);
            }
        }
        v[0] = beta;
    }
}

/// Makes `x` the reflector that takes it to its first entry, without the one that this stands for:
/// what that entry becomes, and the factor (LAPACK's `larfg`).
fn reflector<T: Scalar>(x: &mut [T]) -> (T, T) {
    let (alpha, below) = (x[0], &mut x[1..]);
    let norm = length(below);
    if norm == T::Real::ZERO && alpha.im() == T::Real::ZERO {
        return (alpha, T::ZERO);
    }
    let size = alpha.abs().hypot(norm);
    let beta = if alpha.re() >= T::Real::ZERO { -size } else { size };
    // As small as this, a reciprocal would overflow.
    let safe = T::Real::MIN_POSITIVE / T::Real::EPSILON;
    if size < safe {
        let up = T::Real::ONE / safe;
        x.iter_mut().for_each(|x| *x = x.times_real(up));
        let (beta, tau) = reflector(x);
        return (beta.times_real(safe), tau);
    }
    let tau = T::from_parts((beta - alpha.re()) / beta, -alpha.im() / beta);
    let factor = T::ONE.divided_by(alpha - T::from_real(beta));
    below.iter_mut().for_each(|x| *x *= factor);
    (T::from_real(beta), tau)
}

/// The two-norm.
fn length<T: Scalar>(x: &[T]) -> T::Real {
    let square = dot(x, x).re().to_f64();
    // Where squares are far from the ends of the range in single precision, too.
    if (1e-25..1e25).contains(&square) {
        T::Real::of_f64(square).sqrt()
    } else {
        T::Real::of_f64(norm2(x))
    }
}

/// `x^H y`, in sums side by side that vector instructions take.
fn dot<T: Scalar>(x: &[T], y: &[T]) -> T {
    const LANES: usize = 8;
    let mut sums = [T::ZERO; LANES];
    let ((x, x_rest), (y, y_rest)) = (x.as_chunks::<LANES>(), y.as_chunks::<LANES>());
    for (x, y) in x.iter().zip(y) {
        for lane in 0..LANES {
            sums[lane] += x[lane].conj() * y[lane];
        }
    }
    let rest: T = x_rest.iter().zip(y_rest).map(|(x, &y)| x.conj() * y).sum();
    let [a, b, c, d, e, f, g, h] = sums;
    ((a + e) + (b + f)) + ((c + g) + (d + h)) + rest
}
