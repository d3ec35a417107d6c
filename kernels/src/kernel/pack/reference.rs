//! The packing by the definition.

use super::{Pack, Structure};
use crate::option::{Diag, Form};
use crate::scalar::Scalar;
use crate::tile::TileRef;

impl<T: Scalar> Pack<T> {
    /// Entry `(i, j)` of the matrix that `op(A)` stands for.
    #[must_use]
    pub fn entry(&self, a: TileRef<'_, T>, i: usize, j: usize) -> T {
        let a = self.trans.of(a);
        match self.structure {
            Structure::General => a.at(i, j),
            Structure::Symmetric(Form::Hermitian, _) if i == j => T::from_real(a.at(i, i).re()),
            Structure::Symmetric(form, uplo) => {
                if uplo.holds(i, j) {
                    a.at(i, j)
                } else {
                    form.mirror().of(a).at(i, j)
                }
            }
            Structure::Triangular(_, Diag::Unit) if i == j => T::ONE,
            Structure::Triangular(uplo, _) if !uplo.holds(i, j) => T::ZERO,
            Structure::Triangular(..) => a.at(i, j),
        }
    }
}
