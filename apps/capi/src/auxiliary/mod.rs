//! LAPACK's auxiliary routines on whole matrices: norms, copies, constants, factors, exchanges of
//! rows.

pub mod lacpy;
pub mod lascl;
pub mod laset;
pub mod laswp;
pub mod norms;

use crate::check::Letter;
use crate::export::Export;
use tegula_kernels::option::Part;

/// The functions of this folder, by routine.
pub(crate) const EXPORTS: &[&[Export]] =
    &[norms::EXPORTS, lacpy::EXPORTS, laset::EXPORTS, laswp::EXPORTS, lascl::EXPORTS];

/// The triangle that a letter names; any other letter means the whole.
fn part(uplo: Letter) -> Part {
    match uplo {
        uplo if uplo.is(b'U') => Part::Upper,
        uplo if uplo.is(b'L') => Part::Lower,
        _ => Part::Whole,
    }
}

/// A size or leading dimension of a routine that checks nothing: a negative one is none.
fn count(size: i32) -> usize {
    usize::try_from(size).unwrap_or(0)
}
