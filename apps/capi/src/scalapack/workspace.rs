//! Sizes of workspace, as ScaLAPACK answers questions for them.

use tegula_kernels::scalar::Scalar;

use super::cyclic::{Axis, Layout};
use super::grid::Grid;
use crate::array::Array;
use crate::check::answer;

/// What this process has of rows or columns that begin in a block of which `offset` come before
/// them, counted with these: ScaLAPACK's `NUMROC(M+IROFF, MB, MYROW, IAROW, NPROW)`.
pub(super) fn with_block(axis: Axis, process: usize) -> usize {
    let inside = axis.offset % axis.block;
    let owner = (axis.source + axis.offset / axis.block) % axis.processes;
    let whole = Axis::whole(axis.length + inside, axis.block, axis.processes);
    Axis { source: owner, ..whole }.room(process)
}

/// The workspace of `PxGEQRF`: `NB (MP0 + NQ0 + NB)`.
pub(super) fn of_qr(grid: &Grid, layout: Layout) -> usize {
    let (mp, nq) = (with_block(layout.rows, grid.row()), with_block(layout.columns, grid.column()));
    let nb = layout.columns.block;
    nb * (mp + nq + nb)
}

/// Answers a question for the size of `work`, and says whether it was one; a size that was given is
/// answered, too, where there is room for the answer.
pub(super) fn is_query<T: Scalar>(work: Array<T>, size: i32, least: usize) -> bool {
    if size == -1 || size >= 1 {
        work.set(0, answer(least.max(1)));
    }
    size == -1
}
