//! Trials of the product of packed operands.

use super::GemmPacked;
use super::list_entry::ListEntry;
use crate::backend::Blas;
use crate::kernel::gemm::trial::judge;
use crate::kernel::random::RandomInputs;
use crate::kernel::trial::{Guarded, Shape, Trial, Tried, coefficients, heights};
use crate::packed::PackedRef;
use crate::scalar::Scalar;
use crate::tile::TileMut;

impl<T: Scalar> Tried<T> for ListEntry {
    fn trials(blas: &dyn Blas<T>, shape: Shape, random: &mut RandomInputs) -> Vec<Trial> {
        let Shape { m, n, k } = shape;
        let mut trials = Vec::new();
        for [alpha, beta] in coefficients::<T>() {
            for height in heights(blas) {
                trials.push(compare(GemmPacked { m, n, k, height, alpha, beta }, blas, random));
            }
        }
        trials
    }
}

fn compare<T: Scalar>(gemm: GemmPacked<T>, blas: &dyn Blas<T>, random: &mut RandomInputs) -> Trial {
    let a = Guarded::random(gemm.m, gemm.k, random);
    let b = Guarded::random(gemm.n, gemm.k, random);
    let (shape_a, shape_b) = gemm.operands();
    let (packed_a, packed_b) = (a.packed(shape_a), b.packed(shape_b));
    let compute = |c: TileMut<'_, T>| {
        let (a, b) = (PackedRef::new(&packed_a, shape_a), PackedRef::new(&packed_b, shape_b));
        blas.gemm_packed(gemm.alpha, a, b, gemm.beta, c);
    };
    judge(format!("{gemm:?}"), gemm.of_tiles(), (a.read(), b.read()), compute, random)
}
