//! LU factorisation with partial pivoting, `P A = L U`, in place, on columns of blocks.
//!
//! Right-looking, with the panel in one task: Golub, Van Loan, "Matrix computations", 4th edition,
//! section 3.4.8; the next panel is factorised while the columns behind it are still updated, as in
//! Kurzak, Dongarra, "Implementing linear algebra routines on multi-core processors with pipelining
//! and a look ahead", PARA 2006. A pivot is the largest entry of its column, so the factors are
//! those of LAPACK, and the same for any number of workers.

use std::marker::PhantomData;
use std::ops::Range;

use tegula_kernels::error::NumericalError;
use tegula_kernels::kernel::copy_part::{Block, CopyPart};
use tegula_kernels::kernel::getrf::Getrf;
use tegula_kernels::kernel::getrf_update::GetrfUpdate;
use tegula_kernels::kernel::laswp::Laswp;
use tegula_kernels::kernel::pack::{Pack, Structure};
use tegula_kernels::option::Trans;
use tegula_kernels::packed::PackedShape;
use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::Access::{R, RW, W};
use tegula_runtime::flow::{Flow, FlowError, Handle};
use tegula_tiles::TileMatrix;

use crate::lookahead::Lookahead;
use crate::packing;

/// Which rows an LU factorisation exchanged, and whether a pivot was zero.
#[derive(Debug)]
pub struct Pivots {
    /// For each step, the row that it exchanged with its own.
    pub(crate) all: Handle,
    pub(crate) steps: usize,
    /// The same, panel by panel: updates by one panel need not wait for the next.
    panels: Vec<Handle>,
    singular: Handle,
}

impl Pivots {
    /// Registers the pivots of a factorisation of `a`.
    ///
    /// # Panics
    /// If `a` is not in columns of blocks.
    #[must_use]
    pub fn new<T: Scalar>(flow: &mut Flow, a: &TileMatrix<T>) -> Self {
        assert!(a.mt() <= 1, "{} rows of tiles: partial pivoting takes whole columns", a.mt());
        let steps = a.m().min(a.n());
        let sizes = (0..steps).step_by(a.nb()).map(|first| a.nb().min(steps - first));
        let panels = sizes.map(|steps| flow.register(steps * size_of::<u32>())).collect();
        let all = flow.register_from(&vec![0u32; steps]);
        Self { all, steps, panels, singular: flow.register_from(&[0u64]) }
    }

    /// Waits, then answers row `pivots[i]` that step `i` exchanged with row `i`, from 0.
    ///
    /// # Errors
    /// Those of the flow.
    pub fn rows(&self, flow: &mut Flow) -> Result<Vec<u32>, FlowError> {
        Ok(flow.read::<u32>(self.all)?.to_vec())
    }

    /// Waits, then answers the first step, from 1, that found only zeros: `U` has a zero on its
    /// diagonal there.
    ///
    /// # Errors
    /// Those of the flow.
    pub fn singular(&self, flow: &mut Flow) -> Result<Option<NumericalError>, FlowError> {
        let index = flow.read::<u64>(self.singular)?[0] as usize;
        Ok((index > 0).then_some(NumericalError::Singular { index }))
    }

    /// Waits, then takes over what `other` holds, pivots of a matrix of the same tiling.
    ///
    /// # Errors
    /// Those of the flow.
    pub(crate) fn copy_from(&self, flow: &mut Flow, other: &Self) -> Result<(), FlowError> {
        let rows = other.rows(flow)?;
        flow.overwrite(self.all, &rows)?;
        let index = flow.read::<u64>(other.singular)?[0];
        flow.overwrite(self.singular, &[index])
    }

    /// Waits, then sets the pivots to `rows` and the first step, from 1, that found only zeros to
    /// `singular`, 0 if none did: as [`rows`](Self::rows) and [`singular`](Self::singular) answered
    /// between two steps.
    ///
    /// # Errors
    /// Those of the flow.
    ///
    /// # Panics
    /// If there are not as many `rows` as steps.
    pub fn set(&self, flow: &mut Flow, rows: &[u32], singular: usize) -> Result<(), FlowError> {
        assert!(rows.len() == self.steps, "{} pivots of {} steps", rows.len(), self.steps);
        flow.overwrite(self.all, rows)?;
        flow.overwrite(self.singular, &[singular as u64])
    }

    /// Takes the pivots away, after everything submitted has run.
    pub fn unregister(self, flow: &mut Flow) {
        let all = self.panels.into_iter().chain([self.all, self.singular]);
        all.for_each(|handle| flow.unregister(handle));
    }
}

/// Submits the factorisation of `a` (`m x n`), overwritten by `L` below and `U` on and above the
/// diagonal.
///
/// A zero pivot is no failure, as in LAPACK: see [`Pivots::singular`].
///
/// # Panics
/// If `a` is not in columns of blocks, or `pivots` are those of another tiling.
pub fn getrf<T: Scalar>(flow: &mut Flow, a: &TileMatrix<T>, pivots: &Pivots) {
    factorise(flow, a, pivots, None, 0..pivots.panels.len());
}

/// Submits these steps of [`getrf`], one for each panel, after those before; with the last, the
/// exchanges of rows in the panels on its left. Between steps all that is needed further on is in
/// `a` and `pivots`.
///
/// # Panics
/// If `a` is not in columns of blocks, `pivots` are those of another tiling, or there are no such
/// steps.
pub fn getrf_steps<T: Scalar>(
    flow: &mut Flow,
    a: &TileMatrix<T>,
    pivots: &Pivots,
    steps: Range<usize>,
) {
    factorise(flow, a, pivots, None, steps);
}

/// As [`getrf_steps`], along with which `b`, in columns of blocks of as many rows, becomes
/// `inv(L) P B`.
pub(crate) fn factorise<T: Scalar>(
    flow: &mut Flow,
    a: &TileMatrix<T>,
    pivots: &Pivots,
    along: Option<&TileMatrix<T>>,
    now: Range<usize>,
) {
    let (steps, nt) = (a.m().min(a.n()).div_ceil(a.nb()), a.nt());
    assert!(pivots.panels.len() == steps, "{} panels, not {steps}", pivots.panels.len());
    assert!(now.end <= steps, "steps {now:?} of {steps}");
    let order = Lookahead::new(nt);
    for (k, &rows) in pivots.panels[now.clone()].iter().enumerate() {
        let k = now.start + k;
        flow.iteration(k);
        let updates = nt - k - 1 + along.map_or(0, TileMatrix::nt);
        let panel = Panel::factorise(flow, a, (k, updates), (rows, pivots), order.panel(k));
        for j in k + 1..nt {
            panel.update(flow, (a, j), order.update(k, j));
        }
        for (b, j) in along.into_iter().flat_map(|b| (0..b.nt()).map(move |j| (b, j))) {
            panel.update(flow, (b, j), order.update(k, nt));
        }
        panel.retire(flow);
    }
    let exchanged = if now.end == steps { steps.saturating_sub(1) } else { 0 };
    for j in 0..exchanged {
        let (m, n, first) = (a.m(), a.tile_columns(j), (j + 1) * a.nb());
        let exchange = Laswp::<T> { m, n, first, backward: false, scalar: PhantomData };
        flow.submit(exchange, &[(pivots.all, R), (a.tile(0, j), RW)], 0);
    }
}

/// A panel; where the backend reads that faster, its triangle alone and what is below packed.
struct Panel<'a, T> {
    a: &'a TileMatrix<T>,
    k: usize,
    rows: Handle,
    height: Option<usize>,
    panel: Handle,
    packed: Handle,
}

impl<'a, T: Scalar> Panel<'a, T> {
    fn factorise(
        flow: &mut Flow,
        a: &'a TileMatrix<T>,
        (k, updates): (usize, usize),
        (rows, pivots): (Handle, &Pivots),
        priority: i32,
    ) -> Self {
        let (m, n, first) = (a.m(), a.tile_columns(k), k * a.nb());
        let getrf = Getrf::<T>::new(m, n, first);
        let tile = a.tile(0, k);
        let accesses = [(tile, RW), (rows, W), (pivots.all, RW), (pivots.singular, RW)];
        flow.submit(getrf, &accesses, priority);
        let below = first + getrf.steps();
        let height = packing::micro_panel_height::<T>(flow, updates).filter(|_| below < m);
        let (panel, packed) = match height {
            Some(height) => {
                let whole = Pack::<T>::whole(Structure::General, Trans::No, (m - below, n), height);
                let pack = Pack { tile: (m, n), first: (below, 0), ..whole };
                let most = PackedShape { rows: m, cols: a.nb().min(a.n()), height };
                let packed = packing::pack(flow, pack, most, tile, priority);
                (triangle::<T>(flow, (tile, (m, n)), first, priority), packed)
            }
            None => (tile, flow.register(0)),
        };
        Self { a, k, rows, height, panel, packed }
    }

    /// Updates column `j` of `b`, the matrix or right-hand sides.
    fn update(&self, flow: &mut Flow, (b, j): (&TileMatrix<T>, usize), priority: i32) {
        let &Self { a, k, rows, height, panel, packed } = self;
        let (m, n, first) = (a.m(), b.tile_columns(j), k * a.nb());
        let k_columns = a.tile_columns(k);
        let update = GetrfUpdate::<T> { m, n, k: k_columns, first, height, scalar: PhantomData };
        let accesses = [(panel, R), (rows, R), (packed, R), (b.tile(0, j), RW)];
        flow.submit(update, &accesses, priority);
    }

    fn retire(self, flow: &mut Flow) {
        flow.retire(self.packed);
        if self.height.is_some() {
            flow.retire(self.panel);
        }
    }
}

/// Submits the copying of the square of an `m x n` tile, `m` more than `n`, that begins in row
/// `first`.
fn triangle<T: Scalar>(
    flow: &mut Flow,
    (tile, (m, n)): (Handle, (usize, usize)),
    first: usize,
    priority: i32,
) -> Handle {
    let triangle = flow.register(n * n * size_of::<T>());
    let block = |rows: usize, first: usize| Block {
        tile: (rows as u32, n as u32),
        first: (first as u32, 0),
    };
    let (from, to, size) = (block(m, first), block(n, 0), (n as u32, n as u32));
    let copy = CopyPart::<T> { from, to, size, scalar: PhantomData };
    flow.submit(copy, &[(tile, R), (triangle, RW)], priority);
    triangle
}
