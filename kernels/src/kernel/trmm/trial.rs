//! Trials of the triangular product.

use super::Trmm;
use super::list_entry::ListEntry;
use crate::backend::Blas;
use crate::kernel::random::RandomInputs;
use crate::kernel::trial::{Guarded, Shape, Trial, Tried, triangles};
use crate::scalar::Scalar;

impl<T: Scalar> Tried<T> for ListEntry {
    fn trials(blas: &dyn Blas<T>, shape: Shape, random: &mut RandomInputs) -> Vec<Trial> {
        let (Shape { m, n, .. }, alpha) = (shape, T::from_f64(-0.75));
        let trials = triangles().into_iter().map(|(side, uplo, trans, diag)| {
            compare(Trmm { side, uplo, trans, diag, m, n, alpha }, blas, random)
        });
        trials.collect()
    }
}

fn compare<T: Scalar>(trmm: Trmm<T>, blas: &dyn Blas<T>, random: &mut RandomInputs) -> Trial {
    let Trmm { uplo, diag, m, n, alpha, .. } = trmm;
    let order = trmm.order();
    let t = Guarded::triangle(order, uplo, diag, random);
    let before = Guarded::random(m, n, random);
    let (mut got, mut expected) = (before.clone(), before.clone());
    trmm.compute(blas, t.read(), got.write());
    trmm.reference(t.read(), expected.write());
    // As for a matrix product; the absolute terms of a row add up to at most 3 + 1/2.
    let terms = 3.5 * alpha.size();
    let tolerance = (order as f64 + 2.0) * T::epsilon() * terms;
    let error = got.deviation(&before, &expected, |_, _| true);
    Trial { case: format!("{trmm:?}"), error, tolerance }
}
