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
    /// Variances of the noise of each value that is known, beside the nugget.
    pub noise: Option<Vec<f64>>,
    /// Values of further fields at the same places: independent draws of the same covariance and
    /// noise, each with a mean of its own that is made of the same columns.
    pub replicates: Vec<Vec<f64>>,
}

/// What the mean leaves of each field by ordinary least squares.
#[derive(Clone, Debug)]
pub(crate) struct Residuals {
    /// Coefficients of the orthonormal columns of the mean.
    pub(crate) offset: Vec<Vec<f64>>,
    /// The residuals.
    pub(crate) rest: Vec<Vec<f64>>,
}

/// Why observations cannot be used.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ObservationsError {
    /// Fewer observations than needed.
    #[error("{found} observation{} too few: {needed} or more are needed", if *found == 1 { " is" } else { "s are" })]
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
        Self { points, values, design, noise: None, replicates: Vec::new() }
    }

    /// These with noise whose variance is known, of each value.
    ///
    /// # Panics
    /// If there are not as many variances as values.
    #[must_use]
    pub fn with_noise(self, noise: Option<Vec<f64>>) -> Self {
        assert!(noise.as_ref().is_none_or(|noise| noise.len() == self.len()), "variances of noise");
        Self { noise, ..self }
    }

    /// These with further fields at the same places.
    ///
    /// # Panics
    /// If one is not as long as the values.
    #[must_use]
    pub fn with_replicates(self, replicates: Vec<Vec<f64>>) -> Self {
        assert!(replicates.iter().all(|field| field.len() == self.len()), "values of replicates");
        Self { replicates, ..self }
    }

    /// The values of each field.
    pub fn fields(&self) -> impl Iterator<Item = &[f64]> {
        [&self.values].into_iter().chain(&self.replicates).map(Vec::as_slice)
    }

    /// Number of fields.
    #[must_use]
    pub fn field_count(&self) -> usize {
        1 + self.replicates.len()
    }

    /// What the mean leaves of each field.
    pub(crate) fn residuals(&self) -> Residuals {
        let (offset, rest) = self.fields().map(|field| self.design.project(field)).unzip();
        Residuals { offset, rest }
    }

    /// The variance of the noise of a value that is known.
    #[must_use]
    pub fn noise(&self, index: usize) -> f64 {
        self.noise.as_ref().map_or(0.0, |noise| noise[index])
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
        for field in self.fields() {
            let value = field[0];
            if field.iter().all(|&other| other == value) {
                return Err(ObservationsError::Constant { count: self.len(), value });
            }
            if norm(&self.design.residuals(field)) <= EXPLAINED * norm(field) {
                return Err(ObservationsError::Explained);
            }
        }
        Ok(())
    }

    /// Groups of two or more observations at the very same place, as indices, in order.
    #[must_use]
    pub fn coincident(&self) -> Vec<Vec<usize>> {
        let mut order: Vec<usize> = (0..self.len()).collect();
        let place = |i: usize| key(&self.points, i);
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
        let known: HashSet<_> = (0..self.len()).map(|i| key(&self.points, i)).collect();
        (0..points.len()).map(|i| known.contains(&key(points, i))).collect()
    }

    /// The observations with the given indices; the design's columns stay those of the whole.
    ///
    /// # Panics
    /// If an index is out of range.
    #[must_use]
    pub fn subset(&self, indices: &[usize]) -> Self {
        let points = self.points.select(indices);
        let select = |field: &[f64]| indices.iter().map(|&i| field[i]).collect();
        Self {
            points,
            values: select(&self.values),
            design: self.design.select(indices),
            noise: self.noise.as_deref().map(select),
            replicates: self.replicates.iter().map(|field| select(field)).collect(),
        }
    }
}

/// What is the same of observations at one place, of one variable, at one time.
fn key(points: &Points, i: usize) -> [u64; 5] {
    let (at, marks) = (points.point(i), points.marks());
    std::array::from_fn(|k| {
        let mark = |k: usize| if k < marks { points.mark(k)[i] } else { 0.0 };
        ordered_bits(if k < 3 { at[k] } else { mark(k - 3) })
    })
}

/// Bits of `x` such that equal numbers have equal bits (of the two zeros, one).
fn ordered_bits(x: f64) -> u64 {
    (x + 0.0).to_bits()
}
