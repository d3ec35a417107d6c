//! The covariance matrix of a set of places, and the tasks that fill it.

use std::marker::PhantomData;

use tegula_kernels::geometry::{Geometry, Points};
use tegula_kernels::kernel::covariance::{
    CompositeCovariance, Covariance as RadialCovariance, Part, TABLE_BYTES, composite::Term,
};
use tegula_kernels::scalar::Real;
use tegula_runtime::flow::Access::{self, R, W};
use tegula_runtime::flow::{Flow, FlowError, Handle};
use tegula_tiles::TileMatrix;

use crate::covariance::{Law, Metric};

/// The lower triangle of a covariance matrix, with what its entries are computed from.
#[derive(Debug)]
pub(crate) struct Generation<T> {
    pub(crate) entries: Entries,
    mapped: Mapped,
    /// The matrix.
    pub(crate) covariance: TileMatrix<T>,
}

/// What tiles are filled from: the table of a covariance, or those that it is put together from.
#[derive(Debug)]
pub(crate) struct Entries {
    pub(crate) geometry: Geometry,
    handle: Handle,
    bytes: usize,
    /// Of a covariance that is put together, how many terms an entry has at most, and whether these
    /// have tables.
    terms: Option<(usize, bool)>,
}

impl Entries {
    /// Entries of places in this `geometry`, of a covariance that is to be set.
    pub(crate) fn new(flow: &mut Flow, geometry: Geometry) -> Self {
        Self { geometry, handle: flow.register(TABLE_BYTES), bytes: TABLE_BYTES, terms: None }
    }

    /// Waits, then sets the covariance.
    pub(crate) fn set(&mut self, flow: &mut Flow, law: &Law) -> Result<(), FlowError> {
        let bytes = law.bytes();
        if bytes.len() != self.bytes {
            flow.wait()?;
            flow.unregister(self.handle);
            (self.handle, self.bytes) = (flow.register(bytes.len()), bytes.len());
        }
        self.terms = law.recipe().map(|recipe| {
            let is_first = |term: &&Term| term.pair == recipe.terms[0].pair;
            let count = recipe.terms().iter().filter(is_first).count();
            (count.max(1), count > 0)
        });
        flow.overwrite(self.handle, bytes)
    }

    /// The table, of a covariance that is a function of distance.
    pub(crate) fn handle(&self) -> Handle {
        self.handle
    }

    /// Submits a tile of the covariance matrix of one set of places, that at rows and columns
    /// `offsets`; `[row places, column places, tile]`.
    pub(crate) fn within<T: Real>(
        &self,
        flow: &mut Flow,
        (shape, offsets): ((usize, usize), (usize, usize)),
        handles: [Handle; 3],
        priority: i32,
    ) {
        match self.terms {
            None => {
                let kernel = RadialCovariance::<T>::within(self.geometry, shape, offsets);
                flow.submit(kernel, &self.accesses(handles), priority);
            }
            Some(terms) => {
                let part = if offsets.0 == offsets.1 { Part::Lower } else { Part::Full };
                self.composite::<T>(flow, (shape, part, terms), handles, priority);
            }
        }
    }

    /// Submits a tile of the covariances between two sets of places; handles as of
    /// [`within`](Self::within).
    pub(crate) fn between<T: Real>(
        &self,
        flow: &mut Flow,
        shape: (usize, usize),
        handles: [Handle; 3],
        priority: i32,
    ) {
        match self.terms {
            None => {
                let kernel = RadialCovariance::<T>::between(self.geometry, shape);
                flow.submit(kernel, &self.accesses(handles), priority);
            }
            Some(terms) => {
                self.composite::<T>(flow, (shape, Part::Full, terms), handles, priority);
            }
        }
    }

    fn composite<T: Real>(
        &self,
        flow: &mut Flow,
        ((rows, cols), part, (terms, has_tables)): ((usize, usize), Part, (usize, bool)),
        handles: [Handle; 3],
        priority: i32,
    ) {
        let (geometry, precision) = (self.geometry, PhantomData::<T>);
        let kernel =
            CompositeCovariance { rows, cols, geometry, part, terms, has_tables, precision };
        flow.submit(kernel, &self.accesses(handles), priority);
    }

    fn accesses(&self, [rows, columns, tile]: [Handle; 3]) -> [(Handle, Access); 4] {
        [(self.handle, R), (rows, R), (columns, R), (tile, W)]
    }

    /// Needs them no more.
    pub(crate) fn unregister(self, flow: &mut Flow) {
        flow.unregister(self.handle);
    }
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

    /// The places as they are.
    pub(crate) fn points(&self) -> &Points {
        &self.points
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
            entries: Entries::new(flow, points.geometry()),
            mapped: Mapped::new(flow, points, nb),
            covariance: TileMatrix::lower(flow, points.len(), nb),
        }
    }

    /// Takes the matrix apart, after everything submitted has run.
    pub(crate) fn unregister(self, flow: &mut Flow) {
        self.covariance.unregister(flow);
        self.entries.unregister(flow);
        self.mapped.blocks.iter().for_each(|&handle| flow.unregister(handle));
    }

    /// Waits, then sets the covariance of which the entries are.
    ///
    /// # Panics
    /// If the places have not the marks that it takes.
    pub(crate) fn set(&mut self, flow: &mut Flow, law: &Law) -> Result<(), FlowError> {
        let points = self.mapped.points();
        assert!(
            law.takes(points),
            "places with {} marks are not this covariance's",
            points.marks()
        );
        self.entries.set(flow, law)?;
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
            let priority = if order.priorities { (3 * nt - (i + j).div_ceil(2)) as i32 } else { 0 };
            let handles = [places[i], places[j], covariance.tile(i, j)];
            self.entries.within::<T>(flow, (shape, (i * nb, j * nb)), handles, priority);
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
