//! What is observed: places, values, and the columns that their mean is made of.

use std::collections::HashSet;

use tegula_kernels::geometry::Points;
use thiserror::Error;

use crate::design::{Design, norm};

/// Values of a field at places.
#[derive(Clone, Debug)]
pub struct Observations {
    /// The places.
    pub points: Points,
    /// One value per place.
    pub values: Vec<f64>,
    /// The mean, as a linear model.
    pub design: Design,
}

/// Why observations cannot be used.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ObservationsError {
    /// Fewer observations than needed.
    #[error("{found} observations are too few: {needed} or more are needed")]
    TooFew {
        /// How many there are.
        found: usize,
        /// How many it takes.
        needed: usize,
    },
    /// All values are equal, so there is nothing to estimate.
    #[error("all {count} values equal {value}: a field without variation has no covariance to fit")]
    Constant {
        /// How many there are.
        count: usize,
        /// The value.
        value: f64,
    },
    /// The mean explains all values, so there is nothing left to estimate.
    #[error(
        "the mean explains every value, up to rounding: nothing is left that a covariance could be fitted to"
    )]
    Explained,
}

/// Share of the values that the mean may leave to be called explained: rounding.
const EXPLAINED: f64 = 1e-13;

impl Observations {
    /// `values` at `points` with the mean `design`.
    ///
    /// # Panics
    /// If the three differ in length.
    #[must_use]
    pub fn new(points: Points, values: Vec<f64>, design: Design) -> Self {
        assert_eq!(points.len(), values.len(), "places and values");
        assert_eq!(points.len(), design.rows(), "places and rows of the design");
        Self { points, values, design }
    }

    /// Number of observations.
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Whether parameters can be estimated from these.
    ///
    /// # Errors
    /// If there are too few for the mean and two more, or they do not vary.
    pub fn check_fit(&self) -> Result<(), ObservationsError> {
        let needed = self.design.columns() + 2;
        if self.len() < needed {
            return Err(ObservationsError::TooFew { found: self.len(), needed });
        }
        let value = self.values[0];
        if self.values.iter().all(|&other| other == value) {
            return Err(ObservationsError::Constant { count: self.len(), value });
        }
        let rest = self.design.residuals(&self.values);
        if norm(&rest) <= EXPLAINED * norm(&self.values) {
            return Err(ObservationsError::Explained);
        }
        Ok(())
    }

    /// Groups of two or more observations at the very same place, as indices, in order.
    #[must_use]
    pub fn coincident(&self) -> Vec<Vec<usize>> {
        let mut order: Vec<usize> = (0..self.len()).collect();
        let place = |i: usize| self.points.point(i).map(ordered_bits);
        order.sort_unstable_by_key(|&i| (place(i), i));
        let mut groups: Vec<Vec<usize>> = order
            .chunk_by(|&a, &b| place(a) == place(b))
            .filter(|group| group.len() > 1)
            .map(<[usize]>::to_vec)
            .collect();
        groups.sort_unstable();
        groups
    }

    /// Which of `points`, in the same geometry, are places of these observations.
    #[must_use]
    pub fn are_observed(&self, points: &Points) -> Vec<bool> {
        let place = |points: &Points, i: usize| points.point(i).map(ordered_bits);
        let known: HashSet<_> = (0..self.len()).map(|i| place(&self.points, i)).collect();
        (0..points.len()).map(|i| known.contains(&place(points, i))).collect()
    }

    /// The observations with the given indices; the design's columns stay those of the whole.
    ///
    /// # Panics
    /// If an index is out of range.
    #[must_use]
    pub fn subset(&self, indices: &[usize]) -> Self {
        let points = self.points.select(indices);
        let values = indices.iter().map(|&i| self.values[i]).collect();
        Self { points, values, design: self.design.select(indices) }
    }
}

/// Bits of `x` such that equal numbers have equal bits (of the two zeros, one).
fn ordered_bits(x: f64) -> u64 {
    (x + 0.0).to_bits()
}
