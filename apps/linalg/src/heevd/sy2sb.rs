//! The first stage: a Hermitian matrix on tiles reduced to a band as wide as its tiles.
//!
//! Bischof, Lang, Sun (2000): a QR factorisation of what is below the band in a column of
//! tiles gives `Q = I - V T V^H`, and with `X = A V T` and `W = X - V (T^H V^H X) / 2` what is left is
//! `Q^H A Q = A - V W^H - W V^H` (Dongarra, Hammarling, Sorensen, "Block reduction of matrices to
//! condensed forms for eigenvalue computations", J. Comput. Appl. Math. 27, 1989).

use std::marker::PhantomData;

use tegula_data::matrix::TileMatrix;
use tegula_kernels::kernel::copy_part::{Block, CopyPart};
use tegula_kernels::kernel::geqrt::Geqrt;
use tegula_kernels::kernel::laset_triangle::LasetTriangle;
use tegula_kernels::option::{Diag, Form, Storev, Trans, Uplo};
use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::Access::{R, RW, W};
use tegula_runtime::flow::{Flow, Handle};

use crate::tasks::{self, Corner};
use crate::view::{Tile, Turn, View};

/// The reflectors of one step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Panel {
    /// `n x width`: the reflectors below the diagonal that begins at row `offset`.
    pub(super) v: Handle,
    /// Their triangle `T`, `count x count`.
    pub(super) t: Handle,
    pub(super) offset: usize,
    pub(super) width: usize,
    pub(super) count: usize,
}

impl Panel {
    pub(super) fn retire(self, flow: &mut Flow) {
        flow.retire(self.v);
        flow.retire(self.t);
    }
}

/// Submits the reduction of the lower triangle `a`. The band stands in the tiles on the diagonal and
/// the upper triangles of those below them; the rest is overwritten. Returns the reflectors, if
/// `keep` says so.
pub(super) fn sy2sb<T: Scalar>(flow: &mut Flow, a: &TileMatrix<T>, keep: bool) -> Vec<Panel> {
    let mut panels = Vec::new();
    for k in 0..a.nt().saturating_sub(1) {
        flow.iteration(k);
        let step = Step::<T> { a, k, priority: 2 * (a.nt() - k) as i32 };
        let panel = step.factorise(flow);
        let v = step.reflectors(flow, panel);
        let t = tile(panel.t, panel.count, panel.count);
        let w = step.companion(flow, &v, t);
        step.update(flow, &v, &w);
        v.into_iter().chain(w).for_each(|tile| flow.retire(tile.handle));
        if keep { panels.push(panel) } else { panel.retire(flow) }
    }
    panels
}

fn tile(handle: Handle, rows: usize, columns: usize) -> Tile {
    Tile { handle, rows, columns, turn: Turn::default() }
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
        // Before what is left of the update of the step before.
        let (&Self { a, k, .. }, priority) = (self, self.priority + 2);
        let (n, width) = (a.n(), a.nb());
        let offset = (k + 1) * width;
        let count = width.min(n - offset);
        let bytes = |entries: usize| entries * size_of::<T>();
        let [v, tau, t] = [n * width, count, count * count].map(|size| flow.register(bytes(size)));
        for i in self.rows() {
            let from = tile(a.tile(i, k), a.tile_rows(i), width);
            let size = (from.rows, width);
            let to = (tile(v, n, width), (i * width, 0));
            copy::<T>(flow, (from, (0, 0)), to, size, priority);
        }
        let (storev, scalar) = (Storev::Columns, PhantomData::<T>);
        let geqrt = Geqrt { storev, m: n, n: width, offset, scalar };
        flow.submit(geqrt, &[(v, RW), (tau, W), (t, W)], priority);
        flow.retire(tau);
        let first = tile(a.tile(k + 1, k), a.tile_rows(k + 1), width);
        let from = (tile(v, n, width), (offset, 0));
        copy::<T>(flow, from, (first, (0, 0)), (first.rows, width), priority);
        Panel { v, t, offset, width, count }
    }

    /// The reflectors in tiles, with their ones and zeros.
    fn reflectors(&self, flow: &mut Flow, panel: Panel) -> Vec<Tile> {
        let whole = tile(panel.v, self.a.n(), panel.width);
        let tiles = self.new_tiles(flow, panel.count);
        for (i, &to) in self.rows().zip(&tiles) {
            let size = (to.rows, to.columns);
            let from = (whole, (i * self.a.nb(), 0));
            copy::<T>(flow, from, (to, (0, 0)), size, self.priority);
        }
        let (m, n) = (tiles[0].rows, tiles[0].columns);
        let (uplo, off_diagonal, diagonal) = (Uplo::Upper, T::ZERO, T::ONE);
        let ones = LasetTriangle { uplo, m, n, off_diagonal, diagonal };
        flow.submit(ones, &[(tiles[0].handle, RW)], self.priority);
        tiles
    }

    /// `W`, in tiles as `V`.
    fn companion(&self, flow: &mut Flow, v: &[Tile], t: Tile) -> Vec<Tile> {
        let (count, priority) = (t.rows, self.priority);
        let w = self.new_tiles(flow, count);
        let right = Corner { tile: t.transposed(), uplo: Uplo::Lower, diag: Diag::NonUnit };
        let adjoint = Corner { tile: t.op(Trans::Conj), ..right };
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

    /// `A = A - V W^H - W V^H`, the lower triangle; the next panel first. Beside the diagonal this is
    /// one product, `[V W] [W V]^H`.
    fn update(&self, flow: &mut Flow, v: &[Tile], w: &[Tile]) {
        let factors = (-T::ONE, T::ONE);
        let from = self.k + 1;
        let left = self.beside(flow, v, w);
        let right = self.beside(flow, w, v);
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

    /// Tiles of `[X Y]`.
    fn beside(&self, flow: &mut Flow, x: &[Tile], y: &[Tile]) -> Vec<Tile> {
        let count = x[0].columns;
        let both = self.new_tiles(flow, 2 * count);
        for ((&x, &y), &to) in x.iter().zip(y).zip(&both) {
            let size = (x.rows, count);
            copy::<T>(flow, (x, (0, 0)), (to, (0, 0)), size, self.priority);
            copy::<T>(flow, (y, (0, 0)), (to, (0, count)), size, self.priority);
        }
        both
    }
}

/// Copies a block of a tile to a place in another.
fn copy<T: Scalar>(
    flow: &mut Flow,
    (from, at): (Tile, (usize, usize)),
    (to, place): (Tile, (usize, usize)),
    (rows, columns): (usize, usize),
    priority: i32,
) {
    let short = |(x, y): (usize, usize)| (x as u32, y as u32);
    let block =
        |tile: Tile, first| Block { tile: short((tile.rows, tile.columns)), first: short(first) };
    let copy = CopyPart::<T> {
        from: block(from, at),
        to: block(to, place),
        size: short((rows, columns)),
        scalar: PhantomData,
    };
    flow.submit(copy, &[(from.handle, R), (to.handle, RW)], priority);
}
