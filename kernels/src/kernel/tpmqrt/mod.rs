//! Product with the reflectors of a triangle above a tile: `[C1; C2] = op(Q) [C1; C2]`.
//!
//! Shapes: `V` (`m x k`, of a triangle only that) and the triangles `T` (`min(ib, k) x k`) are
//! those that `tpqrt` has made; `C1` is the first `k` rows of a tile of `top x n`, `C2` is `m x n`.
//! Overwrites both. Known as `tsmqr` and `ttmqr`. Cannot fail. Source: LAPACK's `tpmqrt`; Buttari,
//! Langou, Kurzak, Dongarra, Parallel Computing 35 (2009).

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
use crate::option::{Below, Trans};
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

pub(super) use list_entry::ListEntry;

/// The product with its arguments; buffers `[V: R, T: R, C1: RW, C2: RW]`.
#[derive(Clone, Copy, Debug)]
pub struct Tpmqrt<T> {
    /// What of `V` counts.
    pub below: Below,
    /// `No`, or `Conj` for the conjugate transpose.
    pub trans: Trans,
    /// Rows of the tile with `C1`.
    pub top: usize,
    /// Rows of `V` and `C2`.
    pub m: usize,
    /// Columns of `C1` and `C2`.
    pub n: usize,
    /// Number of reflectors.
    pub k: usize,
    /// Reflectors of a block.
    pub ib: usize,
    /// The precision.
    pub scalar: PhantomData<T>,
}

impl<T: Scalar> Codelet for Tpmqrt<T> {
    const NAME: &'static str = "tpmqrt";
    const ACCESS: &'static [Access] = &[Access::R, Access::R, Access::RW, Access::RW];

    fn cost(&self) -> Cost {
        let &Self { m, n, k, .. } = self;
        let share = if self.below == Below::Square { 4.0 } else { 2.0 };
        let flops = share * product(&[m, n, k]);
        Cost { flops, bytes: bytes::<T>(&[m * k, 2 * (k + m) * n]) }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let &Self { top, m, n, k, ib, .. } = self;
        let v = TileRef::of(buffers, 0, m, k);
        let t = TileRef::of(buffers, 1, ib.min(k), k);
        let (c1, c2) = (TileMut::of(buffers, 2, top, n), TileMut::of(buffers, 3, m, n));
        self.compute(T::blas(backend::current()), (v, t), c1, c2);
        Ok(())
    }

    /// On devices, of real numbers.
    const HAS_CUDA: bool = !T::IS_COMPLEX;

    fn cuda(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        self.launch(launch)
    }
}
