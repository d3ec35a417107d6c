//! The list's entry of the product with a vector: a typical call.

use tegula_runtime::flow::Codelet;

use super::Gemv;
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
    const NAME: &'static str = Gemv::<f64>::NAME;
    const FORMULA: &'static str = "y = alpha op(A) x + beta y";
    const FLOPS: &'static str = "2 n^2";
}

impl<T: Scalar> KernelEntryIn<T> for ListEntry {
    type Codelet = Gemv<T>;

    /// The update of a forward solve: `y = y - A x`.
    fn typical(n: usize) -> Gemv<T> {
        Gemv { trans: Trans::No, m: n, n, alpha: -T::ONE, beta: T::ONE }
    }

    fn operands(n: usize, random: &mut RandomInputs) -> Vec<Vec<T>> {
        vec![random.numbers(n * n), random.numbers(n), random.numbers(n)]
    }

    fn run(kernel: Gemv<T>, blas: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let [a, x, y] = operands else { unreachable!("three operands were made") };
        let (a, x) = (TileRef::new(a, n, n), TileRef::new(x, n, 1));
        kernel.compute(blas, a, x, TileMut::new(y, n, 1));
    }
}
