//! Trials of the column sums and their typical call.

use tegula_runtime::flow::{Codelet, Cost};

use super::ColumnSquares;
use crate::backend::Blas;
use crate::kernel::trial::{Draw, Guarded, Shape, Trial};
use crate::kernel::{Listed, ListedIn};
use crate::scalar::Real;
use crate::tile::TileRef;

/// The kernel's card in the list.
#[derive(Debug)]
pub(in crate::kernel) struct Card;

impl Listed for Card {
    const NAME: &'static str = ColumnSquares::<f64>::NAME;
    const FORMULA: &'static str = "s_j = s_j + sum_i a_ij^2";
    const FLOPS: &'static str = "2 n^2";
}

impl<T: Real> ListedIn<T> for Card {
    fn trials(blas: &dyn Blas<T>, shape: Shape, draw: &mut Draw) -> Vec<Trial> {
        let _ = blas;
        let squares = ColumnSquares::<T>::new(shape.m, shape.n);
        let a = Guarded::random(shape.m, shape.n, draw);
        let mut got = draw.numbers::<T>(shape.n);
        let mut expected = got.clone();
        squares.compute(a.read(), &mut got);
        squares.reference(a.read(), &mut expected);
        let error = got.iter().zip(&expected).map(|(x, y)| (x.to_f64() - y.to_f64()).abs());
        // Two sums of m + 1 terms of at most 1, in different order.
        let terms = shape.m as f64 + 1.0;
        let tolerance = 2.0 * terms * T::epsilon() * terms;
        let error = error.fold(0.0, f64::max);
        vec![Trial { case: format!("{squares:?}"), error, tolerance }]
    }

    fn operands(n: usize, draw: &mut Draw) -> Vec<Vec<T>> {
        vec![draw.numbers(n * n), draw.numbers(n)]
    }

    fn run(blas: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let _ = blas;
        let [a, sums] = operands else { unreachable!("two operands were made") };
        ColumnSquares::new(n, n).compute(TileRef::new(a, n, n), sums);
    }

    fn cost(n: usize) -> Cost {
        ColumnSquares::<T>::new(n, n).cost()
    }
}
