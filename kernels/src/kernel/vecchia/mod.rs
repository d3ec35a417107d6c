//! Vecchia's approximation, a block of places at a time: what each place adds to the likelihood and
//! to its score, given its neighbours, and predictions from neighbours alone.
//!
//! With the covariance matrix `C` of a place's neighbours, noise included, the covariances `c` of
//! the place with them and its own variance `v`, the place has the weights `a = C^-1 c` and the
//! variance `e = v - a' c`. A column `x` of numbers leaves `w = (x_i - a' x_N) / sqrt(e)`. Sums
//! over the places of a block are
//!
//! - [`Terms`]: `ln e`, and the products `w w'` of all columns;
//! - [`ScoreTerms`]: with `u = (-a, 1) / sqrt(e)` and `D` the derivative of the covariance matrix
//!   of neighbours and place, `u' D u`, `z' D u` and the expected information.
//!
//! [`Weights`] are, for each place, `a' x_N` of all columns, and `a' c`. [`Conditionals`] are `a`
//! and `e` themselves. [`JointTerms`] and [`JointScore`] are the sums of places whose conditionals
//! are worked out together; they, and [`CompositeWeights`], also take covariances that are put
//! together from several, of places with marks.
//!
//! Shapes: a record is a place's coordinates, as [`crate::geometry::Points`] holds them, and then
//! its number in each column. Neighbours are a row of record numbers for each place, those that are
//! missing first, as [`NONE`]. Fails if a matrix of neighbours, or what is left of a place's
//! variance, is not positive definite; the order is the number of the place's record, from 1. On a
//! core as many places, or sets, at once as vectors have lanes, one in each; on devices a block of
//! threads for each. Sources: A. V. Vecchia, "Estimation and model identification for
//! continuous spatial processes", J. R. Statist. Soc. B 50
//! (1988) 297-312; J. Guinness, "Gaussian process learning via Fisher scoring of Vecchia's
//! approximation", Statistics and Computing 31 (2021) 25.

mod composite;
mod conditionals;
mod cpu;
mod cuda;
mod factor;
mod group;
mod joint;
mod reference;
mod score;
#[cfg(test)]
mod tests;

use tegula_runtime::flow::Access::{self, R, W};
use tegula_runtime::flow::{Buffers, Codelet, Cost, Failure, Launch};

use super::covariance::{RadialTable, TABLE_BYTES, Vectors};
use crate::geometry::Geometry;

pub use composite::CompositeWeights;
pub(crate) use cuda::SOURCE;
pub(crate) use joint::SOURCE as JOINT_SOURCE;
pub use joint::{OWN, Sets};
pub use score::ScoreSums;

/// In place of a neighbour that a place lacks.
pub const NONE: u32 = u32::MAX;

/// The places of a block, and what they are given.
#[derive(Clone, Copy, Debug)]
pub struct Places {
    /// Number of the first one's record.
    pub first: usize,
    /// How many.
    pub rows: usize,
    /// Neighbours of each, those that are missing counted.
    pub neighbours: usize,
    /// Numbers of a record beside its coordinates.
    pub columns: usize,
    /// What distance means.
    pub geometry: Geometry,
}

impl Places {
    /// Numbers of a record.
    fn width(&self) -> usize {
        self.geometry.stored() + self.columns
    }

    /// Work with `tables` evaluated for all pairs, and so many solves with a factor.
    fn cost(&self, tables: usize, solves: usize) -> Cost {
        let (rows, m) = (self.rows as f64, self.neighbours as f64 + 1.0);
        let pairs = 0.5 * m * m * (24 * tables + 2 * solves) as f64;
        let numbers = rows * m * (0.5 + self.width() as f64);
        Cost {
            flops: rows * (m.powi(3) / 3.0 + pairs),
            bytes: numbers * size_of::<f64>() as f64 + (tables * TABLE_BYTES) as f64,
        }
    }

    fn check(&self, records: &[f64], neighbours: &[u32]) {
        assert_eq!(records.len() % self.width(), 0, "numbers of the records");
        assert_eq!(neighbours.len(), self.rows * self.neighbours, "neighbours");
    }
}

/// The likelihood's sums; buffers `[table: R, records: R, neighbours: R, sums: W]`.
#[derive(Clone, Copy, Debug)]
pub struct Terms(pub Places);

impl Terms {
    /// Numbers of the sums: of `ln e`, then of the products, by columns.
    #[must_use]
    pub fn length(columns: usize) -> usize {
        1 + columns * columns
    }
}

impl Codelet for Terms {
    const NAME: &'static str = "vecchia";
    const ACCESS: &'static [Access] = &[R, R, R, W];

    fn cost(&self) -> Cost {
        self.0.cost(1, 2)
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let table = &buffers.read::<RadialTable>(0)[0];
        let (records, neighbours) = (buffers.read(1), buffers.read(2));
        Ok(self.compute(Vectors::widest(), table, records, neighbours, buffers.write(3))?)
    }

    const HAS_CUDA: bool = true;

    fn cuda(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        self.launch(launch)
    }
}

/// The score's sums; buffers `[tables: R, records: R, neighbours: R, M: R, sums: W]`.
///
/// The tables are that of the covariance, its nugget included, and those of its derivatives. With
/// `M`, symmetric, a row and a column for each column of numbers, `h = M w`, and the solved
/// `x = C^-1 X_N h`, it is `z = 2 x + (w' h) u`.
#[derive(Clone, Copy, Debug)]
pub struct ScoreTerms {
    /// The places.
    pub places: Places,
    /// How many derivatives there are tables of.
    pub derivatives: usize,
    /// Whether those are relative to the covariance.
    pub is_relative: bool,
}

impl Codelet for ScoreTerms {
    const NAME: &'static str = "vecchia_score";
    const ACCESS: &'static [Access] = &[R, R, R, R, W];

    fn cost(&self) -> Cost {
        self.places.cost(1 + self.derivatives, 6 + 5 * self.derivatives)
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let tables = buffers.read::<RadialTable>(0);
        let (records, neighbours) = (buffers.read(1), buffers.read(2));
        let (mix, sums) = (buffers.read(3), buffers.write(4));
        Ok(self.compute(Vectors::widest(), tables, records, neighbours, mix, sums)?)
    }

    const HAS_CUDA: bool = true;

    fn cuda(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        self.launch(launch)
    }
}

/// Predictions from neighbours; buffers `[table: R, records: R, neighbours: R, targets: R, out:
/// W]`.
///
/// The places are not those of records: `first` is 0, and the targets are their coordinates, place
/// by place. What is made of a place is `a' x_N` for each column, then `a' c`. Noise is that of the
/// neighbours alone.
#[derive(Clone, Copy, Debug)]
pub struct Weights(pub Places);

impl Codelet for Weights {
    const NAME: &'static str = "vecchia_weights";
    const ACCESS: &'static [Access] = &[R, R, R, R, W];

    fn cost(&self) -> Cost {
        self.0.cost(1, 2)
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let table = &buffers.read::<RadialTable>(0)[0];
        let (records, neighbours, targets) = (buffers.read(1), buffers.read(2), buffers.read(3));
        let vectors = Vectors::widest();
        Ok(self.compute(vectors, table, records, neighbours, targets, buffers.write(4))?)
    }

    const HAS_CUDA: bool = true;

    fn cuda(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        self.launch(launch)
    }
}

/// The conditionals themselves; buffers `[tables: R, records: R, neighbours: R, out: W]`.
///
/// The tables are as of [`ScoreTerms`]. What is made is, place by place, `a` and then `e`; after
/// those of all places the derivatives of both by each table, `C^-1 (D u)_N` and `u' D u` with
/// `u = (-a, 1)`. Weights of neighbours that are missing are 0.
#[derive(Clone, Copy, Debug)]
pub struct Conditionals {
    /// The places.
    pub places: Places,
    /// How many derivatives there are tables of.
    pub derivatives: usize,
    /// Whether those are relative to the covariance.
    pub is_relative: bool,
}

impl Conditionals {
    /// Numbers of what is made.
    #[must_use]
    pub const fn length(&self) -> usize {
        (self.derivatives + 1) * self.places.rows * (self.places.neighbours + 1)
    }
}

impl Codelet for Conditionals {
    const NAME: &'static str = "vecchia_conditionals";
    const ACCESS: &'static [Access] = &[R, R, R, W];

    fn cost(&self) -> Cost {
        self.places.cost(1 + self.derivatives, 2 + 3 * self.derivatives)
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let tables = buffers.read::<RadialTable>(0);
        let (records, neighbours) = (buffers.read(1), buffers.read(2));
        let vectors = Vectors::widest();
        Ok(self.compute(vectors, tables, records, neighbours, buffers.write(3))?)
    }

    const HAS_CUDA: bool = true;

    fn cuda(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        self.launch(launch)
    }
}

/// As [`Terms`], of sets; buffers `[table: R, records: R, sets: R, sums: W]`.
#[derive(Clone, Copy, Debug)]
pub struct JointTerms(pub Sets);

/// As [`ScoreTerms`], of sets; buffers `[tables: R, records: R, sets: R, M: R, sums: W]`.
#[derive(Clone, Copy, Debug)]
pub struct JointScore {
    /// The sets.
    pub sets: Sets,
    /// How many derivatives there are.
    pub derivatives: usize,
}

impl Codelet for JointTerms {
    const NAME: &'static str = "vecchia_joint";
    const ACCESS: &'static [Access] = &[R, R, R, W];

    fn cost(&self) -> Cost {
        self.0.cost(1, 2)
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let tables = buffers.read::<u8>(0);
        let (records, sets) = (buffers.read(1), buffers.read(2));
        Ok(self.compute(Vectors::widest(), tables, records, sets, buffers.write(3))?)
    }

    const HAS_CUDA: bool = true;

    fn runs_on_cuda(&self) -> bool {
        self.0.run_on_cuda(0)
    }

    fn cuda(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        self.launch(launch)
    }
}

impl Codelet for JointScore {
    const NAME: &'static str = "vecchia_joint_score";
    const ACCESS: &'static [Access] = &[R, R, R, R, W];

    fn cost(&self) -> Cost {
        self.sets.cost(1 + self.derivatives, 6 + 5 * self.derivatives)
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let tables = buffers.read::<u8>(0);
        let (records, sets) = (buffers.read(1), buffers.read(2));
        let (mix, sums) = (buffers.read(3), buffers.write(4));
        Ok(self.compute(Vectors::widest(), tables, records, sets, mix, sums)?)
    }

    const HAS_CUDA: bool = true;

    fn runs_on_cuda(&self) -> bool {
        self.sets.run_on_cuda(self.matrices())
    }

    fn cuda(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        self.launch(launch)
    }
}
