//! Blocks: predictions of the field's mean over a rectangle about each place.
//!
//! Covariances with the mean over a block are means of covariances with its points, and the
//! variance of that mean is the mean of the covariances between two points of the block; both are
//! taken by Gauss's rule with four nodes along each side, as gstat does. Kriging with these is
//! block kriging: A. G. Journel, C. J. Huijbregts, "Mining geostatistics" (1978), section V.A.

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

use crate::covariance::Metric;
use crate::small::{backward, cholesky, forward, positive};

/// Nodes and weights of Gauss's rule on an interval of length 1 about 0. Source: M. Abramowitz,
/// I. A. Stegun, "Handbook of mathematical functions" (1964), table 25.4, halved.
const RULE: [(f64, f64); 4] = [
    (-0.430_568_155_797_026_3, 0.173_927_422_568_726_93),
    (-0.169_990_521_792_428_13, 0.326_072_577_431_273_07),
    (0.169_990_521_792_428_13, 0.326_072_577_431_273_07),
    (0.430_568_155_797_026_3, 0.173_927_422_568_726_93),
];

/// A rectangle (an interval, a box), as nodes about its centre with their weights.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    geometry: Geometry,
    /// Of each node where it lies from the centre, and its weight; the weights sum to 1.
    nodes: Vec<([f64; 3], f64)>,
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
}

impl Block {
    /// The block with sides of these lengths along the coordinates; one side is that of a square or
    /// a cube. A side may be 0.
    ///
    /// # Errors
    /// On the sphere, or where the sides are not as many as coordinates, or no lengths.
    pub fn new(geometry: Geometry, sides: &[f64]) -> Result<Self, BlockError> {
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
        let mut nodes = vec![([0.0; 3], 1.0)];
        for axis in 0..expected {
            let side = sides[axis.min(found - 1)];
            if side > 0.0 {
                nodes = crossed(&nodes, axis, side);
            }
        }
        Ok(Self { geometry, nodes })
    }

    /// A place alone.
    pub(crate) fn point(geometry: Geometry) -> Self {
        Self { geometry, nodes: vec![([0.0; 3], 1.0)] }
    }

    /// As this, about places that `metric` maps, if there is one.
    pub(crate) fn mapped(mut self, metric: Option<&Metric>) -> Self {
        for (node, _) in &mut self.nodes {
            *node = metric.map_or(*node, |metric| metric.of(*node));
        }
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

    /// The weights of the nodes.
    pub(crate) fn weights(&self) -> Vec<f64> {
        self.nodes.iter().map(|(_, weight)| *weight).collect()
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
        let moved = |at: [f64; 3], node: &[f64; 3]| -> [f64; 3] {
            std::array::from_fn(|k| at[k] + node[k])
        };
        let mut sum = 0.0;
        for (p, weight) in &self.nodes {
            for (q, other) in &self.nodes {
                let distance = self.geometry.distance(&moved(a, p), &moved(b, q));
                sum += weight * other * table.value(distance);
            }
        }
        sum
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
        let mut sum = 0.0;
        for (node, weight) in &self.nodes {
            let node: [f64; 3] = std::array::from_fn(|k| at[k] + node[k]);
            sum += weight * table.value(self.geometry.distance(&node, place));
        }
        sum
    }
}

/// `nodes` along a further `side`.
fn crossed(nodes: &[([f64; 3], f64)], axis: usize, side: f64) -> Vec<([f64; 3], f64)> {
    let along = |(mut at, weight): ([f64; 3], f64), (x, share): (f64, f64)| {
        at[axis] = side * x;
        (at, weight * share)
    };
    RULE.iter().flat_map(|&one| nodes.iter().map(move |&node| along(node, one))).collect()
}

/// Covariances of observations with blocks; buffers `[table: R, observations: R, nodes of blocks:
/// R, weights: R, C: W]`, `C` by columns, one for each block.
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
        let weights = buffers.read::<f64>(3);
        let kernel = CovarianceKernel::<f64>::between(geometry, (rows, nodes));
        let mut tile = vec![0.0; rows * nodes];
        let columns = buffers.write::<T>(4).chunks_exact_mut(rows);
        for (block, column) in blocks.chunks_exact(nodes * geometry.stored()).zip(columns) {
            kernel.compute(Vectors::widest(), table, observed, block, &mut tile);
            for (row, entry) in column.iter_mut().enumerate() {
                let pairs = weights.iter().zip(tile[row..].iter().step_by(rows));
                *entry = T::from_f64(pairs.map(|(weight, c)| weight * c).sum());
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
        let out = buffers.write::<f64>(5).chunks_exact_mut(self.columns + 1);
        let lists = lists.chunks_exact(self.neighbours);
        let blocks = blocks.chunks_exact(self.nodes * self.geometry.stored());
        for ((list, block), out) in lists.zip(blocks).zip(out) {
            self.predict(table, records, list, (block, weights), out)?;
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
        (block, weights): (&[f64], &[f64]),
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
            let each = at.iter().zip(weights);
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
mod tests {
    use super::*;

    #[test]
    fn weights_sum_to_one_and_integrate_polynomials_of_degree_seven() {
        let block = Block::new(Geometry::Space, &[2.0, 3.0, 0.0]).expect("a block");
        assert_eq!(block.len(), 16);
        let moment = |f: &dyn Fn(&[f64; 3]) -> f64| -> f64 {
            block.nodes.iter().map(|(at, weight)| weight * f(at)).sum()
        };
        // The mean of x^6 over (-1, 1) is 1/7, of y^2 over (-3/2, 3/2) 3/4.
        assert!((moment(&|_| 1.0) - 1.0).abs() < 1e-15);
        assert!((moment(&|at| at[0].powi(6)) - 1.0 / 7.0).abs() < 1e-15);
        assert!((moment(&|at| at[0].powi(7) + at[1].powi(2)) - 0.75).abs() < 1e-15);
        let square = Block::new(Geometry::Plane, &[2.0]).expect("a block");
        assert_eq!(square, Block::new(Geometry::Plane, &[2.0, 2.0]).expect("a block"));
    }

    #[test]
    fn what_is_no_block_is_refused() {
        let new = |geometry, sides: &[f64]| Block::new(geometry, sides).expect_err("no block");
        assert_eq!(new(Geometry::GreatCircle, &[1.0]), BlockError::Sphere);
        let sides = BlockError::Sides { expected: 3, found: 2 };
        assert_eq!(new(Geometry::Space, &[1.0, 1.0]), sides);
        assert_eq!(new(Geometry::Plane, &[-1.0]), BlockError::Side { value: -1.0 });
    }
}
