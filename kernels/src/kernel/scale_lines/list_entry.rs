//! The list's entry of the scaling: a typical call.

use std::marker::PhantomData;

use tegula_runtime::flow::Codelet;

use super::{Root, ScaleLines};
use crate::backend::Blas;
use crate::kernel::random::RandomInputs;
use crate::kernel::{KernelEntry, KernelEntryIn};
use crate::scalar::Scalar;
use crate::tile::TileMut;

/// The kernel's entry in the list.
#[derive(Debug)]
pub(in crate::kernel) struct ListEntry;

impl KernelEntry for ListEntry {
    const NAME: &'static str = ScaleLines::<f64>::NAME;
    const FORMULA: &'static str = "rows and columns over roots of sums of squares";
    const FLOPS: &'static str = "2 n^2";
}

impl<T: Scalar> KernelEntryIn<T> for ListEntry {
    type Codelet = ScaleLines<T>;

    /// Columns.
    fn typical(n: usize) -> ScaleLines<T> {
        ScaleLines { row: Root::None, column: Root::Square, m: n, n, scalar: PhantomData }
    }

    fn operands(n: usize, random: &mut RandomInputs) -> Vec<Vec<T>> {
        vec![random.numbers(n), squares(n, random), random.numbers(n * n)]
    }

    fn run(kernel: ScaleLines<T>, _: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let [rows, columns, a] = operands else { unreachable!("three operands were made") };
        kernel.compute((rows, columns), TileMut::new(a, n, n));
    }
}

/// Sums of squares, the first of them zero.
pub(super) fn squares<T: Scalar>(count: usize, random: &mut RandomInputs) -> Vec<T> {
    let numbers = random.numbers::<T>(count).into_iter().enumerate();
    numbers.map(|(i, x)| T::from_f64(if i == 0 { 0.0 } else { 0.25 + x.size() })).collect()
}
