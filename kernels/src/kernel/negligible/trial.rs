//! Trials of the comparison.

use super::list_entry::{ListEntry, sums, typical};
use crate::backend::Blas;
use crate::kernel::random::RandomInputs;
use crate::kernel::trial::{Shape, Trial, Tried};
use crate::scalar::{Real, Scalar};

impl<T: Scalar> Tried<T> for ListEntry {
    fn trials(blas: &dyn Blas<T>, shape: Shape, random: &mut RandomInputs) -> Vec<Trial> {
        let _ = blas;
        let kernel = typical::<T>(shape.n);
        let before = sums::<T>(shape.n, random);
        // Far below what counts as rounding, far above, and as they are.
        let factors = [kernel.part / 8.0, kernel.part * 8.0, 1.0].map(T::Real::of_f64).into_iter();
        let after = before.iter().zip(factors.cycle());
        let after: Vec<T> = after.map(|(sum, factor)| sum.times_real(factor)).collect();
        let (mut got, mut expected) = (after.clone(), after.clone());
        kernel.compute(&before, &mut got);
        kernel.reference(&before, &mut expected);
        let is_some = |sums: &[T]| sums.iter().skip(1).step_by(3).all(|sum| *sum != T::ZERO);
        let case = format!("{kernel:?}");
        vec![Trial::exact(case, got == expected && is_some(&got[..]))]
    }
}
