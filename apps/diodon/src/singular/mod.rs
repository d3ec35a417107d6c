//! The leading singular triples of an [`Operator`], each method in a file.

mod exact;
mod krylov;
pub(crate) mod operator;
mod plan;

pub(crate) use krylov::square;
pub use operator::{Operator, Rows, Whole};
pub use plan::{Plan, ProblemSize, plan};
use tegula_kernels::scalar::Real;
use tegula_runtime::flow::Flow;

use crate::mds::turn;
use crate::table::Table;
use crate::{Accuracy, EmbedError};

/// How singular triples are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Block Lanczos on the smaller side, until residuals are small.
    Krylov,
    /// The singular value decomposition of the whole table.
    Exact,
}

/// A method as the list shows it.
#[derive(Clone, Copy, Debug)]
pub struct MethodEntry {
    /// Its name.
    pub name: &'static str,
    /// What it does.
    pub summary: &'static str,
    /// The method.
    pub method: Method,
}

/// Every method.
pub static METHODS: &[MethodEntry] = &[
    MethodEntry {
        name: "krylov",
        summary: "block Lanczos, as many passes over the table as the tolerance takes",
        method: Method::Krylov,
    },
    MethodEntry {
        name: "exact",
        summary: "all singular values of the table, which must fit in memory",
        method: Method::Exact,
    },
];

/// Lines of the shorter side, and entries, up to which all singular values are computed unless told
/// otherwise.
const FEW: (usize, usize) = (2000, 1 << 22);

/// The method for a table of this shape, unless another is asked for.
#[must_use]
pub fn default_method([m, n]: [usize; 2]) -> &'static MethodEntry {
    let is_small = m.min(n) <= FEW.0 && m.saturating_mul(n) <= FEW.1;
    let method = if is_small { Method::Exact } else { Method::Krylov };
    METHODS.iter().find(|listed| listed.method == method).expect("every method is listed")
}

/// What is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// Number of axes, `k`.
    pub axes: usize,
    /// How they are found.
    pub method: Method,
    /// Columns of a block.
    pub width: usize,
    /// Most passes over the table, but the one or two for coordinates.
    pub passes: Option<usize>,
    /// Residual at which an axis counts as found, relative to its eigenvalue.
    pub tolerance: f64,
    /// Most columns of the space before it is compressed; at least twice the width.
    pub capacity: usize,
    /// What random numbers are drawn from.
    pub seed: u64,
}

/// Columns of a block for `axes` axes of a table of this shape.
#[must_use]
pub fn block_width(axes: usize, [m, n]: [usize; 2]) -> usize {
    (axes + 10).max(2 * axes).min(m).min(n)
}

/// Leading singular triples of `P`, `m x n`.
#[derive(Clone, Debug)]
pub struct Triples {
    /// Squared singular values (eigenvalues of `P' P`), from the largest on, above what can be told
    /// from zero.
    pub values: Vec<f64>,
    /// `V`, `n x k` by columns of norm one; the first entry of the largest modulus of each is
    /// positive.
    pub right: Vec<f64>,
    /// `P V`, `m x k`: left vectors times singular values.
    pub left: Vec<f64>,
    /// `||P' P v - lambda v||`, or `||P P' u - lambda u||` of a table that is wider than high.
    pub residuals: Option<Vec<f64>>,
    /// Squared norm of each row of `P`, before rows are mixed where the operator does so.
    pub norms2: Vec<f64>,
    /// Squared norm of each column of `P`, those of what mixes columns included.
    pub columns2: Vec<f64>,
    /// Squared Frobenius norm of `P`, the sum of all eigenvalues: total inertia.
    pub inertia: f64,
    /// All squared singular values, if all were computed.
    pub spectrum: Option<Vec<f64>>,
    /// Whether all residuals came below the tolerance.
    pub has_converged: bool,
    /// What rounding may have done to squared norms, relative to their sum.
    pub rounding: f64,
}

impl Triples {
    /// What the eigenvalues are.
    #[must_use]
    pub fn accuracy(&self) -> Accuracy {
        match (&self.spectrum, self.has_converged) {
            (Some(_), _) => Accuracy::Exact,
            (None, true) => Accuracy::Converged,
            (None, false) => Accuracy::Estimated,
        }
    }
}

/// What rounding may have done to squared norms of what is made of `table`, relative to their sum.
pub(crate) fn rounding(table: &Table, inertia: f64) -> f64 {
    if inertia > 0.0 { f64::EPSILON * table.form().magnitude2 / inertia } else { 0.0 }
}

/// Finds the leading triples of `p`, with products in the precision `T`.
///
/// # Errors
/// If a tile cannot be read, entries are not what they should be, or a computation fails.
pub fn leading<T: Real>(
    flow: &mut Flow,
    p: &mut impl Operator,
    request: &Request,
) -> Result<Triples, EmbedError> {
    match request.method {
        Method::Krylov => krylov::find::<T>(flow, p, request),
        Method::Exact => exact::find(flow, p, request),
    }
}
