//! Trials of the filling of a triangle.

use super::LasetTriangle;
use super::list_entry::{ListEntry, typical};
use crate::backend::Blas;
use crate::kernel::random::RandomInputs;
use crate::kernel::trial::{Guarded, Shape, Trial, Tried};
use crate::option::Uplo;
use crate::scalar::Scalar;

impl<T: Scalar> Tried<T> for ListEntry {
    fn trials(blas: &dyn Blas<T>, shape: Shape, random: &mut RandomInputs) -> Vec<Trial> {
        let _ = blas;
        let fill = |uplo| LasetTriangle { uplo, ..typical(shape.m, shape.n) };
        Uplo::ALL.into_iter().map(|uplo| compare::<T>(fill(uplo), random)).collect()
    }
}

fn compare<T: Scalar>(laset: LasetTriangle<T>, random: &mut RandomInputs) -> Trial {
    let mut before = Guarded::random(laset.m, laset.n, random);
    before.keep(|i, j| !laset.uplo.holds(i, j));
    let (mut got, mut expected) = (before.clone(), before.clone());
    laset.compute(got.write());
    laset.reference(expected.write());
    let error = got.deviation(&before, &expected, |i, j| laset.uplo.holds(i, j));
    Trial { case: format!("{laset:?}"), error, tolerance: 0.0 }
}
