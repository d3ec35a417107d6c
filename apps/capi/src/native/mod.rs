//! The C interface to tile matrices: a context with workers, matrices in tiles, and routines on them.

pub mod context;
pub mod copies;
pub mod matrix;
pub mod routines;

use crate::export::Export;

/// The functions of this folder.
pub(crate) const EXPORTS: &[&[Export]] =
    &[context::EXPORTS, matrix::EXPORTS, copies::EXPORTS, routines::EXPORTS];
