//! Principal coordinates (classical scaling) of a matrix of distances: the leading eigenpairs of
//! its Gram matrix, each method in a file.
//!
//! Torgerson, "Multidimensional scaling: I. Theory and method", Psychometrika 17 (1952); Gower,
//! "Some distance properties of latent root and vector methods used in multivariate analysis",
//! Biometrika 53 (1966).

mod correction;
mod exact;
pub(crate) mod lanczos;
mod nystrom;
mod pause;
mod plan;
mod randomized;
pub(crate) mod ritz;

pub use correction::{Correction, Lingoes, cailliez, cailliez_bytes};
pub use pause::{NoPauses, Pauses, Save};
pub use plan::{Plan, ProblemSize, default_method, plan};
pub(crate) use randomized::copy;
use tegula_kernels::scalar::Real;
use tegula_runtime::flow::Flow;
use tegula_tiles::{Order, TileMatrix};

use crate::gram::{Gram, Sums};
use crate::{EmbedError, verdict};

/// How the leading eigenpairs are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Randomised singular value decomposition.
    Randomized,
    /// Nyström's approximation from the same passes, its core cut.
    Nystrom,
    /// Block Lanczos, until residuals are small.
    Lanczos,
    /// All eigenpairs of the whole matrix.
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
        name: "lanczos",
        summary: "block Lanczos, as many passes over the distances as the tolerance takes",
        method: Method::Lanczos,
    },
    MethodEntry {
        name: "randomized",
        summary: "randomised SVD, two passes unless told otherwise",
        method: Method::Randomized,
    },
    MethodEntry {
        name: "nystrom",
        summary: "guarded Nystrom, more accurate on the same passes, no residuals",
        method: Method::Nystrom,
    },
    MethodEntry {
        name: "exact",
        summary: "all eigenvalues of the matrix, which must fit in memory",
        method: Method::Exact,
    },
];

/// What is asked for.
#[derive(Clone, Debug)]
pub struct Request {
    /// Number of axes, `k`.
    pub axes: usize,
    /// How they are found.
    pub method: Method,
    /// Columns of the sketch, or of a block.
    pub width: usize,
    /// Passes over the distances: of the randomised methods how many, of Lanczos at most.
    pub passes: Option<usize>,
    /// Residual at which an axis counts as found, relative to its eigenvalue.
    pub tolerance: f64,
    /// Most columns of the space of Lanczos before it is compressed; at least twice the width.
    pub capacity: usize,
    /// Whether distances are to be made Euclidean by Lingoes's correction: all eigenvalues but that
    /// of the vector of ones become larger by the modulus of the lowest, and axes whose eigenvalues
    /// were not positive count, too.
    pub lingoes: bool,
    /// What random numbers are drawn from.
    pub seed: u64,
}

/// Columns of a sketch for `axes` axes of `n` items: narrower ones lose axes of indefinite
/// matrices.
#[must_use]
pub const fn sketch_width(axes: usize, n: usize) -> usize {
    let width = if 5 * axes > axes + 40 { 5 * axes } else { axes + 40 };
    if width < n { width } else { n }
}

/// Leading eigenpairs.
#[derive(Debug)]
pub struct Leading {
    /// Eigenvalues, from the largest on, corrected if that was asked for; all are above what the
    /// precision of the distances lets one tell from zero.
    pub values: Vec<f64>,
    /// Eigenvectors of norm one, `n x k` by columns; the entry of the largest modulus of each is
    /// positive.
    pub vectors: Vec<f64>,
    /// `||G v - lambda v||`, where the method yields it; of the randomised decomposition, that of
    /// vectors before the last product, which are less accurate than those given.
    pub residuals: Option<Vec<f64>>,
    /// Negative eigenvalues that were met, from the lowest on.
    pub negative: Vec<f64>,
    /// All eigenvalues, from the largest on, if all were computed.
    pub spectrum: Option<Vec<f64>>,
    /// Whether all residuals came below the tolerance; nothing of methods that do not wait for
    /// that.
    pub has_converged: Option<bool>,
    /// What Lingoes's correction changed, if it was asked for.
    pub lingoes: Option<Lingoes>,
}

/// Eigenvectors in tiles, with what is known of them.
struct Found {
    /// Ritz values of the vectors.
    values: Vec<f64>,
    /// The vectors, `n x k`.
    vectors: TileMatrix<f64>,
    residuals: Option<Vec<f64>>,
    /// All Ritz values, in any order.
    ritz: Vec<f64>,
    has_converged: Option<bool>,
}

/// Relative size below which an eigenvalue cannot be told from zero: by the precision of the stored
/// distances, that of the products, and that of sums over all items.
fn noise<T: Real>(gram: &Gram) -> f64 {
    let stored = gram.stream().reading().source().element().epsilon();
    // Sums of products in a tile lose some digits.
    let products = 8.0 * T::EPSILON.to_f64();
    stored.max(products).max(gram.n() as f64 * f64::EPSILON)
}

/// Finds the leading eigenpairs of `gram`, with products in the precision `T`.
///
/// # Errors
/// If a tile cannot be read, entries are no distances, or a computation fails.
///
/// # Panics
/// If Lingoes's correction is asked of a sketch, which does not find the lowest eigenvalue.
pub fn leading<T: Real>(
    flow: &mut Flow,
    gram: &mut Gram,
    request: &Request,
) -> Result<Leading, EmbedError> {
    leading_with::<T>(flow, gram, request, &mut NoPauses)
}

/// As [`leading`], with `pauses` between passes, where the run may end and another go on;
/// [`Method::Exact`] makes none.
///
/// # Errors
/// As [`leading`]; [`EmbedError::Stopped`] if the run ended in a pause.
///
/// # Panics
/// As [`leading`].
pub fn leading_with<T: Real>(
    flow: &mut Flow,
    gram: &mut Gram,
    request: &Request,
    pauses: &mut dyn Pauses,
) -> Result<Leading, EmbedError> {
    let (method, is_shifted) = (request.method, request.lingoes);
    let is_sketched = matches!(method, Method::Randomized | Method::Nystrom);
    assert!(!(is_shifted && is_sketched), "{method:?} does not find the lowest eigenvalue");
    let found = match request.method {
        Method::Randomized => randomized::find::<T>(flow, gram, request, pauses)?,
        Method::Nystrom => nystrom::find::<T>(flow, gram, request, pauses)?,
        Method::Lanczos => lanczos::find::<T>(flow, gram, request, pauses)?,
        Method::Exact => return exact::find(flow, gram, request),
    };
    let (threshold, constant) = limits::<T>(gram, request, &found.ritz);
    let kept = found.values.iter().take_while(|&&value| value + constant > threshold).count();
    let mut vectors = vec![0.0; gram.n() * found.vectors.n()];
    found.vectors.gather(flow, &mut vectors, Order::ColumnMajor { ld: gram.n().max(1) })?;
    found.vectors.unregister(flow);
    vectors.truncate(kept * gram.n());
    turn(&mut vectors, gram.n());
    let mut negative: Vec<f64> =
        found.ritz.iter().copied().filter(|&value| value < -threshold).collect();
    negative.sort_by(f64::total_cmp);
    let mut leading = Leading {
        values: found.values[..kept].to_vec(),
        vectors,
        residuals: found.residuals.map(|residuals| residuals[..kept].to_vec()),
        negative,
        spectrum: None,
        has_converged: found.has_converged,
        lingoes: None,
    };
    if is_shifted {
        correction::lingoes(&mut leading, gram.sums(), (constant, gram.n()));
    }
    Ok(leading)
}

/// Size below which an eigenvalue cannot be told from zero, and by how much all are larger after
/// the correction that is asked for.
fn limits<T: Real>(gram: &Gram, request: &Request, values: &[f64]) -> (f64, f64) {
    let largest = values.iter().map(|value| value.abs()).fold(0.0, f64::max);
    let threshold = noise::<T>(gram) * largest;
    let constant = if request.lingoes { correction::constant(values, threshold) } else { 0.0 };
    (threshold + noise::<T>(gram) * constant, constant)
}

/// Turns vectors of length `n` so that the first entry of the largest modulus is positive.
pub(crate) fn turn(vectors: &mut [f64], n: usize) {
    for vector in vectors.chunks_exact_mut(n.max(1)) {
        let largest = vector
            .iter()
            .fold(0.0_f64, |largest, &x| if x.abs() > largest.abs() { x } else { largest });
        if largest < 0.0 {
            vector.iter_mut().for_each(|x| *x = -*x);
        }
    }
}

/// Refuses distances that are none, after the first pass.
fn check(gram: &Gram) -> Result<&Sums, EmbedError> {
    verdict::refuse(gram)?;
    Ok(gram.sums())
}
