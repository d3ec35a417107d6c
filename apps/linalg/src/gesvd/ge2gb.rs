//! The first stage: a general matrix on tiles, with at least as many rows as columns, reduced to an
//! upper band as wide as its tiles.
//!
//! Grosser, Lang, "Efficient parallel reduction to bidiagonal form", Parallel Comput. 25 (1999): a
//! QR factorisation of a column of tiles, `Q = I - V T V^H`, then an LQ factorisation of what `Q^H`
//! leaves of the row of tiles beyond the diagonal, `P = I - S^H conj(T') S` with the rows `S`. With
//! `Z = T^H V^H A` and `X = (A - V Z) S^H conj(T')` what is left is `Q^H A P = A - V Z - X S`, one
//! product.

use tegula_kernels::option::{Diag, Storev, Trans, Uplo};
use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::Flow;
use tegula_tiles::TileMatrix;

use crate::condense::{Panel, columns_beside, copy, rows_beside, tile};
use crate::tasks::{self, TriangularTile};
use crate::view::{Tile, View};

/// The reflectors of both sides.
#[derive(Debug, Default)]
pub(super) struct Panels {
    pub(super) left: Vec<Panel>,
    pub(super) right: Vec<Panel>,
}

/// Submits the reduction of `a`. The band stands in the upper triangles of the tiles on the
/// diagonal and the lower ones of those beside them; the rest is overwritten. Returns the
/// reflectors, if `keep` says so.
pub(super) fn ge2gb<T: Scalar>(flow: &mut Flow, a: &TileMatrix<T>, keep: bool) -> Panels {
    let mut panels = Panels::default();
    for k in 0..a.nt() {
        flow.iteration(k);
        let step = Step::<T> { a, k, priority: 2 * (a.nt() - k) as i32 };
        let left = step.column(flow);
        let right = (k + 1 < a.nt()).then(|| step.reduce(flow, left));
        if keep {
            panels.left.push(left);
            panels.right.extend(right);
        } else {
            [Some(left), right].into_iter().flatten().for_each(|panel| panel.retire(flow));
        }
    }
    panels
}

struct Step<'a, T> {
    a: &'a TileMatrix<T>,
    k: usize,
    priority: i32,
}

impl<T: Scalar> Step<'_, T> {
    /// Columns of tiles beyond the diagonal.
    fn columns(&self) -> std::ops::Range<usize> {
        self.k + 1..self.a.nt()
    }

    fn tile(&self, i: usize, j: usize) -> Tile {
        View::from(self.a).tile(i, j)
    }

    fn multiply(&self, flow: &mut Flow, factors: (T, T), pair: (Tile, Tile), c: Tile) {
        tasks::gemm(flow, factors, pair, c, self.priority);
    }

    /// Room for tiles.
    fn room(&self, flow: &mut Flow, sizes: impl Iterator<Item = (usize, usize)>) -> Vec<Tile> {
        let new = |(m, n): (usize, usize)| tile(flow.register(m * n * size_of::<T>()), m, n);
        sizes.map(new).collect()
    }

    /// Factorises the column of tiles from the diagonal on.
    fn column(&self, flow: &mut Flow) -> Panel {
        let &Self { a, k, .. } = self;
        let tiles: Vec<Tile> = (k..a.mt()).map(|i| self.tile(i, k)).collect();
        let sizes = (a.m(), k * a.nb(), a.tile_columns(k));
        // Before what is left of the update of the step before.
        let priority = self.priority + 2;
        Panel::factorise::<T>(flow, Storev::Columns, sizes, (&tiles, a.mb()), priority)
    }

    /// Factorises the row of tiles beyond the diagonal.
    fn row(&self, flow: &mut Flow) -> Panel {
        let &Self { a, k, .. } = self;
        let tiles: Vec<Tile> = self.columns().map(|j| self.tile(k, j)).collect();
        let sizes = (a.n(), (k + 1) * a.nb(), a.tile_rows(k));
        Panel::factorise::<T>(flow, Storev::Rows, sizes, (&tiles, a.nb()), self.priority)
    }

    /// Takes the reflectors of the column of tiles from those beyond, factorises the row of tiles,
    /// and takes its reflectors from what is left; returns these.
    fn reduce(&self, flow: &mut Flow, left: Panel) -> Panel {
        let &Self { a, k, priority } = self;
        let heights = (k..a.mt()).map(|i| a.tile_rows(i));
        let v = left.reflectors::<T>(flow, (heights, a.mb()), priority);
        let z = self.left_companion(flow, &v, left.triangle());
        for (j, &z) in self.columns().zip(&z) {
            self.multiply(flow, (-T::ONE, T::ONE), (v[0], z), self.tile(k, j));
        }
        let right = self.row(flow);
        let widths = self.columns().map(|j| a.tile_columns(j));
        let s = right.reflectors::<T>(flow, (widths, a.nb()), priority);
        let x = self.right_companion(flow, (&v, &z), &s, right.triangle());
        self.update(flow, (&v[1..], &x), (&z, &s));
        [v, z, s, x].concat().into_iter().for_each(|tile| flow.retire(tile.handle));
        right
    }

    /// `Z`, in columns of tiles.
    fn left_companion(&self, flow: &mut Flow, v: &[Tile], t: Tile) -> Vec<Tile> {
        let sizes = self.columns().map(|j| (t.rows, self.a.tile_columns(j)));
        let z = self.room(flow, sizes);
        let corner =
            TriangularTile { tile: t.op(Trans::Conj), uplo: Uplo::Lower, diag: Diag::NonUnit };
        for (j, &z) in self.columns().zip(&z) {
            for (i, v) in v.iter().enumerate() {
                let factors = (T::ONE, if i == 0 { T::ZERO } else { T::ONE });
                let pair = (v.op(Trans::Conj), self.tile(self.k + i, j));
                self.multiply(flow, factors, pair, z);
            }
            tasks::trmm(flow, corner, T::ONE, z, self.priority);
        }
        z
    }

    /// `X`, in rows of tiles below that of the step.
    fn right_companion(
        &self,
        flow: &mut Flow,
        (v, z): (&[Tile], &[Tile]),
        s: &[Tile],
        t: Tile,
    ) -> Vec<Tile> {
        let (one, count) = (T::ONE, t.rows);
        // S^H conj(T') is the adjoint of the product of the transposed triangle and S.
        let turned = self.room(flow, s.iter().map(|s| (s.rows, s.columns)));
        let corner =
            TriangularTile { tile: t.transposed(), uplo: Uplo::Lower, diag: Diag::NonUnit };
        let inner = self.room(flow, std::iter::once((v[0].columns, count)))[0];
        for (j, (&to, &s)) in turned.iter().zip(s).enumerate() {
            copy::<T>(flow, (s, (0, 0)), (to, (0, 0)), (s.rows, s.columns), self.priority);
            tasks::trmm(flow, corner, one, to, self.priority);
            let beta = if j == 0 { T::ZERO } else { one };
            self.multiply(flow, (one, beta), (z[j], to.op(Trans::Conj)), inner);
        }
        let rows = self.k + 1..self.a.mt();
        let x = self.room(flow, rows.clone().map(|i| (self.a.tile_rows(i), count)));
        for ((i, &x), &v) in rows.zip(&x).zip(&v[1..]) {
            self.multiply(flow, (-one, T::ZERO), (v, inner), x);
            for (j, to) in self.columns().zip(&turned) {
                self.multiply(flow, (one, one), (self.tile(i, j), to.op(Trans::Conj)), x);
            }
        }
        turned.into_iter().chain([inner]).for_each(|tile| flow.retire(tile.handle));
        x
    }

    /// `A = A - [V X] [Z; S]`; the next panel first.
    fn update(&self, flow: &mut Flow, (v, x): (&[Tile], &[Tile]), (z, s): (&[Tile], &[Tile])) {
        let left = columns_beside::<T>(flow, v, x, self.priority);
        let right = rows_beside::<T>(flow, z, s, self.priority);
        for (j, &right) in self.columns().zip(&right) {
            let priority = self.priority - i32::from(j > self.k + 1);
            for (i, &left) in left.iter().enumerate() {
                let target = self.tile(self.k + 1 + i, j);
                tasks::gemm(flow, (-T::ONE, T::ONE), (left, right), target, priority);
            }
        }
        left.into_iter().chain(right).for_each(|tile| flow.retire(tile.handle));
    }
}
