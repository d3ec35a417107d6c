//! The factorization in panels: one block of threads factors a panel, cuBLAS does the rest.

use tegula_runtime::flow::{Failure, Launch};

use super::Geqrt;
use crate::cuda::{Block, Panel, Products, apply, join, take_reflectors};
use crate::option::{Side, Storev, Trans};
use crate::scalar::Scalar;

/// Columns of a panel.
const WIDTH: usize = 32;

/// The columns that are factored, and what comes of them.
struct Parts<T> {
    a: Block<T>,
    tau: Block<T>,
    t: Block<T>,
    /// Room for the reflectors of a panel with their ones and zeros.
    v: Block<T>,
    /// Room for products of a panel with columns.
    w: Block<T>,
}

impl<T: Scalar> Geqrt<T> {
    /// Puts the factorization on the stream; of real numbers.
    pub(super) fn launch(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let &Self { storev, m, n, offset, .. } = self;
        let (rows, k, is_turned) = (m - offset, self.count(), storev == Storev::Rows);
        let stored = storev.stored(m, n);
        let a = Block::<T>::output(launch, 0, stored.0, stored.1);
        let (tau, t) = (Block::output(launch, 1, k, 1), Block::output(launch, 2, k, k));
        t.clear(launch)?;
        let copied = if is_turned { (rows, n) } else { (0, 0) };
        let width = WIDTH.min(k);
        let [copy, v, w] = Block::room(launch, [copied, (rows, width), (width, n)])?;
        let parts = |a| Parts { a, tau, t, v, w };
        if !is_turned {
            return parts(a.part(offset, 0, rows, n)).factor(launch);
        }
        // Vectors are columns here.
        let a = a.part(0, offset, n, rows);
        copy.copy(launch, Trans::Yes, a)?;
        parts(copy).factor(launch)?;
        a.copy(launch, Trans::Yes, copy)
    }
}

impl<T: Scalar> Parts<T> {
    fn factor(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let (products, k) = (Products::of(launch)?, self.tau.rows());
        for first in (0..k).step_by(WIDTH) {
            self.step(launch, &products, first, WIDTH.min(k - first))?;
        }
        Ok(())
    }

    /// Factors the panel of `width` columns that begins at row and column `first`, joins its
    /// triangle to those before, and brings the columns beside it up to date.
    fn step(
        &self,
        launch: &Launch<'_>,
        products: &Products<T>,
        first: usize,
        width: usize,
    ) -> Result<(), Failure> {
        let &Self { a, tau, t, v, w } = self;
        let (rows, next) = (a.rows() - first, first + width);
        let (panel, corner) =
            (a.part(first, first, rows, width), t.part(first, first, width, width));
        let tau = Some(tau.part(first, 0, width, 1));
        Panel { head: panel, below: None, tau, t: corner }.factor(launch)?;
        let v = v.adjacent(rows, width);
        take_reflectors(launch, Storev::Columns, panel, v)?;
        let before = (a.part(first, 0, rows, first), v);
        let triangles = (t.part(0, 0, first, first), corner);
        join(products, before, triangles, t.part(0, first, first, width))?;
        let beside = a.part(first, next, rows, a.cols() - next);
        apply(products, Side::Left, (v, corner), Trans::Conj, beside, w)
    }
}
