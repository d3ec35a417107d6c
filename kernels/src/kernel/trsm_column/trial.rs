//! Trials of the step of a triangular solve.

use std::marker::PhantomData;

use super::TrsmColumn;
use super::list_entry::ListEntry;
use crate::backend::Blas;
use crate::kernel::random::RandomInputs;
use crate::kernel::trial::{Guarded, Shape, Trial, Tried, triangles};
use crate::scalar::Scalar;

impl<T: Scalar> Tried<T> for ListEntry {
    fn trials(
        blas: &dyn Blas<T>,
        Shape { m, n, k }: Shape,
        random: &mut RandomInputs,
    ) -> Vec<Trial> {
        let k = k.min(m);
        let mut trials = Vec::new();
        for (_, uplo, trans, diag) in triangles().into_iter().step_by(2) {
            for first in [0, (m - k) / 2, m - k] {
                let column = TrsmColumn { uplo, trans, diag, m, n, k, first, scalar: PhantomData };
                trials.push(compare(column, blas, random));
            }
        }
        trials
    }
}

fn compare<T: Scalar>(
    column: TrsmColumn<T>,
    blas: &dyn Blas<T>,
    random: &mut RandomInputs,
) -> Trial {
    let TrsmColumn { uplo, diag, m, n, k, first, .. } = column;
    let triangle = Guarded::<T>::triangle(k, uplo, diag, random);
    let scale = T::from_f64(0.5 / m.max(1) as f64);
    let mut t = Guarded::nan(m, k);
    for j in 0..k {
        column.rest().for_each(|i| t.put(i, j, random.number::<T>() * scale));
        (0..k).for_each(|i| t.put(first + i, j, triangle.read().at(i, j)));
    }
    let before = Guarded::random(m, n, random);
    let (mut got, mut expected) = (before.clone(), before.clone());
    column.compute(blas, t.read(), got.write());
    column.reference(t.read(), expected.write());
    // Solutions are at most 4 for entries of at most 2, and sums of products with the rest, whose
    // columns add up to at most 1/2, no larger.
    let tolerance = 16.0 * (m as f64 + 2.0) * T::epsilon();
    let written = |i: usize, _| column.triangle().contains(&i) || column.rest().contains(&i);
    let error = got.deviation(&before, &expected, written);
    Trial { case: format!("{column:?}"), error, tolerance }
}
