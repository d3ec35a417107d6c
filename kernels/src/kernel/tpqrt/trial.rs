//! Trials of the factorization of a triangle above a tile.

use std::marker::PhantomData;

use super::Tpqrt;
use super::list_entry::ListEntry;
use crate::backend::Blas;
use crate::kernel::random::RandomInputs;
use crate::kernel::trial::{Guarded, Shape, Trial, Tried};
use crate::option::Below;
use crate::scalar::Scalar;

impl<T: Scalar> Tried<T> for ListEntry {
    fn trials(blas: &dyn Blas<T>, shape: Shape, random: &mut RandomInputs) -> Vec<Trial> {
        let Shape { m, n, k } = shape;
        let mut trials = Vec::new();
        for below in Below::ALL {
            for ib in [1 + k % 7, 24] {
                let tpqrt = Tpqrt { below, top: n + 1, m, n, ib, scalar: PhantomData };
                trials.push(compare(tpqrt, blas, random));
            }
        }
        trials
    }
}

/// A triangle, with a NaN wherever it is not, in a tile of `rows`.
pub(in crate::kernel) fn triangle<T: Scalar>(
    rows: usize,
    n: usize,
    random: &mut RandomInputs,
) -> Guarded<T> {
    let (square, mut r) = (random.dominant::<T>(n), Guarded::nan(rows, n));
    for (i, j) in (0..n).flat_map(|j| (0..=j).map(move |i| (i, j))) {
        r.put(i, j, square[i + j * n]);
    }
    r
}

fn compare<T: Scalar>(tpqrt: Tpqrt<T>, blas: &dyn Blas<T>, random: &mut RandomInputs) -> Trial {
    let Tpqrt { below, top, m, n, ib, .. } = tpqrt;
    let r = triangle(top, n, random);
    let mut b = Guarded::random(m, n, random);
    b.keep(|i, j| below.holds(i, j));
    let t = Guarded::nan(ib.min(n), n);
    let mut got = (r.clone(), b.clone(), t.clone());
    let mut expected = got.clone();
    tpqrt.compute(blas, got.0.write(), got.1.write(), got.2.write());
    tpqrt.reference(expected.0.write(), expected.1.write(), expected.2.write());
    let errors = [
        got.0.deviation(&r, &expected.0, |i, j| i <= j),
        got.1.deviation(&b, &expected.1, |i, j| below.holds(i, j)),
        got.2.deviation(&t, &expected.2, |_, _| true),
    ];
    // As for the factorization of a panel, whose columns have norms up to sqrt(2 m) + 3; R's
    // singular values are at least 2.
    let norm = (2.0 * m as f64).sqrt() + 3.0;
    let tolerance = 20.0 * (m + n + 2) as f64 * T::epsilon() * norm;
    Trial { case: format!("{tpqrt:?}"), error: errors.iter().sum(), tolerance }
}
