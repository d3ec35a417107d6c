//! Trials of the sums.

use std::marker::PhantomData;

use super::list_entry::{ListEntry, RANK};
use super::{LowRank, Mirror, Parts};
use crate::backend::Blas;
use crate::kernel::random::RandomInputs;
use crate::kernel::trial::{Guarded, Shape, Trial, Tried};
use crate::scalar::Scalar;

impl<T: Scalar> Tried<T> for ListEntry {
    fn trials(blas: &dyn Blas<T>, shape: Shape, random: &mut RandomInputs) -> Vec<Trial> {
        let _ = blas;
        let Shape { m, n, k } = shape;
        let scalar = PhantomData::<T>;
        let mut trials = Vec::new();
        for (mirror, m, below) in [
            (Mirror::None, m, 0),
            (Mirror::None, m, 2),
            (Mirror::None, m, -1),
            (Mirror::Triangle, n, 0),
            (Mirror::Whole, m, -(m as isize)),
        ] {
            trials
                .push(compare(LowRank { mirror, below, m, n, rank: k.min(RANK), scalar }, random));
        }
        trials
    }
}

fn compare<T: Scalar>(low: LowRank<T>, random: &mut RandomInputs) -> Trial {
    let LowRank { mirror, m, n, rank, .. } = low;
    let (rows, columns) = if mirror == Mirror::Whole { (n, m) } else { (m, n) };
    let [diagonal, x, y] = [rows, rows * rank, columns * rank].map(|count| random.numbers(count));
    let parts = Parts { diagonal: &diagonal, x: &x, y: &y };
    let before = Guarded::<T>::nan(m, n);
    let (mut got, mut expected) = (before.clone(), before.clone());
    low.compute(parts, got.write());
    low.reference(parts, expected.write());
    let error = got.deviation(&before, &expected, |_, _| true);
    // Sums of terms of at most 2 in modulus, in two orders, and a rounding.
    let terms = rank as f64 + 2.0;
    Trial { case: format!("{low:?}"), error, tolerance: 4.0 * terms * T::epsilon() }
}
