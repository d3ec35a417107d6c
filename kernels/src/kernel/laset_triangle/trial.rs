//! Trials of the filling of a triangle.

use super::LasetTriangle;
use super::card::{Card, typical};
use crate::backend::Blas;
use crate::kernel::draw::Draw;
use crate::kernel::trial::{Guarded, Shape, Trial, Tried};
use crate::option::Uplo;
use crate::scalar::Scalar;

impl<T: Scalar> Tried<T> for Card {
    fn trials(blas: &dyn Blas<T>, shape: Shape, draw: &mut Draw) -> Vec<Trial> {
        let _ = blas;
        let fill = |uplo| LasetTriangle { uplo, ..typical(shape.m, shape.n) };
        Uplo::ALL.into_iter().map(|uplo| compare::<T>(fill(uplo), draw)).collect()
    }
}

fn compare<T: Scalar>(laset: LasetTriangle<T>, draw: &mut Draw) -> Trial {
    let mut before = Guarded::random(laset.m, laset.n, draw);
    before.keep(|i, j| !laset.uplo.holds(i, j));
    let (mut got, mut expected) = (before.clone(), before.clone());
    laset.compute(got.write());
    laset.reference(expected.write());
    let error = got.deviation(&before, &expected, |i, j| laset.uplo.holds(i, j));
    Trial { case: format!("{laset:?}"), error, tolerance: 0.0 }
}
