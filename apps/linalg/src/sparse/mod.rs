//! Sparse QR factorisation by fronts, and least squares with it.
//!
//! [`Analysis::new`] orders the columns of a sparse matrix and finds the fronts of its
//! factorisation, their tree, operations and memory, without looking at a number. [`sparse_qr`]
//! walks through the tree and submits the tasks of each front, [`sparse_gels`] solves with what
//! they leave. Duff, Reid, "The multifrontal solution of indefinite sparse symmetric linear", ACM
//! Trans. Math. Softw. 9 (1983); Matstoms, "Sparse QR factorization in MATLAB", ACM Trans. Math.
//! Softw. 20 (1994); Buttari (2013) and Davis (2011) as their modules say.
//!
//! `Q` is not kept: right-hand sides go along with the factorisation as further columns. Tasks, and
//! the order of the operations in each, depend on the matrix alone, so that any number of workers
//! gives the same bits.

mod analysis;
mod colamd;
mod contexts;
mod cube;
mod dense;
mod factor;
mod gels;
mod groups;
mod ordering;
mod plan;
mod supernodes;
mod tasks;
#[cfg(test)]
mod tests;
mod tree;
mod walk;

use std::sync::Arc;

use tegula_kernels::scalar::Scalar;
use tegula_kernels::sparse::SparseMatrix;
use tegula_runtime::flow::{Flow, FlowError};
use tegula_runtime::sched::contexts::ContextError;

pub use analysis::Analysis;
pub use contexts::Bundles;
use contexts::Jobs;
pub use cube::laplacian_of_cube;
pub use factor::{RankFindings, SparseR};
pub use gels::{Factored, LeastSquares, Residual, SparseGelsError, is_adjoint, sparse_gels};
pub use ordering::{ORDERINGS, Ordering};
use plan::{Cut, Opened, Plan};
use walk::Walk;

/// Columns of a tile of a large front, unless told otherwise.
pub const TILE_COLUMNS: usize = 192;

/// The tolerance for diagonal entries of `R` below which the rank of `a` is taken to be less than
/// its number of columns: `20 (m + n) eps` times the largest norm of a column (Davis 2011, section
/// 2.4).
#[must_use]
pub fn rank_tolerance<T: Scalar>(a: &SparseMatrix<T>) -> f64 {
    20.0 * (a.m() + a.n()) as f64 * T::epsilon() * a.largest_column_norm()
}

/// Factorises `a` as `analysis` says, `A P = Q R`, large fronts in tiles of `nb` columns, and waits
/// for it. Along with it `b`, `nrhs` right-hand sides column by column (`m x nrhs`), becomes
/// `Q^H B`, of which the rows that belong to `R` are kept.
///
/// A matrix of lower rank has an `R` too, with zeros on its diagonal or what rounding makes of
/// them: see [`SparseR::rank`].
///
/// # Errors
/// If there is no memory for it, or a task submitted before failed.
///
/// # Panics
/// If `a` is not the matrix that was analysed, `b` has another length, or `nb` is zero.
pub fn sparse_qr<T: Scalar>(
    flow: &mut Flow,
    analysis: &Arc<Analysis>,
    a: &SparseMatrix<T>,
    (b, nrhs): (&[T], usize),
    nb: usize,
) -> Result<SparseR<T>, FlowError> {
    let plan = Plan::new(analysis, a, (b, nrhs), Cut::into_columns(nb));
    factorise(flow, plan, &Jobs::default())
}

/// As [`sparse_qr`], each subtree of a layer in a scheduling context of its share of the workers,
/// and what is above the layer in that of all: data of a subtree stays with its workers. `flow` has
/// contexts; the result is the same to the last bit.
///
/// # Errors
/// As [`sparse_qr`], and if a context cannot be made.
///
/// # Panics
/// As [`sparse_qr`].
pub fn sparse_qr_in_contexts<T: Scalar>(
    flow: &mut Flow,
    analysis: &Arc<Analysis>,
    a: &SparseMatrix<T>,
    (b, nrhs): (&[T], usize),
    (nb, bundles): (usize, &Bundles),
) -> Result<SparseR<T>, SparseContextError> {
    let jobs = Jobs::new(flow, analysis, bundles)?;
    let plan = Plan::new(analysis, a, (b, nrhs), Cut::into_columns(nb));
    Ok(factorise(flow, plan, &jobs)?)
}

/// Why there is no factorisation in contexts.
#[derive(Debug, thiserror::Error)]
pub enum SparseContextError {
    /// A context cannot be made.
    #[error(transparent)]
    Context(#[from] ContextError),
    /// Tasks failed.
    #[error(transparent)]
    Flow(#[from] FlowError),
}

/// Runs a planned factorisation.
fn factorise<T: Scalar>(
    flow: &mut Flow,
    plan: Plan<T>,
    jobs: &Jobs,
) -> Result<SparseR<T>, FlowError> {
    let parts = plan.parts();
    let opened = Opened::new(plan);
    Walk::new(&opened).submit(flow, &parts, jobs);
    jobs.close(flow);
    flow.wait()?;
    Ok(SparseR::collect(&mut opened.close(), &parts))
}
