//! The list's entry of the product with the reflectors of a chase: a typical call.

use std::marker::PhantomData;

use tegula_runtime::flow::Codelet;

use super::UnmtrHb2st;
use crate::backend::Blas;
use crate::kernel::random::RandomInputs;
use crate::kernel::{KernelEntry, KernelEntryIn};
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};
use crate::tridiagonal::Waves;

/// The kernel's entry in the list.
#[derive(Debug)]
pub(in crate::kernel) struct ListEntry;

impl KernelEntry for ListEntry {
    const NAME: &'static str = UnmtrHb2st::<f64>::NAME;
    const FORMULA: &'static str = "C = Q C, Q of reflectors that chased a band";
    const FLOPS: &'static str = "4 n^3";
}

impl<T: Scalar> KernelEntryIn<T> for ListEntry {
    type Codelet = UnmtrHb2st<T>;

    fn typical(n: usize) -> UnmtrHb2st<T> {
        typical(n)
    }

    fn operands(n: usize, random: &mut RandomInputs) -> Vec<Vec<T>> {
        let (order, columns) = typical::<T>(n).waves.multiplied_out(0);
        vec![random.numbers(order * columns), random.numbers(n * n)]
    }

    fn run(product: UnmtrHb2st<T>, blas: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let [q, c] = operands else { unreachable!("two operands were made") };
        let (order, columns) = product.waves.multiplied_out(0);
        product.compute(blas, TileRef::new(q, order, columns), TileMut::new(c, n, n));
    }
}

/// A group of as many sweeps as the band is wide, in a matrix of two bands.
fn typical<T: Scalar>(n: usize) -> UnmtrHb2st<T> {
    let width = (n / 2).max(1);
    let waves = Waves { n, width, group: width };
    UnmtrHb2st { waves, group: 0, rows: n, m: n, scalar: PhantomData }
}
