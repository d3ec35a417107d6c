//! The list's entry of the product with a symmetric matrix: a typical call.

use tegula_runtime::flow::Codelet;

use super::Symm;
use crate::backend::Blas;
use crate::kernel::random::RandomInputs;
use crate::kernel::{KernelEntry, KernelEntryIn};
use crate::option::{Form, Side, Uplo};
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

/// The kernel's entry in the list.
#[derive(Debug)]
pub(in crate::kernel) struct ListEntry;

impl KernelEntry for ListEntry {
    const NAME: &'static str = Symm::<f64>::NAME;
    const FORMULA: &'static str = "C = alpha A B + beta C, A symmetric, or from the right";
    const FLOPS: &'static str = "2 n^3";
}

impl<T: Scalar> KernelEntryIn<T> for ListEntry {
    type Codelet = Symm<T>;

    /// `C = C + A B`.
    fn typical(n: usize) -> Symm<T> {
        let (form, side, uplo) = (Form::Hermitian, Side::Left, Uplo::Lower);
        Symm { form, side, uplo, m: n, n, alpha: T::ONE, beta: T::ONE }
    }

    fn operands(n: usize, random: &mut RandomInputs) -> Vec<Vec<T>> {
        (0..3).map(|_| random.numbers(n * n)).collect()
    }

    fn run(kernel: Symm<T>, blas: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let [a, b, c] = operands else { unreachable!("three operands were made") };
        let (a, b) = (TileRef::new(a, n, n), TileRef::new(b, n, n));
        kernel.compute(blas, a, b, TileMut::new(c, n, n));
    }
}
