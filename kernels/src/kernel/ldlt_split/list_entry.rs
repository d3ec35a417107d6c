//! The list's entry of the split: a typical call.

use std::marker::PhantomData;

use tegula_runtime::flow::Codelet;

use super::LdltSplit;
use crate::backend::Blas;
use crate::kernel::random::RandomInputs;
use crate::kernel::{KernelEntry, KernelEntryIn};
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

/// The kernel's entry in the list.
#[derive(Debug)]
pub(in crate::kernel) struct ListEntry;

impl KernelEntry for ListEntry {
    const NAME: &'static str = LdltSplit::<f64>::NAME;
    const FORMULA: &'static str = "W = A, A = A inv(D)";
    const FLOPS: &'static str = "n^2";
}

impl<T: Scalar> KernelEntryIn<T> for ListEntry {
    type Codelet = LdltSplit<T>;

    fn typical(n: usize) -> LdltSplit<T> {
        LdltSplit { is_transposed: false, m: n, n, scalar: PhantomData }
    }

    fn operands(n: usize, random: &mut RandomInputs) -> Vec<Vec<T>> {
        vec![random.dominant(n), random.numbers(n * n), random.numbers(n * n)]
    }

    fn run(kernel: LdltSplit<T>, _: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let [d, a, w] = operands else { unreachable!("three operands were made") };
        let (a, w) = (TileMut::new(a, n, n), TileMut::new(w, n, n));
        kernel.compute(TileRef::new(d, n, n), a, w);
    }
}
