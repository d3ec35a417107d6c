//! QR factorization without the triangles of its blocks, for those who want the factors alone:
//! small matrices column by column, larger ones in panels.

use super::{Block, apply, factor, reflector, room_to_apply, room_to_factor};
use crate::backend::Blas;
use crate::option::Trans;
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};
use crate::workspace::carve;

/// Columns up to which it goes column by column.
const SMALL: usize = 32;

/// Columns of a panel of a larger matrix.
const PANEL: usize = 24;

/// Elements of room to factorize `m x n`.
pub(crate) fn room_for_factors(m: usize, n: usize) -> usize {
    let least = m * n + m + n;
    if n <= SMALL {
        return least;
    }
    least + PANEL * PANEL + room_to_factor(m, PANEL).max(room_to_apply(PANEL, n))
}

/// Factorizes `a` (`m x n`): `R` on and above the diagonal, the reflectors below, their factors in
/// `tau` (`min(m, n)` rows).
pub(crate) fn factor_plainly<T: Scalar>(
    blas: &dyn Blas<T>,
    mut a: TileMut<'_, T>,
    tau: TileMut<'_, T>,
    mut room: &mut [T],
) {
    if a.row_stride() == 1 || a.rows() <= 1 {
        return panels(blas, a, tau, room);
    }
    // Vectors are columns here; where those are not adjacent in memory a copy is.
    let mut copy = carve(&mut room, a.rows(), a.cols());
    copy.copy_from(a.as_ref());
    panels(blas, copy.reborrow(), tau, room);
    a.copy_from(copy.as_ref());
}

/// As [`factor_plainly`], of columns whose rows are adjacent.
fn panels<T: Scalar>(
    blas: &dyn Blas<T>,
    a: TileMut<'_, T>,
    tau: TileMut<'_, T>,
    mut room: &mut [T],
) {
    let (mut a, mut tau) = (a, tau);
    if a.cols() > SMALL {
        let mut triangle = carve(&mut room, PANEL, PANEL);
        while a.cols() > SMALL && a.rows() > PANEL {
            let (mut left, mut right) = a.split_cols(PANEL);
            let (first, others) = tau.split_rows(PANEL);
            let mut t = triangle.reborrow();
            factor(blas, left.reborrow(), first, t.reborrow(), room);
            let block = Block { v: left.as_ref(), t: t.as_ref() };
            apply(blas, block, Trans::Conj, right.reborrow(), room);
            (a, tau) = (right.split_rows(PANEL).1, others);
        }
    }
    columns(blas, a, tau, room);
}

/// Column by column: `A = H(i)^H A` after each.
fn columns<T: Scalar>(
    blas: &dyn Blas<T>,
    mut a: TileMut<'_, T>,
    mut tau: TileMut<'_, T>,
    mut room: &mut [T],
) {
    let (m, n) = (a.rows(), a.cols());
    for j in 0..m.min(n) {
        let (left, mut right) = a.reborrow().split_cols(j + 1);
        let mut column = left.part(j, j, m - j, 1);
        let (head, mut tail) = column.reborrow().split_rows(1);
        let (beta, factor) = reflector(blas, head.at(0, 0), &mut tail);
        tau.set(j, 0, factor);
        if factor != T::ZERO && j + 1 < n {
            // As the vector that it is, with a one at its head.
            column.set(0, 0, T::ONE);
            let rest = right.reborrow().part(j, 0, m - j, n - j - 1);
            reflect(blas, column.as_ref(), factor.conj(), rest, &mut room);
        }
        column.set(0, 0, beta);
    }
}

/// `C = C - factor v (v^H C)`.
fn reflect<T: Scalar>(
    blas: &dyn Blas<T>,
    v: TileRef<'_, T>,
    factor: T,
    mut c: TileMut<'_, T>,
    room: &mut &mut [T],
) {
    if T::IS_COMPLEX {
        let v = v.col(0).expect("rows are adjacent");
        for j in 0..c.cols() {
            let column = c.col_mut(j).expect("rows are adjacent");
            let product: T = v.iter().zip(&*column).map(|(v, &c)| v.conj() * c).sum();
            let product = factor * product;
            column.iter_mut().zip(v).for_each(|(c, &v)| *c -= product * v);
        }
        return;
    }
    let n = c.cols();
    let mut w = TileMut::new(&mut room[..n], n, 1);
    blas.gemv(factor, c.as_ref().transposed(), v, T::ZERO, w.reborrow());
    blas.gemm(-T::ONE, v, w.as_ref().transposed(), T::ONE, c);
}

#[cfg(test)]
mod tests {
    use super::{factor, factor_plainly, room_for_factors, room_to_factor};
    use crate::backend;
    use crate::kernel::random::RandomInputs;
    use crate::kernel::trial::Guarded;
    use crate::scalar::{Real, Scalar, c32, c64};
    use crate::tile::TileMut;

    /// A matrix whose diagonal dominates, so that its factors hardly move.
    fn dominant<T: Scalar>(m: usize, n: usize, random: &mut RandomInputs) -> Guarded<T> {
        let mut matrix = Guarded::random(m, n, random);
        (0..m.min(n)).for_each(|i| matrix.put(i, i, T::from_f64(2.0 * m.max(n) as f64)));
        matrix
    }

    /// The same factors as those of the recursion, but for roundoff.
    fn check<T: Scalar>(m: usize, n: usize, random: &mut RandomInputs) {
        let before = dominant::<T>(m, n, random);
        let (mut got, mut expected) = (before.clone(), before.clone());
        let (blas, k) = (T::blas(backend::current()), m.min(n));
        let (mut tau, mut other, mut t) =
            (vec![T::ZERO; k], vec![T::ZERO; k], vec![T::ZERO; k * k]);
        let mut room = vec![T::ZERO; room_for_factors(m, n).max(room_to_factor(m, n))];
        factor_plainly(blas, got.write(), TileMut::new(&mut tau, k, 1), &mut room);
        let (of_other, triangle) = (TileMut::new(&mut other, k, 1), TileMut::new(&mut t, k, k));
        factor(blas, expected.write(), of_other, triangle, &mut room);
        // n eps |A|, with |A| of the order of its diagonal.
        let size = m.max(n) as f64;
        let tolerance = 16.0 * size * size * T::Real::EPSILON.to_f64();
        let error = got.deviation(&before, &expected, |_, _| true);
        assert!(error <= tolerance, "{m} x {n}: {error} > {tolerance}");
        let apart = tau.iter().zip(&other).map(|(&x, &y)| (x - y).size());
        let apart = apart.fold(0.0, f64::max);
        assert!(apart <= tolerance / size, "{m} x {n}, factors: {apart}");
    }

    #[test]
    fn factors_are_those_of_the_recursion() {
        let mut random = RandomInputs::new(7);
        for (m, n) in [(1, 1), (5, 3), (3, 5), (40, 31), (70, 60), (60, 70), (100, 90), (25, 80)] {
            check::<f32>(m, n, &mut random);
            check::<f64>(m, n, &mut random);
            check::<c32>(m, n, &mut random);
            check::<c64>(m, n, &mut random);
        }
    }
}
