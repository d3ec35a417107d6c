//! The Matern correlation of one smoothness at thousands of points: `e^x` times it, interpolated.
//!
//! As the function grows like `x^(nu-1/2)`, rounding at the large end of an octave is up to
//! `2^(nu/2)` times larger at the small end, which is why the smoothness has a limit.

use super::matern::Matern;
use super::octaves::Octaves;

/// Largest smoothness of a profile: it is then good to 4e-14.
pub const MAX_PROFILE_SMOOTHNESS: f64 = 12.0;

/// The interpolant; `x` from 2^-16 to 2^10.
#[derive(Clone, Debug)]
pub struct MaternProfile {
    matern: Matern,
    octaves: Octaves,
}

impl MaternProfile {
    /// Samples the correlation.
    ///
    /// # Panics
    /// If the smoothness exceeds [`MAX_PROFILE_SMOOTHNESS`].
    #[must_use]
    pub fn new(matern: Matern) -> Self {
        let nu = matern.smoothness();
        assert!(nu <= MAX_PROFILE_SMOOTHNESS, "smoothness {nu} exceeds {MAX_PROFILE_SMOOTHNESS}");
        Self { matern, octaves: Octaves::of(|x| matern.scaled(x)) }
    }

    /// The correlation itself.
    #[must_use]
    pub fn matern(&self) -> &Matern {
        &self.matern
    }

    /// `e^x` times the correlation at points of one octave of `x^2`.
    ///
    /// # Panics
    /// If the first point is not in `[2^-16, 2^10)`; the others must lie in its octave.
    #[must_use]
    pub fn scaled<const N: usize>(&self, x: &[f64; N]) -> [f64; N] {
        self.octaves.values(x)
    }
}
