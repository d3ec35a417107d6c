//! The first stage: a Hermitian matrix on tiles reduced to a band as wide as its tiles.
//!
//! Bischof, Lang, Sun (2000): a QR factorisation of what is below the band in a column of tiles
//! gives `Q = I - V T V^H`, and with `X = A V T` and `W = X - V (T^H V^H X) / 2` what is left is
//! `Q^H A Q = A - V W^H - W V^H` (Dongarra, Hammarling, Sorensen, "Block reduction of matrices to
//! condensed forms for eigenvalue computations", J. Comput. Appl. Math. 27, 1989).

use tegula_kernels::option::{Diag, Form, Storev, Trans, Uplo};
use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::Flow;
use tegula_tiles::TileMatrix;

use crate::condense::{Panel, columns_beside, tile};
use crate::tasks::{self, TriangularTile};
use crate::view::{Tile, View};

/// Submits the reduction of the lower triangle `a`. The band stands in the tiles on the diagonal
/// and the upper triangles of those below them; the rest is overwritten. Returns the reflectors, if
/// `keep` says so.
pub(super) fn sy2sb<T: Scalar>(flow: &mut Flow, a: &TileMatrix<T>, keep: bool) -> Vec<Panel> {
    let mut panels = Vec::new();
    for k in 0..a.nt().saturating_sub(1) {
        flow.iteration(k);
        let step = Step::<T> { a, k, priority: 2 * (a.nt() - k) as i32 };
        let panel = step.factorise(flow);
        let lengths = step.rows().map(|i| a.tile_rows(i));
        let v = panel.reflectors::<T>(flow, (lengths, a.nb()), step.priority);
        let w = step.companion(flow, &v, panel.triangle());
        step.update(flow, &v, &w);
        v.into_iter().chain(w).for_each(|tile| flow.retire(tile.handle));
        if keep { panels.push(panel) } else { panel.retire(flow) }
    }
    panels
}

struct Step<'a, T> {
    a: &'a TileMatrix<T>,
    k: usize,
    priority: i32,
}

impl<T: Scalar> Step<'_, T> {
    /// Rows of tiles below the diagonal.
    fn rows(&self) -> std::ops::Range<usize> {
        self.k + 1..self.a.nt()
    }

    fn new_tiles(&self, flow: &mut Flow, columns: usize) -> Vec<Tile> {
        let rows = self.rows().map(|i| self.a.tile_rows(i));
        rows.map(|m| tile(flow.register(m * columns * size_of::<T>()), m, columns)).collect()
    }

    /// Factorises the column of tiles below the diagonal, and leaves `R` in the first one.
    fn factorise(&self, flow: &mut Flow) -> Panel {
        let &Self { a, k, .. } = self;
        let (n, width) = (a.n(), a.nb());
        let tiles: Vec<Tile> = self.rows().map(|i| View::from(a).tile(i, k)).collect();
        let sizes = (n, (k + 1) * width, width);
        // Before what is left of the update of the step before.
        Panel::factorise::<T>(flow, Storev::Columns, sizes, (&tiles, width), self.priority + 2)
    }

    /// `W`, in tiles as `V`.
    fn companion(&self, flow: &mut Flow, v: &[Tile], t: Tile) -> Vec<Tile> {
        let (count, priority) = (t.rows, self.priority);
        let w = self.new_tiles(flow, count);
        let right = TriangularTile { tile: t.transposed(), uplo: Uplo::Lower, diag: Diag::NonUnit };
        let adjoint = TriangularTile { tile: t.op(Trans::Conj), ..right };
        let inner = tile(flow.register(count * count * size_of::<T>()), count, count);
        for (i, &w) in w.iter().enumerate() {
            for (j, &v) in v.iter().enumerate() {
                self.multiply(flow, (i, j), v, w);
            }
            tasks::trmm(flow, right, T::ONE, w.transposed(), priority);
            let beta = if i == 0 { T::ZERO } else { T::ONE };
            tasks::gemm(flow, (T::ONE, beta), (v[i].op(Trans::Conj), w), inner, priority);
        }
        tasks::trmm(flow, adjoint, T::ONE, inner, priority);
        for (&v, &w) in v.iter().zip(&w) {
            tasks::gemm(flow, (T::from_f64(-0.5), T::ONE), (v, inner), w, priority);
        }
        flow.retire(inner.handle);
        w
    }

    /// Adds the product of one tile of what is left of the matrix to a tile of `A V`.
    fn multiply(&self, flow: &mut Flow, (i, j): (usize, usize), v: Tile, w: Tile) {
        let (row, column) = (self.k + 1 + i, self.k + 1 + j);
        let factors = (T::ONE, if j == 0 { T::ZERO } else { T::ONE });
        let a = View::from(self.a).tile(row.max(column), row.min(column));
        if i == j {
            return tasks::symm(flow, Form::Hermitian, factors, (a, v), w, self.priority);
        }
        let a = if i > j { a } else { a.op(Trans::Conj) };
        tasks::gemm(flow, factors, (a, v), w, self.priority);
    }

    /// `A = A - V W^H - W V^H`, the lower triangle; the next panel first. Beside the diagonal this
    /// is one product, `[V W] [W V]^H`.
    fn update(&self, flow: &mut Flow, v: &[Tile], w: &[Tile]) {
        let factors = (-T::ONE, T::ONE);
        let from = self.k + 1;
        let left = columns_beside::<T>(flow, v, w, self.priority);
        let right = columns_beside::<T>(flow, w, v, self.priority);
        for j in 0..v.len() {
            let priority = self.priority - i32::from(j > 0);
            let a = |i: usize| View::from(self.a).tile(from + i, from + j);
            tasks::syr2k(flow, Form::Hermitian, factors, (v[j], w[j]), a(j), priority);
            for (i, &left) in left.iter().enumerate().skip(j + 1) {
                let pair = (left, right[j].op(Trans::Conj));
                tasks::gemm(flow, factors, pair, a(i), priority);
            }
        }
        left.into_iter().chain(right).for_each(|tile| flow.retire(tile.handle));
    }
}
