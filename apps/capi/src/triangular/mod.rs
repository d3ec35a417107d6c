//! LAPACK's routines for triangular matrices.

pub mod lauum;
pub mod trtri;
pub mod trtrs;

use crate::export::Export;

/// The functions of this folder, by routine.
pub(crate) const EXPORTS: &[&[Export]] = &[lauum::EXPORTS, trtri::EXPORTS, trtrs::EXPORTS];
