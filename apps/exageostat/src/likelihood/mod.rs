//! The Gaussian log-likelihood of a field as one task flow.
//!
//! `l = -1/2 (n ln 2 pi + ln |C| + r' C^-1 r)` with `C = L L'`: generation of `C`, factorisation,
//! determinant, solve and dot product are submitted one after the other and overlap as the data
//! allow, as in Nesi, Legrand, Schnorr, "Exploiting system level heterogeneity to improve the
//! performance of a GeoStatistics multi-phase task-based application", ICPP 2021. Only the end of
//! an evaluation waits.

mod evaluation;
mod solve;
mod tasks;

pub use evaluation::{Evaluation, LikelihoodError};
pub(crate) use tasks::Parts;
pub use tasks::{Likelihood, Overlap};
