//! Vecchia's approximation: each value is conditioned on those of its nearest neighbours among the
//! places before it, instead of on all.
//!
//! [`VecchiaLikelihood`] evaluates it, and its score, as often as wanted; [`fit`](crate::fit::fit)
//! takes it as it takes the exact likelihood. [`LocalPredictor`] predicts from the nearest
//! observations.

mod likelihood;
mod neighbours;
mod ordering;
mod predict;
mod structure;
mod tree;

pub use likelihood::VecchiaLikelihood;
pub use ordering::{ORDERINGS, Ordering};
pub use predict::LocalPredictor;

/// How likelihoods are approximated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vecchia {
    /// Neighbours that each place is conditioned on, at most.
    pub neighbours: usize,
    /// In which order places come.
    pub ordering: Ordering,
    /// Places of a task.
    pub block: usize,
}

impl Vecchia {
    /// With so many neighbours, in blocks of [`BLOCK`] places.
    #[must_use]
    pub const fn new(neighbours: usize, ordering: Ordering) -> Self {
        Self { neighbours, ordering, block: BLOCK }
    }
}

/// Places of a task by default: some tenths of a millisecond.
pub const BLOCK: usize = 512;
