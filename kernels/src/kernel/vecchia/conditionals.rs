//! Conditionals of the places of a block, and their derivatives, on a core.

use crate::error::NumericalError;
use crate::kernel::covariance::{Lanes, RadialTable, Vectors};

use super::cpu::{Work, numbers, run};
use super::factor::{backward, dot, forward, start};
use super::group::{Group, Source};
use super::{Conditionals, Places};

impl Conditionals {
    /// Overwrites `out`.
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
        out: &mut [f64],
    ) -> Result<(), NumericalError> {
        let &Self { places, derivatives, is_relative } = self;
        places.check(records, neighbours);
        assert_eq!(tables.len(), derivatives + 1, "tables");
        assert_eq!(out.len(), self.length(), "numbers of the conditionals");
        let source = Source { places, records, neighbours };
        run(ConditionalsWork { source, tables, is_relative, out }, vectors, places.geometry)
    }
}

struct ConditionalsWork<'a> {
    source: Source<'a>,
    tables: &'a [RadialTable],
    is_relative: bool,
    out: &'a mut [f64],
}

impl Work for ConditionalsWork<'_> {
    #[inline(always)]
    fn run<L: Lanes, const R: usize, const D: usize, const SPHERE: bool>(
        self,
        l: L,
    ) -> Result<(), NumericalError> {
        let Self { source, tables, is_relative, out } = self;
        let Places { rows, neighbours: m, .. } = source.places;
        let (table, width) = (&tables[0], m + 1);
        let own = source.places.own(source.records);
        let mut group = Group::<L, R, D, SPHERE>::new(l, source);
        let zero = l.splat(0.0);
        // Covariances of the neighbours, then with them; (-a, 1); D times that.
        let mut kept = vec![zero; start(m) + m];
        let (mut u, mut g) = (vec![zero; width], vec![zero; width]);
        for row in (0..rows).step_by(L::N) {
            let mut put = |which: usize, slot: usize, x: L::F| {
                let to = out[(which * rows + row) * width..].chunks_exact_mut(width);
                let lanes = L::N.min(rows - row);
                to.zip(&numbers(l, x)[..lanes]).for_each(|(to, &x)| to[slot] = x);
            };
            group.gather(row, &own);
            group.fill(table);
            kept[..start(m)].copy_from_slice(&group.lower);
            kept[start(m)..].copy_from_slice(&group.cross);
            let (rest, bad) = group.condition(table.variance + table.nugget);
            let is_positive = l.mask(l.at_least(rest, l.splat(f64::MIN_POSITIVE)));
            source.places.failure(row, bad | (!is_positive & ((1 << L::N) - 1)))?;
            for (slot, &weight) in group.weights.iter().enumerate() {
                put(0, slot, weight);
                u[slot] = l.sub(zero, weight);
            }
            put(0, m, rest);
            u[m] = l.splat(1.0);
            for (k, table) in tables[1..].iter().enumerate() {
                group.multiply(table, is_relative.then_some(&kept[..]), &u, &mut g);
                put(k + 1, m, dot(l, &u, &g));
                forward(l, m, &group.lower, &group.inverse, &mut g);
                backward(l, m, &group.lower, &group.inverse, &mut g);
                (0..m).for_each(|slot| put(k + 1, slot, g[slot]));
            }
        }
        Ok(())
    }
}
