//! The list's entry of the factorization of panels: a typical call.

use std::marker::PhantomData;

use tegula_runtime::flow::Codelet;

use super::Geqrt;
use crate::backend::Blas;
use crate::kernel::random::RandomInputs;
use crate::kernel::{KernelEntry, KernelEntryIn};
use crate::option::Storev;
use crate::scalar::Scalar;
use crate::tile::TileMut;

/// The kernel's entry in the list.
#[derive(Debug)]
pub(in crate::kernel) struct ListEntry;

impl KernelEntry for ListEntry {
    const NAME: &'static str = Geqrt::<f64>::NAME;
    const FORMULA: &'static str = "A = Q R with its reflectors, or A = L Q, in place";
    const FLOPS: &'static str = "4 n^3/3";
}

impl<T: Scalar> KernelEntryIn<T> for ListEntry {
    type Codelet = Geqrt<T>;

    /// The factorization of a square tile.
    fn typical(n: usize) -> Geqrt<T> {
        Geqrt { storev: Storev::Columns, m: n, n, offset: 0, scalar: PhantomData }
    }

    fn operands(n: usize, random: &mut RandomInputs) -> Vec<Vec<T>> {
        vec![vec![T::ZERO; n], vec![T::ZERO; n * n], random.dominant(n)]
    }

    fn run(kernel: Geqrt<T>, blas: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let [tau, t, a] = operands else { unreachable!("three operands were made") };
        let (tau, t) = (TileMut::new(tau, n, 1), TileMut::new(t, n, n));
        kernel.compute(blas, TileMut::new(a, n, n), tau, t);
    }
}
