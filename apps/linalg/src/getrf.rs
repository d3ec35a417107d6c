//! LU factorisation with partial pivoting, `P A = L U`, in place, on columns of blocks.
//!
//! Right-looking, with the panel in one task: Golub, Van Loan, "Matrix computations", 4th edition,
//! section 3.4.8; the next panel is factorised while the columns behind it are still updated, as in
//! Kurzak, Dongarra, "Implementing linear algebra routines on multi-core processors with pipelining and
//! a look ahead", PARA 2006. A pivot is the largest entry of its column, so the factors are those of
//! LAPACK, and the same for any number of workers.

use std::marker::PhantomData;

use tegula_data::matrix::TileMatrix;
use tegula_kernels::error::NumericalError;
use tegula_kernels::kernel::getrf::Getrf;
use tegula_kernels::kernel::getrf_update::GetrfUpdate;
use tegula_kernels::kernel::laswp::Laswp;
use tegula_kernels::kernel::lay_out::{LayOut, Structure};
use tegula_kernels::option::Trans;
use tegula_kernels::scalar::Scalar;
use tegula_kernels::strips::StripShape;
use tegula_runtime::flow::Access::{R, RW, W};
use tegula_runtime::flow::{Flow, FlowError, Handle};

use crate::strips;

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
    factorise(flow, a, pivots, None);
}

/// As [`getrf`], along with which `b`, in columns of blocks of as many rows, becomes `inv(L) P B`.
pub(crate) fn factorise<T: Scalar>(
    flow: &mut Flow,
    a: &TileMatrix<T>,
    pivots: &Pivots,
    along: Option<&TileMatrix<T>>,
) {
    let (steps, nt) = (a.m().min(a.n()).div_ceil(a.nb()), a.nt());
    assert!(pivots.panels.len() == steps, "{} panels, not {steps}", pivots.panels.len());
    let priority = |k: usize, less: usize| 3 * (nt - k) as i32 - less as i32;
    for (k, &rows) in pivots.panels.iter().enumerate() {
        flow.iteration(k);
        let updates = nt - k - 1 + along.map_or(0, TileMatrix::nt);
        let panel = Panel::factorise(flow, a, (k, updates), (rows, pivots), priority(k, 0));
        for j in k + 1..nt {
            panel.update(flow, (a, j), priority(k, j - k));
        }
        for (b, j) in along.into_iter().flat_map(|b| (0..b.nt()).map(move |j| (b, j))) {
            panel.update(flow, (b, j), priority(k, nt - k));
        }
        panel.retire(flow);
    }
    for j in 0..pivots.panels.len().saturating_sub(1) {
        let (m, n, first) = (a.m(), a.tile_columns(j), (j + 1) * a.nb());
        let exchange = Laswp::<T> { m, n, first, backward: false, scalar: PhantomData };
        flow.submit(exchange, &[(pivots.all, R), (a.tile(0, j), RW)], 0);
    }
}

/// A panel, laid out for its updates where the backend reads that faster.
struct Panel<'a, T> {
    a: &'a TileMatrix<T>,
    k: usize,
    rows: Handle,
    height: Option<usize>,
    strips: Handle,
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
        let height = strips::height::<T>(flow, updates).filter(|_| below < m);
        let strips = match height {
            Some(height) => {
                let whole =
                    LayOut::<T>::whole(Structure::General, Trans::No, (m - below, n), height);
                let lay_out = LayOut { tile: (m, n), first: (below, 0), ..whole };
                let most = StripShape { rows: m, cols: a.nb().min(a.n()), height };
                strips::lay_out(flow, lay_out, most, tile, priority)
            }
            None => flow.register(0),
        };
        Self { a, k, rows, height, strips }
    }

    /// Updates column `j` of `b`, the matrix or right-hand sides.
    fn update(&self, flow: &mut Flow, (b, j): (&TileMatrix<T>, usize), priority: i32) {
        let &Self { a, k, rows, height, strips } = self;
        let (m, n, first) = (a.m(), b.tile_columns(j), k * a.nb());
        let k_columns = a.tile_columns(k);
        let update = GetrfUpdate::<T> { m, n, k: k_columns, first, height, scalar: PhantomData };
        let panel = (a.tile(0, k), R);
        flow.submit(update, &[panel, (rows, R), (strips, R), (b.tile(0, j), RW)], priority);
    }

    fn retire(self, flow: &mut Flow) {
        flow.retire(self.strips);
    }
}
