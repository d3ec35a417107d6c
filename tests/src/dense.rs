//! Matrices in the precision under test and their obvious operations, which results are compared
//! with.

use tegula_kernels::option::Trans;
use tegula_kernels::scalar::Scalar;
use tegula_linalg::residual::THRESHOLD;
use tegula_tiles::random_entry;

/// A plain column-major matrix.
#[derive(Clone, Debug)]
pub struct Dense<T> {
    /// Rows.
    pub m: usize,
    /// Columns.
    pub n: usize,
    /// Column after column.
    pub entries: Vec<T>,
}

impl<T: Scalar> Dense<T> {
    /// Of `entry(i, j)`.
    #[must_use]
    pub fn new(m: usize, n: usize, entry: impl Fn(usize, usize) -> T) -> Self {
        let entries = (0..n).flat_map(|j| (0..m).map(move |i| (i, j))).map(|(i, j)| entry(i, j));
        Self { m, n, entries: entries.collect() }
    }

    /// Of random entries.
    #[must_use]
    pub fn random(m: usize, n: usize, seed: u64) -> Self {
        Self::new(m, n, |i, j| random_entry(seed, i, j))
    }

    /// Ones on the diagonal, zeros elsewhere.
    #[must_use]
    pub fn identity(m: usize, n: usize) -> Self {
        Self::new(m, n, |i, j| if i == j { T::ONE } else { T::ZERO })
    }

    /// Entry `(i, j)`.
    #[must_use]
    pub fn at(&self, i: usize, j: usize) -> T {
        self.entries[i + j * self.m]
    }

    /// Conjugate transpose.
    #[must_use]
    pub fn adjoint(&self) -> Self {
        Self::new(self.n, self.m, |i, j| self.at(j, i).conj())
    }

    /// `op` of it; any transposition is conjugated.
    #[must_use]
    pub fn op(&self, trans: Trans) -> Self {
        if trans == Trans::No { self.clone() } else { self.adjoint() }
    }

    /// Product, by the definition.
    ///
    /// # Panics
    /// If the shapes do not agree.
    #[must_use]
    pub fn times(&self, other: &Self) -> Self {
        assert_eq!(self.n, other.m);
        Self::new(self.m, other.n, |i, j| (0..self.n).map(|k| self.at(i, k) * other.at(k, j)).sum())
    }

    /// The rows and columns before `m` and `n`.
    #[must_use]
    pub fn part(&self, m: usize, n: usize) -> Self {
        Self::new(m, n, |i, j| self.at(i, j))
    }

    /// Largest sum of a column's moduli: the norm that LAPACK's testers use.
    #[must_use]
    pub fn norm(&self) -> f64 {
        let columns = (0..self.n).map(|j| (0..self.m).map(|i| self.at(i, j).size()).sum());
        columns.fold(0.0, f64::max)
    }

    /// # Panics
    /// If the norm of the difference is above the threshold of LAPACK's testers in units of
    /// `scale` times rounding.
    #[track_caller]
    pub fn assert_near(&self, other: &Self, scale: f64, what: &str) {
        assert_eq!((self.m, self.n), (other.m, other.n), "{what}");
        let difference = Self::new(self.m, self.n, |i, j| self.at(i, j) - other.at(i, j)).norm();
        let error = if difference == 0.0 { 0.0 } else { difference / (scale * T::epsilon()) };
        assert!(error <= THRESHOLD, "{what}: {error:.1} units");
    }
}
