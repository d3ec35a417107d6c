//! Trials of the triangular product.

use super::Trmm;
use super::card::Card;
use crate::backend::Blas;
use crate::kernel::draw::Draw;
use crate::kernel::trial::{Guarded, Shape, Trial, Tried, triangles};
use crate::scalar::Scalar;

impl<T: Scalar> Tried<T> for Card {
    fn trials(blas: &dyn Blas<T>, shape: Shape, draw: &mut Draw) -> Vec<Trial> {
        let (Shape { m, n, .. }, alpha) = (shape, T::from_f64(-0.75));
        let trials = triangles().into_iter().map(|(side, uplo, trans, diag)| {
            compare(Trmm { side, uplo, trans, diag, m, n, alpha }, blas, draw)
        });
        trials.collect()
    }
}

fn compare<T: Scalar>(trmm: Trmm<T>, blas: &dyn Blas<T>, draw: &mut Draw) -> Trial {
    let Trmm { uplo, diag, m, n, alpha, .. } = trmm;
    let order = trmm.order();
    let t = Guarded::triangle(order, uplo, diag, draw);
    let before = Guarded::random(m, n, draw);
    let (mut got, mut expected) = (before.clone(), before.clone());
    trmm.compute(blas, t.read(), got.write());
    trmm.reference(t.read(), expected.write());
    // As for a matrix product; the absolute terms of a row add up to at most 3 + 1/2.
    let terms = 3.5 * alpha.size();
    let tolerance = (order as f64 + 2.0) * T::epsilon() * terms;
    let error = got.deviation(&before, &expected, |_, _| true);
    Trial { case: format!("{trmm:?}"), error, tolerance }
}
