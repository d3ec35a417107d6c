//! A Hermitian matrix reduced to tridiagonal form in one stage: `A = Q T Q^H`, a column at a time,
//! half of the flops in products of the matrix with a vector and half in products of matrices.
//!
//! Dongarra, Hammarling, Sorensen, "Block reduction of matrices to condensed forms for eigenvalue
//! computations", J. Comput. Appl. Math. 27 (1989), as LAPACK's `latrd` and `sytrd`: in a panel the
//! reflectors `V` and the vectors `W` are gathered by which what is left becomes
//! `A - V W^H - W V^H`.

mod panel;
mod reduce;
mod shares;
mod tasks;

pub(crate) use reduce::{Tridiagonal, tridiagonalise};
pub use shares::{BlockColumn, PARTS, Shares};
pub use tasks::{Close, Column, Multiply, Place, Stored, Update};
