//! What updates in one precision read of a column of the factor: its tiles in that precision,
//! converted once if they are in the other one.

use std::marker::PhantomData;

use tegula_kernels::kernel::convert::Convert;
use tegula_kernels::option::Part;
use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::Access::{R, RW};
use tegula_runtime::flow::Flow;

use crate::panels::{Panels, Ring};
use crate::view::{Op, Tile};

/// The columns of the factor in precision `U`, with copies of the tiles of the other one.
pub(super) struct Copies<U> {
    converted: Ring,
    panels: Panels<U>,
}

/// The conversion of a part of `tile`, which is in precision `V`.
pub(super) fn conversion<V: Scalar>(part: Part, tile: Tile) -> Convert<V> {
    Convert { part, m: tile.rows, n: tile.columns, scalar: PhantomData }
}

impl<U: Scalar> Copies<U> {
    /// For a factor in `nt` rows of tiles, of which row `i` has `rows(i)` rows.
    pub(super) fn new(flow: &mut Flow, nt: usize, rows: impl Fn(usize) -> usize) -> Self {
        let converted = Ring::new(flow, nt, |i| rows(i) * rows(0) * size_of::<U>());
        Self { converted, panels: Panels::new(flow, nt, rows, true) }
    }

    /// The copy of `tile`, which is tile `(i, k)` in the other precision.
    pub(super) fn converted(&self, place: (usize, usize), tile: Tile) -> Tile {
        Tile { handle: self.converted.copy(place), op: Op::default(), ..tile }
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
        self.panels.adopt(flow, place, copy, priority);
    }

    /// `A(i, k) = A(i, k) inv(L(k, k)^H)`, for a tile of this precision.
    pub(super) fn trsm(
        &self,
        flow: &mut Flow,
        place: (usize, usize),
        tiles: (Tile, Tile),
        priority: i32,
    ) {
        self.panels.trsm(flow, place, tiles, priority);
    }

    /// Tile `(i, k)` in this precision; `is_own` says whether it is stored so.
    fn own(&self, place: (usize, usize), (tile, is_own): (Tile, bool)) -> Tile {
        if is_own { tile } else { self.converted(place, tile) }
    }

    /// `A(j, j) = A(j, j) - A(j, k) A(j, k)^H`, the lower triangle.
    pub(super) fn syrk(
        &self,
        flow: &mut Flow,
        place: (usize, usize),
        (panel, tile): ((Tile, bool), Tile),
        priority: i32,
    ) {
        self.panels.syrk(flow, place, (self.own(place, panel), tile), priority);
    }

    /// `A(i, j) = A(i, j) - A(i, k) A(j, k)^H`, for a tile of this precision, in TF32 where a
    /// device has it if that `rounds`.
    pub(super) fn gemm(
        &self,
        flow: &mut Flow,
        [i, j, k]: [usize; 3],
        ([left, right], tile): ([(Tile, bool); 2], Tile),
        rounds: bool,
        priority: i32,
    ) {
        let panels = [self.own((i, k), left), self.own((j, k), right)];
        self.panels.gemm(flow, [i, j, k], (panels, tile), rounds, priority);
    }

    /// Gives the room back when everything submitted so far has run.
    pub(super) fn retire(self, flow: &mut Flow) {
        self.converted.retire(flow);
        self.panels.retire(flow);
    }
}
