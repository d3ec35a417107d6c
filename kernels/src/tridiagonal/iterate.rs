//! Eigenvalues and vectors of a symmetric tridiagonal matrix by QL or QR iterations with implicit
//! shifts.
//!
//! Dubrulle, Martin, Wilkinson, "The implicit QL algorithm", Numer. Math. 12 (1968); Golub, Van
//! Loan, "Matrix Computations", section 8.3. As LAPACK's `steqr`: a block is chased towards its
//! larger end, so that small eigenvalues of graded matrices do not drown.

use crate::bidiagonal::Rotation;
use crate::error::NumericalError;

/// Iterations for each eigenvalue: LAPACK's `maxit`.
const MOST: usize = 30;

/// Overwrites the diagonal `d` by the eigenvalues, in any order, and the entries `e` below it by
/// zeros, and turns the columns of `vectors`, which are as long as there are and without gaps, as
/// the eigenvectors; no column for values alone. Entries are at most one in modulus.
///
/// # Errors
/// [`NumericalError::NoConvergence`].
pub(super) fn iterate(
    d: &mut [f64],
    e: &mut [f64],
    vectors: &mut [f64],
) -> Result<(), NumericalError> {
    let n = d.len();
    let mut left = MOST * n;
    let mut first = 0;
    while first < n {
        let end = (first..n - 1).find(|&i| is_negligible(d, e, i)).unwrap_or(n - 1);
        if first < end {
            let is_turned = d[end].abs() < d[first].abs();
            let mut block = Block { d, e, vectors, n, first, end, is_turned };
            if !block.solve(&mut left) {
                return Err(NumericalError::NoConvergence { order: n });
            }
        }
        first = end + 1;
    }
    Ok(())
}

/// Whether the entry below `d[i]` is rounding beside its neighbours; then it becomes zero.
fn is_negligible(d: &[f64], e: &mut [f64], i: usize) -> bool {
    const UNIT: f64 = f64::EPSILON / 2.0;
    let bound = (UNIT * d[i].abs()) * (UNIT * d[i + 1].abs()) + f64::MIN_POSITIVE;
    let is_small = e[i] * e[i] <= bound;
    if is_small {
        e[i] = 0.0;
    }
    is_small
}

/// Rows `first..=end`, seen from the end on if it `is_turned`: so the smaller end is where QL
/// iterations find eigenvalues.
struct Block<'a> {
    d: &'a mut [f64],
    e: &'a mut [f64],
    vectors: &'a mut [f64],
    n: usize,
    first: usize,
    end: usize,
    is_turned: bool,
}

impl Block<'_> {
    fn at(&self, i: usize) -> usize {
        if self.is_turned { self.end - i } else { self.first + i }
    }

    fn below(&self, i: usize) -> usize {
        if self.is_turned { self.end - 1 - i } else { self.first + i }
    }

    /// Whether all eigenvalues are found with as many iterations as are `left`.
    fn solve(&mut self, left: &mut usize) -> bool {
        let last = self.end - self.first;
        let mut found = 0;
        while found < last {
            let mut cut = found;
            while cut < last && !is_negligible(self.d, self.e, self.below(cut)) {
                cut += 1;
            }
            if cut == found {
                found += 1;
                continue;
            }
            if *left == 0 {
                return false;
            }
            *left -= 1;
            self.sweep(found, cut);
        }
        true
    }

    /// A QL iteration on the rows from `top` to `bottom`, with the eigenvalue of the first two rows
    /// that is next to the first diagonal entry as the shift.
    fn sweep(&mut self, top: usize, bottom: usize) {
        let (p, e) = (self.d[self.at(top)], self.e[self.below(top)]);
        let half = (self.d[self.at(top + 1)] - p) / (2.0 * e);
        let shift = p - e / (half + half.hypot(1.0).copysign(half));
        let mut g = self.d[self.at(bottom)] - shift;
        let (mut c, mut s, mut p) = (1.0, 1.0, 0.0);
        for i in (top..bottom).rev() {
            let (here, next, below) = (self.at(i), self.at(i + 1), self.below(i));
            let (f, b) = (s * self.e[below], c * self.e[below]);
            let (rotation, r) = Rotation::new(g, f);
            Rotation { c, s } = rotation;
            if i + 1 < bottom {
                let before = self.below(i + 1);
                self.e[before] = r;
            }
            g = self.d[next] - p;
            let r = (self.d[here] - g) * s + 2.0 * c * b;
            p = s * r;
            self.d[next] = g + p;
            g = c * r - b;
            self.turn(next, here, rotation);
        }
        let (here, below) = (self.at(top), self.below(top));
        self.d[here] -= p;
        self.e[below] = g;
    }

    /// Rotates two columns of the vectors.
    fn turn(&mut self, i: usize, j: usize, rotation: Rotation<f64>) {
        if self.vectors.is_empty() {
            return;
        }
        let (low, high) = (i.min(j), i.max(j));
        let (left, right) = self.vectors.split_at_mut(high * self.n);
        let (x, y) = (&mut left[low * self.n..][..self.n], &mut right[..self.n]);
        if i < j { rotation.apply(x, y) } else { rotation.apply(y, x) }
    }
}
