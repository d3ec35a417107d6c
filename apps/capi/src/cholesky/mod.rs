//! LAPACK's routines for matrices with a Cholesky factorisation.

pub mod posv;
pub mod potrf;
pub mod potri;
pub mod potrs;

use crate::export::Export;

/// The functions of this folder, by routine.
pub(crate) const EXPORTS: &[&[Export]] =
    &[potrf::EXPORTS, potri::EXPORTS, potrs::EXPORTS, posv::EXPORTS];
