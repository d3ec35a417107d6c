//! The list's entry of the matrix product: a typical call.

use tegula_runtime::flow::Codelet;

use super::Gemm;
use crate::backend::Blas;
use crate::kernel::random::RandomInputs;
use crate::kernel::{KernelEntry, KernelEntryIn};
use crate::option::Trans;
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

/// The kernel's entry in the list.
#[derive(Debug)]
pub(in crate::kernel) struct ListEntry;

impl KernelEntry for ListEntry {
    const NAME: &'static str = Gemm::<f64>::NAME;
    const FORMULA: &'static str = "C = alpha op(A) op(B) + beta C";
    const FLOPS: &'static str = "2 n^3";
}

impl<T: Scalar> KernelEntryIn<T> for ListEntry {
    type Codelet = Gemm<T>;

    /// The product of a tiled Cholesky factorization: `C = C - A B'`.
    fn typical(n: usize) -> Gemm<T> {
        let (trans_a, trans_b) = (Trans::No, Trans::Yes);
        Gemm { trans_a, trans_b, m: n, n, k: n, alpha: -T::ONE, beta: T::ONE }
    }

    fn operands(n: usize, random: &mut RandomInputs) -> Vec<Vec<T>> {
        (0..3).map(|_| random.numbers(n * n)).collect()
    }

    fn run(kernel: Gemm<T>, blas: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let [a, b, c] = operands else { unreachable!("three operands were made") };
        let (a, b) = (TileRef::new(a, n, n), TileRef::new(b, n, n));
        kernel.compute(blas, a, b, TileMut::new(c, n, n));
    }
}
