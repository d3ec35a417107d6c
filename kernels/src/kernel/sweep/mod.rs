//! A stored tile of a huge matrix meets panels, from either side or both, and is forgotten:
//! `Y = Y + f(A) X` and `Z = Z + f(A)' U`, with sums along its lines on the way.
//!
//! Shapes: `A` is `m x n`, stored row by row as numbers of any kind ([`Element`]); `X` is `n x l`,
//! `Y` is `m x l`, `U` is `m x l`, `Z` is `n x l`, all in `f64`, each some lines of a panel that
//! may be higher. `f` leaves an entry as it is or squares it ([`Entry`]). Products are in the
//! precision `T`; what they are added to, and all sums, are in `f64`. Of the tiles of a symmetric
//! matrix those at and above the diagonal are enough: one off it is used for both products. Reads
//! `A`, `X`, `U`; adds to `Y`, `Z` and the [`lines`] of its rows and columns. Cannot fail: what is
//! wrong with entries is noted among the [`Findings`].
//!
//! That a product with a huge matrix needs each entry once, and that sums for a later centring come
//! along, is sections 6.2.1 and 2.4.3 of L. L. Nesi, "Strategies for distributing task-based
//! applications on heterogeneous platforms" (thesis, UFRGS and Université Grenoble Alpes, 2023).

mod compare;
mod cpu;
mod cuda;
mod findings;
pub mod lines;
mod list_entry;
mod reference;
#[cfg(test)]
mod trial;
mod widened;

use std::marker::PhantomData;
use std::ops::Range;

use tegula_runtime::flow::Access::{self, R, RW};
use tegula_runtime::flow::{Buffers, Codelet, Cost, Failure, Flow, Handle, Launch};

pub use compare::Compare;
pub use findings::{Findings, Offender, Offenders};
use lines::Lines;

use crate::backend;
use crate::element::Element;
use crate::kernel::{bytes, product};
use crate::scalar::Real;

pub(crate) use cuda::SOURCE;
pub(super) use list_entry::ListEntry;

/// What an entry becomes before it is multiplied.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Entry {
    /// It stays; it must be finite.
    Plain,
    /// It is squared, after this was added to it off the diagonal; it must be a distance: finite
    /// and not negative. What is negative, or on the diagonal, is taken as 0.
    Squared(f64),
    /// It stays, and must not be negative: a count. What is negative is taken as 0.
    Count,
}

/// The tile in its whole.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tile {
    /// The kind of numbers that are stored.
    pub element: Element,
    /// What becomes of them.
    pub entry: Entry,
    /// Rows.
    pub m: u32,
    /// Columns.
    pub n: u32,
    /// Columns of the panels.
    pub width: u32,
    /// Line of the panels and sums of its rows at which the tile begins.
    pub top: u32,
    /// Line of those of its columns.
    pub left: u32,
    /// Row of the whole matrix at which the tile begins.
    pub row: u32,
    /// Column of it.
    pub column: u32,
    /// Whether the matrix is one of distances, and the tile on its diagonal: the diagonal must be
    /// zero, and the square that the tile's rows make there symmetric.
    pub is_diagonal: bool,
}

/// Number of lines' buffers after those of the products.
const NONE: u8 = 0;
const ROWS: u8 = 1;
const BOTH: u8 = 2;

/// A tile that meets one panel from the right; buffers `[A: R, X: R, Y: RW]`, then with `LINES` 1
/// or 2 the lines of its rows `RW`, with 2 those of its columns `RW`.
#[derive(Clone, Copy, Debug)]
pub struct SweepRight<T, const LINES: u8> {
    tile: Tile,
    precision: PhantomData<T>,
}

/// A tile that meets one panel from the left; buffers `[A: R, U: R, Z: RW]`.
#[derive(Clone, Copy, Debug)]
pub struct SweepLeft<T> {
    tile: Tile,
    precision: PhantomData<T>,
}

/// A tile that meets panels from both sides; buffers `[A: R, X: R, Y: RW, U: R, Z: RW]`, then with
/// `LINES` 2 the lines of its rows and of its columns, `RW`.
#[derive(Clone, Copy, Debug)]
pub struct SweepBoth<T, const LINES: u8> {
    tile: Tile,
    precision: PhantomData<T>,
}

impl<T, const LINES: u8> SweepRight<T, LINES> {
    /// The task on `tile`.
    #[must_use]
    pub const fn new(tile: Tile) -> Self {
        Self { tile, precision: PhantomData }
    }
}

impl<T> SweepLeft<T> {
    /// The task on `tile`.
    #[must_use]
    pub const fn new(tile: Tile) -> Self {
        Self { tile, precision: PhantomData }
    }
}

impl<T, const LINES: u8> SweepBoth<T, LINES> {
    /// The task on `tile`.
    #[must_use]
    pub const fn new(tile: Tile) -> Self {
        Self { tile, precision: PhantomData }
    }
}

/// The panels of one product, column by column: what is multiplied, and what it is added to.
#[derive(Debug)]
pub struct Panels<'a> {
    /// `X`, or `U`.
    pub factor: &'a [f64],
    /// `Y`, or `Z`.
    pub sum: &'a mut [f64],
}

impl Tile {
    /// A tile without entries of a matrix of this kind, at its beginning and that of its panels.
    #[must_use]
    pub const fn of(element: Element, entry: Entry) -> Self {
        let [m, n, width, top, left, row, column] = [0; 7];
        Self { element, entry, m, n, width, top, left, row, column, is_diagonal: false }
    }

    /// The stored entries at the front of a buffer, which may have room for more.
    fn stored<'a>(&self, buffers: &'a Buffers<'_>, at: usize) -> &'a [u8] {
        let (m, n, _) = self.shape();
        &buffers.read::<u8>(at)[..m * n * self.element.bytes()]
    }

    /// Lines of the panels and sums of its rows.
    fn along(&self) -> Range<usize> {
        self.top as usize..(self.top + self.m) as usize
    }

    /// Lines of those of its columns.
    fn across(&self) -> Range<usize> {
        self.left as usize..(self.left + self.n) as usize
    }

    fn shape(&self) -> (usize, usize, usize) {
        (self.m as usize, self.n as usize, self.width as usize)
    }

    /// Work on `sides` sides.
    fn cost(&self, sides: usize) -> Cost {
        let (m, n, width) = self.shape();
        let panels = bytes::<f64>(&[2 * (m + n) * width * sides]);
        let stored = (m * n * self.element.bytes()) as f64;
        Cost { flops: 2.0 * sides as f64 * product(&[m, n, width]), bytes: stored + panels }
    }
}

impl<'a> Panels<'a> {
    /// The panels that are buffers `at` and `at + 1`.
    fn of(buffers: &'a Buffers<'_>, at: usize) -> Self {
        Self { factor: buffers.read(at), sum: buffers.write(at + 1) }
    }
}

/// Access modes: those of the products, then of so many lines.
const RIGHT: [Access; 5] = [R, R, RW, RW, RW];
const TWO_SIDES: [Access; 7] = [R, R, RW, R, RW, RW, RW];

const fn first<const N: usize>(all: &'static [Access; N], count: usize) -> &'static [Access] {
    all.split_at(count).0
}

impl<T: Real, const LINES: u8> Codelet for SweepRight<T, LINES> {
    const NAME: &'static str = "sweep";
    const ACCESS: &'static [Access] = first(&RIGHT, 3 + LINES as usize);

    fn cost(&self) -> Cost {
        self.tile.cost(1)
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let rows = (LINES >= ROWS).then(|| Lines::of(buffers.write(3)));
        let columns = (LINES >= BOTH).then(|| Lines::of(buffers.write(4)));
        let right = Some(Panels::of(buffers, 1));
        let blas = T::blas(backend::current());
        self.tile.sweep(blas, self.tile.stored(buffers, 0), (right, None), (rows, columns));
        Ok(())
    }

    const HAS_CUDA: bool = true;

    fn cuda(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let lines = ((LINES >= ROWS).then_some(3), (LINES >= BOTH).then_some(4));
        self.tile.launch::<T>(launch, (Some(1), None), lines)
    }
}

impl<T: Real> Codelet for SweepLeft<T> {
    const NAME: &'static str = "sweep";
    const ACCESS: &'static [Access] = first(&RIGHT, 3);

    fn cost(&self) -> Cost {
        self.tile.cost(1)
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let left = Some(Panels::of(buffers, 1));
        let blas = T::blas(backend::current());
        self.tile.sweep(blas, self.tile.stored(buffers, 0), (None, left), (None, None));
        Ok(())
    }

    const HAS_CUDA: bool = true;

    fn cuda(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        self.tile.launch::<T>(launch, (None, Some(1)), (None, None))
    }
}

impl<T: Real, const LINES: u8> Codelet for SweepBoth<T, LINES> {
    const NAME: &'static str = "sweep";
    const ACCESS: &'static [Access] = first(&TWO_SIDES, 5 + LINES as usize);

    fn cost(&self) -> Cost {
        self.tile.cost(2)
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let lines = |at: usize| (LINES == BOTH).then(|| Lines::of(buffers.write(at)));
        let sides = (Some(Panels::of(buffers, 1)), Some(Panels::of(buffers, 3)));
        let blas = T::blas(backend::current());
        self.tile.sweep(blas, self.tile.stored(buffers, 0), sides, (lines(5), lines(6)));
        Ok(())
    }

    const HAS_CUDA: bool = true;

    fn cuda(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let lines = |at: usize| (LINES == BOTH).then_some(at);
        self.tile.launch::<T>(launch, (Some(1), Some(3)), (lines(5), lines(6)))
    }
}

/// Submits the task on `tile` for the products that are asked for.
///
/// `panels` are `[X, Y]` and `[U, Z]`; `lines` those of the rows and of the columns (the latter
/// left out on the diagonal of a symmetric matrix), of which both or none are given where both
/// sides are multiplied, and none for the left side alone.
///
/// # Panics
/// If no side is given, or lines that no task takes.
pub fn submit<T: Real>(
    flow: &mut Flow,
    (tile, stored): (Tile, Handle),
    (right, left): (Option<SidePanels>, Option<SidePanels>),
    lines: &[Handle],
    (adding, priority): (Access, i32),
) {
    let mut accesses = vec![(stored, R)];
    for [factor, sum] in right.iter().chain(&left) {
        accesses.extend([(*factor, R), (*sum, adding)]);
    }
    accesses.extend(lines.iter().map(|&handle| (handle, adding)));
    match (right.is_some(), left.is_some(), lines.len() as u8) {
        (true, false, NONE) => flow.submit(SweepRight::<T, NONE>::new(tile), &accesses, priority),
        (true, false, ROWS) => flow.submit(SweepRight::<T, ROWS>::new(tile), &accesses, priority),
        (true, false, BOTH) => flow.submit(SweepRight::<T, BOTH>::new(tile), &accesses, priority),
        (false, true, NONE) => flow.submit(SweepLeft::<T>::new(tile), &accesses, priority),
        (true, true, NONE) => flow.submit(SweepBoth::<T, NONE>::new(tile), &accesses, priority),
        (true, true, BOTH) => flow.submit(SweepBoth::<T, BOTH>::new(tile), &accesses, priority),
        sides => panic!("no task sweeps {sides:?} sides and lines"),
    }
}

/// The panels of one side: what is multiplied, and what it is added to.
pub type SidePanels = [Handle; 2];
