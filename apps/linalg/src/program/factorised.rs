//! What a routine factorises: by that tiles are dealt out over unequal ranks.

use tegula_tiles::Storage;

/// A factorisation in place, without pivoting, of the square tiles of the first matrix. Each of its
/// steps leaves a smaller matrix, so that tiles have the more work the farther they are from the
/// first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Factorised {
    /// Which tiles it factorises: all as LU does, or those on and below the diagonal as Cholesky's
    /// does.
    pub storage: Storage,
    /// Whether the routine does nothing else.
    pub is_all: bool,
}

impl Factorised {
    /// Cholesky factorisation, and nothing else.
    pub(super) const CHOLESKY: Self = Self { storage: Storage::Lower, is_all: true };
    /// LU factorisation, and nothing else.
    pub(super) const LU: Self = Self { storage: Storage::Full, is_all: true };

    /// The same, and more after it.
    pub(super) const fn and_more(self) -> Self {
        Self { is_all: false, ..self }
    }
}
