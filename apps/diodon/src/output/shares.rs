//! Shares of eigenvalues in sums that are named, since three different sums are in use.

use crate::Ordination;

/// The sum that a share is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whole {
    /// Trace of the matrix: the sum of all eigenvalues, negative ones taken off.
    Trace,
    /// Sum of the positive eigenvalues.
    Positive,
    /// Sum of the absolute values of all eigenvalues.
    Absolute,
}

impl Whole {
    /// All of them.
    pub(super) const ALL: [Self; 3] = [Self::Trace, Self::Positive, Self::Absolute];

    /// The sum in words, after "share of".
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Trace => "the trace",
            Self::Positive => "the sum of positive eigenvalues",
            Self::Absolute => "the sum of absolute values",
        }
    }

    /// The sum, if it is known and positive: without the whole spectrum only the trace is.
    pub(super) fn sum(self, ordination: &Ordination) -> Option<f64> {
        let sum = match self {
            Self::Trace => Some(ordination.trace),
            Self::Positive => ordination.sum_positive,
            Self::Absolute => ordination.sum_absolute,
        };
        sum.filter(|&sum| sum > 0.0 && sum.is_finite())
    }
}

/// An axis with what it is worth.
#[derive(Clone, Copy, Debug)]
pub(super) struct AxisRow {
    /// Number of the axis, from 1.
    pub(super) axis: usize,
    pub(super) eigenvalue: f64,
    /// Share of the trace, where that is positive.
    pub(super) share: Option<f64>,
    /// The shares of the axes up to this one, summed up.
    pub(super) cumulated: Option<f64>,
    pub(super) residual: Option<f64>,
}

/// All axes with their shares of `whole`.
pub(super) fn axis_rows(
    ordination: &Ordination,
    whole: Whole,
) -> impl Iterator<Item = AxisRow> + use<'_> {
    let sum = whole.sum(ordination);
    let mut so_far = 0.0;
    ordination.eigenvalues.iter().enumerate().map(move |(index, &eigenvalue)| {
        so_far += eigenvalue;
        AxisRow {
            axis: index + 1,
            eigenvalue,
            share: sum.map(|sum| eigenvalue / sum),
            cumulated: sum.map(|sum| so_far / sum),
            residual: ordination.residuals.as_ref().map(|residuals| residuals[index]),
        }
    })
}
