//! `libtegula.so`: BLAS's, LAPACK's and ScaLAPACK's routines under their Fortran names, on the
//! tiled algorithms.
//!
//! A program that calls LAPACK runs on it without a change: linked before its LAPACK, or with
//! `LD_PRELOAD`. Each routine checks its arguments as the reference does and works in
//! place on the caller's arrays; small problems are solved on the calling thread, large ones in
//! tiles on all workers.

mod array;
pub mod auxiliary;
pub mod blas3;
mod check;
pub mod cholesky;
pub mod eigen;
mod export;
pub mod header;
pub mod kind;
pub mod lu;
pub mod mixed;
pub mod native;
mod option;
mod process;
pub mod qr;
mod run;
pub mod scalapack;
pub mod svd;
pub mod triangular;
mod xerbla;

pub use export::Export;

/// The functions with Fortran names.
pub fn lapack_exports() -> impl Iterator<Item = &'static Export> {
    let families = [
        blas3::EXPORTS,
        lu::EXPORTS,
        qr::EXPORTS,
        cholesky::EXPORTS,
        triangular::EXPORTS,
        mixed::EXPORTS,
        eigen::EXPORTS,
        svd::EXPORTS,
        auxiliary::EXPORTS,
    ];
    families.into_iter().flatten().copied().flatten()
}

/// The functions with the names of ScaLAPACK and PBLAS.
pub fn scalapack_exports() -> impl Iterator<Item = &'static Export> {
    scalapack::EXPORTS.iter().copied().flatten()
}

/// The functions of the C interface to tile matrices.
pub fn native_exports() -> impl Iterator<Item = &'static Export> {
    native::EXPORTS.iter().copied().flatten()
}
