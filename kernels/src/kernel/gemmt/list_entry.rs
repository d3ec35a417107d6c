//! The list's entry of the triangle of a product: a typical call.

use tegula_runtime::flow::Codelet;

use super::Gemmt;
use crate::backend::Blas;
use crate::kernel::random::RandomInputs;
use crate::kernel::{KernelEntry, KernelEntryIn};
use crate::option::{Trans, Uplo};
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

/// The kernel's entry in the list.
#[derive(Debug)]
pub(in crate::kernel) struct ListEntry;

impl KernelEntry for ListEntry {
    const NAME: &'static str = Gemmt::<f64>::NAME;
    const FORMULA: &'static str = "C = alpha op(A) op(B) + beta C, one triangle";
    const FLOPS: &'static str = "n^3";
}

impl<T: Scalar> KernelEntryIn<T> for ListEntry {
    type Codelet = Gemmt<T>;

    /// The update of a factorisation: `C = C - A B'`.
    fn typical(n: usize) -> Gemmt<T> {
        let (uplo, trans_a, trans_b) = (Uplo::Lower, Trans::No, Trans::Conj);
        Gemmt { uplo, trans_a, trans_b, n, k: n, alpha: -T::ONE, beta: T::ONE }
    }

    fn operands(n: usize, random: &mut RandomInputs) -> Vec<Vec<T>> {
        (0..3).map(|_| random.numbers(n * n)).collect()
    }

    fn run(kernel: Gemmt<T>, blas: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let [a, b, c] = operands else { unreachable!("three operands were made") };
        let (a, b) = (TileRef::new(a, n, n), TileRef::new(b, n, n));
        kernel.compute(blas, a, b, TileMut::new(c, n, n));
    }
}
