//! Trials of the filling.

use super::Laset;
use super::card::Card;
use crate::backend::Blas;
use crate::kernel::draw::Draw;
use crate::kernel::trial::{Guarded, Shape, Trial, Tried};
use crate::scalar::Scalar;

impl<T: Scalar> Tried<T> for Card {
    fn trials(blas: &dyn Blas<T>, shape: Shape, draw: &mut Draw) -> Vec<Trial> {
        let _ = (blas, draw);
        let (off_diagonal, diagonal) = (T::from_f64(0.25), T::from_f64(-2.0));
        vec![compare(Laset { m: shape.m, n: shape.n, off_diagonal, diagonal })]
    }
}

fn compare<T: Scalar>(laset: Laset<T>) -> Trial {
    let before = Guarded::nan(laset.m, laset.n);
    let (mut got, mut expected) = (before.clone(), before.clone());
    laset.compute(got.write());
    laset.reference(expected.write());
    let error = got.deviation(&before, &expected, |_, _| true);
    Trial { case: format!("{laset:?}"), error, tolerance: 0.0 }
}
