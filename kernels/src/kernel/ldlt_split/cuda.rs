//! The split: a copy, and a division of lines, some entries for each thread.

use tegula_runtime::flow::{Failure, Launch};

use super::LdltSplit;
use crate::cuda::Block;
use crate::kernel::diagonal_solve::divide_rows_on;
use crate::kernel::ldlt::divide_columns_on;
use crate::option::Trans;
use crate::scalar::Scalar;

impl<T: Scalar> LdltSplit<T> {
    /// Puts the split on the stream.
    pub(super) fn launch(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let &Self { is_transposed, m, n, .. } = self;
        let d = Block::<T>::input(launch, 0, n, n);
        let (rows, cols) = if is_transposed { (n, m) } else { (m, n) };
        let (a, w) = (Block::output(launch, 1, rows, cols), Block::output(launch, 2, rows, cols));
        w.copy(launch, Trans::No, a)?;
        if is_transposed { divide_rows_on(launch, d, a) } else { divide_columns_on(launch, d, a) }
    }
}
