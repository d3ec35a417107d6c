//! QR and LQ factorisations by block columns or block rows, in LAPACK's format.
//!
//! Right-looking with panels that are factorised ahead: Golub, Van Loan, "Matrix computations", 4th
//! edition, section 5.2.3; blocks of reflectors as in Schreiber, Van Loan (1989).

use std::ops::Range;

use tegula_kernels::option::{Side, Storev, Trans};
use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::{Flow, Handle};
use tegula_tiles::TileMatrix;

use crate::lookahead::Lookahead;
use crate::reflectors::Reflectors;

/// Submits the factorisation `A = Q R` of `a` (`m x n`, in block columns: tiles of `m x nb`), which
/// is overwritten by `R` on and above the diagonal and the reflectors of `Q` below it; their
/// factors go to `tau` (`min(m, n) x 1` in tiles of `nb x 1`), as LAPACK's `geqrf` leaves them.
///
/// # Panics
/// If the tilings are others.
pub fn geqrf<T: Scalar>(flow: &mut Flow, a: &TileMatrix<T>, tau: &TileMatrix<T>) {
    factorise(flow, Storev::Columns, a, tau, None, 0..tau.mt());
}

/// Submits these steps of [`geqrf`], one for each tile of `tau`, after those before. Between steps
/// all that is needed further on is in `a`, and what was found in `tau` too.
///
/// # Panics
/// If the tilings are others, or there are no such steps.
pub fn geqrf_steps<T: Scalar>(
    flow: &mut Flow,
    a: &TileMatrix<T>,
    tau: &TileMatrix<T>,
    steps: Range<usize>,
) {
    factorise(flow, Storev::Columns, a, tau, None, steps);
}

/// Submits the factorisation `A = L Q` of `a` (`m x n`, in block rows: tiles of `mb x n`), which is
/// overwritten by `L` on and below the diagonal and the reflectors of `Q` above it; their factors
/// go to `tau` (`min(m, n) x 1` in tiles of `mb x 1`), as LAPACK's `gelqf` leaves them.
///
/// # Panics
/// If the tilings are others.
pub fn gelqf<T: Scalar>(flow: &mut Flow, a: &TileMatrix<T>, tau: &TileMatrix<T>) {
    gelqf_steps(flow, a, tau, 0..tau.mt());
}

/// As [`geqrf_steps`], of [`gelqf`].
pub(crate) fn gelqf_steps<T: Scalar>(
    flow: &mut Flow,
    a: &TileMatrix<T>,
    tau: &TileMatrix<T>,
    steps: Range<usize>,
) {
    factorise(flow, Storev::Rows, a, tau, None, steps);
}

/// As [`geqrf_steps`], along with which `b`, in block columns of as many rows as `a`, becomes
/// `Q^H B`.
pub(crate) fn geqrf_along<T: Scalar>(
    flow: &mut Flow,
    a: &TileMatrix<T>,
    tau: &TileMatrix<T>,
    b: &TileMatrix<T>,
    steps: Range<usize>,
) {
    factorise(flow, Storev::Columns, a, tau, Some(b), steps);
}

/// Submits either. Blocks near the next panel come first, so that it is factorised while the
/// others are brought up to date.
fn factorise<T: Scalar>(
    flow: &mut Flow,
    storev: Storev,
    a: &TileMatrix<T>,
    tau: &TileMatrix<T>,
    along: Option<&TileMatrix<T>>,
    now: Range<usize>,
) {
    let (count, most) = (tau.m(), a.m().min(a.n()));
    assert!(count == most, "{count} factors of {most} reflectors");
    let reflectors = Reflectors::new(flow, storev, a, tau);
    let (steps, blocks) = (reflectors.steps(), reflectors.blocks());
    let others: Vec<_> = along.into_iter().flat_map(columns_of).collect();
    assert!(now.end <= steps, "steps {now:?} of {steps}");
    let order = Lookahead::new(blocks);
    // From the left on columns `Q^H` takes the reflectors out, from the right on rows the same.
    for k in now {
        flow.iteration(k);
        reflectors.factorise(flow, k, order.panel(k));
        let updates = blocks - k - 1 + others.len();
        let factor = reflectors.factor(flow, k, updates, order.panel(k));
        for j in k + 1..blocks {
            factor.update(flow, (j, Trans::Conj), order.update(k, j));
        }
        for &block in &others {
            factor.apply(flow, (Side::Left, Trans::Conj), block, order.update(k, blocks));
        }
        factor.retire(flow);
    }
    reflectors.retire(flow);
}

/// The block columns of `b`, with their rows and columns.
fn columns_of<T: Scalar>(b: &TileMatrix<T>) -> impl Iterator<Item = (Handle, usize, usize)> {
    assert!(b.mt() <= 1, "{} rows of tiles, not block columns", b.mt());
    let blocks = if b.mt() == 0 { 0 } else { b.nt() };
    (0..blocks).map(|j| (b.tile(0, j), b.m(), b.tile_columns(j)))
}
