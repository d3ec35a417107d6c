//! Likelihoods by a covariance that a taper makes zero from some distance on: of its matrix a band
//! of tiles is left.
//!
//! ExaGeoStat's diagonal super-tile leaves tiles out as they are, and what is left is in general
//! not positive definite. Here the covariance is multiplied by a correlation that is zero from a
//! range on (Furrer, Genton, Nychka, "Covariance tapering for interpolation of large spatial
//! datasets", J. Comput. Graph. Statist. 15 (2006) 502-523), which makes it a covariance again, and
//! tiles of places that are further apart are zero by themselves. The likelihood is that with one
//! taper (Kaufman, Schervish, Nychka, "Covariance tapering for likelihood-based estimation in large
//! spatial data sets", J. Amer. Statist. Assoc. 103 (2008) 1545-1555), whose estimates are biased
//! unless the taper is long against the range.

mod band;
mod likelihood;
mod taper;

use std::f64::consts::PI;

pub use band::{Envelope, order};
pub use likelihood::{Band, DstLikelihood};
use tegula_kernels::geometry::{EARTH_RADIUS_KM, Geometry};

/// How likelihoods are approximated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dst {
    /// The range of the taper: the distance from which covariances are 0.
    pub range: f64,
    /// Order of the tiles.
    pub nb: usize,
}

impl Dst {
    /// With a taper of this range, in tiles of the [usual order](tile_size) for `n` places.
    #[must_use]
    pub fn new(range: f64, n: usize) -> Self {
        Self { range, nb: tile_size(n) }
    }
}

/// The longest range with which the taper is a correlation in this geometry, if there is one: of
/// great-circle distance half a turn (Gneiting, "Strictly and non-strictly positive definite
/// functions on spheres", Bernoulli 19 (2013) 1327-1349, table 1).
#[must_use]
pub fn longest(geometry: Geometry) -> Option<f64> {
    (geometry == Geometry::GreatCircle).then_some(PI * EARTH_RADIUS_KM)
}

/// The usual order of tiles for `n` places: small against a band of a tenth of them.
#[must_use]
pub fn tile_size(n: usize) -> usize {
    (n / 50).next_multiple_of(64).clamp(64, 512)
}
