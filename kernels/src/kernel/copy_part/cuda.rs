//! The copy, some entries for each thread.

use tegula_runtime::flow::{Failure, Launch};

use super::CopyPart;
use crate::cuda::Block;
use crate::option::Trans;
use crate::scalar::Scalar;

impl<T: Scalar> CopyPart<T> {
    /// Puts the copy on the stream.
    pub(super) fn launch(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let ((m, n), (rows, cols)) = (self.from.shape(), self.to.shape());
        let (a, b) = (Block::<T>::input(launch, 0, m, n), Block::output(launch, 1, rows, cols));
        let ((m, n), from, to) = (self.size(), self.from.origin(), self.to.origin());
        let (a, b) = (a.part(from.0, from.1, m, n), b.part(to.0, to.1, m, n));
        b.copy(launch, Trans::No, a)
    }
}
