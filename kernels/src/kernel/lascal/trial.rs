//! Trials of the scaling and its typical call.

use tegula_runtime::flow::{Codelet, Cost};

use super::Lascal;
use crate::backend::Blas;
use crate::kernel::trial::{Draw, Guarded, Shape, Trial};
use crate::kernel::{Listed, ListedIn};
use crate::option::Part;
use crate::scalar::Scalar;
use crate::tile::TileMut;

/// The kernel's card in the list.
#[derive(Debug)]
pub(in crate::kernel) struct Card;

impl Listed for Card {
    const NAME: &'static str = Lascal::<f64>::NAME;
    const FORMULA: &'static str = "A = alpha A, or one triangle of it";
    const FLOPS: &'static str = "n^2";
}

impl<T: Scalar> ListedIn<T> for Card {
    fn trials(blas: &dyn Blas<T>, shape: Shape, draw: &mut Draw) -> Vec<Trial> {
        let _ = blas;
        let Shape { m, n, .. } = shape;
        let mut trials = Vec::new();
        for part in Part::ALL {
            for alpha in [0.0, 1.0, -0.75] {
                let alpha = T::from_f64(alpha);
                trials.push(compare(Lascal { part, m, n, alpha }, draw));
            }
        }
        trials
    }

    fn operands(n: usize, draw: &mut Draw) -> Vec<Vec<T>> {
        vec![draw.numbers(n * n)]
    }

    fn run(blas: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let _ = blas;
        typical(n).compute(TileMut::new(operands[0], n, n));
    }

    fn cost(n: usize) -> Cost {
        typical::<T>(n).cost()
    }
}

/// A change of sign.
fn typical<T: Scalar>(n: usize) -> Lascal<T> {
    Lascal { part: Part::Whole, m: n, n, alpha: -T::ONE }
}

fn compare<T: Scalar>(lascal: Lascal<T>, draw: &mut Draw) -> Trial {
    let Lascal { part, m, n, alpha } = lascal;
    let random = Guarded::random(m, n, draw);
    let mut before = if alpha == T::ZERO { Guarded::nan(m, n) } else { random };
    before.keep(|i, j| part.holds(i, j));
    let (mut got, mut expected) = (before.clone(), before.clone());
    lascal.compute(got.write());
    lascal.reference(expected.write());
    let error = got.deviation(&before, &expected, |i, j| part.holds(i, j));
    Trial { case: format!("{lascal:?}"), error, tolerance: 0.0 }
}
