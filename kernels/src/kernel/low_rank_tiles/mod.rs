//! Tiles that are dense or a product of two thin factors, and what a Cholesky factorisation does
//! with them.
//!
//! A tile of low rank is `A = U V'`: `U` is `m x r`, `V` is `n x r`, and its buffer holds the
//! columns of `U`, then those of `V`; [`Form`] says which of both a tile is. A factorisation takes
//! a tile of the matrix, dense, and
//!
//! 1. [`Update`] takes off it the products of the tiles left of it,
//! 2. [`Compress`] makes factors of what is left, where that saves memory,
//! 3. [`Settle`] solves with the diagonal tile and puts the factors where they take no more room
//!    than they need,
//! 4. [`Apply`] multiplies with a panel, for what follows.
//!
//! So each tile is rounded once, after all that was added up in it, and `L L'` differs from the
//! matrix by no more than what [`Compress`] leaves out of each tile, and rounding. Sources: G.
//! Boukaram, S. Zampini, G. Turkiyyah, D. Keyes, "H2OPUS-TLR: high performance tile low rank
//! symmetric factorizations using adaptive randomized approximation", arXiv:2108.11932 (2021); P.
//! R. Amestoy, A. Buttari, J.-Y. L'Excellent, T. Mary, "Performance and scalability of the block
//! low-rank multifrontal factorization on multicore architectures", ACM TOMS 45 (2019) 2. In
//! double precision; [`Compress`] on cores, as what it does next depends on what it has found.

mod apply;
mod compress;
mod cuda;
mod settle;
#[cfg(test)]
mod tests;
mod update;

pub use apply::Apply;
pub use compress::Compress;
pub use settle::Settle;
pub use update::{MOST_PAIRS, Update};

/// How a tile is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// Entry by entry.
    Dense,
    /// As factors `U` and `V` of so many columns.
    LowRank(u32),
}

impl Form {
    /// Bytes of what [`Compress`] says of a tile.
    pub const CODE_BYTES: usize = size_of::<u64>();

    /// Numbers that an `m x n` tile of this form holds.
    #[must_use]
    pub fn numbers(self, m: usize, n: usize) -> usize {
        match self {
            Self::Dense => m * n,
            Self::LowRank(rank) => (m + n) * rank as usize,
        }
    }

    /// The form that `code` stands for, as [`Compress`] writes it.
    #[must_use]
    pub fn of_code(code: u64) -> Self {
        u32::try_from(code).map_or(Self::Dense, Self::LowRank)
    }

    fn code(self) -> u64 {
        match self {
            Self::Dense => u64::MAX,
            Self::LowRank(rank) => rank.into(),
        }
    }
}
