//! The scaling, some entries for each thread.

use tegula_runtime::flow::{Failure, Launch};

use super::Lascal;
use crate::cuda::Block;
use crate::option::Trans;
use crate::scalar::Scalar;

impl<T: Scalar> Lascal<T> {
    /// Puts the scaling on the stream.
    pub(super) fn launch(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let &Self { part, m, n, alpha } = self;
        let a = Block::output(launch, 0, m, n);
        a.add(launch, (part, Trans::No), (T::ZERO, a), alpha)
    }
}
