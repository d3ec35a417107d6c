//! Reduction of a band to tridiagonal form by chasing bulges down the diagonal.
//!
//! Schwarz, "Tridiagonalization of a symmetric band matrix", Numer. Math. 12 (1968), with the
//! Householder reflectors of Lang, "A parallel algorithm for reducing symmetric banded matrices to
//! tridiagonal form", SIAM J. Sci. Comput. 14 (1993): sweep `s` takes column `s` to tridiagonal
//! form and of each bulge that arises only the first column, so that bulges of the next sweep fit
//! where those of this one are.

use super::Band;
use super::reflect::{add, column, column_mut, dot, from_the_left, from_the_right, make};
use crate::backend::{self, Blas};
use crate::scalar::{Real, Scalar};
use crate::tile::TileMut;

/// How the reflectors of a chase are gathered into blocks.
///
/// Reflector `k` of sweep `s` begins at row `s + 1 + k width`. Those of the same `k` in `group`
/// sweeps that follow each other are a block, each a row below the one before: with its ones on a
/// diagonal, as any block of reflectors (Haidar, Ltaief, Dongarra, "Parallel reduction to condensed
/// forms for symmetric eigenvalue problems using aggregated fine-grained and memory-aware kernels",
/// SC 2011).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waves {
    /// Order of the matrix.
    pub n: usize,
    /// Diagonals below the main one, and the longest reflector.
    pub width: usize,
    /// Sweeps in a group.
    pub group: usize,
}

impl Waves {
    /// Number of groups of sweeps.
    #[must_use]
    pub fn groups(&self) -> usize {
        self.n.saturating_sub(1).div_ceil(self.group)
    }

    /// Number of blocks in a group.
    #[must_use]
    pub fn blocks(&self, group: usize) -> usize {
        self.n.saturating_sub(1 + group * self.group).div_ceil(self.width)
    }

    /// First row of a block, its rows, and the number of its reflectors.
    #[must_use]
    pub fn block(&self, group: usize, k: usize) -> (usize, usize, usize) {
        let &Self { n, width, .. } = self;
        let sweep = group * self.group;
        let first = sweep + 1 + k * width;
        let count = self.group.min(n - 1 - sweep).min(n - first);
        (first, (width + count - 1).min(n - first), count)
    }

    /// Rows and columns of the matrix in which a group keeps its blocks side by side: the
    /// reflectors below the diagonal of each, their factors in the last row.
    #[must_use]
    pub fn stored(&self, group: usize) -> (usize, usize) {
        (self.width + self.group, self.blocks(group) * self.group)
    }

    /// Rows and columns of the matrix in which a group's blocks stand side by side when they are
    /// multiplied out; a block that has fewer rows is in the upper left corner of its place.
    #[must_use]
    pub fn multiplied_out(&self, group: usize) -> (usize, usize) {
        let order = self.width + self.group - 1;
        (order, self.blocks(group) * order)
    }

    /// Zeros in which reflectors are kept.
    pub(crate) fn room<T: Scalar>(&self) -> Vec<Vec<T>> {
        let size = |group| self.stored(group).0 * self.stored(group).1;
        (0..self.groups()).map(|group| vec![T::ZERO; size(group)]).collect()
    }

    /// Keeps reflector `k` of a sweep.
    pub(crate) fn keep<T: Scalar>(
        &self,
        reflectors: &mut [Vec<T>],
        (sweep, k): (usize, usize),
        v: &[T],
        tau: T,
    ) {
        let (group, place) = (sweep / self.group, sweep % self.group);
        let height = self.width + self.group;
        let column = (k * self.group + place) * height;
        let column = &mut reflectors[group][column..][..height];
        column[place..][..v.len()].copy_from_slice(v);
        column[height - 1] = tau;
    }
}

/// What a chase makes of a band `B = Q T Q^H`.
#[derive(Clone, Debug)]
pub struct Chased<T: Scalar> {
    /// The diagonal of `T`.
    pub diagonal: Vec<T::Real>,
    /// The entries below it.
    pub below: Vec<T::Real>,
    /// The reflectors of `Q`, in the order of [`Waves::stored`] for each group; empty if they were
    /// not kept.
    pub reflectors: Vec<Vec<T>>,
}

impl<T: Scalar> Chased<T> {
    /// Chases the band to tridiagonal form, and keeps the reflectors if `waves` says how.
    ///
    /// # Panics
    /// If `waves` is of another band.
    #[must_use]
    pub fn new(mut band: Band<T>, waves: Option<Waves>) -> Self {
        let (n, width) = (band.n(), band.width());
        let is_same = |waves: Waves| (waves.n, waves.width) == (n, width) && waves.group > 0;
        assert!(waves.is_none_or(is_same), "{waves:?} of a band of order {n} and width {width}");
        let reflectors = waves.map_or_else(Vec::new, |waves| waves.room());
        let mut chase =
            Chase { band: &mut band, waves, reflectors, blas: T::blas(backend::current()) };
        let mut room = [(); 3].map(|()| vec![T::ZERO; width]);
        for sweep in 0..n.saturating_sub(1) {
            chase.sweep(sweep, &mut room);
        }
        let reflectors = chase.reflectors;
        let diagonal = (0..n).map(|i| band.at(i, i).re()).collect();
        let below = (1..n).map(|i| band.at(i, i - 1).re()).collect();
        Self { diagonal, below, reflectors }
    }
}

struct Chase<'a, T> {
    band: &'a mut Band<T>,
    waves: Option<Waves>,
    reflectors: Vec<Vec<T>>,
    blas: &'a dyn Blas<T>,
}

impl<T: Scalar> Chase<'_, T> {
    /// Takes column `sweep` to tridiagonal form and moves the bulge down and out. The room is for
    /// two reflectors and a product.
    fn sweep(&mut self, sweep: usize, [v, next, product]: &mut [Vec<T>; 3]) {
        let (n, width) = (self.band.n(), self.band.width());
        let mut first = sweep + 1;
        let mut length = width.min(n - first);
        let mut tau = make(self.blas, self.band.block(first, sweep, length, 1), &mut v[..length]);
        for k in 0.. {
            let reflector = &v[..length];
            self.keep(sweep, k, reflector, tau);
            let corner = self.band.block(first, first, length, length);
            from_both_sides(corner, reflector, tau, &mut product[..length]);
            let below = first + length;
            if below >= n {
                return;
            }
            let rows = width.min(n - below);
            let mut bulge = self.band.block(below, first, rows, length);
            from_the_right(self.blas, &mut bulge, reflector, tau, &mut product[..rows]);
            let (column, others) = bulge.split_cols(1);
            tau = make(self.blas, column, &mut next[..rows]);
            from_the_left(others, &next[..rows], tau.conj());
            std::mem::swap(v, next);
            (first, length) = (below, rows);
        }
    }

    fn keep(&mut self, sweep: usize, k: usize, v: &[T], tau: T) {
        if let Some(waves) = self.waves {
            waves.keep(&mut self.reflectors, (sweep, k), v, tau);
        }
    }
}

/// The lower triangle of `A = H^H A H`, `H = I - tau v v^H`, as LAPACK's `hetd2`:
/// `A - v w^H - w v^H` with `w = x - (x^H v) tau v / 2` and `x = tau A v`.
fn from_both_sides<T: Scalar>(mut a: TileMut<'_, T>, v: &[T], tau: T, w: &mut [T]) {
    if tau == T::ZERO {
        return;
    }
    let n = v.len();
    w.fill(T::ZERO);
    for j in 0..n {
        let (diagonal, below) = (T::from_real(a.at(j, j).re()), &column(a.as_ref(), j)[j + 1..]);
        w[j] += diagonal * v[j] + dot(below, &v[j + 1..]);
        add(&mut w[j + 1..], v[j], below);
    }
    w.iter_mut().for_each(|w| *w *= tau);
    let half = T::Real::of_f64(-0.5);
    let factor = (tau * dot(w, v)).times_real(half);
    add(w, factor, v);
    for j in 0..n {
        let (of_v, of_w) = (-w[j].conj(), -v[j].conj());
        let column = &mut column_mut(&mut a, j)[j..];
        for ((a, &v), &w) in column.iter_mut().zip(&v[j..]).zip(&w[j..]) {
            *a += v * of_v + w * of_w;
        }
        column[0] = T::from_real(column[0].re());
    }
}
