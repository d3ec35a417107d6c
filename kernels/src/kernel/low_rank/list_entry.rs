//! The list's entry of the sums: a typical call.

use std::marker::PhantomData;

use tegula_runtime::flow::Codelet;

use super::{LowRank, Mirror, Parts};
use crate::backend::Blas;
use crate::kernel::random::RandomInputs;
use crate::kernel::{KernelEntry, KernelEntryIn};
use crate::scalar::{Scalar, c64};
use crate::tile::TileMut;

/// The kernel's entry in the list.
#[derive(Debug)]
pub(in crate::kernel) struct ListEntry;

impl KernelEntry for ListEntry {
    const NAME: &'static str = LowRank::<f64>::NAME;
    const FORMULA: &'static str = "A = D + X Y^H, D diagonal, X and Y of 8 columns";
    const FLOPS: &'static str = "64 n^2";
}

/// Columns of the typical factors.
pub(super) const RANK: usize = 8;

impl<T: Scalar> KernelEntryIn<T> for ListEntry {
    type Codelet = LowRank<T>;

    /// On the diagonal.
    fn typical(n: usize) -> LowRank<T> {
        LowRank { mirror: Mirror::None, below: 0, m: n, n, rank: RANK, scalar: PhantomData }
    }

    fn operands(n: usize, random: &mut RandomInputs) -> Vec<Vec<T>> {
        // Room for numbers of complex double precision in numbers of this one.
        let room = |count: usize| count * size_of::<c64>() / size_of::<T>();
        let factors = [n, n * RANK, n * RANK].map(|count| random.numbers(room(count)));
        factors.into_iter().chain([random.numbers(n * n)]).collect()
    }

    fn run(kernel: LowRank<T>, _: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let [diagonal, x, y, a] = operands else { unreachable!("four operands were made") };
        // Numbers of narrower types are any numbers in the wider one.
        let wide = |numbers: &[T]| -> Vec<c64> {
            let step = size_of::<c64>() / size_of::<T>();
            numbers.iter().step_by(step).map(|x| c64::new(x.size(), 0.5)).collect()
        };
        let (diagonal, x, y) = (wide(diagonal), wide(x), wide(y));
        let parts = Parts { diagonal: &diagonal, x: &x, y: &y };
        kernel.compute(parts, TileMut::new(a, n, n));
    }
}
