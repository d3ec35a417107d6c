//! The C interface to tile matrices: a context with workers, matrices in tiles, and routines on
//! them.

pub mod cholesky;
pub mod context;
pub mod copies;
pub mod lu;
pub mod matrix;
pub mod pivots;
pub mod products;
pub mod qr;
pub mod triangular;

use tegula_kernels::option::Trans;
use tegula_tiles::TileMatrix;

use crate::export::Export;
use matrix::Entry;

/// The functions of this folder.
pub(crate) const EXPORTS: &[&[Export]] = &[
    context::EXPORTS,
    matrix::EXPORTS,
    copies::EXPORTS,
    products::EXPORTS,
    triangular::EXPORTS,
    cholesky::EXPORTS,
    pivots::EXPORTS,
    lu::EXPORTS,
    qr::EXPORTS,
];

/// Sizes of a matrix and of its tiles along one edge.
type Edge = (usize, usize);

/// Rows and columns of `op(a)`.
fn edges<T: Entry>(a: &TileMatrix<T>, trans: Trans) -> (Edge, Edge) {
    let (rows, columns) = ((a.m(), a.mb()), (a.n(), a.nb()));
    if trans == Trans::No { (rows, columns) } else { (columns, rows) }
}

fn is_square<T: Entry>(a: &TileMatrix<T>) -> bool {
    (a.m(), a.mb()) == (a.n(), a.nb())
}
