//! The routines that can be timed, checked, simulated and planned, a file for each family. A new
//! one is a [`Routine`](super::Routine) and a line in [`PROGRAMS`].

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

use super::Program;
pub use cholesky::cholesky_flops;

/// Every program of linear algebra, by families.
pub static PROGRAMS: &[Program] = &[
    Program::of::<product::Gemm>(),
    Program::of::<product::Symm<false>>(),
    Program::of::<product::Symm<true>>(),
    Program::of::<product::Syrk<false>>(),
    Program::of::<product::Syrk<true>>(),
    Program::of::<product::Syr2k<false>>(),
    Program::of::<product::Syr2k<true>>(),
    Program::of::<product::Trmm>(),
    Program::of::<product::Trsm>(),
    Program::of::<cholesky::Potrf>(),
    Program::of::<cholesky::Potrs>(),
    Program::of::<cholesky::Posv>(),
    Program::of::<inverse::Potri>(),
    Program::of::<inverse::Poinv>(),
    Program::of::<inverse::Trtri>(),
    Program::of::<inverse::Lauum>(),
    Program::of::<ldlt::Sytrf<false>>(),
    Program::of::<ldlt::Sytrf<true>>(),
    Program::of::<ldlt::Sysv<false>>(),
    Program::of::<ldlt::Sysv<true>>(),
    Program::of::<lu::GetrfNopiv>(),
    Program::of::<lu::Getrf>(),
    Program::of::<lu::Laswp>(),
    Program::of::<lu::Getrs>(),
    Program::of::<lu::Gesv>(),
    Program::of::<qr::Geqrf>(),
    Program::of::<qr::Orgqr>(),
    Program::of::<qr::Ormq<false>>(),
    Program::of::<qr::Gelqf>(),
    Program::of::<qr::Orglq>(),
    Program::of::<qr::Ormq<true>>(),
    Program::of::<qr::Gels>(),
    Program::of::<tree::GeqrfTree>(),
    Program::of::<tree::OrgqrTree>(),
    Program::of::<tree::OrmqrTree>(),
    Program::of::<tree::CholeskyQr2>(),
    Program::of::<low_rank::RandomizedSvd>(),
    Program::of::<batch::Gemm>(),
    Program::of::<batch::Trsm>(),
    Program::of::<batch::Potrf>(),
    Program::of::<batch::Posv>(),
    Program::of::<batch::Getrf>(),
    Program::of::<batch::Gesv>(),
    Program::of::<mixed::PotrfMixed>(),
    Program::of::<mixed::PosvMixed>(),
    Program::of::<mixed::GesvMixed>(),
    Program::of::<spectral::Heev<false>>(),
    Program::of::<spectral::Heev<true>>(),
    Program::of::<spectral::Gesvd<false>>(),
    Program::of::<spectral::Gesvd<true>>(),
    Program::of::<spectral::Qdwh>(),
    Program::of::<norm::Lange>(),
    Program::of::<norm::Lansy>(),
    Program::of::<norm::Lantr>(),
    Program::of::<norm::Norm2>(),
    Program::of::<elementwise::Lacpy>(),
    Program::of::<elementwise::Laset>(),
    Program::of::<elementwise::Lascal>(),
    Program::of::<elementwise::Lascl>(),
    Program::of::<elementwise::Geadd>(),
    Program::of::<elementwise::Tradd>(),
    Program::of::<elementwise::Transpose>(),
    Program::of::<elementwise::Redistribute>(),
    Program::of::<elementwise::Convert>(),
    Program::of::<elementwise::Map>(),
    Program::of::<statistics::Cesca>(),
    Program::of::<statistics::Gram>(),
    Program::of::<generators::Plrnt>(),
    Program::of::<generators::Plghe>(),
    Program::of::<generators::Latms>(),
];
