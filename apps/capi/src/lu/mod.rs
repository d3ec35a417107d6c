//! LAPACK's routines for general matrices, by LU factorisation with partial pivoting.

pub mod gesv;
pub mod getrf;
pub mod getri;
pub mod getrs;

use crate::export::Export;

/// The functions of this folder, by routine.
pub(crate) const EXPORTS: &[&[Export]] =
    &[getrf::EXPORTS, getrs::EXPORTS, gesv::EXPORTS, getri::EXPORTS];
