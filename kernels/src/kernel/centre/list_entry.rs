//! The list's entry of the centring: a typical call.

use tegula_runtime::flow::Codelet;

use super::{Centre, Factors, Sums};
use crate::backend::Blas;
use crate::kernel::line_sums::Term;
use crate::kernel::random::RandomInputs;
use crate::kernel::{KernelEntry, KernelEntryIn};
use crate::option::Part;
use crate::scalar::Scalar;
use crate::tile::TileMut;

/// The kernel's entry in the list.
#[derive(Debug)]
pub(in crate::kernel) struct ListEntry;

impl KernelEntry for ListEntry {
    const NAME: &'static str = Centre::<f64>::NAME;
    const FORMULA: &'static str = "a_ij = alpha (a_ij - means of its row and column + mean of all)";
    const FLOPS: &'static str = "5 n^2";
}

impl<T: Scalar> KernelEntryIn<T> for ListEntry {
    type Codelet = Centre<T>;

    /// Both ways.
    fn typical(n: usize) -> Centre<T> {
        let mean = 1.0 / n.max(1) as f64;
        let factors = Factors { row: mean, column: mean, all: mean * mean };
        Centre { part: Part::Whole, term: Term::Entry, m: n, n, alpha: T::ONE, factors }
    }

    fn operands(n: usize, random: &mut RandomInputs) -> Vec<Vec<T>> {
        vec![random.numbers(n), random.numbers(n), random.numbers(1), random.numbers(n * n)]
    }

    fn run(kernel: Centre<T>, _: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let [rows, columns, all, a] = operands else { unreachable!("four operands were made") };
        kernel.compute(Sums { rows, columns, all }, TileMut::new(a, n, n));
    }
}
