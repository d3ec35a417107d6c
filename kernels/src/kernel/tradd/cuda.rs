//! The sum, some entries for each thread.

use tegula_runtime::flow::{Failure, Launch};

use super::Tradd;
use crate::cuda::Block;
use crate::scalar::Scalar;

impl<T: Scalar> Tradd<T> {
    /// Puts the sum on the stream.
    pub(super) fn launch(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let &Self { part, trans, m, n, alpha, beta } = self;
        let (rows, cols) = trans.stored(m, n);
        let a = Block::input(launch, 0, rows, cols);
        Block::output(launch, 1, m, n).add(launch, (part, trans), (alpha, a), beta)
    }
}
