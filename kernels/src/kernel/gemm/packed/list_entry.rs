//! The list's entry of the product of packed operands: a typical call.

use super::GemmPacked;
use crate::backend::Blas;
use crate::kernel::random::{RandomInputs, packed_operand};
use crate::kernel::{KernelEntry, KernelEntryIn};
use crate::packed::PackedRef;
use crate::scalar::Scalar;
use crate::tile::TileMut;

/// The kernel's entry in the list.
#[derive(Debug)]
pub(in crate::kernel) struct ListEntry;

impl KernelEntry for ListEntry {
    const NAME: &'static str = "gemm-strips";
    const FORMULA: &'static str = "C = alpha A B' + beta C, A and B packed";
    const FLOPS: &'static str = "2 n^3";
}

impl<T: Scalar> KernelEntryIn<T> for ListEntry {
    type Codelet = GemmPacked<T>;

    /// The product of a tiled Cholesky factorization: `C = C - A B'`.
    fn typical(n: usize) -> GemmPacked<T> {
        GemmPacked { m: n, n, k: n, height: 1, alpha: -T::ONE, beta: T::ONE }
    }

    fn operands(n: usize, random: &mut RandomInputs) -> Vec<Vec<T>> {
        vec![packed_operand(n, random), packed_operand(n, random), random.numbers(n * n)]
    }

    fn run(kernel: GemmPacked<T>, blas: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let [a, b, c] = operands else { unreachable!("three operands were made") };
        let height = blas.micro_panel_height().unwrap_or(n);
        let gemm = GemmPacked { height, ..kernel };
        let (shape_a, shape_b) = gemm.operands();
        let a = PackedRef::new(&a[..shape_a.elements()], shape_a);
        let b = PackedRef::new(&b[..shape_b.elements()], shape_b);
        blas.gemm_packed(gemm.alpha, a, b, gemm.beta, TileMut::new(c, n, n));
    }
}
