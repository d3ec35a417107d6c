//! The update by cuBLAS, after an exchange of rows by our own code; packed rows are unpacked first.

use tegula_runtime::flow::{Failure, Launch};

use super::GetrfUpdate;
use crate::cuda::device_code::Argument;
use crate::cuda::{Block, Grid, Products, Program, Triangular, workspace};
use crate::kernel::laswp::Exchange;
use crate::option::{Diag, Side, Trans, Uplo};
use crate::packed::PackedShape;
use crate::scalar::Scalar;

/// The device's side.
pub(crate) const SOURCE: &str = include_str!("kernel.cu");

impl<T: Scalar> GetrfUpdate<T> {
    /// Puts the update on the stream.
    pub(super) fn launch(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let &Self { m, n, k, first, .. } = self;
        let (steps, packed) = (self.steps(), self.packed());
        let (rows, above) = if packed.is_some() { (steps, 0) } else { (m, first) };
        let panel = Block::<T>::input(launch, 0, rows, k);
        let column = Block::output(launch, 3, m, n);
        let exchange = Exchange::new(launch, 1, 0, first, false);
        let (below, exchanged) = (m - first - steps, exchange.bytes::<T>(n));
        let unpacked = packed.map_or(0, |_| below * steps * size_of::<T>());
        // One after the other, in the same place.
        let room = workspace(launch, exchanged.max(unpacked))?;
        exchange.run(launch, column, room)?;
        let (u, b) = (column.part(first, 0, steps, n), column.part(first + steps, 0, below, n));
        let entries = panel.part(above, 0, steps, steps);
        let l1 = Triangular { entries, uplo: Uplo::Lower, diag: Diag::Unit, trans: Trans::No };
        let l2 = match packed {
            Some(shape) => unpack(launch, shape, room)?,
            None => panel.part(first + steps, 0, below, steps),
        };
        let products = Products::of(launch)?;
        products.trsm(Side::Left, l1, u)?;
        products.gemm(-T::ONE, (Trans::No, l2), (Trans::No, u), T::ONE, b)
    }
}

/// The packed rows of buffer 2 as a matrix in working memory at `room`.
#[allow(unsafe_code)]
fn unpack<T: Scalar>(
    launch: &Launch<'_>,
    shape: PackedShape,
    room: u64,
) -> Result<Block<T>, Failure> {
    let PackedShape { rows, cols, height } = shape;
    let (packed, count) = launch.read::<T>(2);
    let needed = shape.elements();
    assert!(count >= needed, "{count} numbers in a packed matrix of {needed}");
    let arguments: [Argument<T>; 6] = [
        Argument::size(rows),
        Argument::size(cols),
        Argument::size(height),
        Argument::size(shape.stride()),
        Argument::place(packed),
        Argument::Place(room),
    ];
    // SAFETY: the packed matrix has this shape, and there is working memory for its entries.
    unsafe { Program::run(launch, "unpack_rows", Grid::matrix(rows, cols), &arguments) }?;
    Ok(Block::at(room, (rows, cols), rows))
}
