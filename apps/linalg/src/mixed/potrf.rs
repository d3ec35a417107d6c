//! Cholesky factorisation in tiles of two precisions.

use tegula_kernels::option::Part;
use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::Flow;

use super::copies::Copies;
use super::matrix::MixedMatrix;
use crate::tasks;
use crate::view::Tile;

/// Submits the factorisation of the Hermitian matrix `a`, `A = L L^H`; `a` is overwritten by `L` in
/// the same precisions.
///
/// Each task works in the precision of the tile that it writes; a tile of the factor that is read
/// in the other precision is converted once. A tile in 64 bits is thus as exact as the tiles that
/// it is made of, which in 32 bits are rounded: entry `(i, j)` of `L L^H - A` is a small multiple
/// of `n` times the rounding of its tile times entry `(i, j)` of `|L| |L^H|` (Higham, "Accuracy and
/// stability", theorem 10.3, tile by tile), and, where devices multiply in TF32, as a tile's
/// [precision](super::PrecisionMap::is_rounded) allows, at most
/// [`TF32_ROUNDING`](tegula_kernels::kernel::gemm::TF32_ROUNDING) times that entry more. With
/// [`PrecisionRule::Norm`](super::PrecisionRule) it stays near the accuracy where `|L| |L^H|` is as
/// small in those tiles as `A` is: where correlation fades with distance, and near places have near
/// numbers.
///
/// Fails with `NotPositiveDefinite` and the order of the leading minor that is not. Rounding to 32
/// bits may make one that was: an accuracy below the smallest eigenvalue over the norm keeps it.
///
/// Nothing is done for tiles that are zero.
///
/// Priorities are those of [`potrf`](crate::potrf); without tiles in 32 bits the tasks are too, to
/// the bit.
pub fn potrf_mixed<T: Scalar<Real = f64>>(flow: &mut Flow, a: &MixedMatrix<T>) {
    let nt = a.nt();
    let priority = |k: usize, less: usize| 3 * (nt - k) as i32 - less as i32;
    let columns = Columns::new(flow, a);
    for k in 0..nt {
        flow.iteration(k);
        tasks::potrf::<T>(flow, a.seen(k, k), k * a.nb(), priority(k, 0));
        columns.halve_triangle(flow, k, priority(k, 0));
        let rows: Vec<usize> = (k + 1..nt).filter(|&i| !a.precisions().is_zero(i, k)).collect();
        for &i in &rows {
            columns.trsm(flow, (i, k), priority(k, i - k));
        }
        for (place, &j) in rows.iter().enumerate() {
            columns.syrk(flow, (j, k), priority(k, 2 * (j - k)));
            for &i in &rows[place + 1..] {
                columns.gemm(flow, [i, j, k], priority(k, (j - k) + (i - k)));
            }
        }
    }
    columns.retire(flow);
}

/// The columns of the factor that overwrites `a`, in either precision.
struct Columns<'a, T: Scalar> {
    a: &'a MixedMatrix<T>,
    wide: Copies<T>,
    narrow: Copies<T::Other>,
}

impl<'a, T: Scalar<Real = f64>> Columns<'a, T> {
    fn new(flow: &mut Flow, a: &'a MixedMatrix<T>) -> Self {
        let rows = |i| a.rows(i);
        let (wide, narrow) = (Copies::new(flow, a.nt(), rows), Copies::new(flow, a.nt(), rows));
        Self { a, wide, narrow }
    }

    /// Rounds `L(k, k)` to 32 bits if a tile below it is in them.
    fn halve_triangle(&self, flow: &mut Flow, k: usize, priority: i32) {
        let Self { a, .. } = self;
        if (k + 1..a.nt()).any(|i| a.precisions().is_narrow(i, k)) {
            let triangle = (Part::Lower, a.seen(k, k));
            self.narrow.convert(flow, (k, k), triangle, priority);
        }
    }

    /// `A(i, k) = A(i, k) inv(L(k, k)^H)`, and its copy in the other precision if that is read.
    fn trsm(&self, flow: &mut Flow, (i, k): (usize, usize), priority: i32) {
        let Self { a, wide, narrow } = self;
        let (place, triangle, tile) = ((i, k), a.seen(k, k), a.seen(i, k));
        if a.precisions().is_narrow(i, k) {
            let triangle = narrow.converted((k, k), triangle);
            narrow.trsm(flow, place, (triangle, tile), priority);
            // The update of A(i, i) reads it, at least.
            wide.adopt(flow, place, tile, priority);
        } else {
            wide.trsm(flow, place, (triangle, tile), priority);
            if a.precisions().is_read_narrow(i, k) {
                narrow.adopt(flow, place, tile, priority);
            }
        }
    }

    /// Tile `(i, k)`, and whether it is in 32 bits.
    fn panel(&self, i: usize, k: usize) -> (Tile, bool) {
        (self.a.seen(i, k), self.a.precisions().is_narrow(i, k))
    }

    fn syrk(&self, flow: &mut Flow, (j, k): (usize, usize), priority: i32) {
        let (panel, is_narrow) = self.panel(j, k);
        let tiles = ((panel, !is_narrow), self.a.seen(j, j));
        self.wide.syrk(flow, (j, k), tiles, priority);
    }

    fn gemm(&self, flow: &mut Flow, [i, j, k]: [usize; 3], priority: i32) {
        let (tile, panels) = (self.a.seen(i, j), [self.panel(i, k), self.panel(j, k)]);
        let precisions = self.a.precisions();
        if precisions.is_narrow(i, j) {
            let rounds = precisions.is_rounded(i, j);
            self.narrow.gemm(flow, [i, j, k], (panels, tile), rounds, priority);
        } else {
            let panels = panels.map(|(panel, is_narrow)| (panel, !is_narrow));
            self.wide.gemm(flow, [i, j, k], (panels, tile), false, priority);
        }
    }

    fn retire(self, flow: &mut Flow) {
        self.wide.retire(flow);
        self.narrow.retire(flow);
    }
}
