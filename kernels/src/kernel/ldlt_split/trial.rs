//! Trials of the split.

use std::marker::PhantomData;

use super::LdltSplit;
use super::list_entry::ListEntry;
use crate::backend::Blas;
use crate::kernel::random::RandomInputs;
use crate::kernel::trial::{Guarded, Shape, Trial, Tried};
use crate::scalar::Scalar;

impl<T: Scalar> Tried<T> for ListEntry {
    fn trials(blas: &dyn Blas<T>, shape: Shape, random: &mut RandomInputs) -> Vec<Trial> {
        let _ = blas;
        let Shape { m, n, .. } = shape;
        let of = |is_transposed| LdltSplit { is_transposed, m, n, scalar: PhantomData::<T> };
        [false, true].map(|is_transposed| compare(of(is_transposed), random)).into_iter().collect()
    }
}

fn compare<T: Scalar>(split: LdltSplit<T>, random: &mut RandomInputs) -> Trial {
    let LdltSplit { is_transposed, m, n, .. } = split;
    let mut d = Guarded::new(n, n, &random.dominant::<T>(n));
    d.keep(|i, j| i == j);
    let (rows, cols) = if is_transposed { (n, m) } else { (m, n) };
    let (a, w) = (Guarded::random(rows, cols, random), Guarded::nan(rows, cols));
    let (mut got, mut expected) = ((a.clone(), w.clone()), (a.clone(), w.clone()));
    split.compute(d.read(), got.0.write(), got.1.write());
    split.reference(d.read(), expected.0.write(), expected.1.write());
    let error = got.0.deviation(&a, &expected.0, |_, _| true);
    let error = error.max(got.1.deviation(&w, &expected.1, |_, _| true));
    Trial { case: format!("{split:?}"), error, tolerance: 0.0 }
}
