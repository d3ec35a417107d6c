//! Comparison of an implementation with the reference: drawn operands, guarded results, and the
//! verdict against a derived tolerance.

use tegula_runtime::random::SplitMix64;

use crate::backend::Blas;
use crate::option::{Diag, Uplo};
use crate::scalar::{Real, Scalar};
use crate::strips::{StripShape, StripsMut};
use crate::tile::{TileMut, TileRef};

/// Sizes of one comparison; a kernel on square tiles uses `n` alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Rows.
    pub m: usize,
    /// Columns, or the order.
    pub n: usize,
    /// Inner size of a product.
    pub k: usize,
}

/// Outcome of one comparison.
#[derive(Clone, Debug)]
pub struct Trial {
    /// Which variant, at which shape.
    pub case: String,
    /// Largest deviation; infinite if something was written that must not be, or a failure differs.
    pub error: f64,
    /// Largest deviation that rounding explains.
    pub tolerance: f64,
}

impl Trial {
    /// Whether rounding explains the deviation; a NaN does not pass.
    #[must_use]
    pub fn passes(&self) -> bool {
        self.error <= self.tolerance
    }

    /// A trial of something that holds or does not.
    pub(crate) fn exact(case: String, holds: bool) -> Self {
        Self { case, error: if holds { 0.0 } else { f64::INFINITY }, tolerance: 0.0 }
    }
}

/// A reproducible stream of random numbers.
#[derive(Clone, Debug)]
pub struct Draw(SplitMix64);

impl Draw {
    /// The stream of a seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(SplitMix64::new(seed))
    }

    /// A random integer of 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number between -1 and 1, of a complex type both parts.
    pub fn number<T: Scalar>(&mut self) -> T {
        let re = self.uniform();
        let im = if T::IS_COMPLEX { self.uniform() } else { 0.0 };
        T::from_parts(T::Real::of_f64(re), T::Real::of_f64(im))
    }

    fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * 2f64.powi(-52) - 1.0
    }

    /// So many numbers between -1 and 1.
    pub fn numbers<T: Scalar>(&mut self, count: usize) -> Vec<T> {
        (0..count).map(|_| self.number()).collect()
    }

    /// A matrix of order `n` (without gaps) that is well conditioned in every sense needed here:
    /// the diagonal is between 2 and 3, each row and column beside it adds up to at most 1/2.
    pub fn dominant<T: Scalar>(&mut self, n: usize) -> Vec<T> {
        let mut a = self.numbers::<T>(n * n);
        let scale = T::from_f64(0.35 / n.max(1) as f64);
        a.iter_mut().for_each(|x| *x *= scale);
        for i in 0..n {
            a[i * n + i] = T::from_f64(2.5 + 0.5 * self.uniform());
        }
        a
    }
}

/// Factors of the product and of the old contents to try.
pub(crate) fn coefficients<T: Scalar>() -> [[T; 2]; 4] {
    let number = |re: f64| T::from_parts(T::Real::of_f64(re), T::Real::of_f64(-re / 2.0));
    [[-1.0, 1.0], [0.75, 0.0], [1.5, -0.5], [0.0, 2.0]].map(|pair| pair.map(number))
}

/// Random numbers, enough for a matrix of order `n` in strips of any height that a backend wants.
pub(crate) fn in_strips<T: Scalar>(n: usize, draw: &mut Draw) -> Vec<T> {
    const HIGHEST: usize = 64;
    draw.numbers((n + HIGHEST) * StripShape { rows: n, cols: n, height: 1 }.stored_columns())
}

/// Heights of strips to try: what the backend reads fastest, and one that it does not expect.
pub(crate) fn heights<T: Scalar>(blas: &dyn Blas<T>) -> impl Iterator<Item = usize> + use<T> {
    blas.strip_height().into_iter().chain([5])
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
    pub(crate) fn random(rows: usize, cols: usize, draw: &mut Draw) -> Self {
        Self::new(rows, cols, &draw.numbers(rows * cols))
    }

    /// A matrix of NaN: an operand that must be overwritten without being read.
    pub(crate) fn nan(rows: usize, cols: usize) -> Self {
        Self::new(rows, cols, &vec![T::NAN; rows * cols])
    }

    /// A well-conditioned matrix (see [`Draw::dominant`]) of which only one triangle is readable:
    /// the rest, and the diagonal if it is unit, is NaN.
    pub(crate) fn triangle(n: usize, uplo: Uplo, diag: Diag, draw: &mut Draw) -> Self {
        let mut a = Self::new(n, n, &draw.dominant(n));
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

    /// The matrix in strips; what is not of the matrix is NaN, save the zeros under the last row.
    pub(crate) fn in_strips(&self, shape: StripShape) -> Vec<T> {
        let mut elements = vec![T::NAN; shape.elements()];
        StripsMut::new(&mut elements, shape).lay_out(self.read());
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
