//! A task on a band of a panel: its rows times factors.

use tegula_runtime::flow::Access::{self, R, RW};
use tegula_runtime::flow::{Buffers, Codelet, Cost, Failure, Flow, Handle};
use tegula_tiles::TileMatrix;

/// `x_i = factor_i x_i` for the rows of a band; buffers `[factors: R, X: RW]`.
#[derive(Clone, Copy, Debug)]
struct ScaleBand {
    rows: usize,
    columns: usize,
}

impl Codelet for ScaleBand {
    const NAME: &'static str = "scale-band";
    const ACCESS: &'static [Access] = &[R, RW];

    fn cost(&self) -> Cost {
        let entries = (self.rows * self.columns) as f64;
        Cost { flops: entries, bytes: 16.0 * entries }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let (factors, x) = (buffers.read::<f64>(0), buffers.write::<f64>(1));
        for column in x.chunks_exact_mut(self.rows) {
            column.iter_mut().zip(factors).for_each(|(x, factor)| *x *= factor);
        }
        Ok(())
    }
}

/// Submits the scaling of the rows of `x` by `factors`, a buffer for each band.
pub(super) fn scale(flow: &mut Flow, factors: &[Handle], x: &TileMatrix<f64>) {
    for (band, &handle) in factors.iter().enumerate() {
        let task = ScaleBand { rows: x.tile_rows(band), columns: x.n() };
        flow.submit(task, &[(handle, R), (x.tile(band, 0), RW)], 0);
    }
}
