//! What is not known of the field at the data, in predictions.
//!
//! A target has the weights `a` of the field at its neighbours among the data. Of its variance is
//! left what the field there would leave, and `a' W^-1 a`, what is not known of that: with the
//! incomplete factor `|V^-1 a|^2`, of which only places that `a` leads to are worked out.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use tegula_kernels::geometry::Geometry;
use tegula_kernels::kernel::covariance::RadialTable;
use tegula_kernels::kernel::vecchia::NONE;
use tegula_runtime::flow::Access::{self, R, W};
use tegula_runtime::flow::{Buffers, Codelet, Cost, Failure};

use super::elimination::Pattern;
use crate::small::{backward, cholesky, forward};

/// What is left of a variance, as a share of it, that is no less than rounding.
const ROUNDING: f64 = 1e-14;

/// Some targets.
#[derive(Clone, Copy, Debug)]
pub(in crate::vecchia) struct Targets {
    /// How many.
    pub(in crate::vecchia) rows: usize,
    /// Neighbours of each.
    pub(in crate::vecchia) near: usize,
    /// Numbers of a record beside its coordinates.
    pub(in crate::vecchia) columns: usize,
    pub(in crate::vecchia) geometry: Geometry,
}

/// `a' W^-1 a` of some targets; buffers `[table: R, records: R, neighbours: R, targets: R, pattern:
/// R, positions: R, V: R, out: W]`.
#[derive(Clone, Copy, Debug)]
pub(in crate::vecchia) struct Variance {
    pub(in crate::vecchia) targets: Targets,
    /// Neighbours of a column of `V`.
    pub(in crate::vecchia) neighbours: usize,
}

impl Targets {
    /// The weights of the records `near` a target; those at one place are as good as one.
    fn weights(
        &self,
        table: &RadialTable,
        (records, near): (&[f64], &[u32]),
        at: &[f64],
    ) -> Vec<f64> {
        let &Self { columns, geometry, .. } = self;
        let width = geometry.stored() + columns;
        let place = |i: usize| &records[near[i] as usize * width..][..width];
        let between = |i: usize, j: usize| {
            let noise = if i == j { table.nugget } else { 0.0 };
            table.value(geometry.distance(place(i), place(j))) + noise
        };
        let (n, floor) = (near.len(), ROUNDING * table.variance);
        let factor = cholesky(n, between, |pivot| Some(pivot.max(floor)));
        let factor = factor.expect("pivots are raised");
        let with = |i: usize| table.value(geometry.distance(place(i), at));
        let c: Vec<f64> = (0..n).map(with).collect();
        backward(&factor, n, &forward(&factor, n, &c))
    }
}

impl Codelet for Variance {
    const NAME: &'static str = "latent_variance";
    const ACCESS: &'static [Access] = &[R, R, R, R, R, R, R, W];

    fn cost(&self) -> Cost {
        let Targets { rows, near, .. } = self.targets;
        // Some ancestors for each neighbour.
        let entries = rows as f64 * 50.0 * (near * self.neighbours) as f64;
        Cost { flops: 2.0 * entries, bytes: 12.0 * entries }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let table = &buffers.read::<RadialTable>(0)[0];
        let (records, lists) = (buffers.read::<f64>(1), buffers.read::<u32>(2));
        let (at, positions) = (buffers.read::<f64>(3), buffers.read::<u32>(5));
        let pattern = Pattern::new(positions.len(), self.neighbours, buffers.read(4));
        let v = buffers.read::<f64>(6);
        let mut solve = SparseSolve::new(pattern, v);
        let targets = at.chunks_exact(self.targets.geometry.stored());
        let lists = lists.chunks_exact(self.targets.near);
        for ((at, list), out) in targets.zip(lists).zip(buffers.write::<f64>(7)) {
            let near: Vec<u32> = list.iter().copied().filter(|&one| one != NONE).collect();
            let weights = self.targets.weights(table, (records, &near), at);
            let given = near.iter().map(|&one| positions[one as usize]).zip(weights);
            *out = solve.square(given);
        }
        Ok(())
    }
}

/// Solves with `V` of few numbers, all else 0.
struct SparseSolve<'a> {
    pattern: Pattern<'a>,
    v: &'a [f64],
    /// Right-hand side, 0 between solves, and which of it are in the queue.
    x: Vec<f64>,
    is_queued: Vec<bool>,
    queue: BinaryHeap<Reverse<u32>>,
}

impl<'a> SparseSolve<'a> {
    fn new(pattern: Pattern<'a>, v: &'a [f64]) -> Self {
        let n = pattern.len();
        Self { pattern, v, x: vec![0.0; n], is_queued: vec![false; n], queue: BinaryHeap::new() }
    }

    fn add(&mut self, position: usize, value: f64) {
        self.x[position] += value;
        if !std::mem::replace(&mut self.is_queued[position], true) {
            self.queue.push(Reverse(position as u32));
        }
    }

    /// `|V^-1 a|^2` of the entries of `a`, at their positions.
    fn square(&mut self, given: impl Iterator<Item = (u32, f64)>) -> f64 {
        given.for_each(|(position, value)| self.add(position as usize, value));
        let width = self.pattern.neighbours + 1;
        let mut sum = 0.0;
        while let Some(Reverse(position)) = self.queue.pop() {
            let i = position as usize;
            let column = &self.v[i * width..][..width];
            let value = std::mem::take(&mut self.x[i]) / column[width - 1];
            self.is_queued[i] = false;
            sum += value * value;
            let pattern = self.pattern;
            for (slot, row) in pattern.rows(i) {
                self.add(row, -column[slot] * value);
            }
        }
        sum
    }
}
