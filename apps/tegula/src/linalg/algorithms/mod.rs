//! The algorithms that can be timed, a file for each family. A new one is a [`Listed`] and a line in
//! [`ALGORITHMS`].
//!
//! [`Listed`]: super::entry::Listed

mod batch;
mod cholesky;
mod elementwise;
mod generators;
mod inverse;
mod ldlt;
mod low_rank;
mod lu;
mod mixed;
mod norm;
mod product;
mod qr;
mod spectral;
mod statistics;
mod tree;

use super::entry::Entry;

/// Every algorithm, by families.
pub(super) const ALGORITHMS: &[Entry] = &[
    Entry::of::<product::Gemm>(),
    Entry::of::<product::Symm<false>>(),
    Entry::of::<product::Symm<true>>(),
    Entry::of::<product::Syrk<false>>(),
    Entry::of::<product::Syrk<true>>(),
    Entry::of::<product::Syr2k<false>>(),
    Entry::of::<product::Syr2k<true>>(),
    Entry::of::<product::Trmm>(),
    Entry::of::<product::Trsm>(),
    Entry::of::<cholesky::Potrf>(),
    Entry::of::<cholesky::Potrs>(),
    Entry::of::<cholesky::Posv>(),
    Entry::of::<inverse::Potri>(),
    Entry::of::<inverse::Poinv>(),
    Entry::of::<inverse::Trtri>(),
    Entry::of::<inverse::Lauum>(),
    Entry::of::<ldlt::Sytrf<false>>(),
    Entry::of::<ldlt::Sytrf<true>>(),
    Entry::of::<ldlt::Sysv<false>>(),
    Entry::of::<ldlt::Sysv<true>>(),
    Entry::of::<lu::GetrfNopiv>(),
    Entry::of::<lu::Getrf>(),
    Entry::of::<lu::Laswp>(),
    Entry::of::<lu::Getrs>(),
    Entry::of::<lu::Gesv>(),
    Entry::of::<qr::Geqrf>(),
    Entry::of::<qr::Orgqr>(),
    Entry::of::<qr::Ormqr>(),
    Entry::of::<qr::Gelqf>(),
    Entry::of::<qr::Orglq>(),
    Entry::of::<qr::Ormlq>(),
    Entry::of::<qr::Gels>(),
    Entry::of::<tree::GeqrfTree>(),
    Entry::of::<tree::OrgqrTree>(),
    Entry::of::<tree::OrmqrTree>(),
    Entry::of::<tree::CholeskyQr2>(),
    Entry::of::<low_rank::RandomizedSvd>(),
    Entry::of::<batch::Gemm>(),
    Entry::of::<batch::Trsm>(),
    Entry::of::<batch::Potrf>(),
    Entry::of::<batch::Posv>(),
    Entry::of::<batch::Getrf>(),
    Entry::of::<batch::Gesv>(),
    Entry::of::<mixed::PotrfMixed>(),
    Entry::of::<mixed::PosvMixed>(),
    Entry::of::<mixed::GesvMixed>(),
    Entry::of::<spectral::Heev<false>>(),
    Entry::of::<spectral::Heev<true>>(),
    Entry::of::<spectral::Gesvd<false>>(),
    Entry::of::<spectral::Gesvd<true>>(),
    Entry::of::<spectral::Qdwh>(),
    Entry::of::<norm::Lange>(),
    Entry::of::<norm::Lansy>(),
    Entry::of::<norm::Lantr>(),
    Entry::of::<norm::Norm2>(),
    Entry::of::<elementwise::Lacpy>(),
    Entry::of::<elementwise::Laset>(),
    Entry::of::<elementwise::Lascal>(),
    Entry::of::<elementwise::Lascl>(),
    Entry::of::<elementwise::Geadd>(),
    Entry::of::<elementwise::Tradd>(),
    Entry::of::<elementwise::Transpose>(),
    Entry::of::<elementwise::Redistribute>(),
    Entry::of::<elementwise::Convert>(),
    Entry::of::<elementwise::Map>(),
    Entry::of::<statistics::Cesca>(),
    Entry::of::<statistics::Gram>(),
    Entry::of::<generators::Plrnt>(),
    Entry::of::<generators::Plghe>(),
    Entry::of::<generators::Latms>(),
];
