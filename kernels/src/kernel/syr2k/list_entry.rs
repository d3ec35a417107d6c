//! The list's entry of the symmetric product of two matrices: a typical call.

use tegula_runtime::flow::Codelet;

use super::Syr2k;
use crate::backend::Blas;
use crate::kernel::random::RandomInputs;
use crate::kernel::{KernelEntry, KernelEntryIn};
use crate::option::{Form, Trans, Uplo};
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

/// The kernel's entry in the list.
#[derive(Debug)]
pub(in crate::kernel) struct ListEntry;

impl KernelEntry for ListEntry {
    const NAME: &'static str = Syr2k::<f64>::NAME;
    const FORMULA: &'static str =
        "C = alpha op(A) op(B)' + alpha op(B) op(A)' + beta C, one triangle";
    const FLOPS: &'static str = "2 n^3";
}

impl<T: Scalar> KernelEntryIn<T> for ListEntry {
    type Codelet = Syr2k<T>;

    /// The update of a two-sided reduction: `C = C - A B' - B A'`.
    fn typical(n: usize) -> Syr2k<T> {
        let (form, uplo, trans) = (Form::Hermitian, Uplo::Lower, Trans::No);
        Syr2k { form, uplo, trans, n, k: n, alpha: -T::ONE, beta: T::ONE }
    }

    fn operands(n: usize, random: &mut RandomInputs) -> Vec<Vec<T>> {
        (0..3).map(|_| random.numbers(n * n)).collect()
    }

    fn run(kernel: Syr2k<T>, blas: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let [a, b, c] = operands else { unreachable!("three operands were made") };
        let (a, b) = (TileRef::new(a, n, n), TileRef::new(b, n, n));
        kernel.compute(blas, a, b, TileMut::new(c, n, n));
    }
}
