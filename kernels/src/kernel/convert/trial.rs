//! Trials of the conversion.

use std::marker::PhantomData;

use super::Convert;
use super::list_entry::ListEntry;
use crate::backend::Blas;
use crate::kernel::random::RandomInputs;
use crate::kernel::trial::{Guarded, Shape, Trial, Tried};
use crate::option::Part;
use crate::scalar::Scalar;

impl<T: Scalar> Tried<T> for ListEntry {
    fn trials(_: &dyn Blas<T>, Shape { m, n, .. }: Shape, random: &mut RandomInputs) -> Vec<Trial> {
        let a = Guarded::<T>::random(m, n, random);
        let trial = |part: Part| {
            let convert = Convert::<T> { part, m, n, scalar: PhantomData };
            let before = Guarded::<T::Other>::nan(m, n);
            let (mut got, mut expected) = (before.clone(), before.clone());
            convert.compute(a.read(), got.write());
            convert.reference(a.read(), expected.write());
            let error = got.deviation(&before, &expected, |i, j| part.holds(i, j));
            Trial { case: format!("{convert:?}"), error, tolerance: 0.0 }
        };
        Part::ALL.map(trial).into()
    }
}
