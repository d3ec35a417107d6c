//! Sparse matrices in compressed columns: what files hold and sparse algorithms take.

use crate::scalar::{Real, Scalar};

/// An `m x n` sparse matrix: of each column the rows that hold an entry, ascending, and the
/// entries. An entry may be zero.
#[derive(Clone, Debug, PartialEq)]
pub struct SparseMatrix<T> {
    m: usize,
    n: usize,
    starts: Vec<usize>,
    rows: Vec<u32>,
    values: Vec<T>,
}

/// Most rows, and most columns, of a sparse matrix: indices have 32 bits, of which one value is
/// kept for none.
pub const MOST_LINES: usize = u32::MAX as usize - 1;

impl<T: Scalar> SparseMatrix<T> {
    /// The `m x n` matrix with these entries `(row, column, value)` in any order; those of the same
    /// place are added up, in the order in which they stand.
    ///
    /// # Panics
    /// If an entry is outside the matrix, or there are more than [`MOST_LINES`] rows or columns.
    #[must_use]
    pub fn from_entries(m: usize, n: usize, entries: &[(u32, u32, T)]) -> Self {
        assert!(m <= MOST_LINES && n <= MOST_LINES, "{m} x {n} is more than indices hold");
        // Sorted by rows, then by columns, each time without changing the order of equals.
        let mut by_row = counted(m, entries.iter().map(|entry| entry.0));
        let mut order = vec![0; entries.len()];
        for (place, &(i, j, _)) in entries.iter().enumerate() {
            assert!((j as usize) < n, "entry ({i}, {j}) is outside {m} x {n}");
            order[by_row[i as usize]] = place;
            by_row[i as usize] += 1;
        }
        let mut next = counted(n, entries.iter().map(|entry| entry.1));
        let ends = next[1..].to_vec();
        let (mut rows, mut values) = (vec![0; entries.len()], vec![T::ZERO; entries.len()]);
        for place in order {
            let (i, j, value) = entries[place];
            let at = next[j as usize];
            (rows[at], values[at]) = (i, value);
            next[j as usize] += 1;
        }
        let mut matrix = Self { m, n, starts: vec![0; n + 1], rows, values };
        matrix.add_up(&ends);
        matrix
    }

    /// Adds up neighbours of the same row; column `j` now ends at `ends[j]`.
    fn add_up(&mut self, ends: &[usize]) {
        let (mut kept, mut from) = (0, 0);
        for (j, &end) in ends.iter().enumerate() {
            let first = kept;
            for at in from..end {
                if kept > first && self.rows[kept - 1] == self.rows[at] {
                    let value = self.values[at];
                    self.values[kept - 1] += value;
                } else {
                    (self.rows[kept], self.values[kept]) = (self.rows[at], self.values[at]);
                    kept += 1;
                }
            }
            from = end;
            self.starts[j + 1] = kept;
        }
        self.rows.truncate(kept);
        self.values.truncate(kept);
    }

    /// Number of rows.
    #[must_use]
    pub fn m(&self) -> usize {
        self.m
    }

    /// Number of columns.
    #[must_use]
    pub fn n(&self) -> usize {
        self.n
    }

    /// Number of entries that are stored.
    #[must_use]
    pub fn nnz(&self) -> usize {
        self.rows.len()
    }

    /// The rows of the entries of column `j`, ascending.
    ///
    /// # Panics
    /// If there is no such column.
    #[must_use]
    pub fn rows_of(&self, j: usize) -> &[u32] {
        &self.rows[self.starts[j]..self.starts[j + 1]]
    }

    /// Rows and values of the entries of column `j`.
    ///
    /// # Panics
    /// If there is no such column.
    pub fn column(&self, j: usize) -> impl Iterator<Item = (usize, T)> + '_ {
        let range = self.starts[j]..self.starts[j + 1];
        self.rows[range.clone()].iter().map(|&i| i as usize).zip(self.values[range].iter().copied())
    }

    /// The conjugate transpose.
    #[must_use]
    pub fn adjoint(&self) -> Self {
        let starts = counted(self.m, self.rows.iter().copied());
        let mut next = starts.clone();
        let (mut rows, mut values) = (vec![0; self.nnz()], vec![T::ZERO; self.nnz()]);
        for j in 0..self.n {
            for (i, value) in self.column(j) {
                let at = next[i];
                (rows[at], values[at]) = (j as u32, value.conj());
                next[i] += 1;
            }
        }
        Self { m: self.n, n: self.m, starts, rows, values }
    }

    /// `y = y + alpha A x`, of vectors of `n` and `m` numbers.
    ///
    /// # Panics
    /// If a vector has another length.
    pub fn multiply(&self, alpha: T, x: &[T], y: &mut [T]) {
        assert!(
            x.len() == self.n && y.len() == self.m,
            "{} x {} times {}",
            self.m,
            self.n,
            x.len()
        );
        for (j, &factor) in x.iter().enumerate() {
            let factor = alpha * factor;
            self.column(j).for_each(|(i, value)| y[i] += value * factor);
        }
    }

    /// `A^H x`, of a vector of `m` numbers.
    ///
    /// # Panics
    /// If it has another length.
    #[must_use]
    pub fn multiply_adjoint(&self, x: &[T]) -> Vec<T> {
        assert!(x.len() == self.m, "{} x {}, conjugated, times {}", self.m, self.n, x.len());
        (0..self.n).map(|j| self.column(j).map(|(i, value)| value.conj() * x[i]).sum()).collect()
    }

    /// The largest two-norm of a column.
    #[must_use]
    pub fn largest_column_norm(&self) -> f64 {
        let norm = |j| norm2(&self.values[self.starts[j]..self.starts[j + 1]]);
        (0..self.n).map(norm).fold(0.0, f64::max)
    }

    /// The norm of Frobenius.
    #[must_use]
    pub fn frobenius_norm(&self) -> f64 {
        norm2(&self.values)
    }
}

/// The two-norm of `x`, without overflow on the way.
#[must_use]
pub fn norm2<T: Scalar>(x: &[T]) -> f64 {
    let largest = x.iter().map(|entry| entry.size()).fold(0.0, f64::max);
    if largest == 0.0 || !largest.is_finite() {
        return largest;
    }
    let scaled = |entry: &T| (entry.size() / largest).powi(2);
    largest * x.iter().map(scaled).sum::<f64>().sqrt()
}

/// Where each of `count` groups begins if the elements that `groups` names stand group by group,
/// and at last where all end.
///
/// # Panics
/// If there is no such group.
fn counted(count: usize, groups: impl Iterator<Item = u32>) -> Vec<usize> {
    let mut starts = vec![0; count + 1];
    for group in groups {
        assert!((group as usize) < count, "index {group} is not below {count}");
        starts[group as usize + 1] += 1;
    }
    let mut sum = 0;
    for start in &mut starts {
        sum += *start;
        *start = sum;
    }
    starts
}

impl<T: Real> SparseMatrix<T> {
    /// Whether all entries are finite.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        self.values.iter().all(|value| value.is_finite())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_one_place_are_added_up() {
        let entries = [(2, 1, 1.0), (0, 0, 2.0), (2, 1, 3.0), (1, 1, 4.0), (0, 0, -2.0)];
        let a = SparseMatrix::from_entries(3, 3, &entries);
        assert_eq!(a.column(0).collect::<Vec<_>>(), [(0, 0.0)]);
        assert_eq!(a.column(1).collect::<Vec<_>>(), [(1, 4.0), (2, 4.0)]);
        assert_eq!((a.rows_of(2).len(), a.nnz()), (0, 3));
    }

    #[test]
    fn products_follow_the_definition() {
        let a = SparseMatrix::from_entries(2, 3, &[(0, 0, 1.0), (1, 2, 2.0), (0, 2, 3.0)]);
        let mut y = vec![1.0, 1.0];
        a.multiply(2.0, &[1.0, 5.0, 10.0], &mut y);
        assert_eq!(y, [63.0, 41.0]);
        assert_eq!(a.multiply_adjoint(&[1.0, 2.0]), [1.0, 0.0, 7.0]);
        assert_eq!(a.adjoint().adjoint(), a);
        assert_eq!(a.adjoint().column(0).collect::<Vec<_>>(), [(0, 1.0), (2, 3.0)]);
        assert!((a.frobenius_norm() - 14.0_f64.sqrt()).abs() < 1e-15);
        assert!((a.largest_column_norm() - 13.0_f64.sqrt()).abs() < 1e-15);
    }
}
