//! Orders of the columns of a sparse matrix, on which depends how much of `R` fills in.

use tegula_kernels::scalar::Scalar;
use tegula_kernels::sparse::SparseMatrix;

use super::colamd::colamd;

/// How columns are ordered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ordering {
    /// Column approximate minimum degree.
    #[default]
    Colamd,
    /// As they stand.
    Natural,
}

/// All, with their names and what they are.
pub const ORDERINGS: &[(Ordering, &str, &str)] = &[
    (Ordering::Colamd, "colamd", "column approximate minimum degree: little fill-in"),
    (Ordering::Natural, "natural", "as the columns stand"),
];

impl Ordering {
    /// Its name.
    ///
    /// # Panics
    /// Never: all are listed.
    #[must_use]
    pub fn name(self) -> &'static str {
        ORDERINGS.iter().find(|(ordering, ..)| *ordering == self).expect("all are listed").1
    }

    /// The number of the column at each place.
    pub(super) fn order<T: Scalar>(self, a: &SparseMatrix<T>) -> Vec<u32> {
        match self {
            Self::Colamd => colamd(a),
            Self::Natural => (0..a.n() as u32).collect(),
        }
    }
}
