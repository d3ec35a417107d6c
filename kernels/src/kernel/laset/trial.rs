//! Trials of the filling and its typical call.

use tegula_runtime::flow::{Codelet, Cost};

use super::Laset;
use crate::backend::Blas;
use crate::kernel::trial::{Draw, Guarded, Shape, Trial};
use crate::kernel::{Listed, ListedIn};
use crate::scalar::Scalar;
use crate::tile::TileMut;

/// The kernel's card in the list.
#[derive(Debug)]
pub(in crate::kernel) struct Card;

impl Listed for Card {
    const NAME: &'static str = Laset::<f64>::NAME;
    const FORMULA: &'static str = "a_ij = off_diagonal, a_ii = diagonal";
    const FLOPS: &'static str = "0";
}

impl<T: Scalar> ListedIn<T> for Card {
    fn trials(blas: &dyn Blas<T>, shape: Shape, draw: &mut Draw) -> Vec<Trial> {
        let _ = (blas, draw);
        let (off_diagonal, diagonal) = (T::from_f64(0.25), T::from_f64(-2.0));
        vec![compare(Laset { m: shape.m, n: shape.n, off_diagonal, diagonal })]
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

/// The identity.
fn typical<T: Scalar>(n: usize) -> Laset<T> {
    Laset { m: n, n, off_diagonal: T::ZERO, diagonal: T::ONE }
}

fn compare<T: Scalar>(laset: Laset<T>) -> Trial {
    let before = Guarded::nan(laset.m, laset.n);
    let (mut got, mut expected) = (before.clone(), before.clone());
    laset.compute(got.write());
    laset.reference(expected.write());
    let error = got.deviation(&before, &expected, |_, _| true);
    Trial { case: format!("{laset:?}"), error, tolerance: 0.0 }
}
