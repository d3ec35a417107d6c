//! Solves by a factorisation in 32 bits and iterative refinement in 64: `A X = B` as exactly as
//! with a factorisation in 64 bits, in little more than half its time where `A` is not too badly
//! conditioned.
//!
//! First plain refinement as LAPACK's `dsgesv` and `dsposv` do it: Langou et al., "Exploiting the
//! performance of 32 bit floating point arithmetic in obtaining 64 bit accuracy", SC 2006. Where
//! that does not converge, GMRES preconditioned by the factors, applied in 64 bits: Carson, Higham,
//! "A new analysis of iterative refinement and its application to accurate solution of
//! ill-conditioned sparse linear systems", SIAM J. Sci. Comput. 39 (2017). Where that does not
//! either, or there are no factors in 32 bits, a factorisation in 64.

mod general;
mod gmres;
mod positive;

use tegula_kernels::error::NumericalError;
use tegula_kernels::option::{Part, Trans};
use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::{Flow, FlowError};
use tegula_tiles::{Storage, TileMatrix};

use crate::convert::convert;
use crate::elementwise::{geadd, lacpy};

pub use general::gesv_mixed;
pub use positive::posv_mixed;

/// The decision for a step of plain refinement.
const STEP: char = 'r';
/// The decision for GMRES, where plain refinement does not converge.
const GMRES: char = 'g';
/// The decision for a round of corrections by GMRES.
const ROUND: char = 'c';
/// The decision for a factorisation in 64 bits.
const WIDE: char = 'w';
/// What solves [decide](Flow::decide).
pub(crate) const DECISIONS: &[(char, &str)] = &[
    (STEP, "a step of refinement"),
    (GMRES, "GMRES begins"),
    (ROUND, "a round of corrections by it"),
    (gmres::ITERATION, "an iteration of it"),
    (gmres::END, "the end of a right-hand side"),
    (WIDE, "a factorisation in 64 bits"),
];

/// How a solution was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refinement {
    /// By so many steps of plain refinement, the first solution not counted.
    Refined(usize),
    /// By GMRES, in so many iterations in all.
    Gmres(usize),
    /// By a factorisation in 64 bits.
    Factorised,
    /// It was not: the matrix has no factors.
    Singular(NumericalError),
}

/// Most steps of plain refinement (LAPACK's `ITERMAX`).
const STEPS: usize = 30;
/// Most iterations of GMRES for a right-hand side.
const ITERATIONS: usize = 60;

/// A matrix with its factors in 32 bits.
trait System<T: Scalar<Real = f64>> {
    /// The infinity norm of the matrix.
    fn norm(&self, flow: &mut Flow) -> Result<f64, FlowError>;
    /// Submits `R = R - A X`.
    fn subtract_product(&self, flow: &mut Flow, x: &TileMatrix<T>, r: &TileMatrix<T>);
    /// Factorises in 32 bits; false if there are no factors.
    fn factorise_narrow(&mut self, flow: &mut Flow) -> Result<bool, FlowError>;
    /// Submits `B = inv(A) B` with those factors.
    fn solve_narrow(&self, flow: &mut Flow, b: &TileMatrix<T::Other>);
    /// Makes factors in 64 bits of those in 32.
    fn widen(&mut self, flow: &mut Flow) -> Result<(), FlowError>;
    /// Factorises in 64 bits; why, if there are no factors.
    fn factorise_wide(&mut self, flow: &mut Flow) -> Result<Option<NumericalError>, FlowError>;
    /// Submits `B = inv(A) B` with the factors in 64 bits.
    fn solve_wide(&self, flow: &mut Flow, b: &TileMatrix<T>);
    /// Gives back what was made.
    fn retire(self, flow: &mut Flow);
}

/// Solves `A X = B` for `x`, both `n x nrhs` in tiles that the system takes.
fn solve<T: Scalar<Real = f64>>(
    flow: &mut Flow,
    mut system: impl System<T>,
    b: &TileMatrix<T>,
    x: &TileMatrix<T>,
) -> Result<Refinement, FlowError> {
    let shape = ((b.m(), b.n()), (b.mb(), b.nb()));
    assert!(shape == ((x.m(), x.n()), (x.mb(), x.nb())), "the solution is not tiled as {shape:?}");
    let r = TileMatrix::<T>::new(flow, shape.0, shape.1, Storage::Full);
    let found = refine(flow, &mut system, b, x, &r);
    system.retire(flow);
    r.unregister(flow);
    found
}

fn refine<T: Scalar<Real = f64>>(
    flow: &mut Flow,
    system: &mut impl System<T>,
    b: &TileMatrix<T>,
    x: &TileMatrix<T>,
    r: &TileMatrix<T>,
) -> Result<Refinement, FlowError> {
    // The residual of a solution as exact as one of 64 bits, relative to it.
    let norm = system.norm(flow)?;
    let least = norm * f64::EPSILON * (b.m() as f64).sqrt();
    let has_factors = norm.is_finite() && system.factorise_narrow(flow)?;
    if !flow.decide(WIDE, !has_factors) {
        let narrow =
            TileMatrix::<T::Other>::new(flow, (b.m(), b.n()), (b.mb(), b.nb()), Storage::Full);
        let steps = refine_plainly(flow, system, (b, x, r), &narrow, least);
        narrow.unregister(flow);
        if let Some(steps) = steps? {
            return Ok(Refinement::Refined(steps));
        }
        system.widen(flow)?;
        if let Some(iterations) = refine_by_gmres(flow, system, (b, x, r), least)? {
            return Ok(Refinement::Gmres(iterations));
        }
    }
    if let Some(why) = system.factorise_wide(flow)? {
        return Ok(Refinement::Singular(why));
    }
    lacpy(flow, Part::Whole, b, x);
    system.solve_wide(flow, x);
    flow.wait()?;
    Ok(Refinement::Factorised)
}

/// Plain refinement; how many steps it took, if it converged.
fn refine_plainly<T: Scalar<Real = f64>>(
    flow: &mut Flow,
    system: &impl System<T>,
    (b, x, r): (&TileMatrix<T>, &TileMatrix<T>, &TileMatrix<T>),
    narrow: &TileMatrix<T::Other>,
    least: f64,
) -> Result<Option<usize>, FlowError> {
    convert(flow, Part::Whole, b, narrow);
    system.solve_narrow(flow, narrow);
    convert(flow, Part::Whole, narrow, x);
    let mut before = f64::INFINITY;
    for steps in 0..=STEPS {
        let excess = residual(flow, system, (b, x, r), least)?;
        // Neither a NaN nor a residual that hardly falls leads anywhere.
        let is_stuck = excess.is_nan() || excess > 1.0 && steps > 1 && excess >= before / 2.0;
        if flow.decide(GMRES, is_stuck) {
            return Ok(None);
        }
        if !flow.decide(STEP, excess > 1.0) {
            return Ok(Some(steps));
        }
        before = excess;
        convert(flow, Part::Whole, r, narrow);
        system.solve_narrow(flow, narrow);
        convert(flow, Part::Whole, narrow, r);
        geadd(flow, Trans::No, T::ONE, r, T::ONE, x);
    }
    Ok(None)
}

/// GMRES on each right-hand side that is not solved for; how many iterations it took, if it
/// converged.
fn refine_by_gmres<T: Scalar<Real = f64>>(
    flow: &mut Flow,
    system: &impl System<T>,
    (b, x, r): (&TileMatrix<T>, &TileMatrix<T>, &TileMatrix<T>),
    least: f64,
) -> Result<Option<usize>, FlowError> {
    let mut iterations = 0;
    lacpy(flow, Part::Whole, b, x);
    system.solve_wide(flow, x);
    for _ in 0..3 {
        let is_solved = residual(flow, system, (b, x, r), least)? <= 1.0;
        if !flow.decide(ROUND, !is_solved) {
            return Ok(Some(iterations));
        }
        system.solve_wide(flow, r);
        let mut corrections = gmres::columns(flow, r)?;
        for column in &mut corrections {
            let vector = TileMatrix::<T>::new(flow, (b.m(), 1), (b.mb(), 1), Storage::Full);
            let product = TileMatrix::<T>::new(flow, (b.m(), 1), (b.mb(), 1), Storage::Full);
            let mut apply = |flow: &mut Flow, v: &[T]| {
                vector.fill_with(flow, |i, _| v[i])?;
                product.fill_with(flow, |_, _| T::ZERO)?;
                system.subtract_product(flow, &vector, &product);
                system.solve_wide(flow, &product);
                let mut found = gmres::columns(flow, &product)?.swap_remove(0);
                found.iter_mut().for_each(|number| *number = -*number);
                Ok(found)
            };
            let (correction, count) = gmres::solve(flow, &mut apply, column, ITERATIONS)?;
            *column = correction;
            iterations += count;
            vector.unregister(flow);
            product.unregister(flow);
        }
        r.fill_with(flow, |i, j| corrections[j][i])?;
        geadd(flow, Trans::No, T::ONE, r, T::ONE, x);
    }
    let is_solved = residual(flow, system, (b, x, r), least)? <= 1.0;
    Ok((!flow.decide(WIDE, !is_solved)).then_some(iterations))
}

/// Sets `R = B - A X`; the largest residual of a column, relative to that of a good solution.
fn residual<T: Scalar<Real = f64>>(
    flow: &mut Flow,
    system: &impl System<T>,
    (b, x, r): (&TileMatrix<T>, &TileMatrix<T>, &TileMatrix<T>),
    least: f64,
) -> Result<f64, FlowError> {
    lacpy(flow, Part::Whole, b, r);
    system.subtract_product(flow, x, r);
    let sizes = |columns: Vec<Vec<T>>| -> Vec<f64> {
        let largest = |column: &Vec<T>| {
            column.iter().fold(0.0, |most: f64, z| if z.size() <= most { most } else { z.size() })
        };
        columns.iter().map(largest).collect()
    };
    let (of_r, of_x) = (sizes(gmres::columns(flow, r)?), sizes(gmres::columns(flow, x)?));
    let excess =
        of_r.iter().zip(&of_x).map(|(&r, &x)| if r == 0.0 { 0.0 } else { r / (least * x) });
    Ok(excess.fold(0.0, |most, excess| if excess <= most { most } else { excess }))
}
