//! Likelihoods in mixed precision: tiles of the covariance matrix that are small are held, and
//! worked on, in 32 bits.
//!
//! [`MixedLikelihood`] evaluates them, for any covariance and in any geometry: places come along a
//! [curve](crate::tlr::order) that fills space, so that tiles far from the diagonal are of places
//! far from each other, and small where correlation fades with distance. Which are small enough
//! their norms decide, as in Abdulah, Cao, Pei, Bosilca, Dongarra, Genton, Keyes, Ltaief, Sun,
//! "Accelerating geostatistical modeling and prediction with mixed-precision computations", IEEE
//! TPDS 33 (2022), by the rule of Higham, Mary, "Mixed precision algorithms in numerical linear
//! algebra", Acta Numerica 31 (2022), section 14.

mod likelihood;
mod tiled;

pub use likelihood::{MixedLikelihood, Precisions};
pub(crate) use tiled::Tiled;

/// How likelihoods are approximated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mixed {
    /// The most that rounding tiles to 32 bits may change the covariance matrix by, in the norm of
    /// Frobenius, relative to the entries on its diagonal.
    pub accuracy: f64,
    /// Order of the tiles.
    pub nb: usize,
}

impl Mixed {
    /// With this accuracy, in the usual tiles of a factorisation for `n` places on one worker.
    #[must_use]
    pub fn new(accuracy: f64, n: usize) -> Self {
        Self { accuracy, nb: tegula_linalg::tile_size(n, 1) }
    }
}

/// How much more accurate the evaluation is by which an error is estimated.
pub const FINER: f64 = 0.1;
