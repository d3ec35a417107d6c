//! Placeholder.

pub mod expression;
pub mod format;
pub mod matrix;
