//! Trials of the filling.

use super::Laset;
use super::list_entry::ListEntry;
use crate::backend::Blas;
use crate::kernel::random::RandomInputs;
use crate::kernel::trial::{Guarded, Shape, Trial, Tried};
use crate::scalar::Scalar;

impl<T: Scalar> Tried<T> for ListEntry {
    fn trials(blas: &dyn Blas<T>, shape: Shape, random: &mut RandomInputs) -> Vec<Trial> {
        let _ = (blas, random);
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
