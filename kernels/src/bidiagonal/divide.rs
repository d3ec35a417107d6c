//! Singular values and vectors of a bidiagonal matrix by divide and conquer.
//!
//! Gu, Eisenstat, "A divide-and-conquer algorithm for the bidiagonal SVD", SIAM J. Matrix Anal.
//! Appl. 16 (1995): a row is taken out, what is above and below it solved, and the parts joined.

use super::iterate::{Rotate, Rotation, Vectors, iterate};
use super::merge::Halves;
use crate::backend::Blas;
use crate::error::NumericalError;
use crate::scalar::Real;
use crate::tile::TileMut;

/// Rows at which QR iterations take over.
const LEAF: usize = 32;

/// Overwrites the diagonal `d` by singular values that are not negative, in any order, and `u` and
/// `v`, which hold zeros, by the vectors. `e` has an entry less than `d`, or as many if there is a
/// column more than rows; then the last column of `v` is orthogonal to all rows.
pub(super) fn divide<R: Real>(
    blas: &dyn Blas<R>,
    d: &mut [R],
    e: &mut [R],
    u: TileMut<'_, R>,
    v: TileMut<'_, R>,
) -> Result<(), NumericalError> {
    let n = d.len();
    if n <= LEAF {
        return leaf(d, e, u, v);
    }
    let (mut u, mut v) = (u, v);
    let k = n / 2;
    let (alpha, beta) = (d[k], e[k]);
    {
        let [(u1, _), (_, u2)] = u.reborrow().split(k, k);
        let (rows, columns) = (u2.rows(), u2.cols());
        let u2 = u2.part(1, 1, rows - 1, columns - 1);
        let [(v1, _), (_, v2)] = v.reborrow().split(k + 1, k + 1);
        divide(blas, &mut d[..k], &mut e[..k], u1, v1)?;
        divide(blas, &mut d[k + 1..], &mut e[k + 1..], u2, v2)?;
    }
    Halves { k, alpha, beta, d, u, v }.join(blas);
    Ok(())
}

/// By QR iterations, after a last column was turned into the others.
fn leaf<R: Real>(
    d: &mut [R],
    e: &mut [R],
    mut u: TileMut<'_, R>,
    mut v: TileMut<'_, R>,
) -> Result<(), NumericalError> {
    let (rows, columns) = (u.cols(), v.cols());
    let mut vectors = Dense { u: identity(rows), v: identity(columns), rows, columns };
    if columns > rows {
        let mut bulge = e[rows - 1];
        for i in (0..rows).rev() {
            let (rotation, r) = Rotation::new(d[i], bulge);
            d[i] = r;
            if i > 0 {
                bulge = -(rotation.s * e[i - 1]);
                e[i - 1] = rotation.c * e[i - 1];
            }
            vectors.rotate(Vectors::Right, (i, rows), rotation);
        }
    }
    let norm = scale(d, &mut e[..rows - 1]);
    iterate(d, &mut e[..rows - 1], &mut vectors)?;
    for (j, d) in d.iter_mut().enumerate() {
        *d *= norm;
        if *d < R::ZERO {
            *d = -*d;
            vectors.v[j * columns..][..columns].iter_mut().for_each(|x| *x = -*x);
        }
    }
    for (j, column) in vectors.u.chunks(rows).enumerate() {
        u.col_mut(j).expect("adjacent rows").copy_from_slice(column);
    }
    for (j, column) in vectors.v.chunks(columns).enumerate() {
        v.col_mut(j).expect("adjacent rows").copy_from_slice(column);
    }
    Ok(())
}

/// Divides a bidiagonal matrix by the modulus of its largest entry, and returns this.
pub(super) fn scale<R: Real>(d: &mut [R], e: &mut [R]) -> R {
    let size = |largest: R, x: &R| if x.abs() > largest { x.abs() } else { largest };
    let norm = d.iter().chain(&*e).fold(R::ZERO, size);
    if norm == R::ZERO {
        return R::ONE;
    }
    d.iter_mut().chain(e).for_each(|x| *x /= norm);
    norm
}

fn identity<R: Real>(n: usize) -> Vec<R> {
    let mut entries = vec![R::ZERO; n * n];
    entries.iter_mut().step_by(n + 1).for_each(|x| *x = R::ONE);
    entries
}

/// Small vectors, column after column.
struct Dense<R> {
    u: Vec<R>,
    v: Vec<R>,
    rows: usize,
    columns: usize,
}

impl<R: Real> Rotate<R> for Dense<R> {
    fn rotate(&mut self, which: Vectors, (i, j): (usize, usize), rotation: Rotation<R>) {
        let (entries, size) = match which {
            Vectors::Left => (&mut self.u, self.rows),
            Vectors::Right => (&mut self.v, self.columns),
        };
        let (low, high) = (i.min(j), i.max(j));
        let (left, right) = entries.split_at_mut(high * size);
        let (x, y) = (&mut left[low * size..][..size], &mut right[..size]);
        if i < j { rotation.apply(x, y) } else { rotation.apply(y, x) }
    }
}
