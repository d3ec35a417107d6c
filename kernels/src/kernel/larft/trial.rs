//! Trials of the triangle of a block of reflectors.

use std::marker::PhantomData;

use super::Larft;
use super::list_entry::ListEntry;
use crate::backend::Blas;
use crate::kernel::random::RandomInputs;
use crate::kernel::trial::panels::{Factored, factored};
use crate::kernel::trial::{Guarded, Shape, Trial, Tried};
use crate::option::Storev;
use crate::scalar::Scalar;

impl<T: Scalar> Tried<T> for ListEntry {
    fn trials(blas: &dyn Blas<T>, shape: Shape, random: &mut RandomInputs) -> Vec<Trial> {
        let Shape { m, n, .. } = shape;
        let mut trials = Vec::new();
        for storev in Storev::ALL {
            for offset in [0, m / 3] {
                let all = (m - offset).min(n);
                for k in [all, all / 2] {
                    let larft = Larft { storev, m, n, k, offset, scalar: PhantomData };
                    trials.push(compare(larft, blas, random));
                }
            }
        }
        trials
    }
}

fn compare<T: Scalar>(larft: Larft<T>, blas: &dyn Blas<T>, random: &mut RandomInputs) -> Trial {
    let Larft { storev, m, n, k, offset, .. } = larft;
    let Factored { v, tau, .. } = factored(storev, (m, n, k), offset, random);
    let before = Guarded::nan(k, k);
    let (mut got, mut expected) = (before.clone(), before.clone());
    larft.compute(blas, v.read(), tau.read(), got.write());
    larft.reference(v.read(), tau.read(), expected.write());
    // Sums over columns of reflectors whose square norm is at most 2, then over the triangle.
    let tolerance = 20.0 * (m + k + 2) as f64 * T::epsilon();
    let error = got.deviation(&before, &expected, |_, _| true);
    Trial { case: format!("{larft:?}"), error, tolerance }
}
