//! Products with a matrix that is read tile by tile and never held: a ring of buffers is filled by
//! readers and emptied by products, as far as memory allows ahead of them.

mod distribution;
mod mirrored;
mod order;
mod reading;
mod tiling;

use std::ops::Range;
use std::sync::Arc;

use tegula_files::source::{Block, Source};
use tegula_kernels::kernel::sweep::{self, Entry, SidePanels, Tile, lines};
use tegula_kernels::scalar::Real;
use tegula_runtime::flow::Access::{Commute, RW, Reduce, W};
use tegula_runtime::flow::{Access, Flow, FlowError, Handle};
use tegula_runtime::memory::Reduction;
use tegula_runtime::ranks::Rank;
use tegula_tiles::TileMatrix;

use distribution::TileAssignment;
pub use distribution::TileDistribution;
pub use reading::{Read, Reading};
pub use tiling::{Edges, Place, TILE_ENTRIES, Tiling, band_edge};

/// What lets reading and computing overlap; each can be put back to what it was before, to measure
/// its part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overlap {
    /// Read and multiply at the same time, instead of in turns.
    pub asynchronous: bool,
    /// Multiply squared distances and centre the product, instead of waiting for all sums first.
    pub split_gram: bool,
    /// Add to panels in any order, instead of that of the program.
    pub commute: bool,
    /// Read disjoint tiles after each other, instead of row by row.
    pub read_order: bool,
    /// Multiply before reading on, and first what was read first.
    pub priorities: bool,
}

impl Default for Overlap {
    fn default() -> Self {
        Self {
            asynchronous: true,
            split_gram: true,
            commute: true,
            read_order: true,
            priorities: true,
        }
    }
}

/// What of a pass is done: all of it, or one part alone, to measure what the other costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Parts {
    /// Reading and multiplying.
    #[default]
    All,
    /// Reading alone.
    Reading,
    /// Multiplying by what is in the buffers.
    Multiplying,
}

/// A stored matrix, ready to be multiplied with as often as wanted.
#[derive(Debug)]
pub struct Stream {
    reading: Reading,
    /// Where it is cut.
    pub tiling: Tiling,
    entry: Entry,
    order: Vec<Place>,
    /// Who reads and who multiplies each tile of the order.
    assignment: TileAssignment,
    /// For each rank the buffers that it reads into, and the most that one has.
    rings: Vec<Vec<Handle>>,
    most: usize,
    /// Buffer of each tile of the order.
    slots: Vec<Handle>,
    /// Whether every tile is in a buffer of its own.
    is_kept: bool,
    overlap: Overlap,
    /// What of a pass is done.
    pub parts: Parts,
}

/// Panels of one side of a product: what is multiplied, and what it is added to.
pub type Sides<'a> = Option<(&'a TileMatrix<f64>, &'a TileMatrix<f64>)>;

impl Stream {
    /// Prepares products with `source`, cut as `tiling` says and shared by ranks as `dealing` says;
    /// `entry` says what its entries become. At most `memory` bytes of tiles are held at a time on
    /// each rank, two tiles at least.
    ///
    /// # Panics
    /// If the tiling is that of a matrix of another shape, or tiles are dealt to other ranks than
    /// there are.
    #[must_use]
    pub fn new(
        flow: &mut Flow,
        source: &Arc<dyn Source>,
        (tiling, memory): (Tiling, u64),
        entry: Entry,
        (distribution, overlap): (&TileDistribution, Overlap),
    ) -> Self {
        let shape = tiling.bands.map(|edges| edges.length());
        assert!(shape == source.shape(), "tiles of {shape:?} for {:?}", source.shape());
        if let Some(others) = flow.owners() {
            flow.set_owners(distribution.owners(others));
        }
        let order = order::order(&tiling, overlap.read_order);
        let bytes = tiling.entries() * source.element().bytes();
        let mut stream = Self {
            reading: Reading::new(Arc::clone(source)),
            tiling,
            entry,
            assignment: assign(&order, distribution, flow.ranks()),
            order,
            rings: Vec::new(),
            most: (memory as usize / bytes.max(1)).max(2),
            slots: Vec::new(),
            is_kept: false,
            overlap,
            parts: Parts::All,
        };
        stream.make_rings(flow);
        stream
    }

    /// From now on ranks share the tiles as `distribution` says; panels stay where they are. Those
    /// tiles that are held are read again. Everything submitted has run.
    ///
    /// # Panics
    /// If tiles are dealt to other ranks than there are.
    pub fn distribute(&mut self, flow: &mut Flow, distribution: &TileDistribution) {
        self.assignment = assign(&self.order, distribution, flow.ranks());
        self.rings.drain(..).flatten().for_each(|slot| flow.unregister(slot));
        self.make_rings(flow);
        self.is_kept = false;
    }

    /// Registers the buffers of all ranks, and gives each tile one of who reads it.
    fn make_rings(&mut self, flow: &mut Flow) {
        let bytes = self.tiling.entries() * self.reading.source().element().bytes();
        let read = self.assignment.read_by(flow.ranks());
        let ring = |(rank, tiles): (usize, usize)| -> Vec<Handle> {
            let slots = (0..self.most.min(tiles)).map(|_| flow.register(bytes));
            let slots: Vec<Handle> = slots.collect();
            slots.iter().for_each(|&slot| flow.set_owner(slot, Rank(rank as u16)));
            slots
        };
        self.rings = read.into_iter().enumerate().map(ring).collect();
        let mut turns: Vec<_> = self.rings.iter().map(|ring| ring.iter().cycle()).collect();
        let mut turn = |tile| turns[usize::from(self.assignment.reader(tile).0)].next().copied();
        let slots = (0..self.order.len()).map(|tile| turn(tile).expect("who reads has a buffer"));
        self.slots = slots.collect();
    }

    /// The matrix, and what was read of it.
    #[must_use]
    pub fn reading(&self) -> &Reading {
        &self.reading
    }

    /// Number of tiles that are read in a pass.
    #[must_use]
    pub fn tiles(&self) -> usize {
        self.order.len()
    }

    /// Number of tiles that are held at a time.
    #[must_use]
    pub fn held(&self) -> usize {
        self.rings.iter().map(Vec::len).sum()
    }

    /// How panels are added to: over ranks where the tile is, and all shares once.
    pub(crate) fn adding(&self, flow: &Flow) -> Access {
        match (flow.ranks(), self.overlap.commute) {
            (1, true) => Commute,
            (1, false) => RW,
            _ => Reduce,
        }
    }

    /// Submits `Y = Y + f(A) X` and `Z = Z + f(A)' U`, for `right` = `(X, Y)` and `left` =
    /// `(U, Z)`; of a symmetric matrix `right` alone is given. With `lines`, the buffers of the
    /// rows and of the columns (of a symmetric matrix the same), sums along them are added up.
    ///
    /// # Errors
    /// Where phases do not overlap: that a tile cannot be read.
    ///
    /// # Panics
    /// If panels are not cut as the matrix is, or a symmetric matrix is multiplied from the left.
    pub fn multiply<T: Real>(
        &mut self,
        flow: &mut Flow,
        (right, left): (Sides<'_>, Sides<'_>),
        lines: Option<[&[Handle]; 2]>,
    ) -> Result<(), FlowError> {
        assert!(left.is_none() || !self.tiling.is_symmetric, "a symmetric matrix has one side");
        for (_, sum) in right.iter().chain(&left) {
            (0..sum.mt()).for_each(|i| flow.set_reduction(sum.tile(i, 0), Reduction::sum::<f64>()));
        }
        let order = std::mem::take(&mut self.order);
        let batch = if self.overlap.asynchronous { 1 } else { self.held().max(1) };
        for (start, tiles) in order.chunks(batch).enumerate() {
            let numbered = || (start * batch..).zip(tiles);
            numbered().for_each(|(number, place)| self.read(flow, number, place));
            if !self.overlap.asynchronous {
                flow.wait()?;
            }
            numbered().for_each(|(number, place)| {
                self.sweep::<T>(flow, (number, place), (right, left), lines);
            });
            if !self.overlap.asynchronous {
                flow.wait()?;
            }
        }
        self.order = order;
        self.is_kept = self.held() == self.order.len();
        Ok(())
    }

    /// Buffer of the tile that is read as number `number`.
    fn slot(&self, number: usize) -> Handle {
        self.slots[number]
    }

    /// Submits the reading of a tile, unless it is held.
    fn read(&self, flow: &mut Flow, number: usize, place: &Place) {
        if !self.is_kept && self.parts != Parts::Multiplying {
            if self.assignment.is_apart {
                flow.set_owner(self.slot(number), self.assignment.reader(number));
            }
            let task = self.reading.task(&place.block);
            flow.submit(task, &[(self.slot(number), W)], 0);
        }
    }

    /// Of a product: before reading, and the sooner its tile is read, the sooner.
    ///
    /// Equation 6.10 of the thesis gives both the number of rows of tiles less that of the row.
    /// That undoes an order of reading in which neighbours are disjoint; and products that stand in
    /// the queue of a worker behind what it has to read keep others from their bands.
    fn priority(&self, number: usize) -> i32 {
        if self.overlap.priorities { (self.slots.len() - number) as i32 } else { 0 }
    }

    /// Submits the products of a tile.
    fn sweep<T: Real>(
        &self,
        flow: &mut Flow,
        (number, place): (usize, &Place),
        (right, left): (Sides<'_>, Sides<'_>),
        lines: Option<[&[Handle]; 2]>,
    ) {
        if self.parts == Parts::Reading {
            return;
        }
        let (i, j) = place.bands;
        let is_symmetric = self.tiling.is_symmetric;
        let (is_diagonal, stored) = (is_symmetric && i == j, self.slot(number));
        if self.assignment.is_apart {
            flow.set_owner(stored, self.assignment.multiplier(number));
        }
        let width = right.or(left).map_or(0, |(factor, _)| factor.n());
        let tile = self.tile(place, width);
        let side = |(factor, sum): (&TileMatrix<f64>, &TileMatrix<f64>), from, to| -> SidePanels {
            [factor.tile(from, 0), sum.tile(to, 0)]
        };
        // Of a symmetric matrix, a tile off the diagonal stands for its mirror image, too.
        let other = if is_symmetric && !is_diagonal { right } else { left };
        let sides =
            (right.map(|panels| side(panels, j, i)), other.map(|panels| side(panels, i, j)));
        let both = lines.map(|[rows, columns]| [rows[i], columns[j]]);
        let along =
            both.as_ref().map_or(&[][..], |both| if is_diagonal { &both[..1] } else { both });
        let how = (self.adding(flow), self.priority(number));
        sweep::submit::<T>(flow, (tile, stored), sides, along, how);
    }

    /// The tile at a place, as the kernel wants it.
    fn tile(&self, place: &Place, width: usize) -> Tile {
        let Place { bands: (i, j), block: Block { rows, columns } } = place;
        let top = rows.start - self.tiling.bands[0].range(*i).start;
        let left = columns.start - self.tiling.bands[1].range(*j).start;
        let [m, n, width, top, left, row, column] =
            [rows.len(), columns.len(), width, top, left, rows.start, columns.start]
                .map(|x| x as u32);
        let is_diagonal = self.tiling.is_symmetric && i == j;
        let whole = Tile::of(self.reading.source().element(), self.entry);
        Tile { m, n, width, top, left, row, column, is_diagonal, ..whole }
    }

    /// Gives the buffers back, after everything submitted has run.
    pub fn close(self, flow: &mut Flow) {
        self.rings.into_iter().flatten().for_each(|slot| flow.unregister(slot));
    }
}

/// Who reads and who multiplies each tile of `order`.
///
/// # Panics
/// If tiles are dealt to other ranks than there are.
fn assign(order: &[Place], distribution: &TileDistribution, ranks: usize) -> TileAssignment {
    assert!(distribution.products.ranks() == ranks, "{distribution:?} for {ranks} ranks");
    let bands: Vec<(usize, usize)> = order.iter().map(|place| place.bands).collect();
    distribution.assign(&bands)
}

/// What all ranks have read, if this one has read so many bytes; all call this.
pub(crate) fn total_bytes(flow: &Flow, mine: u64) -> u64 {
    // If a rank is gone, the next wait says so.
    flow.total([mine, 0]).map_or(mine, |[all, _]| all)
}

/// Registers the lines of bands cut at `edges`, with these weights.
#[must_use]
pub fn register_lines(flow: &mut Flow, edges: &Edges, weights: &[f64]) -> Vec<Handle> {
    let bands = (0..edges.count()).map(|band| edges.range(band));
    let register = |band: Range<usize>| {
        let handle = flow.register_from(&lines::initial(&weights[band]));
        flow.set_reduction(handle, lines::reduction());
        handle
    };
    bands.map(register).collect()
}
