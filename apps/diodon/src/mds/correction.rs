//! Corrections that make distances Euclidean by adding a constant to them, or to their squares.

use faer::{Mat, MatRef};
use tegula_files::source::{Block, Source};

use super::Leading;
use crate::EmbedError;
use crate::gram::Sums;

/// A correction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Correction {
    /// `d' = sqrt(d^2 + 2 c)` with `c` the modulus of the lowest eigenvalue (Lingoes, "Some boundary conditions for a monotone
    /// analysis of symmetric matrices", Psychometrika 36, 1971).
    Lingoes,
    /// `d' = d + c` with the smallest such `c` (Cailliez, "The analytical solution of the additive constant problem",
    /// Psychometrika 48, 1983).
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

/// Lingoes's constant: the modulus of the lowest of `values`, if that is below `-threshold`, else 0.
pub(super) fn constant(values: &[f64], threshold: f64) -> f64 {
    let lowest = values.iter().copied().fold(0.0, f64::min);
    if lowest < -threshold { -lowest } else { 0.0 }
}

/// Applies Lingoes's correction by `constant` to what was found for `n` items beside the vector of ones:
/// `G + c (I - 1 1' / n)` has the same vectors, and values that are larger by `c`, but for the vector of
/// ones, whose value stays 0.
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

/// Bytes that [`cailliez`] holds at most for `n` items: the matrix of order `2 n`, the copy in which its
/// eigenvalues are found, what blocks of reflectors take, and two matrices of order `n`.
#[must_use]
pub const fn cailliez_bytes(n: usize) -> u64 {
    (10 * n * n + 400 * n) as u64 * size_of::<f64>() as u64
}

/// Cailliez's constant of the distances in `source`: the largest real eigenvalue of `[0, 2 G; -I, -4 H]`, where `G` and `H` are
/// `-1/2` times the squared and the plain distances, centred. Holds as much as [`cailliez_bytes`] says.
///
/// # Errors
/// If the distances cannot be read, or the eigenproblem is not solved.
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
    let h = centred(MatRef::from_row_major_slice(&distances, n, n));
    distances.iter_mut().for_each(|x| *x *= *x);
    let g = centred(MatRef::from_row_major_slice(&distances, n, n));
    drop(distances);
    let whole = Mat::from_fn(2 * n, 2 * n, |i, j| match (i < n, j < n) {
        (true, true) => 0.0,
        (true, false) => 2.0 * g[(i, j - n)],
        (false, true) => -f64::from(u8::from(i - n == j)),
        (false, false) => -4.0 * h[(i - n, j - n)],
    });
    drop((g, h));
    let values = whole.eigenvalues().map_err(|_| EmbedError::NotFinite)?;
    let size = values.iter().map(|value| value.norm()).fold(0.0, f64::max);
    let is_real = |value: &faer::c64| value.im.abs() <= 1e-8 * size;
    Ok(values.iter().filter(|value| is_real(value)).map(|value| value.re).fold(0.0, f64::max))
}

/// `-1/2 (A - m 1' - 1 m' + g)`.
fn centred(a: MatRef<'_, f64>) -> Mat<f64> {
    let n = a.nrows();
    let means: Vec<f64> =
        (0..n).map(|i| (0..n).map(|j| a[(i, j)]).sum::<f64>() / n as f64).collect();
    let mean = means.iter().sum::<f64>() / n as f64;
    Mat::from_fn(n, n, |i, j| -0.5 * (a[(i, j)] - means[i] - means[j] + mean))
}
