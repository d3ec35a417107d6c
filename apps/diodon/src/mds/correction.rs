//! Corrections that make distances Euclidean by adding a constant to them, or to their squares.

use tegula_files::source::{Block, Source};
use tegula_kernels::dense::{Eigen, Matrix, product, syev};
use tegula_kernels::tile::TileRef;

use super::Leading;
use crate::EmbedError;
use crate::gram::Sums;

/// A correction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Correction {
    /// `d' = sqrt(d^2 + 2 c)` with `c` the modulus of the lowest eigenvalue (Lingoes, "Some
    /// boundary conditions for a monotone analysis of symmetric matrices", Psychometrika 36, 1971).
    Lingoes,
    /// `d' = d + c` with the smallest such `c` (Cailliez, "The analytical solution of the additive
    /// constant problem", Psychometrika 48, 1983).
    Cailliez,
}

/// What Lingoes's correction changes: the constant, and trace and squared norm of the Gram matrix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lingoes {
    /// `c`.
    pub constant: f64,
    /// The trace with it.
    pub trace: f64,
    /// The squared Frobenius norm with it.
    pub frobenius2: f64,
}

/// Lingoes's constant: the modulus of the lowest of `values`, if that is below `-threshold`,
/// else 0.
pub(super) fn constant(values: &[f64], threshold: f64) -> f64 {
    let lowest = values.iter().copied().fold(0.0, f64::min);
    if lowest < -threshold { -lowest } else { 0.0 }
}

/// Applies Lingoes's correction by `constant` to what was found for `n` items beside the vector of
/// ones: `G + c (I - 1 1' / n)` has the same vectors, and values that are larger by `c`, but for
/// the vector of ones, whose value stays 0.
pub(super) fn lingoes(leading: &mut Leading, sums: &Sums, (constant, n): (f64, usize)) {
    leading.values.iter_mut().for_each(|value| *value += constant);
    if let Some(spectrum) = &mut leading.spectrum {
        spectrum.iter_mut().for_each(|value| *value += constant);
        spectrum.push(0.0);
        spectrum.sort_by(|a, b| b.total_cmp(a));
    }
    leading.negative.clear();
    let others = n.saturating_sub(1) as f64;
    let trace = sums.trace + constant * others;
    let frobenius2 = sums.frobenius2 + 2.0 * constant * sums.trace + constant * constant * others;
    leading.lingoes = Some(Lingoes { constant, trace, frobenius2 });
}

/// Bytes that [`cailliez`] holds at most for `n` items: `G`, `H` and what of them is taken apart,
/// and the room for that.
#[must_use]
pub const fn cailliez_bytes(n: usize) -> u64 {
    (10 * n * n + 400 * n) as u64 * size_of::<f64>() as u64
}

/// Cailliez's constant of the distances in `source`: the largest real eigenvalue of
/// `[0, 2 G; -I, -4 H]`, where `G` and `H` are `-1/2` times the squared and the plain distances,
/// centred. Holds as much as [`cailliez_bytes`] says.
///
/// That is the largest `c` at which the Gram matrix of `d + c`,
/// `Q(c) = G + 2 c H + c^2 / 2 (I - 1 1' / n)`, is singular beside the vector of ones; above it `Q`
/// is definite. So it is the largest of the roots of `x' Q(c) x = 0` of any `x`, and found from
/// below as safeguarded iteration finds the extreme eigenvalue of such a problem, with the root of
/// the lowest vector of `Q(c)` as the next `c`: each is larger than the one before, and the last
/// ones converge quadratically (Niendorf, Voss, "Detecting hyperbolic and definite matrix
/// polynomials", Linear Algebra Appl. 432, 2010).
///
/// # Errors
/// If the distances cannot be read, or an eigenproblem is not solved.
pub fn cailliez(source: &dyn Source) -> Result<f64, EmbedError> {
    let [n, _] = source.shape();
    let block = Block { rows: 0..n, columns: 0..n };
    let mut stored = vec![0; block.entries() * source.element().bytes()];
    source.reader()?.read(&block, &mut stored)?;
    let mut distances = vec![0.0; block.entries()];
    source.element().widen(&stored, &mut distances);
    if let Some(at) = distances.iter().position(|x| !x.is_finite()) {
        let (row, column) = (at / n + 1, at % n + 1);
        return Err(EmbedError::Entries(format!(
            "{}: entry ({row}, {column}) is {}: distances are finite",
            source.name(),
            distances[at]
        )));
    }
    // What deviates by more than rounding is refused in the first pass.
    for (at, x) in distances.iter_mut().enumerate() {
        *x = if at / n == at % n { 0.0 } else { x.max(0.0) };
    }
    drop(stored);
    let h = centred(&distances, n);
    distances.iter_mut().for_each(|x| *x *= *x);
    let g = centred(&distances, n);
    drop(distances);
    let mut constant = 0.0;
    loop {
        let mut q = g.clone();
        for j in 0..n {
            (j..n).for_each(|i| q[(i, j)] += 2.0 * constant * h[(i, j)]);
            q[(j, j)] += constant * constant / 2.0;
        }
        let Eigen { values, vectors } = syev(q.view()).map_err(|_| EmbedError::NotFinite)?;
        let (lowest, largest) = (values.first().copied(), values.last().copied());
        let (lowest, largest) = (lowest.unwrap_or(0.0), largest.unwrap_or(0.0));
        // What is not below rounding is no longer negative.
        if lowest >= -(n as f64) * f64::EPSILON * largest.max(-lowest) {
            return Ok(constant);
        }
        let next = root(&g, &h, vectors.col(0));
        if next <= constant {
            return Ok(constant);
        }
        constant = next;
    }
}

/// The larger root of `x' (G + 2 c H + c^2 / 2 I) x = 0`, of an `x` of norm one.
fn root(g: &Matrix<f64>, h: &Matrix<f64>, x: &[f64]) -> f64 {
    let form = |a: &Matrix<f64>| {
        let ax = product(a.view(), TileRef::new(x, x.len(), 1));
        ax.entries().iter().zip(x).map(|(a, x)| a * x).sum::<f64>()
    };
    let (g, h) = (form(g), form(h));
    let length = (4.0 * h * h - 2.0 * g).max(0.0).sqrt();
    if h > 0.0 { -2.0 * g / (2.0 * h + length) } else { length - 2.0 * h }
}

/// `-1/2 (A - m 1' - 1 m' + g)` of a matrix by rows.
fn centred(a: &[f64], n: usize) -> Matrix<f64> {
    let means: Vec<f64> =
        a.chunks_exact(n.max(1)).map(|row| row.iter().sum::<f64>() / n as f64).collect();
    let mean = means.iter().sum::<f64>() / n as f64;
    Matrix::from_fn(n, n, |i, j| -0.5 * (a[i * n + j] - means[i] - means[j] + mean))
}
