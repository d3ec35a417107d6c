//! The list's card of the symmetric product of an operand in strips: a typical call.

use tegula_runtime::flow::{Codelet, Cost};

use super::SyrkStrips;
use crate::backend::Blas;
use crate::kernel::draw::{Draw, in_strips};
use crate::kernel::{Listed, ListedIn};
use crate::scalar::Scalar;
use crate::strips::StripsRef;
use crate::tile::TileMut;

/// The kernel's card in the list.
#[derive(Debug)]
pub(in crate::kernel) struct Card;

impl Listed for Card {
    const NAME: &'static str = "syrk-strips";
    const FORMULA: &'static str = "C = alpha A A' + beta C, lower triangle, A in strips";
    const FLOPS: &'static str = "n^3";
}

impl<T: Scalar> ListedIn<T> for Card {
    type Codelet = SyrkStrips<T>;

    fn operands(n: usize, draw: &mut Draw) -> Vec<Vec<T>> {
        vec![in_strips(n, draw), draw.numbers(n * n)]
    }

    fn run(blas: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let [a, c] = operands else { unreachable!("two operands were made") };
        let syrk = typical(n, blas.strip_height().unwrap_or(n));
        let shape = syrk.operand();
        let a = StripsRef::new(&a[..shape.elements()], shape);
        blas.syrk_strips(syrk.alpha, a, syrk.beta, TileMut::new(c, n, n));
    }

    fn cost(n: usize) -> Cost {
        typical::<T>(n, 1).cost()
    }
}

/// The product of a tiled Cholesky factorization: `C = C - A A'`.
fn typical<T: Scalar>(n: usize, height: usize) -> SyrkStrips<T> {
    SyrkStrips { n, k: n, height, alpha: -T::ONE, beta: T::ONE }
}
