//! Trials of the triangular solve of one vector.

use super::Trsv;
use super::list_entry::ListEntry;
use crate::backend::Blas;
use crate::kernel::random::RandomInputs;
use crate::kernel::trial::{Guarded, Shape, Trial, Tried};
use crate::option::{Diag, Trans, Uplo};
use crate::scalar::Scalar;

impl<T: Scalar> Tried<T> for ListEntry {
    fn trials(blas: &dyn Blas<T>, shape: Shape, random: &mut RandomInputs) -> Vec<Trial> {
        let mut trials = Vec::new();
        for uplo in Uplo::ALL {
            for trans in Trans::ALL {
                for diag in Diag::ALL {
                    trials.push(compare(Trsv::new(uplo, trans, diag, shape.n), blas, random));
                }
            }
        }
        trials
    }
}

fn compare<T: Scalar>(trsv: Trsv<T>, blas: &dyn Blas<T>, random: &mut RandomInputs) -> Trial {
    let t = Guarded::triangle(trsv.n, trsv.uplo, trsv.diag, random);
    let before = Guarded::random(trsv.n, 1, random);
    let (mut got, mut expected) = (before.clone(), before.clone());
    trsv.compute(blas, t.read(), got.write());
    trsv.reference(t.read(), expected.write());
    // As for many right-hand sides.
    let tolerance = 3.0 * (trsv.n as f64 + 2.0) * T::epsilon() * expected.max();
    let error = got.deviation(&before, &expected, |_, _| true);
    Trial { case: format!("{trsv:?}"), error, tolerance }
}
