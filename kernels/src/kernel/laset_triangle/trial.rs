//! Trials of the filling of a triangle and its typical call.

use tegula_runtime::flow::{Codelet, Cost};

use super::LasetTriangle;
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
    const NAME: &'static str = LasetTriangle::<f64>::NAME;
    const FORMULA: &'static str = "a_ij = off_diagonal, a_ii = diagonal, in a triangle";
    const FLOPS: &'static str = "0";
}

impl<T: Scalar> ListedIn<T> for Card {
    fn trials(blas: &dyn Blas<T>, shape: Shape, draw: &mut Draw) -> Vec<Trial> {
        let _ = blas;
        let fill = |uplo| LasetTriangle { uplo, ..typical(shape.m, shape.n) };
        Uplo::ALL.into_iter().map(|uplo| compare::<T>(fill(uplo), draw)).collect()
    }

    fn operands(n: usize, draw: &mut Draw) -> Vec<Vec<T>> {
        vec![draw.numbers(n * n)]
    }

    fn run(blas: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let _ = blas;
        typical(n, n).compute(TileMut::new(operands[0], n, n));
    }

    fn cost(n: usize) -> Cost {
        typical::<T>(n, n).cost()
    }
}

/// A triangle of quarters with a diagonal of -2.
fn typical<T: Scalar>(m: usize, n: usize) -> LasetTriangle<T> {
    let (off_diagonal, diagonal) = (T::from_f64(0.25), T::from_f64(-2.0));
    LasetTriangle { uplo: Uplo::Lower, m, n, off_diagonal, diagonal }
}

fn compare<T: Scalar>(laset: LasetTriangle<T>, draw: &mut Draw) -> Trial {
    let mut before = Guarded::random(laset.m, laset.n, draw);
    before.keep(|i, j| !laset.uplo.holds(i, j));
    let (mut got, mut expected) = (before.clone(), before.clone());
    laset.compute(got.write());
    laset.reference(expected.write());
    let error = got.deviation(&before, &expected, |i, j| laset.uplo.holds(i, j));
    Trial { case: format!("{laset:?}"), error, tolerance: 0.0 }
}
