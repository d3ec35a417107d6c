//! From a Hermitian band matrix to its eigenvalues: the band is chased down to a real tridiagonal
//! matrix, whose eigenproblem is solved.

mod band;
mod blocks;
mod chase;
pub mod direct;
pub mod divide;
mod iterate;
pub(crate) mod reflect;
mod solve;

pub use band::Band;
pub use chase::{Chased, Waves};
pub use solve::{eigenvalues, eigenvectors};
