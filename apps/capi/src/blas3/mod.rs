//! BLAS's routines on matrices alone (level 3).

pub mod gemm;
pub mod symm;
pub mod syr2k;
pub mod syrk;
pub mod triangular;

use crate::export::Export;

/// The functions of this folder, by routine.
pub(crate) const EXPORTS: &[&[Export]] =
    &[gemm::EXPORTS, symm::EXPORTS, syr2k::EXPORTS, syrk::EXPORTS, triangular::EXPORTS];
