//! Tiled triangular solve: `B = alpha op(T)^-1 B` or `B = alpha B op(T)^-1`.

use tegula_kernels::kernel::pack::Structure;
use tegula_kernels::option::{Diag, Side, Trans, Uplo};
use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::Flow;

use crate::product::{self, Factor, Packing};
use crate::tasks::{self, TriangularTile};
use crate::view::View;

/// How a triangle enters a solve or a product.
#[derive(Clone, Copy, Debug)]
pub struct Triangle {
    /// On which side of the unknowns it stands.
    pub side: Side,
    /// Which triangle holds the entries.
    pub uplo: Uplo,
    /// Whether it enters transposed.
    pub trans: Trans,
    /// Whether its diagonal is taken to be one.
    pub diag: Diag,
}

impl Triangle {
    /// `op(t)`, its triangle, and `b`, seen so that `op(t)` stands on the left.
    ///
    /// # Panics
    /// If the shapes or the tilings do not fit each other.
    pub(crate) fn on_the_left<'a, T: Scalar>(
        self,
        t: View<'a, T>,
        b: View<'a, T>,
    ) -> (View<'a, T>, Uplo, View<'a, T>) {
        let (t, b) = match self.side {
            Side::Left => (t.op(self.trans), b),
            Side::Right => (t.op(self.trans).transposed(), b.transposed()),
        };
        let (size, block) = (b.m(), b.mb());
        assert!((t.m(), t.n()) == (size, size), "a {} x {} triangle against {size}", t.m(), t.n());
        let tile = (t.mb(), t.nb());
        assert!(tile == (block, block), "tiles of {} x {} against {block}", tile.0, tile.1);
        let is_flipped = (self.side == Side::Right) != self.trans.swaps();
        (t, if is_flipped { self.uplo.flipped() } else { self.uplo }, b)
    }

    /// The tile on the diagonal of `t`, whose triangle `uplo` is seen.
    pub(crate) fn corner<T: Scalar>(self, t: View<'_, T>, uplo: Uplo, i: usize) -> TriangularTile {
        TriangularTile { tile: t.tile(i, i), uplo, diag: self.diag }
    }
}

/// Submits the solve with the triangle `t` for all right-hand sides `b`, in place.
///
/// From the left, row `k` of tiles is solved and taken out of the rows that depend on it, top
/// down if `op(T)` is lower triangular and bottom up if it is upper; from the right the same with
/// the transposed equation. As in BLAS, an `alpha` of zero sets `b` to zero and reads nothing.
///
/// # Panics
/// If the shapes or the tilings do not fit each other.
pub fn trsm<'a, T: Scalar>(
    flow: &mut Flow,
    triangle: Triangle,
    alpha: T,
    t: impl Into<View<'a, T>>,
    b: impl Into<View<'a, T>>,
) {
    let (t, uplo, b) = triangle.on_the_left(t.into(), b.into());
    if alpha == T::ZERO {
        return product::scale(flow, alpha, b);
    }
    let steps = t.nt();
    let place = |step: usize| if uplo == Uplo::Lower { step } else { steps - 1 - step };
    for step in 0..steps {
        flow.iteration(step);
        let (k, left) = (place(step), steps - 1 - step);
        let mut packing = Packing::<T>::new(flow, (left, b.nt()));
        let priority = 2 * (steps - step) as i32;
        let first = if step == 0 { alpha } else { T::ONE };
        let mut solved = Vec::new();
        for line in 0..b.nt() {
            tasks::trsm(flow, triangle.corner(t, uplo, k), first, b.tile(k, line), priority);
            if left > 0 {
                solved.push(packing.right(flow, b.tile(k, line), priority));
            }
        }
        for later in step + 1..steps {
            let i = place(later);
            let priority = priority - (later - step) as i32;
            let tie = packing.left(flow, t.tile(i, k), Structure::General, priority);
            for (line, &known) in solved.iter().enumerate() {
                let pair: (Factor, Factor) = (tie, known);
                packing.multiply(flow, (-T::ONE, first), pair, b.tile(i, line), priority);
            }
        }
        packing.retire(flow);
    }
}
