//! Items placed along axes: what principal coordinates and its relatives end in.

use crate::instruments::Along;

/// What items are placed by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OrdinationInput {
    /// Their distances from each other: eigenvalues may be negative.
    #[default]
    Distances,
    /// The rows of a table: eigenvalues are squares.
    Table,
    /// Their distances from items that were placed before, which come first.
    Placed {
        /// How many were placed before.
        embedded: usize,
    },
}

/// How near eigenvalues are to those of the matrix.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Accuracy {
    /// All were computed, from the whole matrix.
    #[default]
    Exact,
    /// Those of the axes have small residuals; others that were met on the way are estimates.
    Converged,
    /// All are estimates.
    Estimated,
}

/// Places of items along axes, with what the axes are worth.
#[derive(Clone, Debug, Default)]
pub struct Ordination {
    /// How it was computed, in a few words: `principal coordinates, randomized`.
    pub method: String,
    /// What items were placed by.
    pub input: OrdinationInput,
    /// What eigenvalues are.
    pub accuracy: Accuracy,
    /// Names of the `n` items.
    pub ids: Vec<String>,
    /// Coordinates, `n x k` by columns: the column of an axis has the squared length of its
    /// eigenvalue.
    pub coordinates: Vec<f64>,
    /// Eigenvalues of the `k` axes, from the largest on.
    pub eigenvalues: Vec<f64>,
    /// `||G v - lambda v||` of each axis, where the method yields it.
    pub residuals: Option<Vec<f64>>,
    /// Negative eigenvalues that were found, from the lowest on; all of them if the spectrum is
    /// known.
    pub negative: Vec<f64>,
    /// All eigenvalues, from the largest on, if all were computed.
    pub spectrum: Option<Vec<f64>>,
    /// Trace of the matrix whose eigenvalues these are.
    pub trace: f64,
    /// Squared Frobenius norm of it, where that is known.
    pub frobenius2: Option<f64>,
    /// Squared distance of each item from the centre in the space of all axes: the diagonal of the
    /// matrix. May be negative where distances are not Euclidean.
    pub norms2: Vec<f64>,
    /// Weight of each item, with which squares of coordinates along an axis sum to its eigenvalue;
    /// none where a metric mixes items, or nobody asked.
    pub masses: Option<Vec<f64>>,
    /// Places of the variables along the same axes, of a table that has some.
    pub variables: Option<Variables>,
    /// Instrumental variables, where the axes are theirs.
    pub constraints: Option<Constraints>,
}

/// Places of variables along the axes of their items.
#[derive(Clone, Debug, Default)]
pub struct Variables {
    /// Names of the `n` variables.
    pub ids: Vec<String>,
    /// Coordinates, `n x k` by columns.
    pub coordinates: Vec<f64>,
    /// Squared length of each in the space of all axes, and its weight, as those of items; none
    /// where a metric mixes variables.
    pub sizes: Option<Sizes>,
    /// Whether they are points among the items, as columns of a table of counts, and not
    /// directions.
    pub are_points: bool,
}

/// Squared lengths and weights of variables.
#[derive(Clone, Debug, Default)]
pub struct Sizes {
    /// Squared lengths.
    pub norms2: Vec<f64>,
    /// Weights, with which squares of coordinates along an axis sum to its eigenvalue.
    pub masses: Vec<f64>,
}

/// Instrumental variables along axes that are theirs.
#[derive(Clone, Debug)]
pub struct Constraints {
    /// Names of the instruments.
    pub ids: Vec<String>,
    /// Them along the axes.
    pub along: Along,
}

/// Names of the lines of a table.
#[derive(Clone, Debug)]
pub struct Names {
    /// Of its rows.
    pub items: Vec<String>,
    /// Of its columns.
    pub variables: Vec<String>,
}

impl Ordination {
    /// Number of items, `n`.
    #[must_use]
    pub fn items(&self) -> usize {
        self.ids.len()
    }

    /// Number of axes, `k`.
    #[must_use]
    pub fn axes(&self) -> usize {
        self.eigenvalues.len()
    }

    /// Coordinates of all items along `axis`, counted from 0.
    ///
    /// # Panics
    /// If there is no such axis.
    #[must_use]
    pub fn axis(&self, axis: usize) -> &[f64] {
        assert!(axis < self.axes(), "axis {axis} of {}", self.axes());
        &self.coordinates[axis * self.items()..(axis + 1) * self.items()]
    }

    /// Coordinates of all items, axis by axis.
    pub(crate) fn columns(&self) -> Vec<&[f64]> {
        (0..self.axes()).map(|axis| self.axis(axis)).collect()
    }

    /// Sum of all positive eigenvalues, where the whole spectrum is known.
    #[must_use]
    pub fn sum_positive(&self) -> Option<f64> {
        self.spectrum.as_ref().map(|spectrum| spectrum.iter().map(|x| x.max(0.0)).sum())
    }

    /// Sum of the absolute values of all eigenvalues, where the whole spectrum is known.
    #[must_use]
    pub fn sum_absolute(&self) -> Option<f64> {
        self.spectrum.as_ref().map(|spectrum| spectrum.iter().map(|x| x.abs()).sum())
    }
}

impl Variables {
    /// Coordinates of all variables, axis by axis.
    pub(crate) fn columns(&self) -> Vec<&[f64]> {
        self.coordinates.chunks_exact(self.ids.len().max(1)).collect()
    }
}
