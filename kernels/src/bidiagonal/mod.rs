//! From an upper triangular band matrix to its singular values: the band is chased down to a real
//! bidiagonal matrix, whose singular value decomposition is found.

mod band;
mod chase;
mod divide;
mod iterate;
mod merge;
mod solve;

pub use band::UpperBand;
pub use chase::Bidiagonal;
pub(crate) use iterate::Rotation;
pub use solve::{Decomposition, singular_values, singular_vectors};
