//! Cholesky factorisation of matrices in tiles of two precisions: 64 bits where the matrix is
//! heavy, 32 where it is light.
//!
//! Abdulah, Cao, Pei, Bosilca, Dongarra, Genton, Keyes, Ltaief, Sun, "Accelerating geostatistical
//! modeling and prediction with mixed-precision computations", IEEE TPDS 33 (2022); what a tile may
//! lose: Higham, Mary, "Mixed precision algorithms in numerical linear algebra", Acta Numerica 31
//! (2022).

mod copies;
mod matrix;
mod potrf;
mod potrs;
mod precision;

pub use matrix::MixedMatrix;
pub use potrf::potrf_mixed;
pub use potrs::{potrs_mixed, trsm_mixed};
pub(crate) use precision::DECISIONS;
pub use precision::{PrecisionMap, PrecisionRule};
