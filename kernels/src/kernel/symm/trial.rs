//! Trials of the product with a symmetric matrix and its typical call.

use tegula_runtime::flow::{Codelet, Cost};

use super::Symm;
use crate::backend::Blas;
use crate::kernel::trial::{Draw, Guarded, Shape, Trial, coefficients};
use crate::kernel::{Listed, ListedIn};
use crate::option::{Form, Side, Uplo};
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

/// The kernel's card in the list.
#[derive(Debug)]
pub(in crate::kernel) struct Card;

impl Listed for Card {
    const NAME: &'static str = Symm::<f64>::NAME;
    const FORMULA: &'static str = "C = alpha A B + beta C, A symmetric, or from the right";
    const FLOPS: &'static str = "2 n^3";
}

impl<T: Scalar> ListedIn<T> for Card {
    fn trials(blas: &dyn Blas<T>, shape: Shape, draw: &mut Draw) -> Vec<Trial> {
        let Shape { m, n, .. } = shape;
        let mut trials = Vec::new();
        let choices =
            Form::ALL.map(|form| Side::ALL.map(|side| Uplo::ALL.map(|uplo| (form, side, uplo))));
        for (form, side, uplo) in choices.into_iter().flatten().flatten() {
            for [alpha, beta] in coefficients::<T>() {
                trials.push(compare(Symm { form, side, uplo, m, n, alpha, beta }, blas, draw));
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

/// `C = C + A B`.
fn typical<T: Scalar>(n: usize) -> Symm<T> {
    let (form, side, uplo) = (Form::Hermitian, Side::Left, Uplo::Lower);
    Symm { form, side, uplo, m: n, n, alpha: T::ONE, beta: T::ONE }
}

fn compare<T: Scalar>(symm: Symm<T>, blas: &dyn Blas<T>, draw: &mut Draw) -> Trial {
    let Symm { uplo, m, n, alpha, beta, .. } = symm;
    let order = symm.order();
    let mut a = Guarded::random(order, order, draw);
    a.keep(|i, j| uplo.holds(i, j));
    let b = Guarded::random(m, n, draw);
    let before = if beta == T::ZERO { Guarded::nan(m, n) } else { Guarded::random(m, n, draw) };
    let (mut got, mut expected) = (before.clone(), before.clone());
    symm.compute(blas, a.read(), b.read(), got.write());
    symm.reference(a.read(), b.read(), expected.write());
    // As for a matrix product: entries of at most 1, or root 2 if complex.
    let terms = 2.0 * alpha.size() * order as f64 + 2.0 * beta.size();
    let tolerance = (order as f64 + 2.0) * T::epsilon() * terms;
    let error = got.deviation(&before, &expected, |_, _| true);
    Trial { case: format!("{symm:?}"), error, tolerance }
}
