//! LAPACK's routines for QR and LQ factorisations and least squares.

pub mod gels;
pub mod geqrf;
pub mod orgqr;
pub mod ormqr;
pub(crate) mod scaling;

use tegula_kernels::option::Storev;
use tegula_kernels::scalar::Scalar;

use crate::array::{Array, Matrix};
use crate::check::{Checked, Wrong, answer};
use crate::export::Export;
use crate::run::panel;

/// The functions of this folder, by routine.
pub(crate) const EXPORTS: &[&[Export]] =
    &[geqrf::EXPORTS, orgqr::EXPORTS, ormqr::EXPORTS, gels::EXPORTS];

/// Reflectors in an array and their factors.
#[derive(Clone, Copy)]
struct Reflectors<T> {
    storev: Storev,
    /// The matrix that holds them.
    a: Matrix<T>,
    tau: Array<T>,
    /// How many there are.
    count: usize,
}

impl<T: Scalar> Reflectors<T> {
    /// The factors as a column.
    fn factors(&self) -> Matrix<T> {
        self.tau.matrix(self.count, 1, self.count)
    }

    /// Length of a reflector, and how many the matrix has room for.
    fn shape(&self) -> (usize, usize) {
        self.storev.stored(self.a.rows, self.a.cols)
    }

    /// The width of blocks, and the tile of blocks of `width` vectors of `length` entries.
    fn tiling(&self) -> (usize, (usize, usize)) {
        let (m, n) = self.shape();
        let width = panel(m, n);
        (width, self.storev.stored(m, width))
    }
}

/// What `work` is: a workspace of the size that is needed, or a question for it, which is answered.
///
/// Argument `place`, the size, is wrong if it is less than `least`. Nothing in `work` is used: the
/// algorithms have room of their own.
pub(crate) fn is_query<T: Scalar>(
    place: i32,
    work: Array<T>,
    lwork: i32,
    least: usize,
) -> Checked<bool> {
    let enough = usize::try_from(lwork).is_ok_and(|size| size >= least.max(1));
    if lwork != -1 && !enough {
        return Err(Wrong(place));
    }
    work.set(0, answer(least.max(1)));
    Ok(lwork == -1)
}
