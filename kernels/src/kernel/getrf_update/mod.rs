//! Update of a column of blocks by a panel of an LU factorization with partial pivoting.
//!
//! Shapes: the panel is the rows from `first` on of an `m x k` tile, the column an `m x n` tile.
//! With `s = min(m - first, k)` steps of the panel, rows of the column change places as `pivots`
//! say, then its rows `U` from `first` to `first + s` become `inv(L1) U` and the rows `B` below
//! `B - L2 U`, where `L1` is the unit lower triangle in the panel's first `s` rows and `L2` what is
//! below. Cannot fail. Source: Golub, Van Loan, "Matrix computations", 3.4; flops as in LAWN 41.

mod cpu;
mod cuda;
mod list_entry;
mod reference;
#[cfg(test)]
mod trial;

use std::marker::PhantomData;

use tegula_runtime::flow::{Access, Buffers, Codelet, Cost, Failure, Launch};

use crate::backend;
use crate::kernel::bytes;
use crate::packed::{PackedRef, PackedShape};
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

pub(crate) use cuda::SOURCE;
pub(super) use list_entry::ListEntry;

/// The update with its arguments; buffers `[panel: R, pivots: R, packed: R, column: RW]`, of which
/// `pivots` are `u32` and `packed` holds nothing, or the rows of the panel under its triangle; the
/// panel is then that triangle alone, an `s x k` tile.
#[derive(Clone, Copy, Debug)]
pub struct GetrfUpdate<T> {
    /// Rows of both tiles.
    pub m: usize,
    /// Columns of the tile that is updated.
    pub n: usize,
    /// Columns of the panel.
    pub k: usize,
    /// First row of the panel.
    pub first: usize,
    /// Rows of a micro-panel; without, the panel is read as it is.
    pub height: Option<usize>,
    /// The precision.
    pub scalar: PhantomData<T>,
}

impl<T: Scalar> GetrfUpdate<T> {
    /// Steps of the panel.
    #[must_use]
    pub fn steps(&self) -> usize {
        (self.m - self.first).min(self.k)
    }

    /// Shape of the packed rows, if they are packed.
    #[must_use]
    pub fn packed(&self) -> Option<PackedShape> {
        let (cols, rows) = (self.steps(), self.m - self.first - self.steps());
        self.height.map(|height| PackedShape { rows, cols, height })
    }
}

impl<T: Scalar> Codelet for GetrfUpdate<T> {
    const NAME: &'static str = "getrf_update";
    const ACCESS: &'static [Access] = &[Access::R, Access::R, Access::R, Access::RW];

    fn cost(&self) -> Cost {
        let (s, n, rows) = (self.steps() as f64, self.n as f64, (self.m - self.first) as f64);
        let below = rows - s;
        let read = (self.m - self.first) * self.k;
        let bytes = bytes::<T>(&[read, 2 * (self.m - self.first) * self.n]);
        Cost { flops: s * s * n + 2.0 * below * s * n, bytes }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let packed = self.packed().map(|shape| PackedRef::of(buffers, 2, shape));
        let rows = if packed.is_some() { self.steps() } else { self.m };
        let panel = TileRef::of(buffers, 0, rows, self.k);
        let column = TileMut::of(buffers, 3, self.m, self.n);
        self.compute(T::blas(backend::current()), panel, buffers.read(1), packed, column);
        Ok(())
    }

    const HAS_CUDA: bool = true;

    fn cuda(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        self.launch(launch)
    }
}
