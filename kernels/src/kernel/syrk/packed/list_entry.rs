//! The list's entry of the symmetric product of a packed operand: a typical call.

use super::SyrkPacked;
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
    const NAME: &'static str = "syrk-strips";
    const FORMULA: &'static str = "C = alpha A A' + beta C, lower triangle, A packed";
    const FLOPS: &'static str = "n^3";
}

impl<T: Scalar> KernelEntryIn<T> for ListEntry {
    type Codelet = SyrkPacked<T>;

    /// The product of a tiled Cholesky factorization: `C = C - A A'`.
    fn typical(n: usize) -> SyrkPacked<T> {
        SyrkPacked { n, k: n, height: 1, alpha: -T::ONE, beta: T::ONE }
    }

    fn operands(n: usize, random: &mut RandomInputs) -> Vec<Vec<T>> {
        vec![packed_operand(n, random), random.numbers(n * n)]
    }

    fn run(kernel: SyrkPacked<T>, blas: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let [a, c] = operands else { unreachable!("two operands were made") };
        let height = blas.micro_panel_height().unwrap_or(n);
        let syrk = SyrkPacked { height, ..kernel };
        let shape = syrk.operand();
        let a = PackedRef::new(&a[..shape.elements()], shape);
        blas.syrk_packed(syrk.alpha, a, syrk.beta, TileMut::new(c, n, n));
    }
}
