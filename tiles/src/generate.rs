//! Entries of reproducible random matrices, each from its position alone: any tile can be made
//! anywhere, in any order.

use tegula_kernels::scalar::Scalar;

pub use tegula_kernels::kernel::random_tile::{random_entry, random_hermitian_entry};

/// Entry `(i, j)` of a random symmetric matrix, which in complex precisions is not Hermitian.
#[must_use]
pub fn random_symmetric_entry<T: Scalar>(seed: u64, i: usize, j: usize) -> T {
    random_entry(seed, i.max(j), i.min(j))
}

/// Entry `(i, j)` of a random Hermitian positive definite matrix of order `n`: `n` on top of
/// random entries on the diagonal makes it strictly diagonally dominant (Gershgorin).
#[must_use]
pub fn random_spd_entry<T: Scalar>(seed: u64, n: usize, i: usize, j: usize) -> T {
    let weight = T::from_f64(if i == j { n as f64 } else { 0.0 });
    random_hermitian_entry::<T>(seed, i, j) + weight
}
