//! Trials of the symmetric product of an operand in strips and its typical call.

use tegula_runtime::flow::{Codelet, Cost};

use super::SyrkStrips;
use crate::backend::Blas;
use crate::kernel::syrk::trial::judge;
use crate::kernel::trial::{Draw, Guarded, Shape, Trial, coefficients, heights, in_strips};
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
    fn trials(blas: &dyn Blas<T>, shape: Shape, draw: &mut Draw) -> Vec<Trial> {
        let Shape { n, k, .. } = shape;
        let mut trials = Vec::new();
        for [alpha, beta] in coefficients::<T>() {
            for height in heights(blas) {
                trials.push(compare(SyrkStrips { n, k, height, alpha, beta }, blas, draw));
            }
        }
        trials
    }

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

fn compare<T: Scalar>(syrk: SyrkStrips<T>, blas: &dyn Blas<T>, draw: &mut Draw) -> Trial {
    let (a, shape) = (Guarded::random(syrk.n, syrk.k, draw), syrk.operand());
    let strips = a.in_strips(shape);
    let compute = |c: TileMut<'_, T>| {
        blas.syrk_strips(syrk.alpha, StripsRef::new(&strips, shape), syrk.beta, c);
    };
    judge(format!("{syrk:?}"), syrk.of_tile(), a.read(), compute, draw)
}
