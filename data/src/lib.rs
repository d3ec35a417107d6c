//! Where data lives: tiled matrices, the files they come from, and machines as files.

pub mod checkpoint;
pub mod distribution;
pub mod expression;
pub mod format;
pub mod matrix;
pub mod plan;
pub mod platform;
pub mod source;
