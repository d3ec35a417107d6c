//! The products without sums along lines: our own code widens the tile, cuBLAS multiplies.

use std::ops::Range;

use tegula_runtime::flow::{Failure, Launch};

use super::{Entry, Tile};
use crate::cuda::device_code::Argument;
use crate::cuda::{Block, Grid, Products, Program};
use crate::element::ELEMENTS;
use crate::option::Trans;
use crate::scalar::Real;

/// The device's side.
pub(crate) const SOURCE: &str = include_str!("kernel.cu");

/// Room for lines of a factor and of a sum in the precision of the product.
type Copies<T> = [Block<T>; 2];

impl Tile {
    /// Puts the products on the stream: with the panels in the two buffers from `right` on, and in
    /// those from `left` on.
    pub(super) fn launch<T: Real>(
        &self,
        launch: &Launch<'_>,
        right: Option<usize>,
        left: Option<usize>,
    ) -> Result<(), Failure> {
        let (m, n, width) = self.shape();
        if m == 0 || n == 0 || width == 0 {
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

    /// Widens the stored tile, and makes what its entries become.
    #[allow(unsafe_code)]
    fn widen_on<T: Real>(&self, launch: &Launch<'_>, to: Block<T>) -> Result<(), Failure> {
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
        let arguments = [
            Argument::size(m),
            Argument::size(n),
            Argument::Flag(element.expect("all kinds are listed") as i32),
            Argument::place(stored),
            Argument::Flag(kind),
            Argument::Double(offset),
            Argument::Flag(i32::from(self.is_diagonal)),
            Argument::size(self.row as usize),
            Argument::size(self.column as usize),
            to.place(),
        ];
        // SAFETY: the tile and the matrix that it is widened to have `m n` numbers.
        unsafe { Program::run(launch, "widen_tile", Grid::matrix(n, m), &arguments) }
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

/// Whether products are in the precision of the panels.
const fn is_double<T>() -> bool {
    size_of::<T>() == size_of::<f64>()
}
