//! Factorisations and solves, as plain loops.

use crate::dense::{Dense, Op, Stored};
use crate::number::Number;

/// The solution of `op(t) x = b`, or of `x op(t) = b`, with a triangle beside which are zeros.
pub(crate) fn solve<T: Number>(
    t: Dense<T>,
    stored: Stored,
    op: Op,
    is_right: bool,
    b: Dense<T>,
) -> Dense<T> {
    let t = t.op(op);
    // x t = b is t' x' = b'.
    let flips = usize::from(op != Op::As) + usize::from(is_right);
    let is_lower = (stored == Stored::Lower) == flips.is_multiple_of(2);
    if is_right {
        let x = forward(&t.op(Op::Transposed), is_lower, b.op(Op::Transposed));
        return x.op(Op::Transposed);
    }
    forward(&t, is_lower, b)
}

/// The solution of `t x = b`.
fn forward<T: Number>(t: &Dense<T>, is_lower: bool, mut b: Dense<T>) -> Dense<T> {
    let n = t.rows;
    for j in 0..b.cols {
        let x = b.col_mut(j);
        for step in 0..n {
            let k = if is_lower { step } else { n - 1 - step };
            let value = x[k] / t.at(k, k);
            x[k] = value;
            let (rest, column) = if is_lower {
                (&mut x[k + 1..], &t.col(k)[k + 1..])
            } else {
                (&mut x[..k], &t.col(k)[..k])
            };
            rest.iter_mut().zip(column).for_each(|(x, &t)| *x -= value * t);
        }
    }
    b
}

/// The Cholesky factor of the matrix whose lower triangle this is, in its place; the index, from
/// 1, of the first pivot that is not positive, and 0 if there is none.
pub(crate) fn cholesky<T: Number>(a: &mut Dense<T>) -> i32 {
    for k in 0..a.cols {
        let pivot = a.at(k, k).re();
        if pivot.is_nan() || pivot <= 0.0 {
            return k as i32 + 1;
        }
        let root = T::real(pivot.sqrt());
        a.put(k, k, root);
        a.col_mut(k)[k + 1..].iter_mut().for_each(|x| *x = *x / root);
        for j in k + 1..a.cols {
            let (column, of) = a.two(j, k);
            let factor = of[j].conj();
            column[j..].iter_mut().zip(&of[j..]).for_each(|(x, &y)| *x -= factor * y);
        }
    }
    0
}

/// The factors of `a` with rows exchanged, in its place; the exchanges, from 1, and the index of
/// the first pivot that is zero, from 1.
pub(crate) fn lu<T: Number>(a: &mut Dense<T>, pivots: bool) -> (Vec<i32>, i32) {
    let (mut exchanges, mut info) = (Vec::new(), 0);
    for k in 0..a.rows.min(a.cols) {
        let size = |x: T| x.parts().0.abs() + x.parts().1.abs();
        let mut best = k;
        for i in k + 1..a.rows {
            if pivots && size(a.at(i, k)) > size(a.at(best, k)) {
                best = i;
            }
        }
        exchanges.push(best as i32 + 1);
        if best != k {
            (0..a.cols).for_each(|j| a.col_mut(j).swap(k, best));
        }
        let pivot = a.at(k, k);
        if pivot.is_zero() {
            info = if info == 0 { k as i32 + 1 } else { info };
            continue;
        }
        a.col_mut(k)[k + 1..].iter_mut().for_each(|x| *x = *x / pivot);
        for j in k + 1..a.cols {
            let (column, of) = a.two(j, k);
            let factor = column[k];
            column[k + 1..].iter_mut().zip(&of[k + 1..]).for_each(|(x, &y)| *x -= factor * y);
        }
    }
    (exchanges, info)
}

/// Reflectors and triangle of `a` in its place, as LAPACK lays them out, and their factors: each
/// reflector is `I - tau v v'`, `v` being 1 at its first place.
pub(crate) fn qr<T: Number>(a: &mut Dense<T>) -> Vec<T> {
    let steps = a.rows.min(a.cols);
    let mut taus = vec![T::real(0.0); steps];
    for (k, tau) in taus.iter_mut().enumerate() {
        let first = a.at(k, k);
        let rest = a.col(k)[k + 1..].iter().fold(0.0, |length: f64, x| length.hypot(x.abs()));
        if rest == 0.0 && first.parts().1 == 0.0 {
            continue;
        }
        let length = first.abs().hypot(rest);
        let beta = if first.re() > 0.0 { -length } else { length };
        let (re, im) = first.parts();
        *tau = T::from_parts((beta - re) / beta, -im / beta);
        let below = first - T::real(beta);
        a.col_mut(k)[k + 1..].iter_mut().for_each(|x| *x = *x / below);
        a.put(k, k, T::real(beta));
        for j in k + 1..a.cols {
            let (column, of) = a.two(j, k);
            reflect(&mut column[k..], &of[k + 1..], tau.conj());
        }
    }
    taus
}

/// Applies `I - tau v v'` to `x`; `rest` is `v` behind the 1 at its first place.
fn reflect<T: Number>(x: &mut [T], rest: &[T], tau: T) {
    let (first, tail) = x.split_at_mut(1);
    let mut sum = first[0];
    tail.iter().zip(rest).for_each(|(&x, &v)| sum += v.conj() * x);
    let sum = tau * sum;
    first[0] -= sum;
    tail.iter_mut().zip(rest).for_each(|(x, &v)| *x -= v * sum);
}

/// `op(q) c`, where `q` is the product of the reflectors that stand in `a`.
pub(crate) fn apply_q<T: Number>(a: &Dense<T>, taus: &[T], op: Op, c: &mut Dense<T>) {
    for step in 0..taus.len() {
        let k = if op == Op::As { taus.len() - 1 - step } else { step };
        let tau = if op == Op::As { taus[k] } else { taus[k].conj() };
        for j in 0..c.cols {
            reflect(&mut c.col_mut(j)[k..], &a.col(k)[k + 1..], tau);
        }
    }
}

#[cfg(test)]
mod tests {
    use num_complex::Complex;

    use super::*;
    use crate::host::Random;

    fn random<T: Number>(rows: usize, cols: usize, seed: u64) -> Dense<T> {
        let part = |k: u64| Random(seed + k).next() as f64 / u64::MAX as f64 - 0.5;
        Dense::from_fn(rows, cols, |i, j| {
            let k = 1000 * (i * cols + j) as u64;
            T::from_parts(part(k), part(k + 1))
        })
    }

    #[track_caller]
    fn assert_same<T: Number>(x: &Dense<T>, y: &Dense<T>) {
        assert_eq!((x.rows, x.cols), (y.rows, y.cols));
        for j in 0..x.cols {
            for i in 0..x.rows {
                let error = (x.at(i, j) - y.at(i, j)).abs();
                assert!(error < 1e-10, "({i}, {j}): {:?}, not {:?}", x.at(i, j), y.at(i, j));
            }
        }
    }

    fn part<T: Number>(a: &Dense<T>, stored: Stored, is_unit: bool) -> Dense<T> {
        Dense::from_fn(a.rows, a.cols, |i, j| match stored.has(i, j) {
            true if is_unit && i == j => T::real(1.0),
            true => a.at(i, j),
            false => T::real(0.0),
        })
    }

    fn factors_multiply_to_the_matrix<T: Number>() {
        for (m, n) in [(1, 1), (7, 4), (4, 7), (6, 6)] {
            let a = random::<T>(m, n, 1);
            let mut factors = a.clone();
            let taus = qr(&mut factors);
            let mut product = part(&factors, Stored::Upper, false);
            apply_q(&factors, &taus, Op::As, &mut product);
            assert_same(&product, &a);
            apply_q(&factors, &taus, Op::Conjugated, &mut product);
            assert_same(&product, &part(&factors, Stored::Upper, false));
        }
        let a = random::<T>(6, 6, 2);
        let whole = a.times(&a.clone().op(Op::Conjugated));
        let mut factor = part(&whole, Stored::Lower, false);
        assert_eq!(cholesky(&mut factor), 0);
        assert_same(&factor.times(&factor.clone().op(Op::Conjugated)), &whole);

        let mut factors = a.clone();
        let (exchanges, failed) = lu(&mut factors, true);
        assert_eq!(failed, 0);
        let (l, u) = (part(&factors, Stored::Lower, true), part(&factors, Stored::Upper, false));
        let mut product = l.times(&u);
        for (k, &row) in exchanges.iter().enumerate().rev() {
            (0..6).for_each(|j| product.col_mut(j).swap(k, row as usize - 1));
        }
        assert_same(&product, &a);

        let b = random::<T>(6, 6, 3);
        for (t, stored) in [(&l, Stored::Lower), (&u, Stored::Upper)] {
            for op in [Op::As, Op::Transposed, Op::Conjugated] {
                let x = solve(t.clone(), stored, op, false, b.clone());
                assert_same(&t.clone().op(op).times(&x), &b);
                let x = solve(t.clone(), stored, op, true, b.clone());
                assert_same(&x.times(&t.clone().op(op)), &b);
            }
        }
    }

    #[test]
    fn real_factors_multiply_to_the_matrix() {
        factors_multiply_to_the_matrix::<f64>();
    }

    #[test]
    fn complex_factors_multiply_to_the_matrix() {
        factors_multiply_to_the_matrix::<Complex<f64>>();
    }
}
