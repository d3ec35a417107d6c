//! Tile low-rank likelihoods: tiles of the covariance matrix below the diagonal are products of
//! thin factors, to a given accuracy.
//!
//! [`TlrLikelihood`] evaluates them, for any covariance and in any geometry: places come along a
//! [curve](order) that fills space, so that tiles are of places that are near each other, and what
//! is between two such sets of places is smooth, hence of low rank.

mod curve;
mod likelihood;

pub use curve::order;
pub use likelihood::TlrLikelihood;

/// How likelihoods are approximated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tlr {
    /// The most that a tile below the diagonal may be off, in the norm of Frobenius, relative to
    /// the entries on the diagonal of the covariance matrix.
    pub accuracy: f64,
    /// Order of the tiles.
    pub nb: usize,
}

impl Tlr {
    /// With this accuracy, in tiles of the [usual order](tile_size) for `n` places.
    #[must_use]
    pub fn new(accuracy: f64, n: usize) -> Self {
        Self { accuracy, nb: tile_size(n) }
    }
}

/// How much more accurate the approximation is by which an error is estimated.
pub const FINER: f64 = 0.1;

/// The usual order of tiles for `n` places: the work with tiles on the diagonal grows with its
/// square, and what updates of the others take falls with it.
#[must_use]
pub fn tile_size(n: usize) -> usize {
    let balanced = (0.5 * (n as f64).powi(2)).cbrt() as usize;
    balanced.next_multiple_of(64).clamp(128, 1024)
}
