//! The list's entry of the triangular solve of one vector: a typical call.

use tegula_runtime::flow::Codelet;

use super::Trsv;
use crate::backend::Blas;
use crate::kernel::random::RandomInputs;
use crate::kernel::{KernelEntry, KernelEntryIn};
use crate::option::{Diag, Trans, Uplo};
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

/// The kernel's entry in the list.
#[derive(Debug)]
pub(in crate::kernel) struct ListEntry;

impl KernelEntry for ListEntry {
    const NAME: &'static str = Trsv::<f64>::NAME;
    const FORMULA: &'static str = "x = inv(op(T)) x";
    const FLOPS: &'static str = "n^2";
}

impl<T: Scalar> KernelEntryIn<T> for ListEntry {
    type Codelet = Trsv<T>;

    /// A step of a forward solve.
    fn typical(n: usize) -> Trsv<T> {
        Trsv::new(Uplo::Lower, Trans::No, Diag::NonUnit, n)
    }

    fn operands(n: usize, random: &mut RandomInputs) -> Vec<Vec<T>> {
        vec![random.dominant(n), random.numbers(n)]
    }

    fn run(kernel: Trsv<T>, blas: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let [t, x] = operands else { unreachable!("two operands were made") };
        kernel.compute(blas, TileRef::new(t, n, n), TileMut::new(x, n, 1));
    }
}
