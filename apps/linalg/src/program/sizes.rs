//! Sizes of a problem, and the letters that flags, shapes and results name them by.

use tegula_kernels::option::{Side, Uplo};
use tegula_kernels::scalar::Precision;

use super::options::Options;

/// A size by its letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// Rows.
    M,
    /// Columns, or the order of a square matrix.
    N,
    /// Inner dimension.
    K,
    /// Right-hand sides.
    Nrhs,
    /// Problems of a batch.
    Count,
    /// The least of `m` and `n`.
    Least,
    /// The most of `m` and `n`.
    Most,
    /// `m` or `n`, that of the side on which a matrix stands.
    Sided,
    /// One.
    One,
}

impl Size {
    /// Those that flags set.
    pub const GIVEN: [Self; 5] = [Self::M, Self::N, Self::K, Self::Nrhs, Self::Count];

    /// Its name in flags and results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::M => "m",
            Self::N => "n",
            Self::K => "k",
            Self::Nrhs => "nrhs",
            Self::Count => "count",
            Self::Least => "min(m, n)",
            Self::Most => "max(m, n)",
            Self::Sided => "m or n",
            Self::One => "1",
        }
    }
}

/// Sizes of a problem, and what else its matrices depend on.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// Rows.
    pub m: usize,
    /// Columns, or the order of a square matrix.
    pub n: usize,
    /// Inner dimension.
    pub k: usize,
    /// Right-hand sides.
    pub nrhs: usize,
    /// Problems of a batch.
    pub count: usize,
    /// Order of the tiles, or width of the columns of blocks, or problems in a tile of a batch.
    pub nb: usize,
    /// The triangle that is stored, where one is.
    pub uplo: Uplo,
    /// The numbers.
    pub precision: Precision,
    /// Number of workers.
    pub workers: usize,
    /// Workers among which right-hand sides are shared out.
    pub sharers: usize,
    /// Seed of the random entries.
    pub seed: u64,
    /// Variants of the algorithm.
    pub options: Options,
}

impl Sizes {
    /// The size called `size`.
    pub fn of(&self, size: Size) -> usize {
        match size {
            Size::M => self.m,
            Size::N => self.n,
            Size::K => self.k,
            Size::Nrhs => self.nrhs,
            Size::Count => self.count,
            Size::Least => self.m.min(self.n),
            Size::Most => self.m.max(self.n),
            Size::Sided => self.of(self.resolved(size)),
            Size::One => 1,
        }
    }

    /// Sets the size called `size`, one of those that can be given.
    pub fn set(&mut self, size: Size, value: usize) {
        match size {
            Size::M => self.m = value,
            Size::N => self.n = value,
            Size::K => self.k = value,
            Size::Nrhs => self.nrhs = value,
            Size::Count => self.count = value,
            Size::Sided => self.set(self.resolved(size), value),
            Size::Least | Size::Most | Size::One => panic!("{} follows from others", size.name()),
        }
    }

    /// The size that `size` stands for.
    pub fn resolved(&self, size: Size) -> Size {
        match (size, self.options.side) {
            (Size::Sided, Side::Left) => Size::M,
            (Size::Sided, Side::Right) => Size::N,
            _ => size,
        }
    }

    /// With every size that can be given replaced by `change` of it.
    pub fn mapped(mut self, change: impl Fn(Size, usize) -> usize) -> Self {
        Size::GIVEN.into_iter().for_each(|size| self.set(size, change(size, self.of(size))));
        self
    }

    /// Those of what a factorisation of a matrix still has to factorise after some steps.
    pub fn after(&self, steps: usize) -> Self {
        let left = |size: usize| size.saturating_sub(steps * self.nb);
        Self { m: left(self.m), n: left(self.n), ..*self }
    }

    /// `m`, `n`, `k` and `nrhs` as real numbers, for counts of operations.
    pub fn real(&self) -> [f64; 4] {
        [self.m, self.n, self.k, self.nrhs].map(|size| size as f64)
    }

    /// The sizes called `used`, in words.
    pub fn describe(&self, used: &[Size]) -> String {
        let sizes = Size::GIVEN.into_iter().filter(|size| used.contains(size));
        let words = sizes.map(|size| format!("{} = {}", size.name(), self.of(size)));
        words.collect::<Vec<_>>().join(", ")
    }
}
