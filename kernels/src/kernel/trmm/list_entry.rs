//! The list's entry of the triangular product: a typical call.

use tegula_runtime::flow::Codelet;

use super::Trmm;
use crate::backend::Blas;
use crate::kernel::random::RandomInputs;
use crate::kernel::{KernelEntry, KernelEntryIn};
use crate::option::{Diag, Side, Trans, Uplo};
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

/// The kernel's entry in the list.
#[derive(Debug)]
pub(in crate::kernel) struct ListEntry;

impl KernelEntry for ListEntry {
    const NAME: &'static str = Trmm::<f64>::NAME;
    const FORMULA: &'static str = "B = alpha op(T) B, or from the right";
    const FLOPS: &'static str = "n^3";
}

impl<T: Scalar> KernelEntryIn<T> for ListEntry {
    type Codelet = Trmm<T>;

    /// `B = B L'`.
    fn typical(n: usize) -> Trmm<T> {
        let (side, uplo, trans) = (Side::Right, Uplo::Lower, Trans::Yes);
        Trmm { side, uplo, trans, diag: Diag::NonUnit, m: n, n, alpha: T::ONE }
    }

    fn operands(n: usize, random: &mut RandomInputs) -> Vec<Vec<T>> {
        vec![random.dominant(n), random.numbers(n * n)]
    }

    fn run(kernel: Trmm<T>, blas: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let [t, b] = operands else { unreachable!("two operands were made") };
        kernel.compute(blas, TileRef::new(t, n, n), TileMut::new(b, n, n));
    }
}
