//! What updates in one precision read of a column of the factor: its tiles in that precision, converted
//! once if they are in the other one, and laid out in strips where the backend reads those faster.

use std::marker::PhantomData;

use tegula_kernels::kernel::convert::Convert;
use tegula_kernels::kernel::gemm::GemmStrips;
use tegula_kernels::kernel::lay_out::{LayOut, Structure};
use tegula_kernels::kernel::syrk::SyrkStrips;
use tegula_kernels::kernel::trsm::TrsmStrips;
use tegula_kernels::option::{Diag, Form, Part, Trans, Uplo};
use tegula_kernels::scalar::Scalar;
use tegula_kernels::strips::StripShape;
use tegula_runtime::flow::Access::{R, RW, W};
use tegula_runtime::flow::{Flow, Handle};

use crate::panels::columns;
use crate::strips;
use crate::tasks::{self, Corner};
use crate::view::{Tile, Turn};

/// Copies of some columns of the factor in precision `U`, of which each serves every `len`-th column:
/// what is written there waits until the updates by the column before have run.
pub(super) struct Copies<U> {
    /// Tiles of the other precision, converted.
    converted: Vec<Vec<Handle>>,
    strips: Option<Strips>,
    scalar: PhantomData<U>,
}

struct Strips {
    height: usize,
    copies: Vec<Vec<Handle>>,
}

/// The conversion of a part of `tile`, which is in precision `V`.
pub(super) fn conversion<V: Scalar>(part: Part, tile: Tile) -> Convert<V> {
    Convert { part, m: tile.rows, n: tile.columns, scalar: PhantomData }
}

/// A tile that updates read.
#[derive(Clone, Copy)]
struct Operand {
    tile: Tile,
    /// Rows of a strip, and the strips.
    strips: Option<(usize, Handle)>,
}

impl<U: Scalar> Copies<U> {
    /// Room for columns of a factor in `nt` rows of tiles, of which row `i` has `rows(i)` rows; nothing
    /// is allocated until it is used.
    pub(super) fn new(flow: &mut Flow, nt: usize, rows: impl Fn(usize) -> usize) -> Self {
        let height = strips::height::<U>(flow, nt);
        let columns = columns(nt, flow.workers());
        let widest = if nt > 0 { rows(0) } else { 0 };
        let mut ring = |bytes: &dyn Fn(usize) -> usize| -> Vec<Vec<Handle>> {
            let mut column = || (0..nt).map(|i| flow.register(bytes(i))).collect();
            (0..columns).map(|_| column()).collect()
        };
        let converted = ring(&|i| rows(i) * widest * size_of::<U>());
        let strips = height.map(|height| {
            let shape = |i| StripShape { rows: rows(i), cols: widest, height };
            Strips { height, copies: ring(&|i| shape(i).elements() * size_of::<U>()) }
        });
        Self { converted, strips, scalar: PhantomData }
    }

    /// The copy of `tile`, which is tile `(i, k)` in the other precision.
    pub(super) fn converted(&self, (i, k): (usize, usize), tile: Tile) -> Tile {
        let handle = self.converted[k % self.converted.len()][i];
        Tile { handle, turn: Turn::default(), ..tile }
    }

    /// The strips of tile `(i, k)`, and their height.
    fn strips(&self, (i, k): (usize, usize)) -> Option<(usize, Handle)> {
        let Strips { height, copies } = self.strips.as_ref()?;
        Some((*height, copies[k % copies.len()][i]))
    }

    /// Submits the conversion of a part of `tile`, which is tile `(i, k)` in the other precision.
    pub(super) fn convert(
        &self,
        flow: &mut Flow,
        place: (usize, usize),
        (part, tile): (Part, Tile),
        priority: i32,
    ) -> Tile {
        let copy = self.converted(place, tile);
        let convert = conversion::<U::Other>(part, tile);
        flow.submit(convert, &[(tile.handle, R), (copy.handle, RW)], priority);
        copy
    }

    /// Makes tile `(i, k)`, which is of the other precision, one that updates read.
    pub(super) fn adopt(&self, flow: &mut Flow, place: (usize, usize), tile: Tile, priority: i32) {
        let copy = self.convert(flow, place, (Part::Whole, tile), priority);
        if let Some((height, strips)) = self.strips(place) {
            let size = (tile.rows, tile.columns);
            let lay_out = LayOut::<U>::whole(Structure::General, Trans::No, size, height);
            flow.submit(lay_out, &[(copy.handle, R), (strips, W)], priority);
        }
    }

    /// `A(i, k) = A(i, k) inv(L(k, k)^H)`, for a tile of this precision.
    pub(super) fn trsm(
        &self,
        flow: &mut Flow,
        place: (usize, usize),
        (triangle, tile): (Tile, Tile),
        priority: i32,
    ) {
        if let Some((height, strips)) = self.strips(place) {
            let (m, n) = (tile.rows, tile.columns);
            let trsm = TrsmStrips::<U> { m, n, ld: n, height, scalar: PhantomData };
            let accesses = [(triangle.handle, R), (tile.handle, RW), (strips, W)];
            return flow.submit(trsm, &accesses, priority);
        }
        // From the left: conj(L(k, k)) X' = A(i, k)'.
        let (uplo, diag) = (Uplo::Lower, Diag::NonUnit);
        let corner = Corner { tile: triangle.conjugated(), uplo, diag };
        tasks::trsm(flow, corner, U::ONE, tile.transposed(), priority);
    }

    /// Tile `(i, k)` as updates read it; `is_own` says whether it is of this precision.
    fn operand(&self, place: (usize, usize), (tile, is_own): (Tile, bool)) -> Operand {
        let own = if is_own { tile } else { self.converted(place, tile) };
        Operand { tile: own, strips: self.strips(place) }
    }

    /// `A(j, j) = A(j, j) - A(j, k) A(j, k)^H`, the lower triangle.
    pub(super) fn syrk(
        &self,
        flow: &mut Flow,
        place: (usize, usize),
        panel: (Tile, bool),
        tile: Tile,
        priority: i32,
    ) {
        let (alpha, beta, panel) = (-U::ONE, U::ONE, self.operand(place, panel));
        let Some((height, strips)) = panel.strips else {
            let factors = (alpha, beta);
            return tasks::syrk(flow, Form::Hermitian, factors, panel.tile, tile, priority);
        };
        let syrk = SyrkStrips { n: tile.rows, k: panel.tile.columns, height, alpha, beta };
        flow.submit(syrk, &[(strips, R), (tile.handle, RW)], priority);
    }

    /// `A(i, j) = A(i, j) - A(i, k) A(j, k)^H`, for a tile of this precision.
    pub(super) fn gemm(
        &self,
        flow: &mut Flow,
        [i, j, k]: [usize; 3],
        panels: [(Tile, bool); 2],
        tile: Tile,
        priority: i32,
    ) {
        let (alpha, beta) = (-U::ONE, U::ONE);
        let [left, right] = [self.operand((i, k), panels[0]), self.operand((j, k), panels[1])];
        let Some(((height, x), (_, y))) = left.strips.zip(right.strips) else {
            let pair = (left.tile, right.tile.op(Trans::Conj));
            return tasks::gemm(flow, (alpha, beta), pair, tile, priority);
        };
        let (m, n, k) = (tile.rows, tile.columns, left.tile.columns);
        let gemm = GemmStrips { m, n, k, height, alpha, beta };
        flow.submit(gemm, &[(x, R), (y, R), (tile.handle, RW)], priority);
    }

    /// Gives the room back when everything submitted so far has run.
    pub(super) fn retire(self, flow: &mut Flow) {
        let strips = self.strips.into_iter().flat_map(|strips| strips.copies);
        strips.chain(self.converted).flatten().for_each(|handle| flow.retire(handle));
    }
}
