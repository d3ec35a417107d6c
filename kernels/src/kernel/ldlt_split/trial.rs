//! Trials of the split.

use std::marker::PhantomData;

use super::LdltSplit;
use super::card::Card;
use crate::backend::Blas;
use crate::kernel::draw::Draw;
use crate::kernel::trial::{Guarded, Shape, Trial, Tried};
use crate::scalar::Scalar;

impl<T: Scalar> Tried<T> for Card {
    fn trials(blas: &dyn Blas<T>, shape: Shape, draw: &mut Draw) -> Vec<Trial> {
        let _ = blas;
        let Shape { m, n, .. } = shape;
        let of = |is_transposed| LdltSplit { is_transposed, m, n, scalar: PhantomData::<T> };
        [false, true].map(|is_transposed| compare(of(is_transposed), draw)).into_iter().collect()
    }
}

fn compare<T: Scalar>(split: LdltSplit<T>, draw: &mut Draw) -> Trial {
    let LdltSplit { is_transposed, m, n, .. } = split;
    let mut d = Guarded::new(n, n, &draw.dominant::<T>(n));
    d.keep(|i, j| i == j);
    let (rows, cols) = if is_transposed { (n, m) } else { (m, n) };
    let (a, w) = (Guarded::random(rows, cols, draw), Guarded::nan(rows, cols));
    let (mut got, mut expected) = ((a.clone(), w.clone()), (a.clone(), w.clone()));
    split.compute(d.read(), got.0.write(), got.1.write());
    split.reference(d.read(), expected.0.write(), expected.1.write());
    let error = got.0.deviation(&a, &expected.0, |_, _| true);
    let error = error.max(got.1.deviation(&w, &expected.1, |_, _| true));
    Trial { case: format!("{split:?}"), error, tolerance: 0.0 }
}
