//! Product with a group of the reflectors that took a band to tridiagonal form, `C = Q C`.
//!
//! Shapes: `C` is `rows x m`, of which the first `n` rows count; `Q` holds the blocks of the group
//! multiplied out, as [`Waves::multiplied_out`] says and `ungtr_hb2st` makes them. Reads them,
//! overwrites the rows of `C` from the group's first on. Cannot fail; NaN passes through. Source:
//! Haidar, Ltaief, Dongarra, "Parallel reduction to condensed forms for symmetric eigenvalue
//! problems using aggregated fine-grained and memory-aware kernels", SC 2011: blocks of one group
//! further down the matrix stand to the left, since those that meet do so in that order.

mod cpu;
mod cuda;
mod list_entry;
mod reference;
#[cfg(test)]
mod trial;

use std::marker::PhantomData;

use tegula_runtime::flow::{Access, Buffers, Codelet, Cost, Failure, Launch};

use crate::backend;
use crate::kernel::{bytes, product};
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};
use crate::tridiagonal::Waves;

pub(super) use list_entry::ListEntry;
#[cfg(test)]
pub(super) use trial::chased;

/// The product with its arguments; buffers `[Q: R, C: RW]`.
#[derive(Clone, Copy, Debug)]
pub struct UnmtrHb2st<T> {
    /// How reflectors are gathered.
    pub waves: Waves,
    /// Which group.
    pub group: usize,
    /// Rows of `C`, at least the order.
    pub rows: usize,
    /// Columns of `C`.
    pub m: usize,
    /// The precision.
    pub scalar: PhantomData<T>,
}

impl<T: Scalar> Codelet for UnmtrHb2st<T> {
    const NAME: &'static str = "unmtr_hb2st";
    const ACCESS: &'static [Access] = &[Access::R, Access::RW];

    fn cost(&self) -> Cost {
        let (order, columns) = self.waves.multiplied_out(self.group);
        let reached = self.waves.n.saturating_sub(1 + self.group * self.waves.group);
        let flops = 2.0 * product(&[order, columns, self.m]);
        Cost { flops, bytes: bytes::<T>(&[order * columns, 2 * reached * self.m]) }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let (order, columns) = self.waves.multiplied_out(self.group);
        let q = TileRef::of(buffers, 0, order, columns);
        let c = TileMut::of(buffers, 1, self.rows, self.m);
        self.compute(T::blas(backend::current()), q, c);
        Ok(())
    }

    const HAS_CUDA: bool = true;

    fn cuda(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        self.launch(launch)
    }
}
