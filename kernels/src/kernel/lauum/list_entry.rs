//! The list's entry of the triangular product: a typical call.

use tegula_runtime::flow::{Codelet, Cost};

use super::Lauum;
use crate::backend::Blas;
use crate::kernel::random::RandomInputs;
use crate::kernel::{KernelEntry, KernelEntryIn};
use crate::option::Uplo;
use crate::scalar::Scalar;
use crate::tile::TileMut;

/// The kernel's entry in the list.
#[derive(Debug)]
pub(in crate::kernel) struct ListEntry;

impl KernelEntry for ListEntry {
    const NAME: &'static str = Lauum::<f64>::NAME;
    const FORMULA: &'static str = "A = L' L or U U', in place";
    const FLOPS: &'static str = "n^3/3";
}

impl<T: Scalar> KernelEntryIn<T> for ListEntry {
    type Codelet = Lauum<T>;

    fn operands(n: usize, random: &mut RandomInputs) -> Vec<Vec<T>> {
        vec![random.numbers(n * n)]
    }

    fn run(blas: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        typical(n).compute(blas, TileMut::new(operands[0], n, n));
    }

    fn cost(n: usize) -> Cost {
        typical::<T>(n).cost()
    }
}

/// The lower product.
fn typical<T: Scalar>(n: usize) -> Lauum<T> {
    Lauum::new(Uplo::Lower, n)
}
