//! Trials of the symmetric product of an operand in strips.

use super::SyrkStrips;
use super::card::Card;
use crate::backend::Blas;
use crate::kernel::draw::Draw;
use crate::kernel::syrk::trial::judge;
use crate::kernel::trial::{Guarded, Shape, Trial, Tried, coefficients, heights};
use crate::scalar::Scalar;
use crate::strips::StripsRef;
use crate::tile::TileMut;

impl<T: Scalar> Tried<T> for Card {
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
}

fn compare<T: Scalar>(syrk: SyrkStrips<T>, blas: &dyn Blas<T>, draw: &mut Draw) -> Trial {
    let (a, shape) = (Guarded::random(syrk.n, syrk.k, draw), syrk.operand());
    let strips = a.in_strips(shape);
    let compute = |c: TileMut<'_, T>| {
        blas.syrk_strips(syrk.alpha, StripsRef::new(&strips, shape), syrk.beta, c);
    };
    judge(format!("{syrk:?}"), syrk.of_tile(), a.read(), compute, draw)
}
