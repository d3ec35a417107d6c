//! Checks of matrix results in a number of operations that grows with the square of the order:
//! both sides of an identity are multiplied by a random vector of signs (Freivalds 1979), through
//! the factors that were computed.
//!
//! A residual is divided by the size of what was added up and by the unit of rounding, as LAPACK's
//! testers do, so that correct results stay below [`THRESHOLD`].

use tegula_kernels::option::{Diag, Form, Trans, Uplo};
use tegula_kernels::scalar::{Real, Scalar, c64};
use tegula_runtime::flow::{Failure, Flow};
use tegula_tiles::{TileIndex, TileMatrix, random_entry};

use super::contents::Contents;
use super::layout::Layout;

pub use crate::residual::THRESHOLD;

/// A vector with the sizes of the sums that made it.
#[derive(Clone, Debug)]
pub(super) struct Sum {
    /// The values.
    pub(super) value: Vec<c64>,
    /// The same sums of absolute values.
    pub(super) size: Vec<f64>,
}

impl Sum {
    /// A vector of zeros.
    pub(super) fn zero(length: usize) -> Self {
        Self { value: vec![c64::ZERO; length], size: vec![0.0; length] }
    }

    /// A vector of `length` random signs.
    pub(super) fn signs(seed: u64, length: usize) -> Self {
        let is_negative = |i| random_entry::<f64>(!seed, i, length) < 0.0;
        let value = (0..length).map(|i| c64::from_real(if is_negative(i) { -1.0 } else { 1.0 }));
        Self { value: value.collect(), size: vec![1.0; length] }
    }

    /// The sum with `other`.
    pub(super) fn plus(mut self, other: &Self) -> Self {
        assert_eq!(self.value.len(), other.value.len(), "lengths of two vectors");
        self.value.iter_mut().zip(&other.value).for_each(|(sum, x)| *sum += x);
        self.size.iter_mut().zip(&other.size).for_each(|(sum, x)| *sum += x);
        self
    }

    /// With all of it multiplied by `factor`.
    pub(super) fn scaled(mut self, factor: f64) -> Self {
        self.value.iter_mut().for_each(|x| *x *= factor);
        self.size.iter_mut().for_each(|size| *size *= factor.abs());
        self
    }

    /// With entries `i` and row `i` of `rows` exchanged, for each `i` in turn.
    pub(super) fn exchanged(mut self, rows: impl IntoIterator<Item = usize>) -> Self {
        for (i, row) in rows.into_iter().enumerate() {
            self.value.swap(i, row);
            self.size.swap(i, row);
        }
        self
    }

    /// Its first `length` entries, and zeros where it has fewer.
    pub(super) fn resized(mut self, length: usize) -> Self {
        self.value.resize(length, c64::ZERO);
        self.size.resize(length, 0.0);
        self
    }

    /// Its `length` entries from `first` on.
    fn part(&self, first: usize, length: usize) -> Self {
        let value = self.value[first..][..length].to_vec();
        Self { value, size: self.size[first..][..length].to_vec() }
    }

    fn add(&mut self, i: usize, entry: c64, x: &Self, j: usize) {
        self.value[i] += entry * x.value[j];
        self.size[i] += entry.size() * x.size[j];
    }
}

/// A number as a complex one of 64 bits, exactly.
pub(super) fn exact<T: Scalar>(number: T) -> c64 {
    c64::new(number.re().to_f64(), number.im().to_f64())
}

/// The nearest number of type `T`; of a real type the real part.
pub(super) fn rounded<T: Scalar>(number: c64) -> T {
    T::from_parts(T::Real::of_f64(number.re), T::Real::of_f64(number.im))
}

/// What of a matrix counts.
#[derive(Clone, Copy, Debug)]
enum Part {
    /// All.
    Full,
    /// A triangle, or a trapezoid of a matrix that is not square.
    Triangle(Uplo, Diag),
    /// The diagonal.
    Diagonal,
    /// A triangle, with what it says of the other one.
    Mirrored(Form, Uplo),
}

/// Where entries come from.
#[derive(Debug)]
enum Entries<'a, T> {
    /// As they were at first.
    Original(&'a Contents),
    /// From the tiles.
    Found(&'a TileMatrix<T>),
}

/// A matrix that vectors are multiplied by.
#[derive(Debug)]
pub(super) struct Factor<'a, T> {
    entries: Entries<'a, T>,
    /// Shape of what is stored of it.
    stored: (usize, usize),
    layout: Layout,
    part: Part,
    trans: Trans,
}

impl<'a, T: Scalar> Factor<'a, T> {
    /// The matrix that was given, of the shape of `tiles`.
    pub(super) fn original(matrix: &'a Contents, tiles: &TileMatrix<T>) -> Self {
        Self::new(Entries::Original(matrix), tiles, matrix.layout())
    }

    /// The matrix of which `tiles` are stored.
    pub(super) fn found(tiles: &'a TileMatrix<T>, layout: Layout) -> Self {
        Self::new(Entries::Found(tiles), tiles, layout)
    }

    fn new(entries: Entries<'a, T>, tiles: &TileMatrix<T>, layout: Layout) -> Self {
        let stored = (tiles.m(), tiles.n());
        Self { entries, stored, layout, part: Part::Full, trans: Trans::No }
    }

    /// A triangle of it.
    pub(super) fn triangle(self, uplo: Uplo, diag: Diag) -> Self {
        Self { part: Part::Triangle(uplo, diag), ..self }
    }

    /// Its diagonal.
    pub(super) fn diagonal(self) -> Self {
        Self { part: Part::Diagonal, ..self }
    }

    /// The symmetric or Hermitian matrix of which `uplo` is stored.
    pub(super) fn mirrored(self, form: Form, uplo: Uplo) -> Self {
        Self { part: Part::Mirrored(form, uplo), ..self }
    }

    /// `op` of it.
    pub(super) fn op(self, trans: Trans) -> Self {
        Self { trans, ..self }
    }

    /// Rows and columns.
    pub(super) fn shape(&self) -> (usize, usize) {
        let (m, n) = self.layout.shape(self.stored);
        let (rows, columns) = match self.part {
            Part::Triangle(Uplo::Lower, _) => (m, m.min(n)),
            Part::Triangle(Uplo::Upper, _) => (m.min(n), n),
            Part::Full | Part::Diagonal | Part::Mirrored(..) => (m, n),
        };
        self.trans.stored(rows, columns)
    }

    /// Number of columns.
    pub(super) fn columns(&self) -> usize {
        self.shape().1
    }

    /// Number of problems that it holds, of which it has nothing but the blocks on the diagonal.
    pub(super) fn problems(&self) -> usize {
        self.layout.problems()
    }

    /// The product with `x`.
    ///
    /// # Errors
    /// Those of the flow.
    pub(super) fn times(&self, flow: &mut Flow, x: &Sum) -> Result<Sum, Failure> {
        let (rows, columns) = self.shape();
        assert_eq!(columns, x.value.len(), "columns, and entries of the vector");
        let mut sum = Sum::zero(rows);
        let mut add = |i, j, entry: c64| match self.trans {
            Trans::No => sum.add(i, entry, x, j),
            Trans::Yes => sum.add(j, entry, x, i),
            Trans::Conj => sum.add(j, entry.conj(), x, i),
        };
        self.each(flow, &mut add)?;
        Ok(sum)
    }

    /// Calls `visit` with row, column and value of each entry of the matrix before `op`.
    ///
    /// # Errors
    /// Those of the flow and of files.
    pub(super) fn each(
        &self,
        flow: &mut Flow,
        mut visit: impl FnMut(usize, usize, c64),
    ) -> Result<(), Failure> {
        let (part, layout) = (self.part, self.layout);
        self.visit(flow, |i, j, entry| {
            let (i, j) = layout.place(i, j);
            part.places(i, j, entry, &mut visit);
        })
    }

    /// Calls `visit` with each entry that is stored, and with where that is.
    fn visit(
        &self,
        flow: &mut Flow,
        mut visit: impl FnMut(usize, usize, c64),
    ) -> Result<(), Failure> {
        match &self.entries {
            Entries::Original(matrix) => {
                matrix.visit::<T>(self.stored, &mut visit)?;
            }
            Entries::Found(matrix) => {
                for TileIndex { row, column } in self.layout.tiles(matrix) {
                    let (rows, first) = (matrix.tile_rows(row), row * matrix.mb());
                    let tile = flow.read::<T>(matrix.tile(row, column))?;
                    for (position, &entry) in tile.iter().enumerate() {
                        let (i, j) = (position % rows, position / rows);
                        let (i, j) = (first + i, column * matrix.nb() + j);
                        if self.layout.holds(i, j) {
                            visit(i, j, exact(entry));
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

impl Part {
    /// Where the stored `entry` at `(i, j)` stands in the matrix.
    fn places(self, i: usize, j: usize, entry: c64, add: &mut impl FnMut(usize, usize, c64)) {
        match self {
            Self::Full => add(i, j, entry),
            Self::Diagonal if i == j => add(i, j, entry),
            Self::Triangle(_, Diag::Unit) if i == j => add(i, j, c64::ONE),
            Self::Triangle(uplo, _) if uplo.holds(i, j) => add(i, j, entry),
            Self::Mirrored(form, _) if i == j => {
                let is_real = form == Form::Hermitian;
                add(i, j, if is_real { c64::from_real(entry.re) } else { entry });
            }
            Self::Mirrored(form, uplo) if uplo.holds(i, j) => {
                add(i, j, entry);
                add(j, i, if form == Form::Hermitian { entry.conj() } else { entry });
            }
            Self::Diagonal | Self::Triangle(..) | Self::Mirrored(..) => {}
        }
    }
}

/// Largest component of `a - b`, over the largest size of what was added up, the `length` of the
/// sums and the unit of rounding of `T`; infinite where anything is not a number.
pub(super) fn difference<T: Scalar>(a: &Sum, b: &Sum, length: usize) -> f64 {
    assert_eq!(a.value.len(), b.value.len(), "lengths of two vectors");
    let largest = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0f64, f64::max);
    let pairs = || a.value.iter().zip(&b.value);
    if pairs().any(|(a, b)| !(a - b).is_finite()) {
        return f64::INFINITY;
    }
    let error = largest(&mut pairs().map(|(a, b)| (a - b).size()));
    let size = largest(&mut a.size.iter().zip(&b.size).map(|(a, b)| a + b));
    error / (size * length.max(1) as f64 * T::epsilon()).max(f64::MIN_POSITIVE)
}

/// The largest [`difference`] of as many `problems` of the same number of rows, one below the
/// other.
pub(super) fn largest_difference<T: Scalar>(
    a: &Sum,
    b: &Sum,
    length: usize,
    problems: usize,
) -> f64 {
    let rows = a.value.len() / problems.max(1);
    let errors = (0..problems).map(|p| {
        let [a, b] = [a, b].map(|sum| sum.part(p * rows, rows));
        difference::<T>(&a, &b, length)
    });
    errors.fold(0.0, f64::max)
}
