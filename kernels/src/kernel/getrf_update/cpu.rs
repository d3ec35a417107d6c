//! The update by a backend.

use super::GetrfUpdate;
use crate::backend::Blas;
use crate::backend::pivoting::exchange_rows;
use crate::option::{Diag, Triangle, Uplo};
use crate::packed::{PackedMut, PackedRef, PackedShape};
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};
use crate::workspace::with_room;

impl<T: Scalar> GetrfUpdate<T> {
    /// Computes with `blas`; `packed` are the rows of the panel under its triangle, which then is
    /// all of `panel`.
    ///
    /// # Panics
    /// If the shapes do not agree.
    #[inline(never)]
    pub fn compute(
        &self,
        blas: &dyn Blas<T>,
        panel: TileRef<'_, T>,
        pivots: &[u32],
        packed: Option<PackedRef<'_, T>>,
        mut column: TileMut<'_, T>,
    ) {
        let &Self { m, n, first, .. } = self;
        let steps = self.steps();
        exchange_rows(&mut column, first, pivots);
        let (mut u, below) = column.part(first, 0, m - first, n).split_rows(steps);
        let above = if packed.is_some() { 0 } else { first };
        let l = Triangle::new(panel.part(above, 0, steps, steps), Uplo::Lower, Diag::Unit);
        let Some(packed) = packed else {
            blas.trsm(l, T::ONE, u.reborrow());
            let l2 = panel.part(first + steps, 0, m - first - steps, steps);
            return blas.gemm(-T::ONE, l2, u.as_ref(), T::ONE, below);
        };
        let shape = PackedShape { rows: n, cols: steps, height: packed.shape().height };
        with_room(shape.elements(), |room| {
            blas.trsm_packed(l, u, PackedMut::new(room, shape));
            blas.gemm_packed(-T::ONE, packed, PackedRef::new(room, shape), T::ONE, below);
        });
    }
}
