//! Trials of the exchange of rows.

use std::marker::PhantomData;

use super::Laswp;
use super::list_entry::ListEntry;
use crate::backend::Blas;
use crate::kernel::random::RandomInputs;
use crate::kernel::trial::{Guarded, Shape, Trial, Tried};
use crate::scalar::Scalar;

impl<T: Scalar> Tried<T> for ListEntry {
    fn trials(_: &dyn Blas<T>, Shape { m, n, k }: Shape, random: &mut RandomInputs) -> Vec<Trial> {
        // Few exchanges among many rows, and about as many as there are rows.
        let counts = [m.min(n / 8 + 1), m.min(n)];
        let before = Guarded::<T>::random(m, n, random);
        let mut trial = |steps: usize, first: usize, backward| {
            let row = |i: usize, random: &mut RandomInputs| {
                (random.bits() % (m - i) as u64) as u32 + i as u32
            };
            let pivots: Vec<u32> = (0..steps).map(|i| row(i, random)).collect();
            let laswp = Laswp { m, n, first, backward, scalar: PhantomData };
            let (mut got, mut expected) = (before.clone(), before.clone());
            laswp.compute(&pivots, got.write());
            laswp.reference(&pivots, expected.write());
            let error = got.deviation(&before, &expected, |_, _| true);
            Trial { case: format!("{laswp:?}"), error, tolerance: 0.0 }
        };
        let mut trials = Vec::new();
        for steps in counts {
            for first in [0, k.min(steps) / 2, steps] {
                trials.extend([trial(steps, first, false), trial(steps, first, true)]);
            }
        }
        trials
    }
}
