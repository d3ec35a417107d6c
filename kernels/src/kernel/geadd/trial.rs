//! Trials of the sum of matrices and its typical call.

use tegula_runtime::flow::{Codelet, Cost};

use super::Geadd;
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
    const NAME: &'static str = Geadd::<f64>::NAME;
    const FORMULA: &'static str = "B = alpha op(A) + beta B";
    const FLOPS: &'static str = "3 n^2";
}

impl<T: Scalar> ListedIn<T> for Card {
    fn trials(blas: &dyn Blas<T>, shape: Shape, draw: &mut Draw) -> Vec<Trial> {
        let _ = blas;
        let mut trials = Vec::new();
        for trans in Trans::ALL {
            for (alpha, beta) in [(1.0, 0.0), (1.0, 1.0), (-0.75, 1.5)] {
                let (alpha, beta) = (T::from_f64(alpha), T::from_f64(beta));
                let geadd = Geadd { trans, m: shape.m, n: shape.n, alpha, beta };
                trials.push(compare(geadd, draw));
            }
        }
        trials
    }

    fn operands(n: usize, draw: &mut Draw) -> Vec<Vec<T>> {
        (0..2).map(|_| draw.numbers(n * n)).collect()
    }

    fn run(blas: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let _ = blas;
        let [a, b] = operands else { unreachable!("two operands were made") };
        typical(n).compute(TileRef::new(a, n, n), TileMut::new(b, n, n));
    }

    fn cost(n: usize) -> Cost {
        typical::<T>(n).cost()
    }
}

/// The accumulation `B = B + A`.
fn typical<T: Scalar>(n: usize) -> Geadd<T> {
    Geadd { trans: Trans::No, m: n, n, alpha: T::ONE, beta: T::ONE }
}

fn compare<T: Scalar>(geadd: Geadd<T>, draw: &mut Draw) -> Trial {
    let Geadd { trans, m, n, alpha, beta } = geadd;
    let (rows, cols) = trans.stored(m, n);
    let a = Guarded::random(rows, cols, draw);
    let before = if beta == T::ZERO { Guarded::nan(m, n) } else { Guarded::random(m, n, draw) };
    let (mut got, mut expected) = (before.clone(), before.clone());
    geadd.compute(a.read(), got.write());
    geadd.reference(a.read(), expected.write());
    // Two products and a sum, rounded once each, on both sides.
    let terms = alpha.size() + beta.size();
    let tolerance = 2.0 * T::epsilon() * terms;
    let error = got.deviation(&before, &expected, |_, _| true);
    Trial { case: format!("{geadd:?}"), error, tolerance }
}
