//! Trials of the symmetric product of two matrices and its typical call.

use tegula_runtime::flow::{Codelet, Cost};

use super::Syr2k;
use crate::backend::Blas;
use crate::kernel::trial::{Draw, Guarded, Shape, Trial, coefficients};
use crate::kernel::{Listed, ListedIn};
use crate::option::{Form, Trans, Uplo};
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

/// The kernel's card in the list.
#[derive(Debug)]
pub(in crate::kernel) struct Card;

impl Listed for Card {
    const NAME: &'static str = Syr2k::<f64>::NAME;
    const FORMULA: &'static str =
        "C = alpha op(A) op(B)' + alpha op(B) op(A)' + beta C, one triangle";
    const FLOPS: &'static str = "2 n^3";
}

impl<T: Scalar> ListedIn<T> for Card {
    fn trials(blas: &dyn Blas<T>, shape: Shape, draw: &mut Draw) -> Vec<Trial> {
        let mut trials = Vec::new();
        let choices =
            Form::ALL.map(|form| Uplo::ALL.map(|uplo| Trans::ALL.map(|trans| (form, uplo, trans))));
        for (form, uplo, trans) in choices.into_iter().flatten().flatten() {
            for [alpha, beta] in coefficients::<T>() {
                let syr2k = Syr2k { form, uplo, trans, n: shape.n, k: shape.k, alpha, beta };
                trials.push(compare(syr2k, blas, draw));
            }
        }
        trials
    }

    fn operands(n: usize, draw: &mut Draw) -> Vec<Vec<T>> {
        (0..3).map(|_| draw.numbers(n * n)).collect()
    }

    fn run(blas: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let [a, b, c] = operands else { unreachable!("three operands were made") };
        let (a, b) = (TileRef::new(a, n, n), TileRef::new(b, n, n));
        typical(n).compute(blas, a, b, TileMut::new(c, n, n));
    }

    fn cost(n: usize) -> Cost {
        typical::<T>(n).cost()
    }
}

/// The update of a two-sided reduction: `C = C - A B' - B A'`.
fn typical<T: Scalar>(n: usize) -> Syr2k<T> {
    let (form, uplo, trans) = (Form::Hermitian, Uplo::Lower, Trans::No);
    Syr2k { form, uplo, trans, n, k: n, alpha: -T::ONE, beta: T::ONE }
}

fn compare<T: Scalar>(syr2k: Syr2k<T>, blas: &dyn Blas<T>, draw: &mut Draw) -> Trial {
    let Syr2k { uplo, n, k, alpha, beta, .. } = syr2k;
    let (rows, cols) = syr2k.trans.stored(n, k);
    let (a, b) = (Guarded::random(rows, cols, draw), Guarded::random(rows, cols, draw));
    let mut before = if beta == T::ZERO { Guarded::nan(n, n) } else { Guarded::random(n, n, draw) };
    before.keep(|i, j| uplo.holds(i, j));
    let (mut got, mut expected) = (before.clone(), before.clone());
    syr2k.compute(blas, a.read(), b.read(), got.write());
    syr2k.reference(a.read(), b.read(), expected.write());
    // As for a matrix product of twice the inner size: entries of at most 1, or root 2 if complex.
    let terms = 4.0 * alpha.size() * k as f64 + 2.0 * beta.size();
    let tolerance = (2.0 * k as f64 + 2.0) * T::epsilon() * terms;
    let error = got.deviation(&before, &expected, |i, j| uplo.holds(i, j));
    Trial { case: format!("{syr2k:?}"), error, tolerance }
}
