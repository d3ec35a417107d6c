//! Solves with a Cholesky factor in tiles of two precisions.

use tegula_kernels::kernel::pack::Structure;
use tegula_kernels::option::{Diag, Part, Trans, Uplo};
use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::Access::{R, RW};
use tegula_runtime::flow::{Flow, Handle};

use super::copies::conversion;
use super::matrix::MixedMatrix;
use crate::product::Packing;
use crate::tasks::{self, TriangularTile};
use crate::view::{Tile, View};

/// Submits the solves `L Y = B` and `L^H X = Y` with the factor `l` that
/// [`potrf_mixed`](crate::potrf_mixed) left; `b` is overwritten by `X`.
///
/// They are in 64 bits throughout: what is in 32 is converted, exactly, once for each of the two.
///
/// # Panics
/// If the orders or the tilings do not fit each other.
pub fn potrs_mixed<'a, T: Scalar<Real = f64>>(
    flow: &mut Flow,
    l: &MixedMatrix<T>,
    b: impl Into<View<'a, T>>,
) {
    let b = b.into();
    for uplo in [Uplo::Lower, Uplo::Upper] {
        Substitution { l, uplo }.submit(flow, b);
    }
}

/// Submits the solve `L Y = B` alone, the first half of [`potrs_mixed`]; `b` is overwritten by `Y`.
///
/// # Panics
/// As [`potrs_mixed`].
pub fn trsm_mixed<'a, T: Scalar<Real = f64>>(
    flow: &mut Flow,
    l: &MixedMatrix<T>,
    b: impl Into<View<'a, T>>,
) {
    Substitution { l, uplo: Uplo::Lower }.submit(flow, b.into());
}

/// A solve with `L`, or with the upper triangle `L^H`.
struct Substitution<'a, T> {
    l: &'a MixedMatrix<T>,
    uplo: Uplo,
}

impl<T: Scalar<Real = f64>> Substitution<'_, T> {
    fn submit(&self, flow: &mut Flow, b: View<'_, T>) {
        let (of_l, of_b) = ([self.l.n(), self.l.nb()], [b.m(), b.mb()]);
        assert!(of_l == of_b, "factor of order and tiles {of_l:?} against {of_b:?}");
        let steps = self.l.nt();
        let place = |step: usize| match self.uplo {
            Uplo::Lower => step,
            Uplo::Upper => steps - 1 - step,
        };
        for step in 0..steps {
            flow.iteration(step);
            let (k, left) = (place(step), steps - 1 - step);
            let mut packing = Packing::<T>::new(flow, (left, b.nt()));
            let priority = 2 * (steps - step) as i32;
            let mut solved = Vec::new();
            for line in 0..b.nt() {
                tasks::trsm(flow, self.corner(k), T::ONE, b.tile(k, line), priority);
                if left > 0 {
                    solved.push(packing.right(flow, b.tile(k, line), priority));
                }
            }
            for later in step + 1..steps {
                let i = place(later);
                if self.l.precisions().is_zero(i.max(k), i.min(k)) {
                    continue;
                }
                let priority = priority - (later - step) as i32;
                let (tile, made) = self.tile(flow, (i, k), priority);
                let tie = packing.left(flow, tile, Structure::General, priority);
                for (line, &known) in solved.iter().enumerate() {
                    let (factors, pair) = ((-T::ONE, T::ONE), (tie, known));
                    packing.multiply(flow, factors, pair, b.tile(i, line), priority);
                }
                made.into_iter().for_each(|copy| flow.retire(copy));
            }
            packing.retire(flow);
        }
    }

    /// A tile of the triangle from one of `L`.
    fn turned(&self, tile: Tile) -> Tile {
        if self.uplo == Uplo::Lower { tile } else { tile.op(Trans::Conj) }
    }

    fn corner(&self, k: usize) -> TriangularTile {
        let tile = self.turned(self.l.seen(k, k));
        TriangularTile { tile, uplo: self.uplo, diag: Diag::NonUnit }
    }

    /// Tile `(i, k)` of the triangle in 64 bits, and the copy that had to be made for it.
    fn tile(
        &self,
        flow: &mut Flow,
        (i, k): (usize, usize),
        priority: i32,
    ) -> (Tile, Option<Handle>) {
        let stored = self.l.seen(i.max(k), i.min(k));
        if !self.l.precisions().is_narrow(i.max(k), i.min(k)) {
            return (self.turned(stored), None);
        }
        let handle = flow.register(stored.rows * stored.columns * size_of::<T>());
        let conversion = conversion::<T::Other>(Part::Whole, stored);
        flow.submit(conversion, &[(stored.handle, R), (handle, RW)], priority);
        (self.turned(Tile { handle, ..stored }), Some(handle))
    }
}
