//! The incomplete factor of the precision of the field given the values, its adjoint, and solves.
//!
//! With `Q = U U'` the precision of the field and the precision `p` of the noise, `W = Q + p I` is
//! factorised as `V V'`, with the pattern of `U` and nothing that falls outside: F. Schaefer, M.
//! Katzfuss, H. Owhadi, "Sparse Cholesky factorization by Kullback-Leibler minimization", SIAM J.
//! Sci. Comput. 43 (2021) A2019-A2046, section 5. Columns are as many numbers as slots, the
//! diagonal last; those of places that are eliminated first stand first.

use super::elimination::Pattern;

/// Overwrites `v`; fails with the position of the first pivot that is not positive.
pub(super) fn factor(
    pattern: &Pattern<'_>,
    u: &[f64],
    precision: f64,
    v: &mut [f64],
) -> Result<(), usize> {
    let m = pattern.neighbours;
    let width = m + 1;
    for k in 0..pattern.len() {
        let (before, own) = v.split_at_mut(k * width);
        let (own, mine) = (&mut own[..width], &u[k * width..][..width]);
        for (own, mine_at) in own.iter_mut().zip(mine) {
            *own = mine_at * mine[m];
        }
        let mut pivot = own[m] + precision;
        for (i, slot, pairs) in pattern.columns(k) {
            let (u, v) = (&u[i * width..][..width], &before[i * width..][..width]);
            let (by_u, by_v) = (u[slot], v[slot]);
            pivot += (by_u - by_v) * (by_u + by_v);
            for (from, to) in pairs {
                own[to] += u[from] * by_u - v[from] * by_v;
            }
        }
        if !(pivot > 0.0 && pivot.is_finite()) {
            return Err(k);
        }
        let root = pivot.sqrt();
        own[..m].iter_mut().for_each(|x| *x /= root);
        own[m] = root;
    }
    Ok(())
}

/// The derivatives of `2 sum ln V_ii`: by the entries of `U`, to `by_u`, and by the precision,
/// returned. `by_w` becomes those by the entries of `W`.
pub(super) fn adjoint(
    pattern: &Pattern<'_>,
    (u, v): (&[f64], &[f64]),
    by_w: &mut [f64],
    by_u: &mut [f64],
) -> f64 {
    let m = pattern.neighbours;
    let width = m + 1;
    let mut by_precision = 0.0;
    for i in (0..pattern.len()).rev() {
        let (own, after) = by_w[i * width..].split_at_mut(width);
        let (u, v) = (&u[i * width..][..width], &v[i * width..][..width]);
        let by_u = &mut by_u[i * width..][..width];
        own.fill(0.0);
        by_u.fill(0.0);
        own[m] = 2.0 / v[m];
        for (slot, k) in pattern.rows(i) {
            let of_row = &after[(k - i - 1) * width..][..width];
            let (mut sum_u, mut sum_v) = (2.0 * of_row[m] * u[slot], 2.0 * of_row[m] * v[slot]);
            for (from, to) in pattern.pairs(i, slot) {
                let factor = of_row[to];
                by_u[from] += factor * u[slot];
                own[from] -= factor * v[slot];
                sum_u += factor * u[from];
                sum_v += factor * v[from];
            }
            by_u[slot] += sum_u;
            own[slot] -= sum_v;
        }
        own[..m].iter_mut().for_each(|x| *x /= v[m]);
        let below: f64 = own[..m].iter().zip(v).map(|(x, y)| x * y).sum();
        own[m] = (own[m] - below) / (2.0 * v[m]);
        let across: f64 = own[..m].iter().zip(u).map(|(x, y)| x * y).sum();
        for (to, own) in by_u[..m].iter_mut().zip(&own[..m]) {
            *to += own * u[m];
        }
        by_u[m] += across + 2.0 * own[m] * u[m];
        by_precision += own[m];
    }
    by_precision
}

/// `x = A^-1 x`, of columns `a`.
pub(super) fn solve(pattern: &Pattern<'_>, a: &[f64], x: &mut [f64]) {
    let width = pattern.neighbours + 1;
    for (i, column) in a.chunks_exact(width).enumerate() {
        let value = x[i] / column[width - 1];
        x[i] = value;
        pattern.rows(i).for_each(|(slot, row)| x[row] -= column[slot] * value);
    }
}

/// `x = A^-T x`, of columns `a`.
pub(super) fn solve_transposed(pattern: &Pattern<'_>, a: &[f64], x: &mut [f64]) {
    let width = pattern.neighbours + 1;
    for (i, column) in a.chunks_exact(width).enumerate().rev() {
        let sum: f64 = pattern.rows(i).map(|(slot, row)| column[slot] * x[row]).sum();
        x[i] = (x[i] - sum) / column[width - 1];
    }
}

/// `A' x` at one column.
pub(super) fn project(pattern: &Pattern<'_>, column: &[f64], i: usize, x: &[f64]) -> f64 {
    let own = column[pattern.neighbours] * x[i];
    own + pattern.rows(i).map(|(slot, row)| column[slot] * x[row]).sum::<f64>()
}

/// Adds column `i` times `factor` to `y`.
pub(super) fn add(pattern: &Pattern<'_>, column: &[f64], i: usize, factor: f64, y: &mut [f64]) {
    y[i] += column[pattern.neighbours] * factor;
    pattern.rows(i).for_each(|(slot, row)| y[row] += column[slot] * factor);
}

/// Squares of what is left of a residual, as a share of the first: `x` is as near as its root.
const TOLERANCE: f64 = 1e-20;
/// Most steps.
const STEPS: usize = 1000;

/// `x = W^-1 b`, by conjugate gradients with `V V'` (M. R. Hestenes, E. Stiefel, "Methods of
/// conjugate gradients for solving linear systems", J. Res. Nat. Bur. Standards 49 (1952) 409-436);
/// fails if they do not come to an end.
pub(super) fn smooth(
    pattern: &Pattern<'_>,
    (u, v): (&[f64], &[f64]),
    precision: f64,
    b: &[f64],
    x: &mut [f64],
) -> Result<(), ()> {
    let width = pattern.neighbours + 1;
    let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
    let mut rest = b.to_vec();
    let mut near = rest.clone();
    let precondition = |near: &mut [f64]| {
        solve(pattern, v, near);
        let square = near.iter().map(|x| x * x).sum::<f64>();
        solve_transposed(pattern, v, near);
        square
    };
    x.fill(0.0);
    let first = precondition(&mut near);
    let (mut square, mut way) = (first, near.clone());
    let mut product = vec![0.0; b.len()];
    for _ in 0..STEPS {
        if square <= TOLERANCE * first {
            return Ok(());
        }
        product.iter_mut().zip(&way).for_each(|(to, way)| *to = precision * way);
        for (i, column) in u.chunks_exact(width).enumerate() {
            let factor = project(pattern, column, i, &way);
            add(pattern, column, i, factor, &mut product);
        }
        let step = square / dot(&way, &product);
        if !(step > 0.0 && step.is_finite()) {
            return Err(());
        }
        x.iter_mut().zip(&way).for_each(|(x, way)| *x += step * way);
        rest.iter_mut().zip(&product).for_each(|(rest, product)| *rest -= step * product);
        near.copy_from_slice(&rest);
        let before = std::mem::replace(&mut square, precondition(&mut near));
        let factor = square / before;
        way.iter_mut().zip(&near).for_each(|(way, near)| *way = near + factor * *way);
    }
    Err(())
}
