//! Shares of eigenvalues in sums that are named, since three different sums are in use.

use crate::{Ordination, OrdinationInput};

/// Difference of two sums, relative to them, below which they are the same but for rounding.
const ALIKE: f64 = 1e-9;

/// The sum that a share is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whole {
    /// Trace of the matrix: the sum of all eigenvalues, negative ones taken off. Of a table it is
    /// the inertia.
    Trace,
    /// Sum of the positive eigenvalues.
    Positive,
    /// Sum of the absolute values of all eigenvalues.
    Absolute,
}

impl Whole {
    /// Those that may differ for `ordination`: one, where no eigenvalue can be negative.
    #[must_use]
    pub fn all(ordination: &Ordination) -> &'static [Self] {
        match ordination.input {
            OrdinationInput::Distances => &[Self::Trace, Self::Positive, Self::Absolute],
            OrdinationInput::Table | OrdinationInput::Placed { .. } => &[Self::Trace],
        }
    }

    /// Those whose sums are known and differ.
    #[must_use]
    pub fn known(ordination: &Ordination) -> Vec<Self> {
        let trace = Self::Trace.sum(ordination);
        let is_alike = |sum: f64| trace.is_some_and(|trace| (sum / trace - 1.0).abs() < ALIKE);
        let is_shown = |whole: &&Self| {
            whole.sum(ordination).is_some_and(|sum| **whole == Self::Trace || !is_alike(sum))
        };
        Self::all(ordination).iter().filter(is_shown).copied().collect()
    }

    /// The sum in words, after "share of".
    #[must_use]
    pub fn name(self, ordination: &Ordination) -> &'static str {
        match (self, ordination.input) {
            (Self::Trace, OrdinationInput::Table) => "the inertia",
            (Self::Trace, _) => "the trace",
            (Self::Positive, _) => "the sum of positive eigenvalues",
            (Self::Absolute, _) => "the sum of absolute values",
        }
    }

    /// The sum, if it is known and positive: without the whole spectrum only the trace is.
    #[must_use]
    pub fn sum(self, ordination: &Ordination) -> Option<f64> {
        let sum = match self {
            Self::Trace => Some(ordination.trace),
            Self::Positive => ordination.sum_positive(),
            Self::Absolute => ordination.sum_absolute(),
        };
        sum.filter(|&sum| sum > 0.0 && sum.is_finite())
    }
}

/// What an eigenvalue is worth.
#[derive(Clone, Copy, Debug)]
pub struct EigenvalueShare {
    /// The eigenvalue.
    pub eigenvalue: f64,
    /// Its share of the sum, where that is positive.
    pub share: Option<f64>,
    /// The shares of the eigenvalues up to this one, summed up.
    pub cumulated: Option<f64>,
}

/// `values`, from the first on, with their shares of a `sum`.
pub fn eigenvalue_shares(
    values: &[f64],
    sum: Option<f64>,
) -> impl Iterator<Item = EigenvalueShare> {
    let mut so_far = 0.0;
    values.iter().map(move |&eigenvalue| {
        so_far += eigenvalue;
        EigenvalueShare {
            eigenvalue,
            share: sum.map(|sum| eigenvalue / sum),
            cumulated: sum.map(|sum| so_far / sum),
        }
    })
}
