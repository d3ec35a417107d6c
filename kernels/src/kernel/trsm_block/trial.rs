//! Trials of the step of a solve.

use std::marker::PhantomData;

use super::TrsmBlock;
use super::list_entry::ListEntry;
use crate::backend::Blas;
use crate::kernel::random::RandomInputs;
use crate::kernel::trial::{Guarded, Shape, Trial, Tried};
use crate::option::{Storev, Trans};
use crate::scalar::Scalar;

impl<T: Scalar> Tried<T> for ListEntry {
    fn trials(blas: &dyn Blas<T>, shape: Shape, random: &mut RandomInputs) -> Vec<Trial> {
        let Shape { m, n, k } = shape;
        let mut trials = Vec::new();
        for storev in Storev::ALL {
            for trans in [Trans::No, Trans::Conj] {
                for offset in [0, m / 3] {
                    let (k, rows, nrhs) = (k.min(m - offset), m + 2, n as u32);
                    let width = k + 1;
                    let step = TrsmBlock {
                        storev,
                        trans,
                        m,
                        n: width,
                        k,
                        offset,
                        rows,
                        nrhs,
                        scalar: PhantomData,
                    };
                    trials.push(compare(step, blas, random));
                }
            }
        }
        trials
    }
}

fn compare<T: Scalar>(step: TrsmBlock<T>, blas: &dyn Blas<T>, random: &mut RandomInputs) -> Trial {
    let TrsmBlock { storev, trans, m, n, k, offset, rows, nrhs, .. } = step;
    let (height, width) = storev.stored(m, n);
    let mut a = Guarded::nan(height, width);
    let square = random.dominant::<T>(k);
    for (i, j) in (0..k).flat_map(|j| (0..=offset + j).map(move |i| (i, j))) {
        let entry = if i < offset {
            // So that a row adds up to at most 1/2, as in a dominant matrix.
            random.number::<T>() * T::from_f64(0.35 / (offset + k) as f64)
        } else {
            square[i - offset + j * k]
        };
        let (row, column) = storev.stored(i, j);
        a.put(row, column, entry);
    }
    let before = Guarded::random(rows, nrhs as usize, random);
    let (mut got, mut expected) = (before.clone(), before.clone());
    step.compute(blas, a.read(), got.write());
    step.reference(a.read(), expected.write());
    let solves_upper = (trans == Trans::No) == (storev == Storev::Columns);
    let error =
        got.deviation(&before, &expected, |i, _| i < offset + k && (i >= offset || solves_upper));
    // As for a triangular solve with a dominant matrix, whose inverse has rows of at most 1.
    let tolerance = 10.0 * (offset + k + 2) as f64 * T::epsilon();
    Trial { case: format!("{step:?}"), error, tolerance }
}
