//! LAPACK's solves with factors in 32 bits and refinement in 64: `dsgesv`, `dsposv`, `zcgesv`,
//! `zcposv`.

pub mod gesv;
pub mod posv;
mod refine;

use crate::export::Export;

/// The functions of this folder, by routine.
pub(crate) const EXPORTS: &[&[Export]] = &[gesv::EXPORTS, posv::EXPORTS];
