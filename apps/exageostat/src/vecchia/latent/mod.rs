//! The latent form: the field by Vecchia's conditionals, and noise added to it.
//!
//! Values are `z = F b + y + noise`, where the precision of the field `y` is `Q = U U'`, a column
//! of `U` for each place: its weights and what is left of its variance, given the field at its
//! neighbours (M. Katzfuss, J. Guinness, "A general framework for Vecchia approximations of
//! Gaussian processes", Statistical Science 36 (2021) 124-141). With the variance `s` of the noise
//! and `W = Q + I / s`,
//!
//! `ln |C| = ln |W| - ln |Q| + n ln s`, and `r' C^-1 r = |r - x|^2 / s + x' Q x`, `x = W^-1 r / s`.
//!
//! The second is exact, by conjugate gradients; in the first `W` has its incomplete factor `V V'`
//! ([`factor`]), and the gradient is that of it. A share of the variance, [`SHARE`], is taken from
//! the noise and given to the field, so that its conditionals are well-conditioned: the model is
//! the same.

mod elimination;
mod factor;
mod score;
mod tasks;
mod variance;

use tegula_kernels::kernel::covariance::{RadialTable, TABLE_BYTES};
use tegula_runtime::flow::Access::{R, RW, W};
use tegula_runtime::flow::{Flow, FlowError, Handle};

use super::structure::{Blocks, Ordered};
use elimination::Elimination;
use tasks::{Factor, Gather, Smooth};

pub(super) use score::Request;
pub(super) use variance::{Targets, Variance};

/// What of the variance of the field is noise that counts as its own.
const SHARE: f64 = 1e-8;
/// Noise that is less of the variance is all the field's own, which is the response form.
const LEAST: f64 = 1e-7;

/// How a nugget is divided.
#[derive(Clone, Copy, Debug)]
pub(super) struct Noise {
    /// What of it counts as the field's.
    pub(super) own: f64,
    /// The rest.
    pub(super) variance: f64,
}

impl Noise {
    /// That of parameters `values` and a `nugget`, if it is not too little.
    pub(super) fn new(values: &[f64], nugget: f64) -> Option<Self> {
        let sill = *values.first()?;
        let own = SHARE * sill;
        let is_enough = nugget.is_finite() && nugget >= LEAST * sill;
        is_enough.then_some(Self { own, variance: nugget - own })
    }
}

/// The elimination of the field at the places of some blocks.
#[derive(Debug)]
pub(super) struct Latent {
    n: usize,
    neighbours: usize,
    elimination: Elimination,
    pub(super) handles: Factors,
    /// The table, and conditionals of each block.
    table: Handle,
    conditionals: Vec<Handle>,
    /// Columns of the mean and residuals, in the order of elimination.
    given: Vec<Vec<f64>>,
    columns: Handle,
    /// Of each column what [`Smooth`] makes.
    smoothed: Vec<Handle>,
    sums: Handle,
    slope: Option<score::Slope>,
}

/// Where the factors are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Factors {
    pub(super) neighbours: usize,
    pub(super) pattern: Handle,
    /// Of each position its place of the tree, and of each of these its position.
    places: Handle,
    pub(super) positions: Handle,
    u: Handle,
    pub(super) v: Handle,
}

/// What the field is known from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Field<'a> {
    pub(super) ordered: &'a Ordered,
    pub(super) blocks: &'a Blocks,
    /// Places and columns of numbers.
    pub(super) records: Handle,
    pub(super) columns: usize,
}

/// The parts of a likelihood.
pub(super) struct Parts {
    pub(super) logdet: f64,
    /// `F' C^-1 F` of the columns of the mean and residuals, by columns.
    pub(super) gram: Vec<f64>,
}

impl Latent {
    /// From the lists of the blocks.
    ///
    /// # Errors
    /// Those of the flow.
    pub(super) fn new(flow: &mut Flow, field: Field<'_>) -> Result<Self, FlowError> {
        let Field { ordered, blocks, records, columns } = field;
        let (n, m) = (ordered.ranks.len(), blocks.neighbours);
        let mut lists = Vec::with_capacity(n * m);
        for block in &blocks.blocks {
            lists.extend_from_slice(flow.read::<u32>(block.lists)?);
        }
        let (elimination, pattern) = Elimination::new(m, &lists, &ordered.ranks);
        let stored = blocks.geometry.stored();
        let records = flow.read::<f64>(records)?;
        let number =
            |place: u32, k: usize| records[place as usize * (stored + columns) + stored + k];
        let given: Vec<Vec<f64>> = (0..columns)
            .map(|k| elimination.places.iter().map(|&place| number(place, k)).collect())
            .collect();
        let numbers = |count: usize| count * size_of::<f64>();
        let handles = Factors {
            neighbours: m,
            pattern: flow.register_from(&pattern),
            places: flow.register_from(&elimination.places),
            positions: flow.register_from(&elimination.positions),
            u: flow.register(numbers(n * (m + 1))),
            v: flow.register(numbers(n * (m + 1))),
        };
        Ok(Self {
            n,
            neighbours: m,
            elimination,
            handles,
            table: flow.register(TABLE_BYTES),
            conditionals: blocks.register_conditionals(flow, 0),
            columns: flow.register_from(&given.concat()),
            smoothed: given.iter().map(|_| flow.register(numbers(3 * n))).collect(),
            given,
            sums: flow.register(numbers(2)),
            slope: None,
        })
    }

    /// Submits the columns of `U`, or their derivatives, to `into`.
    fn submit_columns(
        &self,
        flow: &mut Flow,
        field: Field<'_>,
        (tables, derivatives, is_relative): (Handle, usize, bool),
        (conditionals, into): (&[Handle], Handle),
    ) {
        let Field { blocks, records, columns, .. } = field;
        for (block, &made) in blocks.blocks.iter().zip(conditionals) {
            let shape = (columns, derivatives, is_relative);
            blocks.submit_conditionals(flow, block, shape, [tables, records, made]);
            let (first, rows, neighbours) = (block.first, block.rows, self.neighbours);
            let gather = Gather { first, rows, neighbours, derivatives };
            flow.submit(gather, &[(made, R), (self.handles.positions, R), (into, RW)], 0);
        }
    }

    /// Submits what [`Smooth`] makes of column `which` of some.
    fn submit_smooth(
        &self,
        flow: &mut Flow,
        (which, scale): (usize, f64),
        variance: f64,
        [columns, out]: [Handle; 2],
    ) {
        let Factors { neighbours, pattern, places, u, v, .. } = self.handles;
        let precision = 1.0 / variance;
        let smooth = Smooth { neighbours, precision, which, scale };
        let given = [pattern, places, u, v, columns].map(|handle| (handle, R));
        flow.submit(smooth, &[&given[..], &[(out, W)]].concat(), 0);
    }

    /// The likelihood by `table`, whose nugget is the field's own, with noise beside it.
    ///
    /// # Errors
    /// Those of the flow; what is not positive definite has the number of a place of the tree.
    pub(super) fn evaluate(
        &self,
        flow: &mut Flow,
        field: Field<'_>,
        (table, variance): (&RadialTable, f64),
    ) -> Result<Parts, FlowError> {
        flow.overwrite(self.table, bytemuck::bytes_of(table))?;
        flow.phase("likelihood");
        let Factors { neighbours, pattern, places, u, v, .. } = self.handles;
        let shape = (self.table, 0, false);
        self.submit_columns(flow, field, shape, (&self.conditionals, u));
        let given = [pattern, places, u].map(|handle| (handle, R));
        let accesses = [&given[..], &[(v, W), (self.sums, W)]].concat();
        flow.submit(Factor { neighbours, precision: 1.0 / variance }, &accesses, 0);
        for (which, &out) in self.smoothed.iter().enumerate() {
            self.submit_smooth(flow, (which, 1.0 / variance), variance, [self.columns, out]);
        }
        flow.wait()?;
        let sums = flow.read::<f64>(self.sums)?;
        let logdet = sums[0] - sums[1] + self.n as f64 * variance.ln();
        let made = self.read(flow, &self.smoothed)?;
        let size = self.given.len();
        let mut gram = vec![0.0; size * size];
        for j in 0..size {
            for i in 0..=j {
                let noise = self.noise(i, &made[i]).zip(self.noise(j, &made[j]));
                let noise: f64 = noise.map(|(a, b)| a * b).sum();
                let (a, b) = (&made[i][self.n..2 * self.n], &made[j][self.n..2 * self.n]);
                gram[i + j * size] = noise / variance + inner(a, b);
                gram[j + i * size] = gram[i + j * size];
            }
        }
        Ok(Parts { logdet, gram })
    }

    /// What of column `k` is not smooth.
    fn noise<'a>(&'a self, k: usize, made: &'a [f64]) -> impl Iterator<Item = f64> + 'a {
        self.given[k].iter().zip(made).map(|(given, x)| given - x)
    }

    fn read(&self, flow: &mut Flow, handles: &[Handle]) -> Result<Vec<Vec<f64>>, FlowError> {
        handles.iter().map(|&handle| Ok(flow.read::<f64>(handle)?.to_vec())).collect()
    }

    /// What was made of the columns of the mean and the residuals by the last evaluation: the
    /// expectation of the field given each, in the order of the tree.
    pub(super) fn expectations(&self, flow: &mut Flow) -> Result<Vec<Vec<f64>>, FlowError> {
        let made = self.read(flow, &self.smoothed)?;
        let positions = &self.elimination.positions;
        let of = |made: &Vec<f64>| positions.iter().map(|&at| made[at as usize]).collect();
        Ok(made.iter().map(of).collect())
    }

    /// Needs it no more.
    pub(super) fn unregister(self, flow: &mut Flow) {
        let Factors { pattern, places, positions, u, v, .. } = self.handles;
        let all = [pattern, places, positions, u, v, self.table, self.columns, self.sums];
        let more = self.conditionals.into_iter().chain(self.smoothed);
        let slope = self.slope.into_iter().flat_map(score::Slope::handles);
        all.into_iter().chain(more).chain(slope).for_each(|handle| flow.unregister(handle));
    }
}

fn inner(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}
