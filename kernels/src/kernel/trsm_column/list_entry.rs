//! The list's entry of the step of a triangular solve: a typical call.

use std::marker::PhantomData;

use tegula_runtime::flow::Codelet;

use super::TrsmColumn;
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
    const NAME: &'static str = TrsmColumn::<f64>::NAME;
    const FORMULA: &'static str = "B1 = inv(T1) B1, B2 = B2 - T2 B1, or transposed";
    const FLOPS: &'static str = "n^3";
}

impl<T: Scalar> KernelEntryIn<T> for ListEntry {
    type Codelet = TrsmColumn<T>;

    /// The last step of a forward substitution.
    fn typical(n: usize) -> TrsmColumn<T> {
        let (uplo, trans, diag) = (Uplo::Lower, Trans::No, Diag::Unit);
        TrsmColumn { uplo, trans, diag, m: n, n, k: n, first: 0, scalar: PhantomData }
    }

    fn operands(n: usize, random: &mut RandomInputs) -> Vec<Vec<T>> {
        vec![random.dominant(n), random.numbers(n * n)]
    }

    fn run(kernel: TrsmColumn<T>, blas: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let [t, b] = operands else { unreachable!("two operands were made") };
        kernel.compute(blas, TileRef::new(t, n, n), TileMut::new(b, n, n));
    }
}
