//! Entries of reproducible random matrices, each from its position alone: any tile can be made
//! anywhere, in any order.

use tegula_kernels::scalar::{Real, Scalar};
use tegula_runtime::random::mix;

/// What makes the seed of imaginary parts from that of real ones.
const IMAGINARY: u64 = 0x5851_f42d_4c95_7f2d;

/// Entry `(i, j)` of the random matrix with this `seed`, both parts uniform in `[-1/2, 1/2)`.
///
/// The bits come from two rounds of [SplitMix64](mix) over the position.
#[must_use]
pub fn random_entry<T: Scalar>(seed: u64, i: usize, j: usize) -> T {
    let part = |seed| T::Real::of_f64(uniform(seed, i, j));
    let im = if T::IS_COMPLEX { part(imaginary_seed(seed)) } else { T::Real::ZERO };
    T::from_parts(part(seed), im)
}

/// The seed of imaginary parts where `seed` is that of real ones.
#[must_use]
pub fn imaginary_seed(seed: u64) -> u64 {
    seed ^ IMAGINARY
}

fn uniform(seed: u64, i: usize, j: usize) -> f64 {
    let bits = mix(mix(seed.wrapping_add(i as u64)) ^ (j as u64).rotate_left(32));
    (bits >> 11) as f64 / (1u64 << 53) as f64 - 0.5
}

/// Entry `(i, j)` of a random symmetric matrix, which in complex precisions is not Hermitian.
#[must_use]
pub fn random_symmetric_entry<T: Scalar>(seed: u64, i: usize, j: usize) -> T {
    random_entry(seed, i.max(j), i.min(j))
}

/// Entry `(i, j)` of a random symmetric or, in complex precisions, Hermitian matrix.
#[must_use]
pub fn random_hermitian_entry<T: Scalar>(seed: u64, i: usize, j: usize) -> T {
    let entry = random_entry::<T>(seed, i.max(j), i.min(j));
    match i.cmp(&j) {
        std::cmp::Ordering::Less => entry.conj(),
        std::cmp::Ordering::Equal => T::from_real(entry.re()),
        std::cmp::Ordering::Greater => entry,
    }
}

/// Entry `(i, j)` of a random Hermitian positive definite matrix of order `n`: `n` on top of
/// random entries on the diagonal makes it strictly diagonally dominant (Gershgorin).
#[must_use]
pub fn random_spd_entry<T: Scalar>(seed: u64, n: usize, i: usize, j: usize) -> T {
    let weight = T::from_f64(if i == j { n as f64 } else { 0.0 });
    random_hermitian_entry::<T>(seed, i, j) + weight
}
