//! Tukey g-and-h fields: the mean, the scale, `g` and `h` profiled out of the likelihood, and fits
//! of all parameters together.
//!
//! The value at a place is `xi + omega tau(Y)`, where `xi` is linear in the columns of the mean,
//! `tau` is [`TukeyGh`](crate::transform::TukeyGh) and `Y` a Gaussian field of variance 1 with
//! noise: G. Xu, M. G. Genton, "Tukey g-and-h random fields", J. American Statistical Association
//! 112 (2017) 1236-1249. With `y = tau^-1((z - xi)/omega)` the log-likelihood of the values is
//! that of `y` less `sum ln tau'(y) + n ln omega`.

mod estimates;
mod likelihood;
mod margin;

pub use estimates::Estimates;
pub use likelihood::TukeyLikelihood;
pub use margin::{Known, Margin};
