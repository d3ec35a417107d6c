//! Trials of multiplying reflectors out.

use std::marker::PhantomData;

use super::Ungqr;
use super::list_entry::ListEntry;
use crate::backend::Blas;
use crate::kernel::random::RandomInputs;
use crate::kernel::trial::panels::{Factored, factored};
use crate::kernel::trial::{Shape, Trial, Tried};
use crate::option::Storev;
use crate::scalar::Scalar;

impl<T: Scalar> Tried<T> for ListEntry {
    fn trials(blas: &dyn Blas<T>, shape: Shape, random: &mut RandomInputs) -> Vec<Trial> {
        let Shape { m, n, .. } = shape;
        let mut trials = Vec::new();
        for storev in Storev::ALL {
            for offset in [0, m / 3] {
                let n = n.min(m - offset);
                for k in [n, n / 2, 0] {
                    let ungqr = Ungqr { storev, m, n, k, offset, scalar: PhantomData };
                    trials.push(compare(ungqr, blas, random));
                }
            }
        }
        trials
    }
}

fn compare<T: Scalar>(ungqr: Ungqr<T>, blas: &dyn Blas<T>, random: &mut RandomInputs) -> Trial {
    let Ungqr { storev, m, n, k, offset, .. } = ungqr;
    let Factored { v: before, t, .. } = factored(storev, (m, n, k), offset, random);
    let (mut got, mut expected) = (before.clone(), before.clone());
    ungqr.compute(blas, got.write(), t.read());
    ungqr.reference(expected.write(), t.read());
    // Sums over columns of norm one.
    let tolerance = 8.0 * (m + k + 2) as f64 * T::epsilon();
    let error = got.deviation(&before, &expected, |_, _| true);
    Trial { case: format!("{ungqr:?}"), error, tolerance }
}
