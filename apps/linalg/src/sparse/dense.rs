//! The QR factorisation of one front on one core: below a staircase all is zero, and reflectors end
//! at it.
//!
//! Small fronts are factorised column by column; of larger ones blocks of columns are, and applied
//! as blocks (Schreiber, Van Loan 1989). A block reaches down to the staircase of its last column.

use std::marker::PhantomData;

use tegula_kernels::backend::Blas;
use tegula_kernels::kernel::{geqrt::Geqrt, unmqr::Unmqr};
use tegula_kernels::option::{Side, Storev, Trans};
use tegula_kernels::scalar::{Real, Scalar};
use tegula_kernels::sparse::norm2;
use tegula_kernels::tile::TileMut;

/// Columns of a block.
const BLOCK: usize = 32;
/// Fewest reflectors, and fewest rows, for which blocks pay.
const FEWEST: usize = 12;

/// Factorises the first columns of `a` (`m` rows), as many as `heights` has, and multiplies all
/// others by `Q^H`: `R` stands on and above the diagonal then, and below it what is of no use.
/// `heights` says how many rows may not be zero in each column and those before it.
pub(super) fn factor<T: Scalar>(blas: &dyn Blas<T>, a: &mut [T], m: usize, heights: &[u32]) {
    let count = heights.len().min(m);
    if count < FEWEST {
        return by_columns(a, m, &heights[..count]);
    }
    let columns = a.len() / m;
    let (mut tau, mut triangle) = (vec![T::ZERO; BLOCK], vec![T::ZERO; BLOCK * BLOCK]);
    let mut a = TileMut::new(a, m, columns);
    for first in (0..count).step_by(BLOCK) {
        let width = BLOCK.min(count - first);
        let rows = heights[first + width - 1] as usize - first;
        let part = a.reborrow().part(first, first, rows, columns - first);
        let (mut panel, rest) = part.split_cols(width);
        let mut t = TileMut::new(&mut triangle[..width * width], width, width);
        let scalar = PhantomData;
        let storev = Storev::Columns;
        let geqrt = Geqrt { storev, m: rows, n: width, offset: 0, scalar };
        let factors = TileMut::new(&mut tau[..width], width, 1);
        geqrt.compute(blas, panel.reborrow(), factors, t.reborrow());
        let (side, trans, n) = (Side::Left, Trans::Conj, columns - first - width);
        let unmqr =
            Unmqr { side, trans, storev, m: rows, n, order: rows, width, k: width, offset: 0, scalar };
        unmqr.compute(blas, panel.as_ref(), t.as_ref(), rest);
    }
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
                column.iter_mut().zip(&*v).for_each(|(x, &v)| *x = *x - factor * v);
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
    below.iter_mut().for_each(|x| *x = *x * factor);
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
