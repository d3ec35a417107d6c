//! Trials of the check.

use super::list_entry::{ListEntry, typical};
use crate::backend::Blas;
use crate::error::NumericalError;
use crate::kernel::random::RandomInputs;
use crate::kernel::trial::{Guarded, Shape, Trial, Tried};
use crate::scalar::Scalar;

impl<T: Scalar> Tried<T> for ListEntry {
    fn trials(blas: &dyn Blas<T>, shape: Shape, random: &mut RandomInputs) -> Vec<Trial> {
        let _ = blas;
        let Shape { m, n, .. } = shape;
        let mut whole = Guarded::<T>::nan(m, n);
        (0..m.min(n)).for_each(|i| whole.put(i, i, random.number()));
        let mut trials = vec![compare(&whole, m, n)];
        for zero in [0, m.min(n) / 2] {
            if zero < m.min(n) {
                let mut a = whole.clone();
                a.put(zero, zero, T::ZERO);
                trials.push(told(&a, m, n, zero));
                trials.push(compare(&a, m, n));
            }
        }
        trials
    }
}

/// Implementation and reference say the same.
fn compare<T: Scalar>(a: &Guarded<T>, m: usize, n: usize) -> Trial {
    let check = typical::<T>(m, n);
    let same = check.compute(a.read()) == check.reference(a.read());
    Trial::exact(format!("{check:?}"), same)
}

/// The zero at `place` is told.
fn told<T: Scalar>(a: &Guarded<T>, m: usize, n: usize, place: usize) -> Trial {
    let outcome = typical::<T>(m, n).compute(a.read());
    let holds = outcome == Err(NumericalError::SingularTriangle { index: 1001 + place });
    Trial::exact(format!("zero at {place} of {m} x {n} gives {outcome:?}"), holds)
}
