//! The list's entry of the factorization of a triangle above a tile: a typical call.

use std::marker::PhantomData;

use tegula_runtime::flow::Codelet;

use super::Tpqrt;
use crate::backend::Blas;
use crate::kernel::random::RandomInputs;
use crate::kernel::{KernelEntry, KernelEntryIn};
use crate::option::Below;
use crate::scalar::Scalar;
use crate::tile::TileMut;

/// The kernel's entry in the list.
#[derive(Debug)]
pub(in crate::kernel) struct ListEntry;

impl KernelEntry for ListEntry {
    const NAME: &'static str = Tpqrt::<f64>::NAME;
    const FORMULA: &'static str = "[R; B] = Q [R; 0] with its reflectors, in place";
    const FLOPS: &'static str = "2 n^3";
}

impl<T: Scalar> KernelEntryIn<T> for ListEntry {
    type Codelet = Tpqrt<T>;

    fn typical(n: usize) -> Tpqrt<T> {
        typical(n)
    }

    fn operands(n: usize, random: &mut RandomInputs) -> Vec<Vec<T>> {
        let t = vec![T::ZERO; typical::<T>(n).ib.min(n) * n];
        vec![random.dominant(n), t, random.numbers(n * n)]
    }

    fn run(tpqrt: Tpqrt<T>, blas: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let [r, t, b] = operands else { unreachable!("three operands were made") };
        let t = TileMut::new(t, tpqrt.ib.min(n), n);
        tpqrt.compute(blas, TileMut::new(r, n, n), TileMut::new(b, n, n), t);
    }
}

/// A square tile below.
fn typical<T: Scalar>(n: usize) -> Tpqrt<T> {
    Tpqrt { below: Below::Square, top: n, m: n, n, ib: 24, scalar: PhantomData }
}
