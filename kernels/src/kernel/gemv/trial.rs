//! Trials of the product with a vector and its typical call.

use tegula_runtime::flow::{Codelet, Cost};

use super::Gemv;
use crate::backend::Blas;
use crate::kernel::trial::{Draw, Guarded, Shape, Trial};
use crate::kernel::{Listed, ListedIn};
use crate::option::Trans;
use crate::scalar::Scalar;
use crate::tile::{TileMut, TileRef};

/// The kernel's card in the list.
#[derive(Debug)]
pub(in crate::kernel) struct Card;

impl Listed for Card {
    const NAME: &'static str = Gemv::<f64>::NAME;
    const FORMULA: &'static str = "y = alpha op(A) x + beta y";
    const FLOPS: &'static str = "2 n^2";
}

impl<T: Scalar> ListedIn<T> for Card {
    fn trials(blas: &dyn Blas<T>, shape: Shape, draw: &mut Draw) -> Vec<Trial> {
        let mut trials = Vec::new();
        for trans in Trans::ALL {
            for (alpha, beta) in [(-1.0, 1.0), (0.75, 0.0), (1.5, -0.5), (0.0, 2.0)] {
                let (alpha, beta) = (T::from_f64(alpha), T::from_f64(beta));
                let gemv = Gemv { trans, m: shape.m, n: shape.n, alpha, beta };
                trials.push(compare(gemv, blas, draw));
            }
        }
        trials
    }

    fn operands(n: usize, draw: &mut Draw) -> Vec<Vec<T>> {
        vec![draw.numbers(n * n), draw.numbers(n), draw.numbers(n)]
    }

    fn run(blas: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let [a, x, y] = operands else { unreachable!("three operands were made") };
        let (a, x) = (TileRef::new(a, n, n), TileRef::new(x, n, 1));
        typical(n).compute(blas, a, x, TileMut::new(y, n, 1));
    }

    fn cost(n: usize) -> Cost {
        typical::<T>(n).cost()
    }
}

/// The update of a forward solve: `y = y - A x`.
fn typical<T: Scalar>(n: usize) -> Gemv<T> {
    Gemv { trans: Trans::No, m: n, n, alpha: -T::ONE, beta: T::ONE }
}

fn compare<T: Scalar>(gemv: Gemv<T>, blas: &dyn Blas<T>, draw: &mut Draw) -> Trial {
    let Gemv { trans, m, n, alpha, beta } = gemv;
    let (rows, cols) = trans.stored(m, n);
    let a = Guarded::random(m, n, draw);
    let x = Guarded::random(cols, 1, draw);
    let before =
        if beta == T::ZERO { Guarded::nan(rows, 1) } else { Guarded::random(rows, 1, draw) };
    let (mut got, mut expected) = (before.clone(), before.clone());
    gemv.compute(blas, a.read(), x.read(), got.write());
    gemv.reference(a.read(), x.read(), expected.write());
    // As for a matrix product.
    let terms = alpha.size() * cols as f64 + beta.size();
    let tolerance = (cols as f64 + 2.0) * T::epsilon() * terms;
    let error = got.deviation(&before, &expected, |_, _| true);
    Trial { case: format!("{gemv:?}"), error, tolerance }
}
