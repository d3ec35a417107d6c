//! Trials of the triangular product.

use super::Lauum;
use super::card::Card;
use crate::backend::Blas;
use crate::kernel::draw::Draw;
use crate::kernel::trial::{Guarded, Shape, Trial, Tried};
use crate::option::Uplo;
use crate::scalar::Scalar;

impl<T: Scalar> Tried<T> for Card {
    fn trials(blas: &dyn Blas<T>, shape: Shape, draw: &mut Draw) -> Vec<Trial> {
        Uplo::ALL.map(|uplo| compare(Lauum::new(uplo, shape.n), blas, draw)).into()
    }
}

fn compare<T: Scalar>(lauum: Lauum<T>, blas: &dyn Blas<T>, draw: &mut Draw) -> Trial {
    let Lauum { uplo, n, .. } = lauum;
    let mut before = Guarded::random(n, n, draw);
    before.keep(|i, j| uplo.holds(i, j));
    let (mut got, mut expected) = (before.clone(), before.clone());
    lauum.compute(blas, got.write());
    lauum.reference(expected.write());
    // As for a matrix product of inner size n and entries at most 1.
    let tolerance = n as f64 * (n as f64 + 2.0) * T::epsilon();
    let error = got.deviation(&before, &expected, |i, j| uplo.holds(i, j));
    Trial { case: format!("{lauum:?}"), error, tolerance }
}
