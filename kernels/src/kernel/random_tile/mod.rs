//! A tile of a reproducible random matrix, each entry made from its place alone: any tile can be
//! made anywhere, in any order, with the same bits.
//!
//! Shape: the tile is `m x n`, its first entry at a place of the whole matrix. Overwrites it; what
//! is outside of the part that exists becomes NaN. Reads nothing. Cannot fail. The bits come from
//! two rounds of `SplitMix64` over the place.

mod cuda;

use std::cmp::Ordering;
use std::marker::PhantomData;

use tegula_runtime::flow::{Access, Buffers, Codelet, Cost, Failure, Launch};
use tegula_runtime::random::mix;

use crate::option::Part;
use crate::scalar::{Real, Scalar};
use crate::tile::TileMut;

pub(crate) use cuda::SOURCE;

/// What makes the seed of imaginary parts from that of real ones.
const IMAGINARY: u64 = 0x5851_f42d_4c95_7f2d;

/// Entry `(i, j)` of the random matrix with this `seed`, both parts uniform in `[-1/2, 1/2)`.
#[must_use]
pub fn random_entry<T: Scalar>(seed: u64, i: usize, j: usize) -> T {
    let part = |seed| T::Real::of_f64(uniform(seed, i, j));
    let im = if T::IS_COMPLEX { part(seed ^ IMAGINARY) } else { T::Real::ZERO };
    T::from_parts(part(seed), im)
}

fn uniform(seed: u64, i: usize, j: usize) -> f64 {
    let bits = mix(mix(seed.wrapping_add(i as u64)) ^ (j as u64).rotate_left(32));
    (bits >> 11) as f64 / (1u64 << 53) as f64 - 0.5
}

/// Entry `(i, j)` of a random symmetric or, in complex precisions, Hermitian matrix.
#[must_use]
pub fn random_hermitian_entry<T: Scalar>(seed: u64, i: usize, j: usize) -> T {
    let entry = random_entry::<T>(seed, i.max(j), i.min(j));
    match i.cmp(&j) {
        Ordering::Less => entry.conj(),
        Ordering::Equal => T::from_real(entry.re()),
        Ordering::Greater => entry,
    }
}

/// The tile with its arguments; buffers `[A: W]`.
#[derive(Clone, Copy, Debug)]
pub struct RandomTile<T> {
    /// The seed of the matrix.
    pub seed: u64,
    /// Whether the matrix is Hermitian.
    pub is_hermitian: bool,
    /// What of the matrix exists.
    pub part: Part,
    /// What is added to its diagonal.
    pub weight: u32,
    /// Row and column of the first entry in the matrix.
    pub first: (u32, u32),
    /// Rows and columns of the tile.
    pub size: (u32, u32),
    /// The precision.
    pub scalar: PhantomData<T>,
}

impl<T: Scalar> RandomTile<T> {
    fn size(&self) -> (usize, usize) {
        (self.size.0 as usize, self.size.1 as usize)
    }

    /// Entry `(i, j)` of the matrix.
    fn entry(&self, i: usize, j: usize) -> T {
        if !self.part.holds(i, j) {
            return T::NAN;
        }
        let weight = T::from_f64(if i == j { f64::from(self.weight) } else { 0.0 });
        weight
            + if self.is_hermitian {
                random_hermitian_entry::<T>(self.seed, i, j)
            } else {
                random_entry(self.seed, i, j)
            }
    }
}

impl<T: Scalar> Codelet for RandomTile<T> {
    const NAME: &'static str = "random";
    const ACCESS: &'static [Access] = &[Access::W];

    fn cost(&self) -> Cost {
        Cost::default()
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let ((m, n), first) = (self.size(), self.first);
        let mut a = TileMut::of(buffers, 0, m, n);
        for j in 0..n {
            (0..m)
                .for_each(|i| a.set(i, j, self.entry(first.0 as usize + i, first.1 as usize + j)));
        }
        Ok(())
    }

    const HAS_CUDA: bool = true;

    fn cuda(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        self.launch(launch)
    }
}
