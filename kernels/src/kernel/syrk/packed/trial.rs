//! Trials of the symmetric product of a packed operand.

use super::SyrkPacked;
use super::list_entry::ListEntry;
use crate::backend::Blas;
use crate::kernel::random::RandomInputs;
use crate::kernel::syrk::trial::judge;
use crate::kernel::trial::{Guarded, Shape, Trial, Tried, coefficients, heights};
use crate::packed::PackedRef;
use crate::scalar::Scalar;
use crate::tile::TileMut;

impl<T: Scalar> Tried<T> for ListEntry {
    fn trials(blas: &dyn Blas<T>, shape: Shape, random: &mut RandomInputs) -> Vec<Trial> {
        let Shape { n, k, .. } = shape;
        let mut trials = Vec::new();
        for [alpha, beta] in coefficients::<T>() {
            for height in heights(blas) {
                trials.push(compare(SyrkPacked { n, k, height, alpha, beta }, blas, random));
            }
        }
        trials
    }
}

fn compare<T: Scalar>(syrk: SyrkPacked<T>, blas: &dyn Blas<T>, random: &mut RandomInputs) -> Trial {
    let (a, shape) = (Guarded::random(syrk.n, syrk.k, random), syrk.operand());
    let packed = a.packed(shape);
    let compute = |c: TileMut<'_, T>| {
        blas.syrk_packed(syrk.alpha, PackedRef::new(&packed, shape), syrk.beta, c);
    };
    judge(format!("{syrk:?}"), syrk.of_tile(), a.read(), compute, random)
}
