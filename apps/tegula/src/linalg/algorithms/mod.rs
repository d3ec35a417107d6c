//! The algorithms that can be timed, a file for each family. A new one is a [`Listed`] and a line in
//! [`ALGORITHMS`].
//!
//! [`Listed`]: super::entry::Listed

mod cholesky;
mod lu;
mod product;
mod triangular;

use super::entry::Entry;

/// Every algorithm, by families.
pub(super) const ALGORITHMS: &[Entry] = &[
    Entry::of::<product::Gemm>(),
    Entry::of::<triangular::Trsm>(),
    Entry::of::<cholesky::Potrf>(),
    Entry::of::<cholesky::Potrs>(),
    Entry::of::<cholesky::Posv>(),
    Entry::of::<lu::GetrfNopiv>(),
    Entry::of::<lu::Getrf>(),
    Entry::of::<lu::Getrs>(),
    Entry::of::<lu::Gesv>(),
];
