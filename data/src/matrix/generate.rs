//! Entries of reproducible random matrices, each from its position alone: any tile can be made
//! anywhere, in any order.

use tegula_runtime::random::mix;

/// Entry `(i, j)` of the random matrix with this `seed`, uniform in `[-1/2, 1/2)`.
///
/// The bits come from two rounds of [SplitMix64](mix) over the position.
#[must_use]
pub fn random_entry(seed: u64, i: usize, j: usize) -> f64 {
    let bits = mix(mix(seed.wrapping_add(i as u64)) ^ (j as u64).rotate_left(32));
    (bits >> 11) as f64 / (1u64 << 53) as f64 - 0.5
}

/// Entry `(i, j)` of a random symmetric positive definite matrix of order `n`: `n` on top of
/// random entries on the diagonal makes it strictly diagonally dominant (Gershgorin).
#[must_use]
pub fn random_spd_entry(seed: u64, n: usize, i: usize, j: usize) -> f64 {
    random_entry(seed, i.max(j), i.min(j)) + if i == j { n as f64 } else { 0.0 }
}
