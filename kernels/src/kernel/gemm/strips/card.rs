//! The list's card of the product of operands in strips: a typical call.

use tegula_runtime::flow::{Codelet, Cost};

use super::GemmStrips;
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
    const NAME: &'static str = "gemm-strips";
    const FORMULA: &'static str = "C = alpha A B' + beta C, A and B in strips";
    const FLOPS: &'static str = "2 n^3";
}

impl<T: Scalar> ListedIn<T> for Card {
    type Codelet = GemmStrips<T>;

    fn operands(n: usize, draw: &mut Draw) -> Vec<Vec<T>> {
        vec![in_strips(n, draw), in_strips(n, draw), draw.numbers(n * n)]
    }

    fn run(blas: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let [a, b, c] = operands else { unreachable!("three operands were made") };
        let gemm = typical(n, blas.strip_height().unwrap_or(n));
        let (shape_a, shape_b) = gemm.operands();
        let a = StripsRef::new(&a[..shape_a.elements()], shape_a);
        let b = StripsRef::new(&b[..shape_b.elements()], shape_b);
        blas.gemm_strips(gemm.alpha, a, b, gemm.beta, TileMut::new(c, n, n));
    }

    fn cost(n: usize) -> Cost {
        typical::<T>(n, 1).cost()
    }
}

/// The product of a tiled Cholesky factorization: `C = C - A B'`.
fn typical<T: Scalar>(n: usize, height: usize) -> GemmStrips<T> {
    GemmStrips { m: n, n, k: n, height, alpha: -T::ONE, beta: T::ONE }
}
