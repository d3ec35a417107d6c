//! Iterative refinement with factors in 32 bits.
//!
//! Langou et al., "Exploiting the performance of 32 bit floating point arithmetic in obtaining 64
//! bit accuracy", SC 2006; when to stop, and what is said of it, as in LAPACK's xSGESV. Where it
//! does not converge the caller factorises in 64 bits.

use std::marker::PhantomData;

use tegula_kernels::kernel::convert::Convert;
use tegula_kernels::kernel::norm::larger;
use tegula_kernels::option::Part;
use tegula_kernels::scalar::Scalar;

use crate::array::{Array, Matrix};

/// Most steps of refinement.
const STEPS: i32 = 30;

/// Why there is no solution by refinement: LAPACK's `iter`.
#[derive(Clone, Copy, Debug)]
pub(super) enum Failed {
    /// A number does not fit into 32 bits.
    Overflow,
    /// The matrix in 32 bits has no factors.
    NoFactors,
    /// It has not converged.
    Slow,
}

impl Failed {
    const fn iter(self) -> i32 {
        match self {
            Self::Overflow => -2,
            Self::NoFactors => -3,
            Self::Slow => -STEPS - 1,
        }
    }
}

/// `iter` of an outcome.
pub(super) fn iter(outcome: Result<i32, Failed>) -> i32 {
    outcome.unwrap_or_else(Failed::iter)
}

/// A matrix of a system of equations.
pub(super) trait System<T: Scalar<Real = f64>> {
    /// The part of the matrix that is read.
    fn part(&self) -> Part;
    /// The matrix.
    fn matrix(&self) -> Matrix<T>;
    /// Its infinity norm.
    fn norm(&self) -> f64;
    /// Factorises a copy in 32 bits; whether there are factors.
    fn factorise(&self, a: Matrix<T::Other>) -> bool;
    /// `B = inv(A) B` with those factors.
    fn solve(&self, factors: Matrix<T::Other>, b: Matrix<T::Other>);
    /// `R = R - A X`.
    fn subtract_product(&self, x: Matrix<T>, r: Matrix<T>);
}

/// Right-hand sides, unknowns and LAPACK's workspaces.
pub(super) struct Rooms<T: Scalar> {
    /// The right-hand sides.
    pub(super) b: Matrix<T>,
    /// The unknowns.
    pub(super) x: Matrix<T>,
    /// As many numbers as the right-hand sides.
    pub(super) work: Array<T>,
    /// As many as the matrix and the right-hand sides.
    pub(super) narrow: Array<T::Other>,
}

/// Solves by refinement; how many steps it took.
pub(super) fn refine<T: Scalar<Real = f64>>(
    system: &impl System<T>,
    rooms: &Rooms<T>,
) -> Result<i32, Failed> {
    let &Rooms { b, x, work, narrow } = rooms;
    let (n, columns) = (b.rows, b.cols);
    // The unit roundoff is half the distance from 1 to the next number.
    let least = system.norm() * (f64::EPSILON / 2.0) * (n as f64).sqrt();
    let (factors, room) = (narrow.matrix(n, n, n), narrow.after(n * n).matrix(n, columns, n));
    let r = work.matrix(n, columns, n);
    lower_precision(Part::Whole, b, room)?;
    lower_precision(system.part(), system.matrix(), factors)?;
    if !system.factorise(factors) {
        return Err(Failed::NoFactors);
    }
    system.solve(factors, room);
    raise_precision(room, x);
    for step in 0..=STEPS {
        r.view_mut().copy_from(b.view());
        system.subtract_product(x, r);
        if (0..columns).all(|j| largest(r, j) <= largest(x, j) * least) {
            return Ok(step);
        }
        if step < STEPS {
            lower_precision(Part::Whole, r, room)?;
            system.solve(factors, room);
            add(room, x);
        }
    }
    Err(Failed::Slow)
}

/// Largest entry of a column, by the sum of the moduli of its parts as in BLAS; NaN if there is
/// one.
fn largest<T: Scalar<Real = f64>>(a: Matrix<T>, j: usize) -> f64 {
    let entries = a.view();
    (0..a.rows).map(|i| entries.at(i, j).abs1()).fold(0.0, larger)
}

/// A part of `a` in 32 bits; fails if a number does not fit.
fn lower_precision<T: Scalar<Real = f64>>(
    part: Part,
    a: Matrix<T>,
    to: Matrix<T::Other>,
) -> Result<(), Failed> {
    let most = f64::from(f32::MAX);
    let entries = a.view();
    let fits = |x: T| !(x.re().abs() > most || x.im().abs() > most);
    let all = (0..a.cols).all(|j| part.rows(a.rows, j).all(|i| fits(entries.at(i, j))));
    if !all {
        return Err(Failed::Overflow);
    }
    let convert = Convert { part, m: a.rows, n: a.cols, scalar: PhantomData::<T> };
    convert.compute(entries, to.view_mut());
    Ok(())
}

/// `a` in 64 bits.
fn raise_precision<T: Scalar<Real = f64>>(a: Matrix<T::Other>, to: Matrix<T>) {
    let (part, m, n) = (Part::Whole, a.rows, a.cols);
    Convert { part, m, n, scalar: PhantomData::<T::Other> }.compute(a.view(), to.view_mut());
}

/// `x = x + a`.
fn add<T: Scalar<Real = f64>>(a: Matrix<T::Other>, x: Matrix<T>) {
    let (entries, mut x) = (a.view(), x.view_mut());
    for j in 0..a.cols {
        for i in 0..a.rows {
            x.set(i, j, x.at(i, j) + entries.at(i, j).convert());
        }
    }
}
