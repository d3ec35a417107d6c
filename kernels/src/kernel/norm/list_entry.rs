//! The list's entry of norms: a typical call.

use std::marker::PhantomData;

use tegula_runtime::flow::Codelet;

use super::{Norm, NormShare};
use crate::backend::Blas;
use crate::kernel::pack::Structure;
use crate::kernel::random::RandomInputs;
use crate::kernel::{KernelEntry, KernelEntryIn};
use crate::scalar::Scalar;
use crate::tile::TileRef;

/// The kernel's entry in the list.
#[derive(Debug)]
pub(in crate::kernel) struct ListEntry;

impl KernelEntry for ListEntry {
    const NAME: &'static str = NormShare::<f64>::NAME;
    const FORMULA: &'static str = "the share of A in a norm";
    const FLOPS: &'static str = "2 n^2";
}

impl<T: Scalar> KernelEntryIn<T> for ListEntry {
    type Codelet = NormShare<T>;

    /// The Frobenius norm.
    fn typical(n: usize) -> NormShare<T> {
        let (norm, structure) = (Norm::Frobenius, Structure::General);
        NormShare { norm, structure, twice: false, m: n, n, scalar: PhantomData }
    }

    fn operands(n: usize, random: &mut RandomInputs) -> Vec<Vec<T>> {
        vec![random.numbers(n * n)]
    }

    fn run(kernel: NormShare<T>, _: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let mut share = [T::Real::ZERO; 2];
        kernel.compute(TileRef::new(operands[0], n, n), &mut share);
        operands[0][0] = T::from_real(share[0]);
    }
}
