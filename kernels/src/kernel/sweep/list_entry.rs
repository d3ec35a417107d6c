//! The list's entry of the sweep: a typical call.

use tegula_runtime::flow::Codelet;

use super::{Entry, Panels, SweepBoth, Tile};
use crate::backend::Blas;
use crate::element::Element;
use crate::kernel::random::RandomInputs;
use crate::kernel::{KernelEntry, KernelEntryIn};
use crate::scalar::Real;

/// The kernel's entry in the list.
#[derive(Debug)]
pub(in crate::kernel) struct ListEntry;

impl KernelEntry for ListEntry {
    const NAME: &'static str = SweepBoth::<f64, 0>::NAME;
    const FORMULA: &'static str = "Y = Y + f(A) X, Z = Z + f(A)' U, A stored, panels of 48 columns";
    const FLOPS: &'static str = "192 n^2";
}

/// Columns of the typical panels.
pub(super) const WIDTH: usize = 48;

impl<T: Real> KernelEntryIn<T> for ListEntry {
    type Codelet = SweepBoth<T, 0>;

    /// Squares of numbers in this precision.
    fn typical(n: usize) -> SweepBoth<T, 0> {
        let element = if size_of::<T>() == 8 { Element::F64 } else { Element::F32 };
        let (m, width) = (n as u32, WIDTH as u32);
        SweepBoth::new(Tile { m, n: m, width, ..Tile::of(element, Entry::Squared(0.0)) })
    }

    fn operands(n: usize, random: &mut RandomInputs) -> Vec<Vec<T>> {
        // Panels hold 64-bit numbers in the room of numbers of this precision.
        let panel = n * WIDTH * size_of::<f64>() / size_of::<T>();
        let mut operands = vec![random.numbers(n * n)];
        operands.extend((0..4).map(|_| vec![T::ZERO; panel]));
        operands
    }

    fn run(kernel: SweepBoth<T, 0>, blas: &dyn Blas<T>, _: usize, operands: &mut [&mut [T]]) {
        let [a, x, y, u, z] = operands else { unreachable!("five operands were made") };
        let [x, y, u, z] = [x, y, u, z].map(|panel| bytemuck::cast_slice_mut::<T, f64>(panel));
        let right = Panels { factor: x, sum: y };
        let left = Panels { factor: u, sum: z };
        let stored = bytemuck::cast_slice(a);
        kernel.tile.sweep(blas, stored, (Some(right), Some(left)), (None, None));
    }
}
