//! The list's entry of the sum of matrices: a typical call.

use tegula_runtime::flow::Codelet;

use super::Geadd;
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
    const NAME: &'static str = Geadd::<f64>::NAME;
    const FORMULA: &'static str = "B = alpha op(A) + beta B";
    const FLOPS: &'static str = "3 n^2";
}

impl<T: Scalar> KernelEntryIn<T> for ListEntry {
    type Codelet = Geadd<T>;

    /// The accumulation `B = B + A`.
    fn typical(n: usize) -> Geadd<T> {
        Geadd { trans: Trans::No, m: n, n, alpha: T::ONE, beta: T::ONE }
    }

    fn operands(n: usize, random: &mut RandomInputs) -> Vec<Vec<T>> {
        (0..2).map(|_| random.numbers(n * n)).collect()
    }

    fn run(kernel: Geadd<T>, _: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let [a, b] = operands else { unreachable!("two operands were made") };
        kernel.compute(TileRef::new(a, n, n), TileMut::new(b, n, n));
    }
}
