//! Which tile of a symmetric matrix is in which precision.

use std::marker::PhantomData;

use tegula_kernels::kernel::gemm::TF32_ROUNDING;
use tegula_kernels::kernel::norm::{Norm, NormShare, frobenius};
use tegula_kernels::kernel::pack::Structure;
use tegula_kernels::option::{Form, Uplo};
use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::Access::{R, RW};
use tegula_runtime::flow::{Flow, FlowError, Handle};
use tegula_tiles::TileMatrix;

/// What one rounding to 32 bits may lose, relative.
const ROUNDING: f64 = f32::EPSILON as f64 / 2.0;
/// What it may lose of a number below the range of 32 bits: half of the smallest one, `2^-149`.
const UNDERFLOW: f64 = f32::MIN_POSITIVE as f64 * ROUNDING;

/// The decision for a tile in 32 bits of products in TF32.
const ROUNDED: char = 't';
/// The decision for another tile in 32 bits.
const NARROW: char = 's';
/// The mark of a tile in 64 bits.
const WIDE: char = 'd';
/// What [norms](PrecisionRule::Norm) [decide](Flow::decide), column by column.
pub(crate) const DECISIONS: &[(char, &str)] = &[
    (NARROW, "a tile below the diagonal is in 32 bits"),
    (ROUNDED, "it is in 32 bits, in TF32 where a device multiplies"),
    (WIDE, "it is in 64 bits"),
];

/// What decides the precision of a tile; those on the diagonal are always in 64 bits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PrecisionRule {
    /// Tiles at most so many tiles off the diagonal are in 64 bits, the others in 32.
    Band(usize),
    /// Tiles whose rounding to 32 bits changes the matrix by no more than their share of an
    /// accuracy are in 32 bits; those that may lose as much as products in TF32 do are made of
    /// such.
    Norm {
        /// The largest change of the matrix, relative in the Frobenius norm.
        accuracy: f64,
    },
}

/// The precision of each tile of the lower triangle of a symmetric matrix, and which are zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrecisionMap {
    nt: usize,
    /// Column by column.
    is_narrow: Vec<bool>,
    /// Which of those are made of products that may be in TF32; column by column.
    is_rounded: Vec<bool>,
    /// Which tiles are zero, and stay so in a factor; column by column.
    is_zero: Vec<bool>,
}

/// The place of tile `(i, j)` in a list of the lower triangle, column by column.
pub(super) fn place(nt: usize, i: usize, j: usize) -> usize {
    assert!(j <= i && i < nt, "tile ({i}, {j}) is not in a lower triangle of {nt} x {nt} tiles");
    j * nt - j * j.saturating_sub(1) / 2 + (i - j)
}

/// The tiles of the lower triangle, column by column.
pub(super) fn tiles(nt: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..nt).flat_map(move |j| (j..nt).map(move |i| (i, j)))
}

impl PrecisionMap {
    /// Of `nt x nt` tiles, 32 bits where `is_narrow(i, j)` below the diagonal.
    #[must_use]
    pub fn new(nt: usize, is_narrow: impl Fn(usize, usize) -> bool) -> Self {
        let is_narrow: Vec<bool> = tiles(nt).map(|(i, j)| i > j && is_narrow(i, j)).collect();
        let none = vec![false; is_narrow.len()];
        Self { nt, is_narrow, is_rounded: none.clone(), is_zero: none }
    }

    /// With products in TF32, where a device has it, for tiles in 32 bits where
    /// `is_rounded(i, j)`.
    #[must_use]
    pub fn with_rounded(mut self, is_rounded: impl Fn(usize, usize) -> bool) -> Self {
        let may_be = tiles(self.nt).zip(&self.is_narrow);
        self.is_rounded = may_be.map(|((i, j), &narrow)| narrow && is_rounded(i, j)).collect();
        self
    }

    /// With zeros where `is_zero(i, j)` below the diagonal, but for tiles that a Cholesky
    /// factorisation fills: those `(i, j)` with tiles `(i, k)` and `(j, k)` in a column before that
    /// are not zero (A. George, J. W. H. Liu, Computer Solution of Large Sparse Positive Definite
    /// Systems, 1981, section 5.1).
    #[must_use]
    pub fn with_zeros(mut self, is_zero: impl Fn(usize, usize) -> bool) -> Self {
        let nt = self.nt;
        self.is_zero = tiles(nt).map(|(i, j)| i > j && is_zero(i, j)).collect();
        for k in 0..nt {
            let rows: Vec<usize> =
                (k + 1..nt).filter(|&i| !self.is_zero[place(nt, i, k)]).collect();
            // The first row below the diagonal stands for the column in what follows.
            let Some((&first, rest)) = rows.split_first() else { continue };
            rest.iter().for_each(|&i| self.is_zero[place(nt, i, first)] = false);
        }
        for precision in [&mut self.is_narrow, &mut self.is_rounded] {
            precision.iter_mut().zip(&self.is_zero).for_each(|(holds, &zero)| *holds &= !zero);
        }
        self
    }

    /// [`PrecisionRule::Band`] on `nt x nt` tiles.
    #[must_use]
    pub fn band(nt: usize, width: usize) -> Self {
        Self::new(nt, |i, j| i - j > width)
    }

    /// [`PrecisionRule::Norm`] on `nt x nt` tiles of order `nb` with these Frobenius norms.
    ///
    /// With `u` the rounding of 32 bits, a tile may be rounded if `nt u |A_ij| <= accuracy |A|`
    /// (Higham, Mary, section 14): errors `u |A_ij|` of at most `nt^2` tiles then add up to
    /// `accuracy |A|`. The same holds of products in TF32, which may change a tile by
    /// [`TF32_ROUNDING`] more. What underflows counts as well, and nothing is rounded of a matrix
    /// beyond the range of 32 bits. A NaN leaves everything in 64 bits.
    ///
    /// # Panics
    /// If the accuracy is negative or NaN.
    #[must_use]
    pub fn by_norms(
        (nt, nb): (usize, usize),
        accuracy: f64,
        norm: impl Fn(usize, usize) -> f64,
    ) -> Self {
        assert!(accuracy >= 0.0, "an accuracy of {accuracy}");
        let whole = norm_of_all(nt, &norm);
        let fits = whole <= f64::from(f32::MAX);
        Self::within((nt, nb), if fits { accuracy * whole } else { 0.0 }, norm)
    }

    /// As [`by_norms`](Self::by_norms), with the most that rounding may change the matrix by, in
    /// the Frobenius norm, as it is: `nt u |A_ij| <= error`.
    #[must_use]
    pub fn within(
        (nt, nb): (usize, usize),
        error: f64,
        norm: impl Fn(usize, usize) -> f64,
    ) -> Self {
        let share = error / nt as f64;
        let fits = |rounding: f64, underflow: f64| {
            let norm = &norm;
            move |i, j| rounding * norm(i, j) + nb as f64 * underflow <= share
        };
        // In TF32 what is below the range of 32 bits may be lost as a whole.
        let rounded = fits(ROUNDING + TF32_ROUNDING, f32::MIN_POSITIVE.into());
        Self::new(nt, fits(ROUNDING, UNDERFLOW)).with_rounded(rounded)
    }

    /// What `rule` says of the Hermitian matrix `a`, of which the lower triangle is read: for
    /// norms, after everything submitted has run.
    ///
    /// # Errors
    /// Those of the tasks that make the matrix.
    ///
    /// # Panics
    /// If the matrix or its tiles are not square, or the accuracy is negative or NaN.
    pub fn of<T: Scalar<Real = f64>>(
        flow: &mut Flow,
        rule: PrecisionRule,
        a: &TileMatrix<T>,
    ) -> Result<Self, FlowError> {
        let (m, n, mb, nb) = (a.m(), a.n(), a.mb(), a.nb());
        assert!(m == n && mb == nb, "{m} x {n} in {mb} x {nb} tiles is not square");
        match rule {
            PrecisionRule::Band(width) => Ok(Self::band(a.nt(), width)),
            PrecisionRule::Norm { accuracy } => {
                let (nt, norms) = (a.nt(), tile_norms(flow, a)?);
                let mut map = Self::by_norms((nt, nb), accuracy, |i, j| norms[place(nt, i, j)]);
                map.decide(flow);
                Ok(map)
            }
        }
    }

    /// Has the flow decide on each tile below the diagonal.
    fn decide(&mut self, flow: &mut Flow) {
        let precisions = self.is_narrow.iter_mut().zip(&mut self.is_rounded);
        for ((i, j), (is_narrow, is_rounded)) in tiles(self.nt).zip(precisions) {
            *is_rounded = i > j && flow.decide(ROUNDED, *is_rounded);
            *is_narrow = i > j && (*is_rounded || flow.decide(NARROW, *is_narrow));
            if i > j && !*is_narrow {
                flow.mark(WIDE);
            }
        }
    }

    /// Number of rows of tiles.
    #[must_use]
    pub fn nt(&self) -> usize {
        self.nt
    }

    /// Whether tile `(i, j)` is in 32 bits.
    ///
    /// # Panics
    /// If there is no such tile on or below the diagonal.
    #[must_use]
    pub fn is_narrow(&self, i: usize, j: usize) -> bool {
        self.is_narrow[place(self.nt, i, j)]
    }

    /// Whether tile `(i, j)` is in 32 bits and made of products that may be in TF32.
    ///
    /// # Panics
    /// If there is no such tile on or below the diagonal.
    #[must_use]
    pub fn is_rounded(&self, i: usize, j: usize) -> bool {
        self.is_rounded[place(self.nt, i, j)]
    }

    /// Whether tile `(i, j)` is zero.
    ///
    /// # Panics
    /// If there is no such tile on or below the diagonal.
    #[must_use]
    pub fn is_zero(&self, i: usize, j: usize) -> bool {
        self.is_zero[place(self.nt, i, j)]
    }

    /// How many tiles are zero.
    #[must_use]
    pub fn zero_tiles(&self) -> usize {
        count(&self.is_zero)
    }

    /// How many tiles are in 32 bits.
    #[must_use]
    pub fn narrow_tiles(&self) -> usize {
        count(&self.is_narrow)
    }

    /// How many of those are made of products that may be in TF32.
    #[must_use]
    pub fn rounded_tiles(&self) -> usize {
        count(&self.is_rounded)
    }

    /// Whether an update in 32 bits reads row `i` of column `k` of a factor.
    pub(super) fn is_read_narrow(&self, i: usize, k: usize) -> bool {
        (k + 1..i).any(|j| self.is_narrow(i, j)) || (i + 1..self.nt).any(|l| self.is_narrow(l, i))
    }
}

fn count(holds: &[bool]) -> usize {
    holds.iter().filter(|&&holds| holds).count()
}

/// The Frobenius norm of the symmetric matrix of these tiles.
fn norm_of_all(nt: usize, norm: &impl Fn(usize, usize) -> f64) -> f64 {
    let largest = tiles(nt).map(|(i, j)| norm(i, j)).fold(0.0, f64::max);
    if largest == 0.0 {
        return 0.0;
    }
    let square = |(i, j)| (norm(i, j) / largest).powi(2) * if i == j { 1.0 } else { 2.0 };
    largest * tiles(nt).map(square).sum::<f64>().sqrt()
}

/// The Frobenius norms of the tiles of the lower triangle, column by column.
fn tile_norms<T: Scalar<Real = f64>>(
    flow: &mut Flow,
    a: &TileMatrix<T>,
) -> Result<Vec<f64>, FlowError> {
    let share = |flow: &mut Flow, (i, j)| {
        let structure = match i == j {
            true => Structure::Symmetric(Form::Hermitian, Uplo::Lower),
            false => Structure::General,
        };
        let (norm, twice, m, n) = (Norm::Frobenius, false, a.tile_rows(i), a.tile_columns(j));
        let result = flow.register(norm.share(m, n) * size_of::<f64>());
        let share = NormShare::<T> { norm, structure, twice, m, n, scalar: PhantomData };
        flow.submit(share, &[(a.tile(i, j), R), (result, RW)], 0);
        result
    };
    let shares: Vec<Handle> = tiles(a.nt()).map(|tile| share(flow, tile)).collect();
    let norms = shares.iter().map(|&share| flow.read::<f64>(share).map(frobenius)).collect();
    shares.into_iter().for_each(|share| flow.retire(share));
    norms
}
