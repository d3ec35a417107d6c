//! The list's entry of the factorisation: a typical call.

use std::marker::PhantomData;

use tegula_runtime::flow::Codelet;

use super::Ldlt;
use crate::backend::Blas;
use crate::kernel::random::RandomInputs;
use crate::kernel::{KernelEntry, KernelEntryIn};
use crate::option::{Form, Uplo};
use crate::scalar::Scalar;
use crate::tile::TileMut;

/// The kernel's entry in the list.
#[derive(Debug)]
pub(in crate::kernel) struct ListEntry;

impl KernelEntry for ListEntry {
    const NAME: &'static str = Ldlt::<f64>::NAME;
    const FORMULA: &'static str = "A = L D L', in place, without pivoting";
    const FLOPS: &'static str = "n^3 / 3";
}

impl<T: Scalar> KernelEntryIn<T> for ListEntry {
    type Codelet = Ldlt<T>;

    fn typical(n: usize) -> Ldlt<T> {
        typical(n)
    }

    fn operands(n: usize, random: &mut RandomInputs) -> Vec<Vec<T>> {
        vec![random.dominant(n)]
    }

    fn run(kernel: Ldlt<T>, blas: &dyn Blas<T>, n: usize, operands: &mut [&mut [T]]) {
        let a = TileMut::new(operands[0], n, n);
        kernel.compute(blas, a).expect("a dominant matrix has its factors");
    }
}

/// The lower factor of a Hermitian matrix that begins at row 1000.
pub(super) fn typical<T: Scalar>(n: usize) -> Ldlt<T> {
    let (form, uplo) = (Form::Hermitian, Uplo::Lower);
    Ldlt { form, uplo, n, offset: 1000, scalar: PhantomData }
}
