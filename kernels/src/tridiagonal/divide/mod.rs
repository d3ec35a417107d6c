//! Eigenvalues and vectors of a symmetric tridiagonal matrix by divide and conquer.
//!
//! Cuppen (1981): with an entry below the diagonal taken out the matrix is one of two halves plus
//! one of rank one; Gu, Eisenstat, "A divide-and-conquer algorithm for the symmetric tridiagonal
//! eigenproblem", SIAM J. Matrix Anal. Appl. 16 (1995): vectors that are orthogonal to the working
//! precision.

mod flat;
mod join;
mod plan;
mod tasks;

pub use tasks::{Collect, Gather, Join, Leaf, Merge, Plans, Roots, Rotate, Sort, Spread};

use crate::backend::Blas;
use crate::error::NumericalError;
use crate::scalar::Real;
use crate::tile::{TileMut, TileRef};
use crate::tridiagonal::blocks::{Block, blocks};
use crate::tridiagonal::iterate::iterate;
use crate::tridiagonal::solve::order;
use join::Found;
use plan::{Halves, Plan};

/// Rows at which QL iterations take over.
const LEAF: usize = 32;

/// Takes the entry `beta` out of a matrix: what is left on the diagonal on both sides of it.
pub fn tear<R: Real>(above: &mut R, below: &mut R, beta: R) {
    *above -= beta.abs();
    *below -= beta.abs();
}

/// A copy of a tridiagonal matrix with largest entries of modulus one, and by what it was divided.
///
/// # Errors
/// [`NumericalError::NoConvergence`] if an entry is not finite.
///
/// # Panics
/// If there are not as many entries below the diagonal as on it, less one.
pub fn scaled<R: Real>(diagonal: &[R], below: &[R]) -> Result<(Vec<R>, Vec<R>, R), NumericalError> {
    order(diagonal, below)?;
    let size = |largest: R, x: &R| if x.abs() > largest { x.abs() } else { largest };
    let norm = diagonal.iter().chain(below).fold(R::ZERO, size);
    let norm = if norm == R::ZERO { R::ONE } else { norm };
    let over = |x: &[R]| x.iter().map(|&x| x / norm).collect();
    Ok((over(diagonal), over(below), norm))
}

/// Overwrites the diagonal `d` by the eigenvalues in ascending order, and `q` by the vectors.
pub(super) fn divide<R: Real>(
    blas: &dyn Blas<R>,
    d: &mut [R],
    e: &[R],
    mut q: TileMut<'_, R>,
) -> Result<(), NumericalError> {
    let n = d.len();
    if n <= LEAF {
        return leaf(d, e, q);
    }
    let cut = n / 2;
    let beta = e[cut - 1];
    let sizes = [cut, n - cut];
    let (upper, lower) = d.split_at_mut(cut);
    tear(&mut upper[cut - 1], &mut lower[0], beta);
    let [mut q1, mut q2] = sizes.map(|n| vec![R::ZERO; n * n]);
    divide(blas, upper, &e[..cut - 1], TileMut::new(&mut q1, cut, cut))?;
    divide(blas, lower, &e[cut..], TileMut::new(&mut q2, n - cut, n - cut))?;
    let [q1, q2] = [TileRef::new(&q1, cut, cut), TileRef::new(&q2, n - cut, n - cut)];
    let first: Vec<R> = (0..cut).map(|j| q1.at(cut - 1, j)).collect();
    let second: Vec<R> = (0..n - cut).map(|j| q2.at(0, j)).collect();
    let plan = Plan::new(Halves { values: [upper, lower], edges: [&first, &second], beta });
    let kept = plan.d.len();
    let mut found = Found { beyond: vec![R::ZERO; kept], exact: vec![R::ONE; kept] };
    plan.find(0, &mut found.beyond, &mut found.exact);
    plan.secular().exact(&mut found.exact);
    let (values, order): (Vec<R>, Vec<u32>) = plan.sorted(&found.beyond).into_iter().unzip();
    d.copy_from_slice(&values);
    let mut rooms = sizes.map(|rows| vec![R::ZERO; rows * n]);
    let starts = [0, cut];
    for (side, half) in [q1, q2].into_iter().enumerate() {
        let mut to = TileMut::new(&mut rooms[side], sizes[side], n);
        plan.gather(side, starts[side], half, &mut to);
        let foreign = if side == 0 { cut..n } else { 0..cut };
        plan.rotate(side, foreign, &mut to);
    }
    let gathered = [0, 1].map(|side| TileRef::new(&rooms[side], sizes[side], n));
    plan.multiply(blas, &found, &order, gathered, q.reborrow());
    Ok(())
}

/// A small matrix, by its diagonal blocks.
fn leaf<R: Real>(d: &mut [R], e: &[R], mut q: TileMut<'_, R>) -> Result<(), NumericalError> {
    let n = d.len();
    let mut found: Vec<(R, usize, Vec<R>)> = Vec::with_capacity(n);
    for block in blocks(d, e) {
        let Block { first, diagonal, below, norm } = block;
        let order = diagonal.len();
        let mut vectors = vec![0.0; order * order];
        vectors.iter_mut().step_by(order + 1).for_each(|x| *x = 1.0);
        let (mut values, mut below) = (diagonal, below);
        iterate(&mut values, &mut below, &mut vectors)?;
        let rounded = |x: &[f64]| x.iter().map(|&x| R::of_f64(x)).collect();
        let vectors = vectors.chunks_exact(order).map(rounded);
        let values = values.into_iter().map(|value| R::of_f64(value * norm));
        found.extend(values.zip(vectors).map(|(value, x)| (value, first, x)));
    }
    found.sort_by(|x, y| x.0.partial_cmp(&y.0).expect("finite values"));
    for (j, (value, first, vector)) in found.into_iter().enumerate() {
        d[j] = value;
        let column = q.col_mut(j).expect("adjacent rows");
        column.fill(R::ZERO);
        column[first..][..vector.len()].copy_from_slice(&vector);
    }
    Ok(())
}
