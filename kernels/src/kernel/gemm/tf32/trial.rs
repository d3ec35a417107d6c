//! Trials of the product of operands that a device may round, which on a core are those of the
//! exact one.

use super::list_entry::ListEntry;
use crate::backend::Blas;
use crate::kernel::gemm::ListEntry as Exact;
use crate::kernel::random::RandomInputs;
use crate::kernel::trial::{Shape, Trial, Tried};
use crate::scalar::Scalar;

impl<T: Scalar> Tried<T> for ListEntry {
    fn trials(blas: &dyn Blas<T>, shape: Shape, random: &mut RandomInputs) -> Vec<Trial> {
        <Exact as Tried<T>>::trials(blas, shape, random)
    }
}
