//! The list's entry of the triangle of a block of reflectors: a typical call.

use std::marker::PhantomData;

use tegula_runtime::flow::Codelet;

use super::Larft;
use crate::backend::Blas;
use crate::kernel::random::RandomInputs;
use crate::kernel::{KernelEntry, KernelEntryIn};
use crate::option::Storev;
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

/// The kernel's entry in the list.
#[derive(Debug)]
pub(in crate::kernel) struct ListEntry;

impl KernelEntry for ListEntry {
    const NAME: &'static str = Larft::<f64>::NAME;
    const FORMULA: &'static str = "the triangle T of reflectors I - V T V'";
    const FLOPS: &'static str = "n^3";
}

impl<T: Scalar> KernelEntryIn<T> for ListEntry {
    type Codelet = Larft<T>;

    /// The reflectors of a square tile.
    fn typical(n: usize) -> Larft<T> {
        Larft { storev: Storev::Columns, m: n, n, k: n, offset: 0, scalar: PhantomData }
    }

    fn operands(n: usize, random: &mut RandomInputs) -> Vec<Vec<T>> {
        vec![random.dominant(n), vec![T::ONE; n], vec![T::ZERO; n * n]]
    }

    fn run(kernel: Larft<T>, blas: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let [v, tau, t] = operands else { unreachable!("three operands were made") };
        let (v, tau) = (TileRef::new(v, n, n), TileRef::new(tau, n, 1));
        kernel.compute(blas, v, tau, TileMut::new(t, n, n));
    }
}
