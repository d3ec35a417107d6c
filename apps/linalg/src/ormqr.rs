//! Products with the orthogonal factor of a QR or LQ factorisation.

use tegula_kernels::option::{Side, Storev, Trans};
use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::Flow;
use tegula_tiles::{Storage, TileMatrix};

use crate::reflectors::Reflectors;

/// Submits `C = op(Q) C` or `C = C op(Q)` with the orthogonal (unitary) factor that
/// [`geqrf`](crate::geqrf) left in `a` and `tau`, of which the first `tau.m()` reflectors count:
/// LAPACK's `ormqr` and `unmqr`. `op` is `No` or `Conj`, in real precisions also `Yes`.
///
/// `c` is in block columns (tiles as high as the matrix) if `Q` stands on the left and in block
/// rows if on the right. On the left it may have more rows than `Q`, which are left alone; on the
/// right more columns.
///
/// # Panics
/// If the shapes or the tilings are others.
pub fn ormqr<T: Scalar>(
    flow: &mut Flow,
    side: Side,
    trans: Trans,
    a: &TileMatrix<T>,
    tau: &TileMatrix<T>,
    c: &TileMatrix<T>,
) {
    multiply(flow, Storev::Columns, (side, trans), (a, tau), c);
}

/// As [`ormqr`], with the factor that [`gelqf`](crate::gelqf) left: LAPACK's `ormlq` and `unmlq`.
///
/// # Panics
/// If the shapes or the tilings are others.
pub fn ormlq<T: Scalar>(
    flow: &mut Flow,
    side: Side,
    trans: Trans,
    a: &TileMatrix<T>,
    tau: &TileMatrix<T>,
    c: &TileMatrix<T>,
) {
    multiply(flow, Storev::Rows, (side, trans), (a, tau), c);
}

fn multiply<T: Scalar>(
    flow: &mut Flow,
    storev: Storev,
    (side, trans): (Side, Trans),
    (a, tau): (&TileMatrix<T>, &TileMatrix<T>),
    c: &TileMatrix<T>,
) {
    let reflectors = Reflectors::new(flow, storev, a, tau);
    let (length, reach) = if side == Side::Left { (c.m(), c.mb()) } else { (c.n(), c.nb()) };
    let order = reflectors.order();
    assert!(c.storage() == Storage::Full && reach >= length, "blocks of {reach} of {length}");
    assert!(order <= length, "reflectors of {order} entries against {length}");
    let steps = reflectors.steps();
    // The first reflector of Q = H(1) H(2) ... meets C first from the right, the last from the
    // left; the other way round for the adjoint, and for a Q stored by rows.
    let mut ascends = (side == Side::Left) == (trans != Trans::No);
    if storev == Storev::Rows {
        ascends = !ascends;
    }
    let lines = if side == Side::Left { c.nt() } else { c.mt() };
    let lines = if length == 0 { 0 } else { lines };
    let place = |step: usize| if ascends { step } else { steps - 1 - step };
    for step in 0..steps {
        flow.iteration(step);
        let (k, priority) = (place(step), (steps - step) as i32);
        reflectors.rebuild(flow, k, priority);
        let factor = reflectors.factor(flow, k, lines, priority);
        for line in 0..lines {
            let tile = match side {
                Side::Left => (c.tile(0, line), c.m(), c.tile_columns(line)),
                Side::Right => (c.tile(line, 0), c.tile_rows(line), c.n()),
            };
            factor.apply(flow, (side, trans), tile, priority);
        }
        factor.retire(flow);
    }
    reflectors.retire(flow);
}
