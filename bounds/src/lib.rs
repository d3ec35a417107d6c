//! Times below which no schedule can be: from counts and durations alone, whatever they come
//! from.

mod area;
mod critical_path;
pub mod linear;

pub use area::{Area, area};
pub use critical_path::{CriticalPath, Edge, critical_path};
pub use tegula_runtime::sim::TaskType;
