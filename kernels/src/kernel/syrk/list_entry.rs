//! The list's entry of the symmetric product: a typical call.

use tegula_runtime::flow::Codelet;

use super::Syrk;
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
    const NAME: &'static str = Syrk::<f64>::NAME;
    const FORMULA: &'static str = "C = alpha op(A) op(A)' + beta C, one triangle";
    const FLOPS: &'static str = "n^3";
}

impl<T: Scalar> KernelEntryIn<T> for ListEntry {
    type Codelet = Syrk<T>;

    /// The product of a tiled Cholesky factorization: `C = C - A A'`.
    fn typical(n: usize) -> Syrk<T> {
        let (form, uplo, trans) = (Form::Hermitian, Uplo::Lower, Trans::No);
        Syrk { form, uplo, trans, n, k: n, alpha: -T::ONE, beta: T::ONE }
    }

    fn operands(n: usize, random: &mut RandomInputs) -> Vec<Vec<T>> {
        (0..2).map(|_| random.numbers(n * n)).collect()
    }

    fn run(kernel: Syrk<T>, blas: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let [a, c] = operands else { unreachable!("two operands were made") };
        kernel.compute(blas, TileRef::new(a, n, n), TileMut::new(c, n, n));
    }
}
