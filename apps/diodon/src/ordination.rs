//! Items placed along axes: what principal coordinates and its relatives end in.

/// Places of items along axes, with what the axes are worth.
#[derive(Clone, Debug)]
pub struct Ordination {
    /// How it was computed, in a few words: `principal coordinates, randomized`.
    pub method: String,
    /// Names of the `n` items.
    pub ids: Vec<String>,
    /// Coordinates, `n x k` by columns: the column of an axis has the squared length of its eigenvalue.
    pub coordinates: Vec<f64>,
    /// Eigenvalues of the `k` axes, from the largest on.
    pub eigenvalues: Vec<f64>,
    /// `||G v - lambda v||` of each axis, where the method yields it.
    pub residuals: Option<Vec<f64>>,
    /// Negative eigenvalues that were found, from the lowest on; all of them if `is_complete`.
    pub negative: Vec<f64>,
    /// Whether the whole spectrum was computed.
    pub is_complete: bool,
    /// Sum of the absolute values of all eigenvalues, where the whole spectrum is known.
    pub sum_absolute: Option<f64>,
    /// Sum of all positive eigenvalues, where the whole spectrum is known.
    pub sum_positive: Option<f64>,
    /// Trace of the matrix whose eigenvalues these are.
    pub trace: f64,
    /// Squared Frobenius norm of it, where that is known.
    pub frobenius2: Option<f64>,
    /// Squared distance of each item from the centre in the space of all axes: the diagonal of the matrix. May be
    /// negative where distances are not Euclidean.
    pub norms2: Vec<f64>,
    /// Places of the variables along the same axes, of a table that has some.
    pub variables: Option<Variables>,
}

/// Places of variables along the axes of their items.
#[derive(Clone, Debug)]
pub struct Variables {
    /// Names of the `n` variables.
    pub ids: Vec<String>,
    /// Coordinates, `n x k` by columns.
    pub coordinates: Vec<f64>,
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
}
