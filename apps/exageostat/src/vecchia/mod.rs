//! Vecchia's approximation: each value is conditioned on those of its nearest neighbours among the
//! places before it, instead of on all.
//!
//! [`VecchiaLikelihood`] evaluates it, and its score, as often as wanted; [`fit`](crate::fit::fit)
//! takes it as it takes the exact likelihood. [`LocalPredictor`] predicts from the nearest
//! observations. Neighbours are near by the distance of places as they are, also where a covariance
//! depends on direction; places with times by that and their times, at a pace by which they are as
//! dense along these as in space. Observations of several variables are places like others.

mod conditionals;
mod grouping;
mod information;
mod latent;
mod likelihood;
mod neighbours;
mod ordering;
mod predict;
mod response;
mod score;
mod structure;
mod surrogate;
mod tree;

pub use likelihood::VecchiaLikelihood;
pub use ordering::{ORDERINGS, Ordering};
pub use predict::LocalPredictor;
pub(crate) use surrogate::Neighbours;
pub use surrogate::REFERENCE_NEIGHBOURS;

/// How likelihoods are approximated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vecchia {
    /// Neighbours that each place is conditioned on, at most.
    pub neighbours: usize,
    /// In which order places come.
    pub ordering: Ordering,
    /// Of what conditionals it is made.
    pub form: Form,
    /// Places of a task.
    pub block: usize,
    /// Whether the first mark of places is their time: neighbours are then near in space and time.
    pub has_time: bool,
}

impl Vecchia {
    /// With so many neighbours, in blocks of [`BLOCK`] places.
    #[must_use]
    pub const fn new(neighbours: usize, ordering: Ordering) -> Self {
        Self { neighbours, ordering, form: Form::Response, block: BLOCK, has_time: false }
    }

    /// Of places whose first mark is their time, if they have one.
    #[must_use]
    pub const fn in_time(self, has_time: bool) -> Self {
        Self { has_time, ..self }
    }

    /// Of conditionals of this form.
    #[must_use]
    pub const fn with_form(self, form: Form) -> Self {
        Self { form, ..self }
    }
}

/// Of what conditionals the approximation is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// Each value is given those of its neighbours.
    #[default]
    Response,
    /// As that, those of places that share neighbours together: each is given the neighbours of
    /// all.
    Grouped,
    /// The field without noise at each place is given that at its neighbours, and noise is added.
    /// Nuggets below a ten-millionth of the variance are taken as [`Response`](Self::Response)
    /// takes them.
    Latent,
}

/// All forms, with their names and what they are.
pub static FORMS: &[(Form, &str, &str)] = &[
    (Form::Response, "response", "each value given those of its neighbours"),
    (Form::Grouped, "grouped", "places that share neighbours together, each given those of all"),
    (Form::Latent, "latent", "the field given that at its neighbours, and noise added to it"),
];

impl Form {
    /// The name in the list.
    #[must_use]
    pub fn name(self) -> &'static str {
        let entry = FORMS.iter().find(|(form, ..)| *form == self);
        entry.map_or("", |(_, name, _)| name)
    }
}

/// Places of a task by default: some tenths of a millisecond.
pub const BLOCK: usize = 512;
