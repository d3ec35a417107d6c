//! Comparison of an implementation with its reference, for tests: guarded results, and the
//! verdict against a derived tolerance.

mod conformance;
pub(super) mod panels;

use super::KernelEntry;
use super::random::RandomInputs;
use crate::backend::Blas;
use crate::option::{Diag, Side, Trans, Uplo};
use crate::packed::{PackedMut, PackedShape};
use crate::scalar::{Real, Scalar, c32, c64};
use crate::tile::{TileMut, TileRef};

/// What a kernel's folder gives to its tests for each type of numbers that it has.
pub(super) trait Tried<T: Scalar>: KernelEntry {
    /// Compares the implementation with the reference, in every variant, at one shape.
    fn trials(blas: &dyn Blas<T>, shape: Shape, random: &mut RandomInputs) -> Vec<Trial>;
}

/// The trials of a kernel in one precision.
type In<T> = fn(&dyn Blas<T>, Shape, &mut RandomInputs) -> Vec<Trial>;

/// The trials of a kernel, in all its precisions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Trials {
    name: &'static str,
    single: In<f32>,
    double: In<f64>,
    complex: Option<(In<c32>, In<c64>)>,
}

impl Trials {
    /// Those of a kernel of real numbers.
    pub(super) const fn real<K: Tried<f32> + Tried<f64>>() -> Self {
        let (single, double) = (<K as Tried<f32>>::trials, <K as Tried<f64>>::trials);
        Self { name: K::NAME, single, double, complex: None }
    }

    /// Those of a kernel of real and complex numbers.
    pub(super) const fn of<K: Tried<f32> + Tried<f64> + Tried<c32> + Tried<c64>>() -> Self {
        let complex =
            Some((<K as Tried<c32>>::trials as In<c32>, <K as Tried<c64>>::trials as In<c64>));
        Self { complex, ..Self::real::<K>() }
    }
}

/// Sizes of one comparison; a kernel on square tiles uses `n` alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// Rows.
    pub(crate) m: usize,
    /// Columns, or the order.
    pub(crate) n: usize,
    /// Inner size of a product.
    pub(crate) k: usize,
}

/// Outcome of one comparison.
#[derive(Clone, Debug)]
pub(crate) struct Trial {
    /// Which variant, at which shape.
    pub(crate) case: String,
    /// Largest deviation; infinite if something was written that must not be, or a failure differs.
    pub(crate) error: f64,
    /// Largest deviation that rounding explains.
    pub(crate) tolerance: f64,
}

impl Trial {
    /// Whether rounding explains the deviation; a NaN does not pass.
    pub(crate) fn passes(&self) -> bool {
        self.error <= self.tolerance
    }

    /// A trial of something that holds or does not.
    pub(crate) fn exact(case: String, holds: bool) -> Self {
        Self { case, error: if holds { 0.0 } else { f64::INFINITY }, tolerance: 0.0 }
    }
}

/// Factors of the product and of the old contents to try.
pub(crate) fn coefficients<T: Scalar>() -> [[T; 2]; 4] {
    let number = |re: f64| T::from_parts(T::Real::of_f64(re), T::Real::of_f64(-re / 2.0));
    [[-1.0, 1.0], [0.75, 0.0], [1.5, -0.5], [0.0, 2.0]].map(|pair| pair.map(number))
}

/// Every way in which a triangular matrix can enter a product or a solve.
pub(super) fn triangles() -> Vec<(Side, Uplo, Trans, Diag)> {
    let mut triangles = Vec::new();
    for side in Side::ALL {
        for uplo in Uplo::ALL {
            for trans in Trans::ALL {
                for diag in Diag::ALL {
                    triangles.push((side, uplo, trans, diag));
                }
            }
        }
    }
    triangles
}

/// Heights of micro-panels to try: what the backend reads fastest, and one that it does not expect.
pub(crate) fn heights<T: Scalar>(blas: &dyn Blas<T>) -> impl Iterator<Item = usize> + use<T> {
    blas.micro_panel_height().into_iter().chain([5])
}

/// A column-major matrix with a gap under each column that nobody may touch.
#[derive(Clone, Debug)]
pub(crate) struct Guarded<T> {
    elements: Vec<T>,
    rows: usize,
    cols: usize,
}

/// Rows of the gap.
const GAP: usize = 3;

impl<T: Scalar> Guarded<T> {
    /// A matrix of these entries, given without gaps.
    pub(crate) fn new(rows: usize, cols: usize, entries: &[T]) -> Self {
        let mut elements = vec![T::from_f64(-7.0); (rows + GAP) * cols];
        for j in 0..cols {
            elements[j * (rows + GAP)..][..rows].copy_from_slice(&entries[j * rows..][..rows]);
        }
        Self { elements, rows, cols }
    }

    /// A matrix of numbers between -1 and 1.
    pub(crate) fn random(rows: usize, cols: usize, random: &mut RandomInputs) -> Self {
        Self::new(rows, cols, &random.numbers(rows * cols))
    }

    /// A matrix of NaN: an operand that must be overwritten without being read.
    pub(crate) fn nan(rows: usize, cols: usize) -> Self {
        Self::new(rows, cols, &vec![T::NAN; rows * cols])
    }

    /// A well-conditioned matrix (see [`RandomInputs::dominant`]) of which only one triangle is
    /// readable: the rest, and the diagonal if it is unit, is NaN.
    pub(crate) fn triangle(n: usize, uplo: Uplo, diag: Diag, random: &mut RandomInputs) -> Self {
        let mut a = Self::new(n, n, &random.dominant(n));
        a.keep(|i, j| uplo.holds(i, j) && (i != j || diag == Diag::NonUnit));
        a
    }

    /// Replaces by NaN what `readable` does not hold.
    pub(crate) fn keep(&mut self, readable: impl Fn(usize, usize) -> bool) {
        for j in 0..self.cols {
            (0..self.rows).filter(|&i| !readable(i, j)).for_each(|i| self.put(i, j, T::NAN));
        }
    }

    pub(crate) fn put(&mut self, i: usize, j: usize, value: T) {
        self.write().set(i, j, value);
    }

    pub(crate) fn read(&self) -> TileRef<'_, T> {
        TileRef::with_ld(&self.elements, self.rows, self.cols, self.rows + GAP)
    }

    pub(crate) fn write(&mut self) -> TileMut<'_, T> {
        TileMut::with_ld(&mut self.elements, self.rows, self.cols, self.rows + GAP)
    }

    /// The packed matrix; what is not of the matrix is NaN, save the zeros under the last row.
    pub(crate) fn packed(&self, shape: PackedShape) -> Vec<T> {
        let mut elements = vec![T::NAN; shape.elements()];
        PackedMut::new(&mut elements, shape).pack_from(self.read());
        elements
    }

    /// Largest absolute entry, NaN left out.
    pub(crate) fn max(&self) -> f64 {
        self.elements.iter().map(|x| x.size()).fold(0.0, f64::max)
    }

    /// Whether every element differs in no bit from `before`, gaps included, save where `written`
    /// holds.
    pub(crate) fn spared(&self, before: &Self, written: impl Fn(usize, usize) -> bool) -> bool {
        let stride = self.rows + GAP;
        self.elements.iter().zip(&before.elements).enumerate().all(|(place, (got, old))| {
            let (i, j) = (place % stride, place / stride);
            i < self.rows && written(i, j) || bytemuck::bytes_of(got) == bytemuck::bytes_of(old)
        })
    }

    /// Largest deviation from `expected` where `written` holds, NaN if there is one; infinite if
    /// any other element was written.
    pub(crate) fn deviation(
        &self,
        before: &Self,
        expected: &Self,
        written: impl Fn(usize, usize) -> bool,
    ) -> f64 {
        if !self.spared(before, &written) {
            return f64::INFINITY;
        }
        let (got, expected) = (self.read(), expected.read());
        let mut worst = 0.0;
        for j in 0..self.cols {
            for i in (0..self.rows).filter(|&i| written(i, j)) {
                let deviation = (got.at(i, j) - expected.at(i, j)).size();
                if deviation.is_nan() {
                    return deviation;
                }
                worst = f64::max(worst, deviation);
            }
        }
        worst
    }
}
