//! Trials of the product of operands in strips.

use super::GemmStrips;
use super::card::Card;
use crate::backend::Blas;
use crate::kernel::draw::Draw;
use crate::kernel::gemm::trial::judge;
use crate::kernel::trial::{Guarded, Shape, Trial, Tried, coefficients, heights};
use crate::scalar::Scalar;
use crate::strips::StripsRef;
use crate::tile::TileMut;

impl<T: Scalar> Tried<T> for Card {
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
