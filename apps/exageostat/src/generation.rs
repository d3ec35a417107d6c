//! The covariance matrix of a set of places, and the tasks that fill it.

use tegula_kernels::geometry::{Geometry, Points};
use tegula_kernels::kernel::covariance::{Covariance, TABLE_BYTES};
use tegula_kernels::scalar::Real;
use tegula_runtime::flow::Access::{R, W};
use tegula_runtime::flow::{Flow, FlowError, Handle};
use tegula_tiles::TileMatrix;

use crate::covariance::{Law, Metric};

/// The lower triangle of a covariance matrix, with what its entries are computed from.
#[derive(Debug)]
pub(crate) struct Generation<T> {
    pub(crate) geometry: Geometry,
    table: Handle,
    mapped: Mapped,
    /// The matrix.
    pub(crate) covariance: TileMatrix<T>,
}

/// A set of places as the metric of a covariance maps them.
#[derive(Debug)]
pub(crate) struct Mapped {
    points: Points,
    nb: usize,
    /// By what distances are measured now.
    metric: Option<Metric>,
    /// Coordinates, a handle for each `nb` places.
    blocks: Vec<Handle>,
}

impl Mapped {
    /// Registers the coordinates of `points` as they are, `nb` places at a time.
    pub(crate) fn new(flow: &mut Flow, points: &Points, nb: usize) -> Self {
        Self { points: points.clone(), nb, metric: None, blocks: places(flow, points, nb) }
    }

    /// The coordinates, a handle for each block.
    pub(crate) fn blocks(&self) -> &[Handle] {
        &self.blocks
    }

    /// Waits, then maps the places as `law` does, unless they are.
    pub(crate) fn set(&mut self, flow: &mut Flow, law: &Law) -> Result<(), FlowError> {
        if self.metric != law.metric {
            let points = law.places(&self.points);
            for (block, &handle) in blocks(&points, self.nb).zip(&self.blocks) {
                flow.overwrite(handle, &block)?;
            }
            self.metric = law.metric;
        }
        Ok(())
    }
}

/// In which order the tiles are filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Order {
    /// With priorities along the critical path of the factorisation that follows.
    pub(crate) priorities: bool,
    /// Submitted by decreasing priority instead of column by column.
    pub(crate) by_priority: bool,
}

impl<T: Real> Generation<T> {
    /// Registers the matrix of `points` in tiles of order `nb`.
    pub(crate) fn new(flow: &mut Flow, points: &Points, nb: usize) -> Self {
        Self {
            geometry: points.geometry(),
            table: flow.register(TABLE_BYTES),
            mapped: Mapped::new(flow, points, nb),
            covariance: TileMatrix::lower(flow, points.len(), nb),
        }
    }

    /// Takes the matrix apart, after everything submitted has run.
    pub(crate) fn unregister(self, flow: &mut Flow) {
        self.covariance.unregister(flow);
        self.mapped.blocks.iter().chain([&self.table]).for_each(|&handle| flow.unregister(handle));
    }

    /// Waits, then sets the covariance of which the entries are.
    pub(crate) fn set(&mut self, flow: &mut Flow, law: &Law) -> Result<(), FlowError> {
        flow.overwrite(self.table, bytemuck::bytes_of(&*law.table))?;
        self.mapped.set(flow, law)
    }

    /// Coordinates of the places as they are mapped now, a handle per row of tiles.
    pub(crate) fn places(&self) -> &[Handle] {
        self.mapped.blocks()
    }

    /// Submits a task per tile, along anti-diagonals from the first on: the order in which the
    /// factorisation needs them, halved so that generation runs ahead.
    pub(crate) fn submit(&self, flow: &mut Flow, order: Order) {
        let (covariance, places) = (&self.covariance, self.places());
        let (nt, nb) = (covariance.nt(), covariance.nb());
        let mut tiles: Vec<(usize, usize)> =
            covariance.indices().map(|index| (index.row, index.column)).collect();
        if order.by_priority {
            tiles.sort_by_key(|(i, j)| i + j);
        }
        for (i, j) in tiles {
            let shape = (covariance.tile_rows(i), covariance.tile_rows(j));
            let kernel = Covariance::<T>::within(self.geometry, shape, (i * nb, j * nb));
            let priority = if order.priorities { (3 * nt - (i + j).div_ceil(2)) as i32 } else { 0 };
            let accesses =
                [(self.table, R), (places[i], R), (places[j], R), (covariance.tile(i, j), W)];
            flow.submit(kernel, &accesses, priority);
        }
    }
}

/// Registers the coordinates of `points` in blocks of `nb`.
pub(crate) fn places(flow: &mut Flow, points: &Points, nb: usize) -> Vec<Handle> {
    blocks(points, nb).map(|block| flow.register_from(&block)).collect()
}

/// The coordinates of `points`, `nb` places at a time.
fn blocks(points: &Points, nb: usize) -> impl Iterator<Item = Vec<f64>> {
    let starts = (0..points.len()).step_by(nb);
    starts.map(move |start| points.block(start..(start + nb).min(points.len())))
}
