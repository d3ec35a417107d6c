//! Trials of the scaling.

use std::marker::PhantomData;

use super::list_entry::{ListEntry, squares};
use super::{Root, ScaleLines};
use crate::backend::Blas;
use crate::kernel::random::RandomInputs;
use crate::kernel::trial::{Guarded, Shape, Trial, Tried};
use crate::scalar::Scalar;

const ROOTS: [(Root, Root); 4] = [
    (Root::Square, Root::None),
    (Root::None, Root::Square),
    (Root::Fourth, Root::Fourth),
    (Root::None, Root::None),
];

impl<T: Scalar> Tried<T> for ListEntry {
    fn trials(blas: &dyn Blas<T>, shape: Shape, random: &mut RandomInputs) -> Vec<Trial> {
        let _ = blas;
        let Shape { m, n, .. } = shape;
        let trial = |(row, column)| {
            compare(ScaleLines::<T> { row, column, m, n, scalar: PhantomData }, random)
        };
        ROOTS.map(trial).into()
    }
}

fn compare<T: Scalar>(scale: ScaleLines<T>, random: &mut RandomInputs) -> Trial {
    let ScaleLines { row, column, m, n, .. } = scale;
    // Sums that are not read are not there.
    let mut sums = |count, root| squares::<T>(if root == Root::None { 0 } else { count }, random);
    let (rows, columns) = (sums(m, row), sums(n, column));
    let before = Guarded::random(m, n, random);
    let (mut got, mut expected) = (before.clone(), before.clone());
    scale.compute((&rows, &columns), got.write());
    scale.reference((&rows, &columns), expected.write());
    let error = got.deviation(&before, &expected, |_, _| true);
    // Quotients of at most 8, each of a few roundings.
    Trial { case: format!("{scale:?}"), error, tolerance: 64.0 * T::epsilon() }
}
