//! Trials of the triangular product.

use super::Lauum;
use super::list_entry::ListEntry;
use crate::backend::Blas;
use crate::kernel::random::RandomInputs;
use crate::kernel::trial::{Guarded, Shape, Trial, Tried};
use crate::option::Uplo;
use crate::scalar::Scalar;

impl<T: Scalar> Tried<T> for ListEntry {
    fn trials(blas: &dyn Blas<T>, shape: Shape, random: &mut RandomInputs) -> Vec<Trial> {
        Uplo::ALL.map(|uplo| compare(Lauum::new(uplo, shape.n), blas, random)).into()
    }
}

fn compare<T: Scalar>(lauum: Lauum<T>, blas: &dyn Blas<T>, random: &mut RandomInputs) -> Trial {
    let Lauum { uplo, n, .. } = lauum;
    let mut before = Guarded::random(n, n, random);
    before.keep(|i, j| uplo.holds(i, j));
    let (mut got, mut expected) = (before.clone(), before.clone());
    lauum.compute(blas, got.write());
    lauum.reference(expected.write());
    // As for a matrix product of inner size n and entries at most 1.
    let tolerance = n as f64 * (n as f64 + 2.0) * T::epsilon();
    let error = got.deviation(&before, &expected, |i, j| uplo.holds(i, j));
    Trial { case: format!("{lauum:?}"), error, tolerance }
}
