//! A group of the reflectors that chased a band, multiplied out block by block: `Q = I - V T V^H`.
//!
//! Shapes: `V` holds the blocks of the group as [`Waves::stored`] says: the reflectors of each
//! below its diagonal, their factors in the last row. Writes the blocks as
//! [`Waves::multiplied_out`] says, each a unitary matrix; what is beside one that has fewer rows is
//! arbitrary. Cannot fail; NaN passes through. On cores only. Source: as `larft` and `ungqr`. A
//! product with such a block takes as many flops as one with its reflectors if these are half as
//! many as its rows, and is one product instead of five.

mod cpu;
mod list_entry;
mod reference;
#[cfg(test)]
mod trial;

use std::marker::PhantomData;

use tegula_runtime::flow::{Access, Buffers, Codelet, Cost, Failure};

use crate::backend;
use crate::kernel::{bytes, product};
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};
use crate::tridiagonal::Waves;

pub(super) use list_entry::ListEntry;

/// The multiplication with its arguments; buffers `[V: R, Q: W]`.
#[derive(Clone, Copy, Debug)]
pub struct UngtrHb2st<T> {
    /// How reflectors are gathered.
    pub waves: Waves,
    /// Which group.
    pub group: usize,
    /// The precision.
    pub scalar: PhantomData<T>,
}

impl<T: Scalar> Codelet for UngtrHb2st<T> {
    const NAME: &'static str = "ungtr_hb2st";
    const ACCESS: &'static [Access] = &[Access::R, Access::W];

    fn cost(&self) -> Cost {
        let (order, columns) = self.waves.multiplied_out(self.group);
        let (rows, reflectors) = self.waves.stored(self.group);
        let flops = 2.0 * product(&[order, order, reflectors]);
        Cost { flops, bytes: bytes::<T>(&[rows * reflectors, order * columns]) }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let (rows, columns) = self.waves.stored(self.group);
        let v = TileRef::of(buffers, 0, rows, columns);
        let (order, columns) = self.waves.multiplied_out(self.group);
        self.compute(T::blas(backend::current()), v, TileMut::of(buffers, 1, order, columns));
        Ok(())
    }
}
