//! Arithmetic on one tile or panel, on one CPU core: dense linear algebra, special functions,
//! covariances.
//!
//! Kernels compute on borrowed views ([`tile`], and [`packed`] for operands that many products
//! read) and are generic over the precision ([`scalar`]); the leaf arithmetic comes from the
//! [`backend`] of the process.

pub mod backend;
pub mod batch;
pub mod bidiagonal;
pub mod cuda;
pub mod dense;
pub mod element;
pub mod error;
pub mod geometry;
mod householder;
pub mod kernel;
pub mod option;
pub mod packed;
pub mod scalar;
mod secular;
pub mod sparse;
pub mod special;
pub mod tile;
pub mod tridiagonal;
mod workspace;
