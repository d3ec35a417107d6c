//! How well a model explains its own data: leave-one-out cross-validation and information criteria.

mod criteria;
mod leave_one_out;
mod scores;

pub use criteria::Criteria;
pub use leave_one_out::{LeaveOneOut, leave_one_out};
pub use scores::{LEVELS, PIT_BINS, Scores};
