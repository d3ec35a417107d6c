//! The list's entry of the conversion: a typical call.

use std::marker::PhantomData;

use tegula_runtime::flow::Codelet;

use super::Convert;
use crate::backend::Blas;
use crate::kernel::random::RandomInputs;
use crate::kernel::{KernelEntry, KernelEntryIn};
use crate::option::Part;
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

/// The kernel's entry in the list.
#[derive(Debug)]
pub(in crate::kernel) struct ListEntry;

impl KernelEntry for ListEntry {
    const NAME: &'static str = Convert::<f64>::NAME;
    const FORMULA: &'static str = "B = A in the other precision";
    const FLOPS: &'static str = "0";
}

impl<T: Scalar> KernelEntryIn<T> for ListEntry {
    type Codelet = Convert<T>;

    /// The conversion of a square tile.
    fn typical(n: usize) -> Convert<T> {
        Convert { part: Part::Whole, m: n, n, scalar: PhantomData }
    }

    fn operands(n: usize, random: &mut RandomInputs) -> Vec<Vec<T>> {
        // Room for numbers of the other precision in numbers of this one.
        vec![random.numbers(n * n), random.numbers(2 * n * n)]
    }

    fn run(kernel: Convert<T>, _: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let [a, b] = operands else { unreachable!("two operands were made") };
        let room: &mut [T::Other] = bytemuck::cast_slice_mut(b);
        let b = TileMut::new(&mut room[..n * n], n, n);
        kernel.compute(TileRef::new(a, n, n), b);
    }
}
