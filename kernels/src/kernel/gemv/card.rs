//! The list's card of the product with a vector: a typical call.

use tegula_runtime::flow::{Codelet, Cost};

use super::Gemv;
use crate::backend::Blas;
use crate::kernel::draw::Draw;
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
    type Codelet = Gemv<T>;

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
