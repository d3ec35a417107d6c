//! Blocks of reflectors in a factorised matrix: where each stands, and what is done with it.

use std::marker::PhantomData;

use tegula_kernels::kernel::unmqr::{Unmqr, packed::UnmqrPacked};
use tegula_kernels::kernel::{geqrt::Geqrt, larft::Larft, ungqr::Ungqr};
use tegula_kernels::option::{Side, Storev, Trans};
use tegula_kernels::packed::PackedShape;
use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::Access::{R, RW, W};
use tegula_runtime::flow::{Flow, Handle};
use tegula_tiles::{Storage, TileMatrix};

use crate::packing;

/// A matrix in block columns (of an LQ factorisation: block rows), its factors `tau`, and room for
/// the triangle of each block.
pub(crate) struct Reflectors<'a, T> {
    storev: Storev,
    a: &'a TileMatrix<T>,
    tau: &'a TileMatrix<T>,
    triangles: Vec<Handle>,
}

impl<'a, T: Scalar> Reflectors<'a, T> {
    /// The reflectors of `a` with the factors `tau`, as many as this has entries.
    ///
    /// # Panics
    /// If `a` is not in whole block columns or block rows, or `tau` not a column in tiles as
    /// wide as those.
    pub(crate) fn new(
        flow: &mut Flow,
        storev: Storev,
        a: &'a TileMatrix<T>,
        tau: &'a TileMatrix<T>,
    ) -> Self {
        let (mb, nb) = storev.stored(a.mb(), a.nb());
        let (m, n) = storev.stored(a.m(), a.n());
        assert!(a.storage() == Storage::Full, "reflectors in a triangle");
        assert!(mb >= m, "blocks of {mb} do not reach over all {m}");
        assert!(
            tau.n() == 1 && tau.m() <= m.min(n),
            "{} x {} factors of reflectors in {m} x {n}",
            tau.m(),
            tau.n()
        );
        assert!(tau.mb() == nb, "factors in {}s, reflectors in {nb}s", tau.mb());
        let triangle = |step| flow.register(tau.tile_rows(step).pow(2) * size_of::<T>());
        let triangles = (0..tau.mt()).map(triangle).collect();
        Self { storev, a, tau, triangles }
    }

    /// Number of blocks with reflectors.
    pub(crate) fn steps(&self) -> usize {
        self.triangles.len()
    }

    /// Number of blocks in all.
    pub(crate) fn blocks(&self) -> usize {
        let (mt, nt) = (self.a.mt(), self.a.nt());
        self.storev.stored(mt, nt).1
    }

    /// Rows of the matrix, or columns if it is stored by rows.
    pub(crate) fn order(&self) -> usize {
        self.storev.stored(self.a.m(), self.a.n()).0
    }

    fn block(&self, k: usize) -> Handle {
        let (i, j) = self.storev.stored(0, k);
        self.a.tile(i, j)
    }

    fn width(&self, k: usize) -> usize {
        match self.storev {
            Storev::Columns => self.a.tile_columns(k),
            Storev::Rows => self.a.tile_rows(k),
        }
    }

    fn offset(&self, k: usize) -> usize {
        k * self.tau.mb()
    }

    /// Factorises block `k`.
    pub(crate) fn factorise(&self, flow: &mut Flow, k: usize, priority: i32) {
        let (m, n, offset) = (self.order(), self.width(k), self.offset(k));
        let geqrt = Geqrt::<T> { storev: self.storev, m, n, offset, scalar: PhantomData };
        let written = [(self.tau.tile(k, 0), W), (self.triangles[k], W)];
        flow.submit(geqrt, &[(self.block(k), RW), written[0], written[1]], priority);
    }

    /// Makes the triangle of block `k` from its reflectors.
    pub(crate) fn rebuild(&self, flow: &mut Flow, k: usize, priority: i32) {
        let (m, n, offset) = (self.order(), self.width(k), self.offset(k));
        let count = self.tau.tile_rows(k);
        let larft = Larft::<T> { storev: self.storev, m, n, k: count, offset, scalar: PhantomData };
        let read = [(self.block(k), R), (self.tau.tile(k, 0), R)];
        flow.submit(larft, &[read[0], read[1], (self.triangles[k], W)], priority);
    }

    /// Readies block `k` to be applied `products` times.
    pub(crate) fn factor(
        &self,
        flow: &mut Flow,
        k: usize,
        products: usize,
        priority: i32,
    ) -> Factor<'_, T> {
        let packed = packing::micro_panel_height::<T>(flow, products).map(|height| {
            let product = self.product(k, (Side::Left, Trans::No), (self.order(), 0));
            let [v, adjoint] = UnmqrPacked { product, height: height as u32 }.packs();
            let (order, width) = (self.order(), self.tau.mb());
            let shape = |rows, cols| PackedShape { rows, cols, height };
            let packed = [(v, shape(order, width)), (adjoint, shape(width, order))];
            let pack = |(task, most)| packing::pack(flow, task, most, self.block(k), priority);
            (height as u32, packed.map(pack))
        });
        Factor { reflectors: self, k, packed }
    }

    /// The product of block `k` with an `m x n` tile.
    fn product(&self, k: usize, (side, trans): (Side, Trans), (m, n): (usize, usize)) -> Unmqr<T> {
        Unmqr {
            side,
            trans,
            storev: self.storev,
            m,
            n,
            order: self.order(),
            width: self.width(k),
            k: self.tau.tile_rows(k),
            offset: self.offset(k) as u32,
            scalar: PhantomData,
        }
    }

    /// Overwrites block `k` by its columns (rows) of the orthogonal matrix, or of the identity if
    /// it has no reflectors.
    pub(crate) fn form(&self, flow: &mut Flow, k: usize, priority: i32) {
        let (m, n, offset) = (self.order(), self.width(k), self.offset(k));
        let has_some = k < self.steps();
        let count = if has_some { self.tau.tile_rows(k) } else { 0 };
        let triangle = if has_some { self.triangles[k] } else { flow.register(0) };
        let ungqr = Ungqr::<T> { storev: self.storev, m, n, k: count, offset, scalar: PhantomData };
        flow.submit(ungqr, &[(self.block(k), RW), (triangle, R)], priority);
        if !has_some {
            flow.retire(triangle);
        }
    }

    /// Gives the triangles back when everything submitted so far has run.
    pub(crate) fn retire(self, flow: &mut Flow) {
        self.triangles.into_iter().for_each(|triangle| flow.retire(triangle));
    }
}

/// A block of reflectors that is applied: packed where that pays, else as it stands.
pub(crate) struct Factor<'a, T> {
    reflectors: &'a Reflectors<'a, T>,
    k: usize,
    packed: Option<(u32, [Handle; 2])>,
}

impl<T: Scalar> Factor<'_, T> {
    /// Multiplies `tile` (`m x n`) by `op` of the block.
    pub(crate) fn apply(
        &self,
        flow: &mut Flow,
        sides: (Side, Trans),
        (tile, m, n): (Handle, usize, usize),
        priority: i32,
    ) {
        let &Self { reflectors, k, packed } = self;
        let (product, t) = (reflectors.product(k, sides, (m, n)), (reflectors.triangles[k], R));
        match packed {
            Some((height, [columns, rows])) => {
                let accesses = [(columns, R), (rows, R), t, (tile, RW)];
                flow.submit(UnmqrPacked { product, height }, &accesses, priority);
            }
            None => flow.submit(product, &[(reflectors.block(k), R), t, (tile, RW)], priority),
        }
    }

    /// Multiplies block `j` of the matrix itself by `op` of the block, on the side where the
    /// reflectors of a factorisation meet it.
    pub(crate) fn update(&self, flow: &mut Flow, (j, trans): (usize, Trans), priority: i32) {
        let reflectors = self.reflectors;
        let side = match reflectors.storev {
            Storev::Columns => Side::Left,
            Storev::Rows => Side::Right,
        };
        let (m, n) = reflectors.storev.stored(reflectors.order(), reflectors.width(j));
        self.apply(flow, (side, trans), (reflectors.block(j), m, n), priority);
    }

    /// Gives the micro-panels back when everything submitted so far has run.
    pub(crate) fn retire(self, flow: &mut Flow) {
        self.packed
            .into_iter()
            .flat_map(|(_, packed)| packed)
            .for_each(|packed| flow.retire(packed));
    }
}
