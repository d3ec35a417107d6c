//! Tiled QR factorisation on square tiles with a reduction tree: for tall matrices and many
//! workers.
//!
//! Buttari, Langou, Kurzak, Dongarra, "A class of parallel tiled linear algebra algorithms for
//! multicore architectures", Parallel Computing 35 (2009), for any [`Tree`].

use std::marker::PhantomData;

use tegula_kernels::kernel::{
    geqrt::Geqrt, laset::Laset, tpmqrt::Tpmqrt, tpqrt::Tpqrt, unmqr::Unmqr,
};
use tegula_kernels::option::{Side, Storev, Trans};
use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::Access::{R, RW, W};
use tegula_runtime::flow::{Flow, Handle};
use tegula_tiles::{Storage, TileMatrix};

use crate::tree::{Step, Tree};

/// Reflectors of a block of an elimination: larger blocks cost more operations (a share of
/// `ib / (4 nb)`), smaller ones make thinner products.
const BLOCK: usize = 48;

/// What [`geqrf_tree`] leaves beside the matrix: the triangles of the reflectors of each step.
#[derive(Debug)]
pub struct TreeFactors<T> {
    steps: Vec<(Step, Handle)>,
    scalar: PhantomData<T>,
}

impl<T> TreeFactors<T> {
    /// Gives the triangles back when everything submitted so far has run.
    pub fn retire(self, flow: &mut Flow) {
        self.steps.into_iter().for_each(|(_, triangle)| flow.retire(triangle));
    }
}

/// Submits the factorisation `A = Q R` of `a` (`m x n`, square tiles) with `tree`. `R` takes the
/// place of the entries on and above the diagonal; what is below, with the triangles that are
/// returned, is `Q` for [`ormqr_tree`] and [`orgqr_tree`].
///
/// # Panics
/// If tiles are not square or not all are there.
pub fn geqrf_tree<T: Scalar>(flow: &mut Flow, a: &TileMatrix<T>, tree: Tree) -> TreeFactors<T> {
    assert!(a.storage() == Storage::Full, "QR needs the whole matrix, not a triangle");
    assert!(a.mb() == a.nb(), "tiles of {} x {} are not square", a.mb(), a.nb());
    let columns = a.mt().min(a.nt());
    let mut factors = TreeFactors { steps: Vec::new(), scalar: PhantomData };
    for step in tree.steps(a.mt(), a.nt()) {
        let k = step.column();
        flow.iteration(k);
        let priority = |less: usize| 3 * (columns - k) as i32 - less as i32;
        let triangle = factorise(flow, a, step, priority(0));
        for j in k + 1..a.nt() {
            let target = Target { c: a, j, trans: Trans::Conj };
            target.multiply(flow, a, (step, triangle), priority(j - k));
        }
        factors.steps.push((step, triangle));
    }
    factors
}

/// Submits the product `C = op(Q) C` with the factor that [`geqrf_tree`] left in `a` and `factors`;
/// `op` is `No` or `Conj`.
///
/// # Panics
/// If `c` has not the rows of `a`, or is tiled otherwise.
pub fn ormqr_tree<T: Scalar>(
    flow: &mut Flow,
    trans: Trans,
    a: &TileMatrix<T>,
    factors: &TreeFactors<T>,
    c: &TileMatrix<T>,
) {
    assert!(c.storage() == Storage::Full, "a product with a triangle");
    assert!(
        (c.m(), c.mb()) == (a.m(), a.mb()),
        "{} rows in {}s against {} in {}s",
        c.m(),
        c.mb(),
        a.m(),
        a.mb()
    );
    let count = factors.steps.len();
    for place in 0..count {
        let from_the_end = trans == Trans::No;
        let step = factors.steps[if from_the_end { count - 1 - place } else { place }];
        for j in 0..c.nt() {
            Target { c, j, trans }.multiply(flow, a, step, (count - place) as i32);
        }
    }
}

/// Submits the first columns of the factor that [`geqrf_tree`] left in `a` and `factors`: `q`, with
/// at most as many columns as rows, is overwritten by them.
///
/// # Panics
/// If `q` has not the rows of `a`, or is tiled otherwise.
pub fn orgqr_tree<T: Scalar>(
    flow: &mut Flow,
    a: &TileMatrix<T>,
    factors: &TreeFactors<T>,
    q: &TileMatrix<T>,
) {
    assert!(q.mb() == q.nb(), "tiles of {} x {} are not square", q.mb(), q.nb());
    for (i, j) in (0..q.nt()).flat_map(|j| (0..q.mt()).map(move |i| (i, j))) {
        let diagonal = if i == j { T::ONE } else { T::ZERO };
        let (m, n, off_diagonal) = (q.tile_rows(i), q.tile_columns(j), T::ZERO);
        flow.submit(Laset { m, n, off_diagonal, diagonal }, &[(q.tile(i, j), W)], 0);
    }
    ormqr_tree(flow, Trans::No, a, factors, q);
}

/// The tasks of a step on its own column; returns where the triangle goes.
fn factorise<T: Scalar>(flow: &mut Flow, a: &TileMatrix<T>, step: Step, priority: i32) -> Handle {
    let scalar = PhantomData;
    match step {
        Step::Triangulate { row, column } => {
            let (m, n, storev) = (a.tile_rows(row), a.tile_columns(column), Storev::Columns);
            let k = m.min(n);
            let triangle = flow.register(k * k * size_of::<T>());
            let tau = flow.register(k * size_of::<T>());
            let geqrt = Geqrt::<T> { storev, m, n, offset: 0, scalar };
            let accesses = [(a.tile(row, column), RW), (tau, W), (triangle, W)];
            flow.submit(geqrt, &accesses, priority);
            flow.retire(tau);
            triangle
        }
        Step::Eliminate { column, pivot, row, below } => {
            let (top, m, n) = (a.tile_rows(pivot), a.tile_rows(row), a.tile_columns(column));
            let ib = BLOCK.min(n);
            let triangle = flow.register(ib * n * size_of::<T>());
            let tpqrt = Tpqrt::<T> { below, top, m, n, ib, scalar };
            let (pivot, tile) = (a.tile(pivot, column), a.tile(row, column));
            flow.submit(tpqrt, &[(pivot, RW), (tile, RW), (triangle, W)], priority);
            triangle
        }
    }
}

/// A column of tiles that is multiplied by `op` of the reflectors of steps.
struct Target<'a, T> {
    c: &'a TileMatrix<T>,
    j: usize,
    trans: Trans,
}

impl<T: Scalar> Target<'_, T> {
    fn multiply(
        &self,
        flow: &mut Flow,
        a: &TileMatrix<T>,
        (step, triangle): (Step, Handle),
        priority: i32,
    ) {
        let &Self { c, j, trans } = self;
        let (n, scalar) = (c.tile_columns(j), PhantomData);
        match step {
            Step::Triangulate { row, column } => {
                let (m, width) = (a.tile_rows(row), a.tile_columns(column));
                let (side, storev, k) = (Side::Left, Storev::Columns, m.min(width));
                let unmqr =
                    Unmqr::<T> { side, trans, storev, m, n, order: m, width, k, offset: 0, scalar };
                let reflectors = [(a.tile(row, column), R), (triangle, R)];
                flow.submit(unmqr, &[reflectors[0], reflectors[1], (c.tile(row, j), RW)], priority);
            }
            Step::Eliminate { column, pivot, row, below } => {
                let (top, m, k) = (a.tile_rows(pivot), a.tile_rows(row), a.tile_columns(column));
                let tpmqrt = Tpmqrt::<T> { below, trans, top, m, n, k, ib: BLOCK.min(k), scalar };
                let reflectors = [(a.tile(row, column), R), (triangle, R)];
                let tiles = [(c.tile(pivot, j), RW), (c.tile(row, j), RW)];
                flow.submit(tpmqrt, &[reflectors[0], reflectors[1], tiles[0], tiles[1]], priority);
            }
        }
    }
}
