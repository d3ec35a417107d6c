//! A smooth function of `x > 0` at thousands of points: interpolated octave by octave.
//!
//! One Chebyshev interpolant of degree 15 in `x` per octave of `x^2`. Where 0 is the nearest
//! singularity of the function, the error falls like `11.6^-16`, below rounding.

use std::f64::consts::PI;

const NODES: usize = 16;

/// Exponents of two of `x^2` at the lower and upper bounds.
const BOUNDS: [i32; 2] = [-32, 20];

const OCTAVES: usize = (BOUNDS[1] - BOUNDS[0]) as usize;

/// The interpolant; `x` from 2^-16 to 2^10.
#[derive(Clone, Debug)]
pub struct Octaves(Box<[[f64; NODES]; OCTAVES]>);

/// Middle and half width, in `x`, of the octave of `x^2` that starts at `2^exponent`.
fn interval(exponent: i32) -> (f64, f64) {
    let low = f64::from(exponent).exp2().sqrt();
    let high = low * std::f64::consts::SQRT_2;
    (0.5 * (low + high), 0.5 * (high - low))
}

impl Octaves {
    /// Samples `function`.
    #[must_use]
    pub fn of(function: impl Fn(f64) -> f64) -> Self {
        let cosines: [f64; 4 * NODES] =
            std::array::from_fn(|i| (PI * i as f64 / (2 * NODES) as f64).cos());
        let mut octaves = Box::new([[0.0; NODES]; OCTAVES]);
        for (exponent, row) in (BOUNDS[0]..).zip(octaves.iter_mut()) {
            let (middle, half) = interval(exponent);
            let values: [f64; NODES] =
                std::array::from_fn(|j| function(middle + half * cosines[2 * j + 1]));
            *row = std::array::from_fn(|k| {
                let cosine = |j: usize| cosines[k * (2 * j + 1) % (4 * NODES)];
                let sum: f64 = values.iter().enumerate().map(|(j, v)| v * cosine(j)).sum();
                sum * if k == 0 { 1.0 } else { 2.0 } / NODES as f64
            });
        }
        Self(octaves)
    }

    /// The function at points of one octave of `x^2`, by Clenshaw's recurrence.
    ///
    /// # Panics
    /// If the first point is not in `[2^-16, 2^10)`; the others must lie in its octave.
    #[must_use]
    pub fn values<const N: usize>(&self, x: &[f64; N]) -> [f64; N] {
        let exponent = exponent_of(x[0] * x[0]);
        let index = exponent - BOUNDS[0];
        assert!((0..OCTAVES as i32).contains(&index), "{} is outside [2^-16, 2^10)", x[0]);
        let row = &self.0[index as usize];
        let (middle, half) = interval(exponent);
        let t = x.map(|x| (x - middle) / half);
        let (mut here, mut after) = ([0.0; N], [0.0; N]);
        for c in row[1..].iter().rev() {
            for i in 0..N {
                let next = 2.0 * t[i] * here[i] - after[i] + c;
                (after[i], here[i]) = (here[i], next);
            }
        }
        std::array::from_fn(|i| t[i] * here[i] - after[i] + row[0])
    }
}

/// Exponent of two of a positive normal number.
fn exponent_of(s: f64) -> i32 {
    (s.to_bits() >> 52) as i32 - 1023
}
