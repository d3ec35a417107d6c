//! Blocks: predictions of the field's mean over a rectangle about each place.
//!
//! Covariances with the mean over a block are means of covariances with its points (`rule`), and
//! the variance of that mean is the mean of the covariances between two points of the block.
//! Kriging with these is block kriging: A. G. Journel, C. J. Huijbregts, "Mining geostatistics"
//! (1978), section V.A.

mod border;
mod rule;

use std::marker::PhantomData;

use tegula_kernels::geometry::{Geometry, Points};
use tegula_kernels::kernel::covariance::{
    Covariance as CovarianceKernel, RadialTable, TABLE_BYTES, Vectors,
};
use tegula_kernels::kernel::vecchia::NONE;
use tegula_kernels::scalar::Real;
use tegula_runtime::flow::Access::{self, R, W};
use tegula_runtime::flow::{Buffers, Codelet, Cost, Failure};
use thiserror::Error;

use crate::covariance::{CovarianceError, Law, Metric};
use crate::model::Model;
use crate::small::{backward, cholesky, forward, positive};
use border::Border;
use rule::Node;

/// A rectangle (an interval, a box) with the rules by which means over it are taken.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    geometry: Geometry,
    /// Its sides, from end to end.
    sides: Vec<[f64; 3]>,
    /// The distance over which the correlation falls to a half.
    half: f64,
    /// Of each node where it lies from the centre, and its weight; the weights sum to 1. The first
    /// is the centre.
    nodes: Vec<Node>,
    /// Means at places near it, if they are taken along its border.
    border: Option<Border>,
}

/// Why there is no such block.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum BlockError {
    /// On the sphere.
    #[error("blocks lie on a line, in the plane or in space, not on a sphere")]
    Sphere,
    /// Other sides than there are coordinates.
    #[error("a block has a side for each of {expected} coordinates, not {found}")]
    Sides {
        /// Coordinates of a place.
        expected: usize,
        /// Sides given.
        found: usize,
    },
    /// A side that is none.
    #[error("{value} is no length of a side")]
    Side {
        /// What was given.
        value: f64,
    },
    /// More nodes than are taken.
    #[error(
        "the block is up to {ratio:.3} times as long as the distance over which the correlation \
         falls to a half, so that its mean takes {nodes} nodes, more than {most}; take a smaller one"
    )]
    Large {
        /// The longest side by that distance.
        ratio: f64,
        /// Nodes that it would have.
        nodes: f64,
        /// Most nodes.
        most: usize,
    },
    /// A covariance of other places, or parameters out of their bounds.
    #[error(transparent)]
    Covariance(#[from] CovarianceError),
}

impl Block {
    /// The block with sides of these lengths along the coordinates, for predictions by `model`; one
    /// side is that of a square or a cube. A side may be 0.
    ///
    /// # Errors
    /// On the sphere, or where the sides are not as many as coordinates, no lengths, or so long
    /// that a mean over the block takes too many nodes.
    ///
    /// # Panics
    /// If the covariance is put together from several.
    pub fn new(geometry: Geometry, sides: &[f64], model: &Model) -> Result<Self, BlockError> {
        if geometry == Geometry::GreatCircle {
            return Err(BlockError::Sphere);
        }
        let (expected, found) = (geometry.dimensions(), sides.len());
        if found != 1 && found != expected {
            return Err(BlockError::Sides { expected, found });
        }
        if let Some(&value) = sides.iter().find(|side| !side.is_finite() || **side < 0.0) {
            return Err(BlockError::Side { value });
        }
        let law = model.covariance.law(geometry, &model.values, 0.0)?;
        let side = |axis: usize| {
            let mut side = [0.0; 3];
            side[axis] = sides[axis.min(found - 1)];
            side
        };
        let sides = (0..expected).map(side).filter(|side| length(side) > 0.0).collect();
        let half = rule::half(law.table());
        let block = Self { geometry, sides, half, nodes: rule::point(), border: None };
        block.with_rules(&law)
    }

    /// This with the rules for its means, places being as they are before `law` maps them.
    fn with_rules(mut self, law: &Law) -> Result<Self, BlockError> {
        let mapped = self.clone().mapped(law.metric.as_ref());
        self.border = Border::of(&mapped.sides, self.geometry, (law.table(), self.half));
        let lengths: Vec<f64> = mapped.sides.iter().map(length).collect();
        self.nodes = match self.border {
            Some(_) => rule::nodes(&self.sides, &vec![2; lengths.len()]),
            None => {
                let panels = rule::panels(&lengths, self.half)?;
                rule::nodes(&self.sides, &panels)
            }
        };
        Ok(self)
    }

    /// A place alone.
    pub(crate) fn point(geometry: Geometry) -> Self {
        Self { geometry, sides: Vec::new(), half: 1.0, nodes: rule::point(), border: None }
    }

    /// As this, about places that `metric` maps, if there is one.
    pub(crate) fn mapped(mut self, metric: Option<&Metric>) -> Self {
        let map = |at: &mut [f64; 3]| *at = metric.map_or(*at, |metric| metric.of(*at));
        self.nodes.iter_mut().for_each(|(node, _)| map(node));
        self.sides.iter_mut().for_each(map);
        self
    }

    /// Where it lies.
    pub(crate) fn geometry(&self) -> Geometry {
        self.geometry
    }

    /// Number of nodes.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The weights of the nodes, then the numbers of the border, if there is one.
    pub(crate) fn weights(&self) -> Vec<f64> {
        let weights = self.nodes.iter().map(|(_, weight)| *weight);
        weights.chain(self.border.iter().flat_map(Border::numbers)).collect()
    }

    /// The nodes about each of `points`, those of a point together, as a kernel takes them.
    pub(crate) fn around(&self, points: &Points) -> Vec<f64> {
        assert_eq!(points.geometry(), self.geometry, "geometry of a block and of places");
        let mut held = Vec::with_capacity(points.len() * self.len() * self.geometry.stored());
        for at in (0..points.len()).map(|i| points.point(i)) {
            let axes = 0..self.geometry.stored();
            held.extend(axes.flat_map(|k| self.nodes.iter().map(move |(node, _)| at[k] + node[k])));
        }
        held
    }

    /// The covariance of the means over the blocks about `a` and `b`.
    pub(crate) fn covariance(&self, table: &RadialTable, a: [f64; 3], b: [f64; 3]) -> f64 {
        if a == b {
            return rule::variance(&self.sides, self.half, table);
        }
        let fine = rule::fine(&self.sides, self.half);
        let moved = |node: &[f64; 3]| -> [f64; 3] { std::array::from_fn(|k| a[k] + node[k]) };
        fine.iter().map(|(p, weight)| weight * self.covariance_with(table, b, &moved(p))).sum()
    }

    /// The covariances of the means over the blocks about `points`: the lower triangle of their
    /// matrix, by columns.
    pub(crate) fn covariances(&self, table: &RadialTable, points: &Points) -> Vec<f64> {
        let m = points.len();
        let at: Vec<[f64; 3]> = (0..m).map(|i| points.point(i)).collect();
        let mut matrix = vec![0.0; m * m];
        for j in 0..m {
            (j..m).for_each(|i| matrix[i + j * m] = self.covariance(table, at[i], at[j]));
        }
        matrix
    }

    /// The covariance of the mean over the block about `at` with the field at `place`.
    pub(crate) fn covariance_with(&self, table: &RadialTable, at: [f64; 3], place: &[f64]) -> f64 {
        let from = [0, 1].map(|k| place.get(k).map_or(0.0, |x| x - at[k]));
        let near = self.border.as_ref().filter(|border| border.is_near(from));
        near.map_or_else(
            || {
                let mut sum = 0.0;
                for (node, weight) in &self.nodes {
                    let node: [f64; 3] = std::array::from_fn(|k| at[k] + node[k]);
                    sum += weight * table.value(self.geometry.distance(&node, place));
                }
                sum
            },
            |border| border.mean(from),
        )
    }
}

/// The length of what lies between two places.
fn length(side: &[f64; 3]) -> f64 {
    side.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Covariances of observations with blocks; buffers `[table: R, observations: R, nodes of blocks:
/// R, weights: R, C: W]`, `C` by columns, one for each block; weights as of [`Block::weights`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Averaged<T> {
    /// Observations.
    pub(crate) rows: usize,
    /// Blocks.
    pub(crate) cols: usize,
    /// Nodes of a block.
    pub(crate) nodes: usize,
    pub(crate) geometry: Geometry,
    pub(crate) precision: PhantomData<T>,
}

impl<T: Real> Codelet for Averaged<T> {
    const NAME: &'static str = "block_covariance";
    const ACCESS: &'static [Access] = &[R, R, R, R, W];

    fn cost(&self) -> Cost {
        let entries = (self.rows * self.cols * self.nodes) as f64;
        let out = self.rows * self.cols * size_of::<T>();
        Cost { flops: 26.0 * entries, bytes: (TABLE_BYTES + out) as f64 }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let &Self { rows, nodes, geometry, .. } = self;
        let table = &buffers.read::<RadialTable>(0)[0];
        let (observed, blocks) = (buffers.read::<f64>(1), buffers.read::<f64>(2));
        let (weights, border) = buffers.read::<f64>(3).split_at(nodes);
        let border = Border::read(border);
        let stored = geometry.stored();
        let observed_at = |row: usize, k: usize| observed[k * rows + row];
        let kernel = CovarianceKernel::<f64>::between(geometry, (rows, nodes));
        let mut tile = vec![0.0; rows * nodes];
        let columns = buffers.write::<T>(4).chunks_exact_mut(rows);
        for (block, column) in blocks.chunks_exact(nodes * stored).zip(columns) {
            kernel.compute(Vectors::widest(), table, observed, block, &mut tile);
            let from = |row: usize| {
                [0, 1]
                    .map(|k| if k < stored { observed_at(row, k) - block[k * nodes] } else { 0.0 })
            };
            for (row, entry) in column.iter_mut().enumerate() {
                let near = border.as_ref().filter(|border| border.is_near(from(row)));
                *entry = T::from_f64(near.map_or_else(
                    || {
                        let pairs = weights.iter().zip(tile[row..].iter().step_by(rows));
                        pairs.map(|(weight, c)| weight * c).sum()
                    },
                    |border| border.mean(from(row)),
                ));
            }
        }
        Ok(())
    }
}

/// Predictions of blocks from the neighbours of their centres; buffers `[table: R, records: R,
/// neighbours: R, nodes of blocks: R, weights: R, out: W]`, as of
/// [`Weights`](tegula_kernels::kernel::vecchia::Weights).
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlockWeights {
    /// Blocks.
    pub(crate) rows: usize,
    /// Neighbours of each.
    pub(crate) neighbours: usize,
    /// Numbers of a record beside its coordinates.
    pub(crate) columns: usize,
    /// Nodes of a block.
    pub(crate) nodes: usize,
    pub(crate) geometry: Geometry,
}

impl Codelet for BlockWeights {
    const NAME: &'static str = "block_weights";
    const ACCESS: &'static [Access] = &[R, R, R, R, R, W];

    fn cost(&self) -> Cost {
        let (rows, m) = (self.rows as f64, self.neighbours as f64);
        let pairs = 24.0 * m * (0.5 * m + self.nodes as f64);
        Cost { flops: rows * (m.powi(3) / 3.0 + pairs), bytes: rows * m * 64.0 }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let table = &buffers.read::<RadialTable>(0)[0];
        let (records, lists) = (buffers.read::<f64>(1), buffers.read::<u32>(2));
        let (blocks, weights) = (buffers.read::<f64>(3), buffers.read::<f64>(4));
        let (weights, border) = weights.split_at(self.nodes);
        let rule = (weights, Border::read(border));
        let out = buffers.write::<f64>(5).chunks_exact_mut(self.columns + 1);
        let lists = lists.chunks_exact(self.neighbours);
        let blocks = blocks.chunks_exact(self.nodes * self.geometry.stored());
        for ((list, block), out) in lists.zip(blocks).zip(out) {
            self.predict(table, records, list, (block, &rule), out)?;
        }
        Ok(())
    }
}

impl BlockWeights {
    /// One block.
    fn predict(
        &self,
        table: &RadialTable,
        records: &[f64],
        list: &[u32],
        (block, (weights, border)): (&[f64], &(&[f64], Option<Border>)),
        out: &mut [f64],
    ) -> Result<(), Failure> {
        let &Self { columns, nodes, geometry, .. } = self;
        let (stored, width) = (geometry.stored(), geometry.stored() + columns);
        let near: Vec<&[f64]> = list
            .iter()
            .filter(|&&place| place != NONE)
            .map(|&place| &records[place as usize * width..][..width])
            .collect();
        let n = near.len();
        let node = |u: usize| -> Vec<f64> { (0..stored).map(|k| block[k * nodes + u]).collect() };
        let at: Vec<Vec<f64>> = (0..nodes).map(node).collect();
        let with = |record: &[f64]| -> f64 {
            let from = [0, 1].map(|k| if k < stored { record[k] - at[0][k] } else { 0.0 });
            if let Some(border) = border.as_ref().filter(|border| border.is_near(from)) {
                return border.mean(from);
            }
            let each = at.iter().zip(*weights);
            each.map(|(p, weight)| weight * table.value(geometry.distance(p, record))).sum()
        };
        let c: Vec<f64> = near.iter().map(|record| with(record)).collect();
        let entry = |i: usize, j: usize| {
            let noise = if i == j { table.nugget } else { 0.0 };
            table.value(geometry.distance(near[i], near[j])) + noise
        };
        let factor = cholesky(n, entry, positive);
        let factor =
            factor.ok_or("the covariance matrix of neighbours is not positive definite")?;
        let a = backward(&factor, n, &forward(&factor, n, &c));
        for (k, out) in out[..columns].iter_mut().enumerate() {
            *out = a.iter().zip(&near).map(|(a, record)| a * record[stored + k]).sum();
        }
        out[columns] = a.iter().zip(&c).map(|(a, c)| a * c).sum();
        Ok(())
    }
}

#[cfg(test)]
mod tests;
