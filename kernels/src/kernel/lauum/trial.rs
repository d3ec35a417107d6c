//! Trials of the triangular product and its typical call.

use tegula_runtime::flow::{Codelet, Cost};

use super::Lauum;
use crate::backend::Blas;
use crate::kernel::trial::{Draw, Guarded, Shape, Trial};
use crate::kernel::{Listed, ListedIn};
use crate::option::Uplo;
use crate::scalar::Scalar;
use crate::tile::TileMut;

/// The kernel's card in the list.
#[derive(Debug)]
pub(in crate::kernel) struct Card;

impl Listed for Card {
    const NAME: &'static str = Lauum::<f64>::NAME;
    const FORMULA: &'static str = "A = L' L or U U', in place";
    const FLOPS: &'static str = "n^3/3";
}

impl<T: Scalar> ListedIn<T> for Card {
    fn trials(blas: &dyn Blas<T>, shape: Shape, draw: &mut Draw) -> Vec<Trial> {
        Uplo::ALL.map(|uplo| compare(Lauum::new(uplo, shape.n), blas, draw)).into()
    }

    fn operands(n: usize, draw: &mut Draw) -> Vec<Vec<T>> {
        vec![draw.numbers(n * n)]
    }

    fn run(blas: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        typical(n).compute(blas, TileMut::new(operands[0], n, n));
    }

    fn cost(n: usize) -> Cost {
        typical::<T>(n).cost()
    }
}

/// The lower product.
fn typical<T: Scalar>(n: usize) -> Lauum<T> {
    Lauum::new(Uplo::Lower, n)
}

fn compare<T: Scalar>(lauum: Lauum<T>, blas: &dyn Blas<T>, draw: &mut Draw) -> Trial {
    let Lauum { uplo, n, .. } = lauum;
    let mut before = Guarded::random(n, n, draw);
    before.keep(|i, j| uplo.holds(i, j));
    let (mut got, mut expected) = (before.clone(), before.clone());
    lauum.compute(blas, got.write());
    lauum.reference(expected.write());
    // As for a matrix product of inner size n and entries at most 1.
    let tolerance = n as f64 * (n as f64 + 2.0) * T::epsilon();
    let error = got.deviation(&before, &expected, |i, j| uplo.holds(i, j));
    Trial { case: format!("{lauum:?}"), error, tolerance }
}
