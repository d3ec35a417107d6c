//! Special functions of the covariances: the modified Bessel function `K`, the gamma function,
//! and the Matern correlation built on them.

pub mod bessel_k;
pub mod gamma;
pub mod matern;
mod matern_derivatives;
mod matern_profile;
mod octaves;

pub use bessel_k::{BesselK, bessel_k, bessel_k_scaled};
pub use gamma::{digamma, gamma, ln_gamma};
pub use matern::Matern;
pub use matern_derivatives::MaternDerivatives;
pub use matern_profile::{MAX_PROFILE_SMOOTHNESS, MaternProfile};
pub use octaves::Octaves;
