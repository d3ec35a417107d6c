//! The way back: vectors of the condensed matrix become those of the band and then of the matrix,
//! by the reflectors of the two stages, each block column of vectors for itself.

use std::marker::PhantomData;

use tegula_kernels::kernel::ungtr_hb2st::UngtrHb2st;
use tegula_kernels::kernel::unmqr::Unmqr;
use tegula_kernels::kernel::unmtr_hb2st::UnmtrHb2st;
use tegula_kernels::option::{Side, Storev, Trans};
use tegula_kernels::scalar::Scalar;
use tegula_kernels::tridiagonal::Waves;
use tegula_runtime::flow::Access::{R, RW, W};
use tegula_runtime::flow::Flow;
use tegula_tiles::TileMatrix;

use super::Panel;

/// Vectors in block columns, which may have more rows than the condensed matrix.
pub(crate) struct Back<'a, T> {
    pub(crate) z: &'a TileMatrix<T>,
}

impl<T: Scalar> Back<'_, T> {
    /// Submits the product of the reflectors of the first stage, those of the second if there was
    /// one, and the vectors; the last reflectors meet the vectors first. Takes the reflectors
    /// apart.
    pub(crate) fn multiply(
        &self,
        flow: &mut Flow,
        chased: Option<(Waves, Vec<Vec<T>>)>,
        panels: Vec<Panel>,
    ) {
        if let Some((waves, reflectors)) = chased {
            self.chased(flow, waves, reflectors);
        }
        for panel in panels.into_iter().rev() {
            for j in 0..self.z.nt() {
                let accesses = [(panel.v, R), (panel.t, R), (self.z.tile(0, j), RW)];
                flow.submit(self.product(panel, j), &accesses, 0);
            }
            panel.retire(flow);
        }
    }

    fn chased(&self, flow: &mut Flow, waves: Waves, reflectors: Vec<Vec<T>>) {
        let rows = self.z.m();
        for (group, v) in reflectors.into_iter().enumerate().rev() {
            let v = flow.register_from(&v);
            let (order, columns) = waves.multiplied_out(group);
            let q = flow.register(order * columns * size_of::<T>());
            let blocks = UngtrHb2st::<T> { waves, group, scalar: PhantomData };
            flow.submit(blocks, &[(v, R), (q, W)], 1);
            flow.retire(v);
            for j in 0..self.z.nt() {
                let m = self.z.tile_columns(j);
                let product = UnmtrHb2st::<T> { waves, group, rows, m, scalar: PhantomData };
                flow.submit(product, &[(q, R), (self.z.tile(0, j), RW)], 0);
            }
            flow.retire(q);
        }
    }

    fn product(&self, panel: Panel, j: usize) -> Unmqr<T> {
        let (m, n) = (self.z.m(), self.z.tile_columns(j));
        let Panel { storev, order, offset, width, count, .. } = panel;
        // The block that takes rows to a triangle from the right is the adjoint of what they store.
        let trans = if storev == Storev::Columns { Trans::No } else { Trans::Conj };
        let (side, k, offset, scalar) = (Side::Left, count, offset as u32, PhantomData);
        Unmqr { side, trans, storev, m, n, order, width, k, offset, scalar }
    }
}
