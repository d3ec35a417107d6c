//! The triangular factor of a sparse matrix, as its fronts made it, and solves with it.

use std::sync::Arc;

use tegula_kernels::scalar::Scalar;
use tegula_kernels::sparse::{SparseMatrix, norm2};
use tegula_runtime::random::SplitMix64;

use super::analysis::Analysis;
use super::plan::{Part, Plan};

/// Where the rows of `R` of a front are.
#[derive(Clone, Debug)]
enum Place {
    /// In a piece, from this number on.
    Within(u32, usize),
    /// In pieces from this one on; for each the end of its columns.
    Tiles(u32, Vec<usize>),
}

/// The upper triangular factor `R` of `A P = Q R`, an `n x n` matrix by the fronts that made it,
/// and of right-hand sides that went along the first rows of `Q^H B`.
///
/// Signs of its rows are those that Householder's reflectors give them.
#[derive(Clone, Debug)]
pub struct SparseR<T> {
    analysis: Arc<Analysis>,
    nrhs: usize,
    pieces: Vec<Vec<T>>,
    places: Vec<Place>,
}

/// What the diagonal of `R` says of the rank of a matrix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RankFindings {
    /// Diagonal entries that are larger than the tolerance.
    pub rank: usize,
    /// The tolerance.
    pub tolerance: f64,
    /// The smallest and the largest of their moduli; NaN counts as smallest.
    pub smallest: f64,
    /// The largest.
    pub largest: f64,
    /// The column of the matrix, from 0, at the first diagonal entry that is not larger than the
    /// tolerance.
    pub first_dependent: Option<usize>,
}

impl<T: Scalar> SparseR<T> {
    /// What the tasks of `plan` have left, all of which have run.
    pub(super) fn collect(plan: &mut Plan<T>, parts: &[Part]) -> Self {
        let taken = plan.pieces.iter_mut().map(|piece| piece.take().unwrap_or_default());
        let (pieces, mut places): (Vec<Vec<T>>, _) = (taken.collect(), Vec::new());
        let mut piece = 0;
        for part in parts {
            match part {
                Part::Group(index) => {
                    let mut start = 0;
                    for number in plan.groups[*index].fronts.clone() {
                        places.push(Place::Within(piece, start));
                        start += plan.r_entries(number..number + 1);
                    }
                }
                Part::Front(tiles) => {
                    let ends = tiles.iter().map(|tile| tile.range().end).collect();
                    places.push(Place::Tiles(piece, ends));
                }
            }
            piece += part.pieces() as u32;
        }
        Self { analysis: Arc::clone(&plan.analysis), nrhs: plan.nrhs, pieces, places }
    }

    /// What is known without its numbers.
    #[must_use]
    pub fn analysis(&self) -> &Analysis {
        &self.analysis
    }

    /// The entries of column `j` of a front, from its first row on.
    fn column(&self, number: usize, j: usize) -> &[T] {
        let front = &self.analysis.fronts[number];
        let (first, end) = (front.r_entries(j), front.r_entries(j + 1));
        match &self.places[number] {
            Place::Within(piece, start) => {
                &self.pieces[*piece as usize][start + first..start + end]
            }
            Place::Tiles(piece, ends) => {
                let tile = ends.partition_point(|&end| end <= j);
                let before = if tile == 0 { 0 } else { front.r_entries(ends[tile - 1]) };
                &self.pieces[*piece as usize + tile][first - before..end - before]
            }
        }
    }

    /// The columns of `R` that the columns of a front are.
    fn columns_of(&self, number: usize) -> impl Iterator<Item = usize> + '_ {
        let front = &self.analysis.fronts[number];
        let others = self.analysis.others_of(number).iter().map(|&j| j as usize);
        (front.first..front.first + front.pivots).chain(others)
    }

    /// The entries `(row, column, value)` of `R` that fronts hold, in the order of its columns that
    /// [`Analysis::column_order`] says; some are zero.
    pub fn entries(&self) -> impl Iterator<Item = (usize, usize, T)> + '_ {
        (0..self.places.len()).flat_map(move |number| {
            let first = self.analysis.fronts[number].first;
            self.columns_of(number).enumerate().flat_map(move |(place, j)| {
                let column = self.column(number, place).iter().enumerate();
                column.map(move |(i, &value)| (first + i, j, value))
            })
        })
    }

    /// The diagonal of `R`; zero where a front had too few rows.
    #[must_use]
    pub fn diagonal(&self) -> Vec<T> {
        let mut diagonal = vec![T::ZERO; self.analysis.n()];
        for (number, front) in self.analysis.fronts.iter().enumerate() {
            for j in 0..front.r_rows() {
                diagonal[front.first + j] = self.column(number, j)[j];
            }
        }
        diagonal
    }

    /// What the diagonal says of the rank: an entry that is not larger than `tolerance` belongs to
    /// a column which those before it give, as far as can be seen. Columns are not exchanged by
    /// their numbers, so that a matrix may be nearly of lower rank and have no small entry.
    #[must_use]
    pub fn rank(&self, tolerance: f64) -> RankFindings {
        let diagonal = self.diagonal();
        let sizes = diagonal.iter().map(|entry| entry.size());
        let is_large = |size: &f64| *size > tolerance;
        let dependent = sizes.clone().position(|size| !is_large(&size));
        let nan_or_less = |least: f64, size: f64| if size >= least { least } else { size };
        RankFindings {
            rank: sizes.clone().filter(is_large).count(),
            tolerance,
            smallest: sizes.clone().fold(f64::INFINITY, nan_or_less),
            largest: sizes.fold(0.0, f64::max),
            first_dependent: dependent.map(|place| self.analysis.columns[place] as usize),
        }
    }

    /// The solution of `R x = (Q^H b)` for right-hand side `k` of those that went along, in the
    /// order of the columns of the matrix.
    ///
    /// # Panics
    /// If there was no such right-hand side.
    #[must_use]
    pub fn solve_along(&self, k: usize) -> Vec<T> {
        assert!(k < self.nrhs, "right-hand side {k} of {}", self.nrhs);
        let mut x = vec![T::ZERO; self.analysis.n()];
        for (number, front) in self.analysis.fronts.iter().enumerate() {
            let entries = self.column(number, front.n + k);
            x[front.first..front.first + entries.len()].copy_from_slice(entries);
        }
        self.solve(&mut x);
        self.in_columns(&x)
    }

    /// The two-norm of `R^H R x - P^H A^H A P x` for a vector `x` of random signs, over that of
    /// `x`, the square of the norm of Frobenius of `A`, and `(m + n) eps`: some units of rounding
    /// at most, if this is the factor of `a` (after Freivalds 1979).
    ///
    /// # Panics
    /// If `a` has another shape than what was factorised.
    #[must_use]
    pub fn gram_error(&self, a: &SparseMatrix<T>) -> f64 {
        let (m, n) = (a.m(), a.n());
        let mut stream = SplitMix64::new(0);
        let sign = |_| if stream.uniform() < 0.5 { -T::ONE } else { T::ONE };
        let x: Vec<T> = (0..n).map(sign).collect();
        let (mut rx, mut difference) = (vec![T::ZERO; n], vec![T::ZERO; n]);
        self.entries().for_each(|(i, j, r)| rx[i] += r * x[j]);
        self.entries().for_each(|(i, j, r)| difference[j] += r.conj() * rx[i]);
        let mut ax = vec![T::ZERO; m];
        a.multiply(T::ONE, &self.in_columns(&x), &mut ax);
        let gram = self.in_order(&a.multiply_adjoint(&ax));
        difference.iter_mut().zip(gram).for_each(|(x, other)| *x -= other);
        let size = norm2(&x) * a.frobenius_norm().powi(2) * (m + n) as f64 * T::epsilon();
        let error = norm2(&difference);
        if error == 0.0 { 0.0 } else { error / size }
    }

    /// `x` in the order of `R`'s columns becomes `R^-1 x`; where `R` has no row, zero.
    pub(super) fn solve(&self, x: &mut [T]) {
        for (number, front) in self.analysis.fronts.iter().enumerate().rev() {
            let rows = front.r_rows();
            let range = front.first..front.first + rows;
            x[range.end..front.first + front.pivots].fill(T::ZERO);
            for (place, &j) in self.analysis.others_of(number).iter().enumerate() {
                let factor = x[j as usize];
                let column = self.column(number, front.pivots + place);
                x[range.clone()].iter_mut().zip(column).for_each(|(x, &r)| *x -= r * factor);
            }
            for j in (0..rows).rev() {
                let column = self.column(number, j);
                let factor = x[front.first + j].divided_by(column[j]);
                x[front.first + j] = factor;
                let above = x[front.first..front.first + j].iter_mut();
                above.zip(column).for_each(|(x, &r)| *x -= r * factor);
            }
        }
    }

    /// `x` in the order of `R`'s columns becomes `R^-H x`; where `R` has no row, zero.
    pub(super) fn solve_adjoint(&self, x: &mut [T]) {
        for (number, front) in self.analysis.fronts.iter().enumerate() {
            let rows = front.r_rows();
            for j in 0..rows {
                let column = self.column(number, j);
                let before = product(column, &x[front.first..front.first + j]);
                let left = x[front.first + j] - before;
                x[front.first + j] = left.divided_by(column[j].conj());
            }
            x[front.first + rows..front.first + front.pivots].fill(T::ZERO);
            for (place, &j) in self.analysis.others_of(number).iter().enumerate() {
                let column = self.column(number, front.pivots + place);
                let sum = product(column, &x[front.first..front.first + rows]);
                x[j as usize] -= sum;
            }
        }
    }

    /// `x`, in the order of `R`'s columns, in that of the columns of the matrix.
    pub(super) fn in_columns(&self, x: &[T]) -> Vec<T> {
        let mut moved = vec![T::ZERO; x.len()];
        self.analysis.columns.iter().zip(x).for_each(|(&j, &value)| moved[j as usize] = value);
        moved
    }

    /// `x`, in the order of the columns of the matrix, in that of `R`'s columns.
    pub(super) fn in_order(&self, x: &[T]) -> Vec<T> {
        self.analysis.columns.iter().map(|&j| x[j as usize]).collect()
    }
}

/// `r^H x`, as far as `x` goes.
fn product<T: Scalar>(r: &[T], x: &[T]) -> T {
    r.iter().zip(x).map(|(r, &x)| r.conj() * x).sum()
}
