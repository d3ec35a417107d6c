//! How good a model is: predictions of observations that are left out, one at a time, at random or
//! in blocks; what the data tell of its parameters; what a wrong one costs; other models.

mod criteria;
mod cross_validation;
mod fisher;
mod folds;
mod leave_one_out;
mod left_out;
mod likelihood_ratio;
mod misspecification;
mod scores;

pub use criteria::Criteria;
pub use cross_validation::{all_left_out, cross_validate, leave_part_out};
pub use fisher::Fisher;
pub use folds::{Folds, FoldsError};
pub use leave_one_out::leave_one_out;
pub use left_out::LeftOut;
pub use likelihood_ratio::RatioTest;
pub(crate) use misspecification::Known;
pub use misspecification::{At, Misspecification, misspecification};
pub use scores::{LEVELS, PIT_BINS, Scores, normal_quantile};
