//! The list's entry of multiplying out the reflectors of a chase: a typical call.

use std::marker::PhantomData;

use tegula_runtime::flow::Codelet;

use super::UngtrHb2st;
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
    const NAME: &'static str = UngtrHb2st::<f64>::NAME;
    const FORMULA: &'static str = "Q of reflectors that chased a band, in blocks";
    const FLOPS: &'static str = "2 n^3";
}

impl<T: Scalar> KernelEntryIn<T> for ListEntry {
    type Codelet = UngtrHb2st<T>;

    fn typical(n: usize) -> UngtrHb2st<T> {
        typical(n)
    }

    fn operands(n: usize, random: &mut RandomInputs) -> Vec<Vec<T>> {
        let waves = typical::<T>(n).waves;
        let ((rows, columns), (order, width)) = (waves.stored(0), waves.multiplied_out(0));
        vec![random.numbers(rows * columns), random.numbers(order * width)]
    }

    fn run(blocks: UngtrHb2st<T>, blas: &dyn Blas<T>, _: usize, operands: &mut [&mut [T]]) {
        let [v, q] = operands else { unreachable!("two operands were made") };
        let ((rows, columns), (order, width)) =
            (blocks.waves.stored(0), blocks.waves.multiplied_out(0));
        blocks.compute(blas, TileRef::new(v, rows, columns), TileMut::new(q, order, width));
    }
}

/// A group of as many sweeps as the band is wide, in a matrix of two bands.
fn typical<T: Scalar>(n: usize) -> UngtrHb2st<T> {
    let width = (n / 2).max(1);
    UngtrHb2st { waves: Waves { n, width, group: width }, group: 0, scalar: PhantomData }
}
