//! GMRES without restarts, for an operator that is near the identity.
//!
//! Saad, Schultz, "GMRES: a generalized minimal residual algorithm for solving nonsymmetric linear
//! systems", SIAM J. Sci. Stat. Comput. 7 (1986), algorithm 4, with modified Gram-Schmidt.

use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::{Flow, FlowError};
use tegula_tiles::{Order, TileMatrix};

/// The decision for an iteration.
pub(super) const ITERATION: char = 'i';
/// The mark after those of a right-hand side.
pub(super) const END: char = '/';

/// The residual that is small enough, relative to the right-hand side: outer steps do the rest.
const TOLERANCE: f64 = 1e-8;

/// The columns of a matrix, after everything that makes it has run.
pub(super) fn columns<T: Scalar>(
    flow: &mut Flow,
    matrix: &TileMatrix<T>,
) -> Result<Vec<Vec<T>>, FlowError> {
    let (m, n) = (matrix.m(), matrix.n());
    let mut entries = vec![T::ZERO; m * n];
    matrix.gather(flow, &mut entries, Order::ColumnMajor { ld: m.max(1) })?;
    Ok((0..n).map(|j| entries[j * m..][..m].to_vec()).collect())
}

/// `x` with `apply(x) = b`, as far as `most` iterations come, and how many there were.
///
/// # Errors
/// Those of `apply`.
pub(super) fn solve<T: Scalar<Real = f64>>(
    flow: &mut Flow,
    apply: &mut impl FnMut(&mut Flow, &[T]) -> Result<Vec<T>, FlowError>,
    b: &[T],
    most: usize,
) -> Result<(Vec<T>, usize), FlowError> {
    let length = norm(b);
    let is_regular = length != 0.0 && length.is_finite();
    let mut basis: Vec<Vec<T>> = vec![scaled(b, 1.0 / length)];
    // Upper triangle and right-hand side of the least squares problem, rotated.
    let (mut triangle, mut right): (Vec<Vec<T>>, Vec<T>) = (Vec::new(), vec![T::from_f64(length)]);
    let mut rotations: Vec<(f64, T)> = Vec::new();
    let mut goes_on = is_regular;
    while flow.decide(ITERATION, goes_on && triangle.len() < most) {
        let mut w = apply(flow, basis.last().expect("there is a first vector"))?;
        let mut h = Vec::with_capacity(basis.len());
        for v in &basis {
            let part = dot(v, &w);
            w.iter_mut().zip(v).for_each(|(w, &v)| *w -= part * v);
            h.push(part);
        }
        let rest = norm(&w);
        goes_on = rest.is_finite();
        if !goes_on {
            continue;
        }
        for (k, &(c, s)) in rotations.iter().enumerate() {
            let (upper, lower) = (h[k], h[k + 1]);
            h[k] = upper.times_real(c) + s * lower;
            h[k + 1] = lower.times_real(c) - s.conj() * upper;
        }
        let last = h.len() - 1;
        let (c, s, r) = rotation(h[last], rest);
        h[last] = r;
        rotations.push((c, s));
        triangle.push(h);
        let old = right[last];
        right[last] = old.times_real(c);
        right.push(-(s.conj() * old));
        let is_small = right[last + 1].size() <= TOLERANCE * length;
        goes_on = !is_small && rest != 0.0;
        if goes_on {
            basis.push(scaled(&w, 1.0 / rest));
        }
    }
    flow.mark(END);
    if !is_regular {
        return Ok((b.to_vec(), 0));
    }
    Ok((combine(&basis, &triangle, &right, b.len()), triangle.len()))
}

/// `c` and `s` with `[c s; -conj(s) c] [a; b] = [r; 0]`, `b` real, and `r`.
fn rotation<T: Scalar<Real = f64>>(a: T, b: f64) -> (f64, T, T) {
    let size = a.size();
    if b == 0.0 {
        return (1.0, T::ZERO, a);
    }
    if size == 0.0 {
        return (0.0, T::ONE, T::from_f64(b));
    }
    let (length, sign) = (size.hypot(b), a.times_real(1.0 / size));
    (size / length, sign.times_real(b / length), sign.times_real(length))
}

/// The vectors of the basis, each as often as the triangular system says.
fn combine<T: Scalar>(basis: &[Vec<T>], triangle: &[Vec<T>], right: &[T], n: usize) -> Vec<T> {
    let mut factors = right[..triangle.len()].to_vec();
    for k in (0..triangle.len()).rev() {
        factors[k] = factors[k].divided_by(triangle[k][k]);
        for i in 0..k {
            let known = triangle[k][i] * factors[k];
            factors[i] -= known;
        }
    }
    let mut x = vec![T::ZERO; n];
    for (v, &factor) in basis.iter().zip(&factors) {
        x.iter_mut().zip(v).for_each(|(x, &v)| *x += factor * v);
    }
    x
}

/// `v^H w`.
fn dot<T: Scalar>(v: &[T], w: &[T]) -> T {
    v.iter().zip(w).map(|(v, &w)| v.conj() * w).sum()
}

fn norm<T: Scalar<Real = f64>>(v: &[T]) -> f64 {
    v.iter().map(|z| z.abs_squared()).sum::<f64>().sqrt()
}

fn scaled<T: Scalar<Real = f64>>(v: &[T], factor: f64) -> Vec<T> {
    v.iter().map(|z| z.times_real(factor)).collect()
}
