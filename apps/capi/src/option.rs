//! The letters of BLAS's and LAPACK's options.

use tegula_kernels::option::{Diag, Side, Trans, Uplo};
use tegula_kernels::scalar::Scalar;

/// On which side a matrix stands.
pub(crate) const SIDE: &[(u8, Side)] = &[(b'L', Side::Left), (b'R', Side::Right)];

/// Which triangle is stored.
pub(crate) const UPLO: &[(u8, Uplo)] = &[(b'U', Uplo::Upper), (b'L', Uplo::Lower)];

/// Whether the diagonal is all ones.
pub(crate) const DIAG: &[(u8, Diag)] = &[(b'U', Diag::Unit), (b'N', Diag::NonUnit)];

/// How a matrix enters.
pub(crate) const TRANS: &[(u8, Trans)] =
    &[(b'N', Trans::No), (b'T', Trans::Yes), (b'C', Trans::Conj)];

/// How a matrix enters where complex ones are not conjugated.
pub(crate) const fn plain_trans<T: Scalar>() -> &'static [(u8, Trans)] {
    if T::IS_COMPLEX { TRANS.split_at(2).0 } else { TRANS }
}

/// How a matrix enters a Hermitian product.
pub(crate) const ADJOINT: &[(u8, Trans)] = &[(b'N', Trans::No), (b'C', Trans::Conj)];

/// How an orthogonal or unitary matrix enters: real ones transposed, complex ones adjoint.
pub(crate) const fn unitary_trans<T: Scalar>() -> &'static [(u8, Trans)] {
    if T::IS_COMPLEX { ADJOINT } else { TRANS.split_at(2).0 }
}
