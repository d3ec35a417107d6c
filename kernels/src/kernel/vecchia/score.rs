//! The score's sums on a core.

use crate::error::NumericalError;
use crate::kernel::covariance::{Lanes, RadialTable, Vectors};

use super::cpu::{Work, numbers, run};
use super::factor::{backward, dot, forward, start};
use super::group::{Group, Source};
use super::{Places, ScoreTerms};

/// The numbers of a score's sums, of the derivatives by each table, then by the nugget.
#[derive(Clone, Copy, Debug)]
pub struct ScoreSums<'a> {
    /// Of `u' D u`.
    pub traces: &'a [f64],
    /// Of `z' D u`.
    pub products: &'a [f64],
    /// Of the expected information, by columns.
    pub information: &'a [f64],
}

impl<'a> ScoreSums<'a> {
    /// How many there are for so many tables of derivatives.
    #[must_use]
    pub const fn length(derivatives: usize) -> usize {
        (derivatives + 1) * (derivatives + 3)
    }

    /// The parts of `sums`.
    ///
    /// # Panics
    /// If they are not as many as they should be.
    #[must_use]
    pub fn new(derivatives: usize, sums: &'a [f64]) -> Self {
        assert_eq!(sums.len(), Self::length(derivatives), "sums of {derivatives} derivatives");
        let (traces, rest) = sums.split_at(derivatives + 1);
        let (products, information) = rest.split_at(derivatives + 1);
        Self { traces, products, information }
    }
}

impl ScoreTerms {
    /// Overwrites `sums`.
    ///
    /// # Errors
    /// If a matrix is not positive definite.
    ///
    /// # Panics
    /// If a shape is another, or the processor does not have the vectors.
    pub fn compute(
        &self,
        vectors: Vectors,
        tables: &[RadialTable],
        records: &[f64],
        neighbours: &[u32],
        mix: &[f64],
        sums: &mut [f64],
    ) -> Result<(), NumericalError> {
        let &Self { places, derivatives, is_relative } = self;
        places.check(records, neighbours);
        assert_eq!(tables.len(), derivatives + 1, "tables");
        assert_eq!(mix.len(), places.columns * places.columns, "entries of M");
        assert_eq!(sums.len(), ScoreSums::length(derivatives), "sums");
        let source = Source { places, records, neighbours };
        run(ScoreWork { source, tables, is_relative, mix, sums }, vectors, places.geometry)
    }
}

struct ScoreWork<'a> {
    source: Source<'a>,
    tables: &'a [RadialTable],
    is_relative: bool,
    mix: &'a [f64],
    sums: &'a mut [f64],
}

impl Work for ScoreWork<'_> {
    #[inline(always)]
    fn run<L: Lanes, const R: usize, const D: usize, const SPHERE: bool>(
        self,
        l: L,
    ) -> Result<(), NumericalError> {
        let Self { source, tables, is_relative, mix, sums } = self;
        let Places { rows, neighbours: m, columns, .. } = source.places;
        let (table, count) = (&tables[0], tables.len());
        let own = source.places.own(source.records);
        let mut group = Group::<L, R, D, SPHERE>::new(l, source);
        let zero = l.splat(0.0);
        // Covariances of the neighbours, then with them; u, z, and D u of each derivative.
        let mut kept = vec![zero; start(m) + m];
        let (mut u, mut z) = (vec![zero; m + 1], vec![zero; m + 1]);
        let mut solved = vec![zero; count * (m + 1)];
        let (mut traces, mut products) = (vec![zero; count], vec![zero; count]);
        let (mut left, mut mixed) = (vec![zero; columns], vec![zero; columns]);
        sums.fill(0.0);
        for row in (0..rows).step_by(L::N) {
            let mut add = |index: usize, x: L::F| {
                let numbers = numbers(l, x);
                sums[index] += numbers[..L::N.min(rows - row)].iter().sum::<f64>();
            };
            group.gather(row, &own);
            group.fill(table);
            kept[..start(m)].copy_from_slice(&group.lower);
            kept[start(m)..].copy_from_slice(&group.cross);
            let (rest, bad) = group.condition(table.variance + table.nugget);
            let is_positive = l.mask(l.at_least(rest, l.splat(f64::MIN_POSITIVE)));
            source.places.failure(row, bad | (!is_positive & ((1 << L::N) - 1)))?;
            let root = l.div(l.splat(1.0), l.sqrt(rest));
            let minus = l.sub(zero, root);
            for (u, &weight) in u.iter_mut().zip(&group.weights) {
                *u = l.mul(weight, minus);
            }
            u[m] = root;
            for (column, left) in left.iter_mut().enumerate() {
                *left = l.mul(group.residual(column), root);
            }
            for (mixed, mix) in mixed.iter_mut().zip(mix.chunks_exact(columns)) {
                *mixed = zero;
                for (&left, &mix) in left.iter().zip(mix) {
                    *mixed = l.mul_add(left, l.splat(mix), *mixed);
                }
            }
            z.fill(zero);
            for (column, &factor) in mixed.iter().enumerate() {
                let values = &group.values[column * (m + 1)..][..m];
                for (z, &value) in z[..m].iter_mut().zip(values) {
                    *z = l.mul_add(factor, value, *z);
                }
            }
            forward(l, m, &group.lower, &group.inverse, &mut z);
            backward(l, m, &group.lower, &group.inverse, &mut z);
            let square = dot(l, &left, &mixed);
            for (z, &u) in z.iter_mut().zip(&u) {
                *z = l.mul_add(square, u, l.add(*z, *z));
            }
            for k in 0..count {
                let g = &mut solved[k * (m + 1)..][..=m];
                if k + 1 < count {
                    group.multiply(&tables[k + 1], is_relative.then_some(&kept[..]), &u, g);
                } else {
                    g.copy_from_slice(&u);
                }
                traces[k] = dot(l, &u, g);
                products[k] = dot(l, &z, g);
                forward(l, m, &group.lower, &group.inverse, g);
                add(k, traces[k]);
                add(count + k, products[k]);
            }
            let half = l.splat(0.5);
            for k in 0..count {
                for j in 0..count {
                    let [a, b] = [j, k].map(|k| &solved[k * (m + 1)..][..m]);
                    let last = l.mul(half, l.mul(traces[j], traces[k]));
                    add((2 + k) * count + j, l.add(dot(l, a, b), last));
                }
            }
        }
        Ok(())
    }
}
