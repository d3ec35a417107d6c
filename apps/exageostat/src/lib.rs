//! Gaussian random fields: likelihood, fitting, kriging and draws on tiled linear algebra.
//!
//! Start with [`observations::Observations`]; [`likelihood::Likelihood`] evaluates parameters,
//! [`fit::fit`] finds the best ones, [`predict::Predictor`] uses them at new places,
//! [`assess::leave_one_out`] at those of the data.

pub mod assess;
pub mod block;
pub mod coefficients;
pub mod covariance;
pub mod design;
mod differences;
pub mod dst;
pub mod fit;
mod generation;
pub mod joint;
pub mod likelihood;
pub mod mean;
pub mod mixed;
pub mod model;
pub mod observations;
pub mod plausibility;
pub mod predict;
pub mod program;
pub mod sample;
mod small;
mod sums;
pub mod tlr;
pub mod transform;
pub mod tukey;
pub mod variogram;
pub mod vecchia;
