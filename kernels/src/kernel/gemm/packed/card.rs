//! The list's card of the product of packed operands: a typical call.

use tegula_runtime::flow::{Codelet, Cost};

use super::GemmPacked;
use crate::backend::Blas;
use crate::kernel::draw::{Draw, packed_operand};
use crate::kernel::{Listed, ListedIn};
use crate::packed::PackedRef;
use crate::scalar::Scalar;
use crate::tile::TileMut;

/// The kernel's card in the list.
#[derive(Debug)]
pub(in crate::kernel) struct Card;

impl Listed for Card {
    const NAME: &'static str = "gemm-strips";
    const FORMULA: &'static str = "C = alpha A B' + beta C, A and B packed";
    const FLOPS: &'static str = "2 n^3";
}

impl<T: Scalar> ListedIn<T> for Card {
    type Codelet = GemmPacked<T>;

    fn operands(n: usize, draw: &mut Draw) -> Vec<Vec<T>> {
        vec![packed_operand(n, draw), packed_operand(n, draw), draw.numbers(n * n)]
    }

    fn run(blas: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let [a, b, c] = operands else { unreachable!("three operands were made") };
        let gemm = typical(n, blas.micro_panel_height().unwrap_or(n));
        let (shape_a, shape_b) = gemm.operands();
        let a = PackedRef::new(&a[..shape_a.elements()], shape_a);
        let b = PackedRef::new(&b[..shape_b.elements()], shape_b);
        blas.gemm_packed(gemm.alpha, a, b, gemm.beta, TileMut::new(c, n, n));
    }

    fn cost(n: usize) -> Cost {
        typical::<T>(n, 1).cost()
    }
}

/// The product of a tiled Cholesky factorization: `C = C - A B'`.
fn typical<T: Scalar>(n: usize, height: usize) -> GemmPacked<T> {
    GemmPacked { m: n, n, k: n, height, alpha: -T::ONE, beta: T::ONE }
}
