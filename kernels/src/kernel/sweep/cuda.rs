//! The products and sums: our own code widens the tile and adds along its lines, cuBLAS multiplies.

use std::ops::Range;

use tegula_runtime::flow::{Failure, Launch};

use super::lines::buffer_bytes;
use super::{Entry, Findings, Tile};
use crate::cuda::device_code::Argument;
use crate::cuda::{Block, Grid, Products, Program};
use crate::element::ELEMENTS;
use crate::option::Trans;
use crate::scalar::Real;

/// The device's side.
pub(crate) const SOURCE: &str = include_str!("kernel.cu");

/// Room for lines of a factor and of a sum in the precision of the product.
type Copies<T> = [Block<T>; 2];

/// Numbers that are found in a row of a tile.
const FOUND: usize = 10;

impl Tile {
    /// Puts the products and sums on the stream: with the panels in the two buffers from `right` on
    /// and in those from `left` on, the lines of the rows in a buffer and those of the columns in
    /// the next, as far as they are given.
    pub(super) fn launch<T: Real>(
        &self,
        launch: &Launch<'_>,
        (right, left): (Option<usize>, Option<usize>),
        (rows, columns): (Option<usize>, Option<usize>),
    ) -> Result<(), Failure> {
        let (m, n, width) = self.shape();
        if m == 0 || n == 0 {
            return Ok(());
        }
        if let Some(rows) = rows {
            self.sum_on::<T>(launch, rows, columns)?;
        }
        if width == 0 {
            return Ok(());
        }
        let copied = if is_double::<T>() { (0, 0) } else { (m.max(n), width) };
        let [widened, factor, sum] = Block::<T>::room(launch, [(n, m), copied, copied])?;
        self.widen_on(launch, widened)?;
        let (along, across, copies) = (self.along(), self.across(), [factor, sum]);
        // Column by column, the widened tile is its transpose.
        if let Some(at) = right {
            let lines = (across.clone(), along.clone());
            self.multiply_on(launch, (Trans::Yes, widened), at, lines, copies)?;
        }
        if let Some(at) = left {
            self.multiply_on(launch, (Trans::No, widened), at, (along, across), copies)?;
        }
        Ok(())
    }

    /// Adds the sums along rows to the lines in a buffer, with what is found there, and those along
    /// columns to another. What lies between is done with when the products begin, which use the
    /// same working memory.
    #[allow(unsafe_code)]
    fn sum_on<T: Real>(
        &self,
        launch: &Launch<'_>,
        rows: usize,
        columns: Option<usize>,
    ) -> Result<(), Failure> {
        let (m, n, _) = self.shape();
        let (of_rows, of_columns) =
            (Places::of(launch, rows), columns.map(|at| Places::of(launch, at)));
        let crossing = of_columns.as_ref().unwrap_or(&of_rows).part(self.across());
        let along = of_rows.part(self.along());
        let doubles = size_of::<f64>() / size_of::<T>();
        let [found] = Block::<T>::room(launch, [(m * FOUND * doubles, 1)])?;
        let place = Argument::place;
        let own = [place(crossing.weights), place(along.sums), place(along.squares), found.place()];
        let arguments = [&self.arguments(launch)[..], &own].concat();
        // SAFETY: the tile has `m n` numbers, the lines those of its rows and columns, and there is
        // room for what is found in each row.
        unsafe { Program::run(launch, "sum_tile_rows", Grid::block_each(m), &arguments) }?;
        let own = [found.place(), place(of_rows.findings)];
        let arguments = [&self.arguments(launch)[..], &own].concat();
        // SAFETY: as above; the lines end in findings.
        unsafe { Program::run(launch, "gather_findings", Grid::ONE_BLOCK, &arguments) }?;
        if of_columns.is_some() {
            let own = [place(along.weights), place(crossing.sums), place(crossing.squares)];
            let arguments = [&self.arguments(launch)[..], &own].concat();
            // SAFETY: as above.
            unsafe { Program::run(launch, "sum_tile_columns", Grid::matrix(n, 1), &arguments) }?;
        }
        Ok(())
    }

    /// Widens the stored tile, and makes what its entries become.
    #[allow(unsafe_code)]
    fn widen_on<T: Real>(&self, launch: &Launch<'_>, to: Block<T>) -> Result<(), Failure> {
        let (m, n, _) = self.shape();
        let arguments = [&self.arguments(launch)[..], &[to.place()]].concat();
        // SAFETY: the tile and the matrix that it is widened to have `m n` numbers.
        unsafe { Program::run(launch, "widen_tile", Grid::matrix(n, m), &arguments) }
    }

    /// The stored tile in the first buffer, as device code takes it.
    fn arguments<T: Real>(&self, launch: &Launch<'_>) -> [Argument<T>; 9] {
        let (m, n, _) = self.shape();
        let (stored, bytes) = launch.read::<u8>(0);
        let needed = m * n * self.element.bytes();
        assert!(bytes >= needed, "{bytes} bytes of a tile of {needed}");
        let element = ELEMENTS.iter().position(|&(element, _)| element == self.element);
        let (kind, offset) = match self.entry {
            Entry::Plain => (0, 0.0),
            Entry::Count => (1, 0.0),
            Entry::Squared(offset) => (2, offset),
        };
        [
            Argument::size(m),
            Argument::size(n),
            Argument::Flag(element.expect("all kinds are listed") as i32),
            Argument::place(stored),
            Argument::Flag(kind),
            Argument::Double(offset),
            Argument::Flag(i32::from(self.is_diagonal)),
            Argument::size(self.row as usize),
            Argument::size(self.column as usize),
        ]
    }

    /// Adds the product of a matrix with lines `from` of the panel in buffer `at` to the lines `to`
    /// of that in the next.
    #[allow(unsafe_code)]
    fn multiply_on<T: Real>(
        &self,
        launch: &Launch<'_>,
        matrix: (Trans, Block<T>),
        at: usize,
        (from, to): (Range<usize>, Range<usize>),
        [factor, sum]: Copies<T>,
    ) -> Result<(), Failure> {
        let width = self.width as usize;
        let ((x, in_x), (y, in_y)) = (launch.read::<f64>(at), launch.write::<f64>(at + 1));
        let (high, low) = (in_x / width, in_y / width);
        let fits = from.end <= high && to.end <= low;
        assert!(fits, "lines {from:?} and {to:?} of panels of {high} and {low}");
        let (x, y) = (x.wrapping_add(from.start), y.wrapping_add(to.start));
        let products = Products::of(launch)?;
        if is_double::<T>() {
            let x = Block::<T>::at(x as u64, (from.len(), width), high);
            let y = Block::at(y as u64, (to.len(), width), low);
            return products.gemm(T::ONE, matrix, (Trans::No, x), T::ONE, y);
        }
        let (factor, sum) = (factor.adjacent(from.len(), width), sum.adjacent(to.len(), width));
        let sizes = |count: usize| [count, width].map(Argument::<T>::size);
        let ([rows, cols], ld) = (sizes(from.len()), Argument::size(high));
        let narrow = [rows, cols, Argument::place(x), ld, factor.place()];
        let grid = Grid::matrix(from.len(), width);
        // SAFETY: the panel has these lines, and there is room for them.
        unsafe { Program::run(launch, "narrow_lines", grid, &narrow) }?;
        products.gemm(T::ONE, matrix, (Trans::No, factor), T::ZERO, sum)?;
        let ([rows, cols], ld) = (sizes(to.len()), Argument::size(low));
        let add = [rows, cols, sum.place(), Argument::place(y), ld];
        // SAFETY: as above.
        unsafe { Program::run(launch, "add_lines", Grid::matrix(to.len(), width), &add) }
    }
}

/// Where the parts of a buffer of lines begin on the device.
struct Places {
    lines: usize,
    weights: *mut f64,
    sums: *mut f64,
    squares: *mut f64,
    findings: *mut f64,
}

impl Places {
    /// Those of buffer `index`.
    ///
    /// # Panics
    /// If it is no buffer of lines.
    fn of(launch: &Launch<'_>, index: usize) -> Self {
        let (weights, count) = launch.write::<f64>(index);
        let lines = count.checked_sub(size_of::<Findings>() / size_of::<f64>()).map(|own| own / 3);
        let lines = lines.filter(|lines| 8 * count == buffer_bytes(*lines));
        let lines = lines.unwrap_or_else(|| panic!("{count} numbers are no three for each line"));
        let [sums, squares, findings] = [1, 2, 3].map(|part| weights.wrapping_add(part * lines));
        Self { lines, weights, sums, squares, findings }
    }

    /// The lines `range` of these.
    ///
    /// # Panics
    /// If there are not so many.
    fn part(&self, range: Range<usize>) -> Self {
        assert!(range.end <= self.lines, "lines {range:?} of {}", self.lines);
        let from = |place: *mut f64| place.wrapping_add(range.start);
        let [weights, sums, squares] = [self.weights, self.sums, self.squares].map(from);
        Self { lines: range.len(), weights, sums, squares, findings: self.findings }
    }
}

/// Whether products are in the precision of the panels.
const fn is_double<T>() -> bool {
    size_of::<T>() == size_of::<f64>()
}
