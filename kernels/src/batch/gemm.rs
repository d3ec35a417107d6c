//! Products: `C = alpha op(A) op(B) + beta C`.

use tegula_runtime::flow::{Access, Buffers, Codelet, Cost, Failure};

use super::{nth, nth_mut};
use crate::backend;
use crate::kernel::gemm::Gemm;
use crate::option::Trans;
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

/// `count` products of `m x k` and `k x n`; buffers `[A: R, B: R, C: RW]`.
#[derive(Clone, Copy, Debug)]
pub struct GemmBatch<T> {
    /// How the `A` enter.
    pub trans_a: Trans,
    /// How the `B` enter.
    pub trans_b: Trans,
    /// Rows of a `C`.
    pub m: u32,
    /// Columns of a `C`.
    pub n: u32,
    /// Columns of an `op(A)`.
    pub k: u32,
    /// Number of problems.
    pub count: u32,
    /// Factor of the products.
    pub alpha: T,
    /// Factor of the old `C`.
    pub beta: T,
}

impl<T: Scalar> GemmBatch<T> {
    fn one(&self) -> Gemm<T> {
        let &Self { trans_a, trans_b, alpha, beta, .. } = self;
        let (m, n, k) = (self.m as usize, self.n as usize, self.k as usize);
        Gemm { trans_a, trans_b, m, n, k, alpha, beta }
    }
}

impl<T: Scalar> Codelet for GemmBatch<T> {
    const NAME: &'static str = "gemm-batch";
    const ACCESS: &'static [Access] = &[Access::R, Access::R, Access::RW];

    fn cost(&self) -> Cost {
        let Cost { flops, bytes } = self.one().cost();
        Cost { flops: flops * f64::from(self.count), bytes: bytes * f64::from(self.count) }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let (gemm, blas) = (self.one(), T::blas(backend::current()));
        let of_a = gemm.trans_a.stored(gemm.m, gemm.k);
        let of_b = gemm.trans_b.stored(gemm.k, gemm.n);
        let short = |(rows, cols): (usize, usize)| (rows as u32, cols as u32);
        let (all_a, all_b, all_c) = (buffers.read(0), buffers.read(1), buffers.write(2));
        for index in 0..self.count as usize {
            let a = TileRef::new(nth(all_a, index, short(of_a)), of_a.0, of_a.1);
            let b = TileRef::new(nth(all_b, index, short(of_b)), of_b.0, of_b.1);
            let c = TileMut::new(nth_mut(all_c, index, (self.m, self.n)), gemm.m, gemm.n);
            gemm.compute(blas, a, b, c);
        }
        Ok(())
    }
}
