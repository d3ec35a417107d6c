//! Reduction of an upper triangular band to bidiagonal form by chasing bulges down the diagonal.
//!
//! Lang, "Parallel reduction of banded matrices to bidiagonal form", Parallel Comput. 22 (1996),
//! and Grosser, Lang, "Efficient parallel reduction to bidiagonal form", Parallel Comput. 25
//! (1999): sweep `s` takes row `s` to bidiagonal form by a reflector from the right, takes out of
//! what fills in below the diagonal the first column by one from the left, and of what fills in
//! beyond the band the first row by the next from the right. Reflector `k` of a sweep begins at
//! row, or column, `s + 1 + k width`, as those of [`Chased`](crate::tridiagonal::Chased).

use super::UpperBand;
use crate::backend::{self, Blas};
use crate::householder::reflector;
use crate::scalar::Scalar;
use crate::tile::TileMut;
use crate::tridiagonal::Waves;
use crate::tridiagonal::reflect::{from_the_left, from_the_right, make};

/// What a chase makes of an upper band `A = Q B P^H`.
#[derive(Clone, Debug)]
pub struct Bidiagonal<T: Scalar> {
    /// The diagonal of `B`.
    pub diagonal: Vec<T::Real>,
    /// The entries above it.
    pub above: Vec<T::Real>,
    /// The reflectors of `Q`, in the order of [`Waves::stored`] for each group; empty if they were
    /// not kept.
    pub left: Vec<Vec<T>>,
    /// Those of `P`.
    pub right: Vec<Vec<T>>,
}

impl<T: Scalar> Bidiagonal<T> {
    /// Chases the band to bidiagonal form, and keeps the reflectors if `waves` says how. Imaginary
    /// parts of the first diagonal entry are left out: it is real.
    ///
    /// # Panics
    /// If `waves` is of another band.
    #[must_use]
    pub fn new(mut band: UpperBand<T>, waves: Option<Waves>) -> Self {
        let (n, width) = (band.n(), band.width());
        let is_same = |waves: Waves| (waves.n, waves.width) == (n, width) && waves.group > 0;
        assert!(waves.is_none_or(is_same), "{waves:?} of a band of order {n} and width {width}");
        let room = || waves.map_or_else(Vec::new, |waves| waves.room());
        let (left, right) = (room(), room());
        let mut chase =
            Chase { band: &mut band, waves, left, right, blas: T::blas(backend::current()) };
        let mut room = Room { v: vec![T::ZERO; width], product: vec![T::ZERO; 2 * width] };
        for sweep in 0..n.saturating_sub(1) {
            chase.sweep(sweep, &mut room);
        }
        let (left, right) = (chase.left, chase.right);
        let diagonal = (0..n).map(|i| band.at(i, i).re()).collect();
        let above = (1..n).map(|i| band.at(i - 1, i).re()).collect();
        Self { diagonal, above, left, right }
    }
}

struct Chase<'a, T> {
    band: &'a mut UpperBand<T>,
    waves: Option<Waves>,
    left: Vec<Vec<T>>,
    right: Vec<Vec<T>>,
    blas: &'a dyn Blas<T>,
}

/// Room for a reflector and a product.
struct Room<T> {
    v: Vec<T>,
    product: Vec<T>,
}

impl<T: Scalar> Chase<'_, T> {
    /// Takes row `sweep` to bidiagonal form and moves the bulges down and out.
    fn sweep(&mut self, sweep: usize, room: &mut Room<T>) {
        let (n, width) = (self.band.n(), self.band.width());
        // The row out of which the next reflector from the right takes entries.
        let mut row = sweep;
        for (k, first) in (sweep + 1..n).step_by(width).enumerate() {
            let length = width.min(n - first);
            self.take_row(row, first, length, (sweep, k), room);
            self.take_column(first, length, (sweep, k), room);
            row = first;
        }
    }

    /// Takes out the entries of `row` in the `length` columns from `first` on, but the first of
    /// them.
    fn take_row(
        &mut self,
        row: usize,
        first: usize,
        length: usize,
        (sweep, k): (usize, usize),
        Room { v, product }: &mut Room<T>,
    ) {
        let v = &mut v[..length];
        let rows = first + length - row;
        let mut block = self.band.block(row, first, rows, length);
        let tau = make_of_row(self.blas, &mut block, v);
        let (_, mut others) = block.split_rows(1);
        from_the_right(self.blas, &mut others, v, tau, &mut product[..rows - 1]);
        if let Some(waves) = self.waves {
            waves.keep(&mut self.right, (sweep, k), v, tau);
        }
    }

    /// Takes out what is below the diagonal in column `first`, of `length` rows.
    fn take_column(
        &mut self,
        first: usize,
        length: usize,
        (sweep, k): (usize, usize),
        Room { v, .. }: &mut Room<T>,
    ) {
        let (n, width) = (self.band.n(), self.band.width());
        let v = &mut v[..length];
        let columns = (length + width).min(n - first);
        let (column, others) = self.band.block(first, first, length, columns).split_cols(1);
        let tau = make(self.blas, column, v);
        from_the_left(others, v, tau.conj());
        if let Some(waves) = self.waves {
            waves.keep(&mut self.left, (sweep, k), v, tau);
        }
    }
}

/// Makes the reflector that takes out the first row of a block beyond its first entry; returns its
/// factor.
fn make_of_row<T: Scalar>(blas: &dyn Blas<T>, block: &mut TileMut<'_, T>, v: &mut [T]) -> T {
    for (j, v) in v.iter_mut().enumerate() {
        *v = block.at(0, j).conj();
        block.set(0, j, T::ZERO);
    }
    let rest = v.len() - 1;
    let (beta, tau) = reflector(blas, v[0], &mut TileMut::new(&mut v[1..], rest, 1));
    block.set(0, 0, beta);
    v[0] = T::ONE;
    tau
}
