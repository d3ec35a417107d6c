//! The list's entry of the sums: a typical call.

use std::marker::PhantomData;

use tegula_runtime::flow::Codelet;

use super::{Line, LineSums, Term};
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
    const NAME: &'static str = LineSums::<f64>::NAME;
    const FORMULA: &'static str = "sums of rows or columns, or of squares there";
    const FLOPS: &'static str = "2 n^2";
}

impl<T: Scalar> KernelEntryIn<T> for ListEntry {
    type Codelet = LineSums<T>;

    /// The sums of rows.
    fn typical(n: usize) -> LineSums<T> {
        let (line, term, structure) = (Line::Row, Term::Entry, Structure::General);
        LineSums { line, term, structure, m: n, n, scalar: PhantomData }
    }

    fn operands(n: usize, random: &mut RandomInputs) -> Vec<Vec<T>> {
        vec![random.numbers(n * n), random.numbers(n)]
    }

    fn run(kernel: LineSums<T>, _: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let [a, sums] = operands else { unreachable!("two operands were made") };
        kernel.compute(TileRef::new(a, n, n), sums);
    }
}
