//! The laying out, strip by strip; what is general in it goes by whole columns or rows.

use super::{LayOut, Structure};
use crate::scalar::Scalar;
use crate::strips::StripsMut;
use crate::tile::TileRef;

impl<T: Scalar> LayOut<T> {
    /// Lays `a` out.
    ///
    /// # Panics
    /// If the shapes do not agree.
    pub fn compute(&self, a: TileRef<'_, T>, mut strips: StripsMut<'_, T>) {
        match self.structure {
            Structure::General => strips.lay_out(self.trans.of(a)),
            Structure::Symmetric(..) | Structure::Triangular(..) => {
                strips.fill_with(|i, j| self.entry(a, i, j));
            }
        }
    }
}
