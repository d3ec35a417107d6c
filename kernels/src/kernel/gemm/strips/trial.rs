//! Trials of the product of operands in strips and its typical call.

use tegula_runtime::flow::{Codelet, Cost};

use super::GemmStrips;
use crate::backend::Blas;
use crate::kernel::gemm::trial::judge;
use crate::kernel::trial::{Draw, Guarded, Shape, Trial, coefficients, heights, in_strips};
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
    fn trials(blas: &dyn Blas<T>, shape: Shape, draw: &mut Draw) -> Vec<Trial> {
        let Shape { m, n, k } = shape;
        let mut trials = Vec::new();
        for [alpha, beta] in coefficients::<T>() {
            for height in heights(blas) {
                trials.push(compare(GemmStrips { m, n, k, height, alpha, beta }, blas, draw));
            }
        }
        trials
    }

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

fn compare<T: Scalar>(gemm: GemmStrips<T>, blas: &dyn Blas<T>, draw: &mut Draw) -> Trial {
    let a = Guarded::random(gemm.m, gemm.k, draw);
    let b = Guarded::random(gemm.n, gemm.k, draw);
    let (shape_a, shape_b) = gemm.operands();
    let (strips_a, strips_b) = (a.in_strips(shape_a), b.in_strips(shape_b));
    let compute = |c: TileMut<'_, T>| {
        let (a, b) = (StripsRef::new(&strips_a, shape_a), StripsRef::new(&strips_b, shape_b));
        blas.gemm_strips(gemm.alpha, a, b, gemm.beta, c);
    };
    judge(format!("{gemm:?}"), gemm.of_tiles(), (a.read(), b.read()), compute, draw)
}
