//! The norm of a single tile by the definition.

use super::{Norm, NormShare};
use crate::kernel::pack::Structure;
use crate::option::{Diag, Form};
use crate::scalar::Scalar;
use crate::tile::TileRef;

impl<T: Scalar> NormShare<T> {
    /// The norm of what `a` stands for, in double precision.
    #[must_use]
    pub fn reference(&self, a: TileRef<'_, T>) -> f64 {
        let size = |i, j| entry(self.structure, a, (i, j)).size();
        let column = |j| (0..self.m).map(|i| size(i, j)).sum::<f64>();
        let row = |i| (0..self.n).map(|j| size(i, j)).sum::<f64>();
        let all = || (0..self.n).flat_map(|j| (0..self.m).map(move |i| (i, j)));
        let largest = |values: &mut dyn Iterator<Item = f64>| {
            values.fold(0.0, |max, x| if x > max || x.is_nan() { x } else { max })
        };
        match self.norm {
            Norm::Max => largest(&mut all().map(|(i, j)| size(i, j))),
            Norm::One => largest(&mut (0..self.n).map(column)),
            Norm::Infinity => largest(&mut (0..self.m).map(row)),
            Norm::Frobenius => {
                let squares: f64 = all().map(|(i, j)| size(i, j).powi(2)).sum();
                (if self.twice { 2.0 * squares } else { squares }).sqrt()
            }
        }
    }
}

/// An entry of what `a` stands for.
pub(in crate::kernel) fn entry<T: Scalar>(
    structure: Structure,
    a: TileRef<'_, T>,
    (i, j): (usize, usize),
) -> T {
    match structure {
        Structure::General => a.at(i, j),
        Structure::Symmetric(Form::Hermitian, _) if i == j => T::from_real(a.at(i, i).re()),
        Structure::Symmetric(_, uplo) if uplo.holds(i, j) => a.at(i, j),
        Structure::Symmetric(Form::Hermitian, _) => a.at(j, i).conj(),
        Structure::Symmetric(Form::Symmetric, _) => a.at(j, i),
        Structure::Triangular(_, Diag::Unit) if i == j => T::ONE,
        Structure::Triangular(uplo, _) if uplo.holds(i, j) => a.at(i, j),
        Structure::Triangular(..) => T::ZERO,
    }
}
