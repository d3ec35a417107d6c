//! Cholesky's factorisation of matrices of a few rows, by columns, and what the factor is for.

/// The lower factor of the matrix with entries `at`. What is left of each diagonal entry goes
/// through `pivot`, which may refuse it, or raise it.
pub(crate) fn cholesky(
    n: usize,
    at: impl Fn(usize, usize) -> f64,
    pivot: impl Fn(f64) -> Option<f64>,
) -> Option<Vec<f64>> {
    let mut l = vec![0.0; n * n];
    for j in 0..n {
        for i in j..n {
            let sum: f64 = (0..j).map(|k| l[i + k * n] * l[j + k * n]).sum();
            let rest = at(i, j) - sum;
            l[i + j * n] = if i > j { rest / l[j + j * n] } else { pivot(rest)?.sqrt() };
        }
    }
    Some(l)
}

/// Takes pivots that are positive.
pub(crate) fn positive(pivot: f64) -> Option<f64> {
    (pivot > 0.0).then_some(pivot)
}

/// `L^-1 b`.
pub(crate) fn forward(l: &[f64], n: usize, b: &[f64]) -> Vec<f64> {
    let mut x = b.to_vec();
    for i in 0..n {
        let sum: f64 = (0..i).map(|k| l[i + k * n] * x[k]).sum();
        x[i] = (x[i] - sum) / l[i + i * n];
    }
    x
}

/// `L^-T b`.
pub(crate) fn backward(l: &[f64], n: usize, b: &[f64]) -> Vec<f64> {
    let mut x = b.to_vec();
    for i in (0..n).rev() {
        let sum: f64 = (i + 1..n).map(|k| l[k + i * n] * x[k]).sum();
        x[i] = (x[i] - sum) / l[i + i * n];
    }
    x
}

/// `(L L')^-1`, by columns.
pub(crate) fn inverse(l: &[f64], n: usize) -> Vec<f64> {
    let unit = |j: usize| (0..n).map(move |i| f64::from(u8::from(i == j))).collect::<Vec<f64>>();
    (0..n).flat_map(|j| backward(l, n, &forward(l, n, &unit(j)))).collect()
}

/// Inverse of a small symmetric positive definite matrix, by columns, scaled to a unit diagonal
/// first; none of one that is singular to rounding.
pub(crate) fn scaled_inverse(n: usize, at: impl Fn(usize, usize) -> f64) -> Option<Vec<f64>> {
    let scale: Vec<f64> = (0..n).map(|i| at(i, i).sqrt()).collect();
    if scale.iter().any(|s| !(*s > 0.0 && s.is_finite())) {
        return None;
    }
    let unit = |i: usize, j: usize| at(i, j) / (scale[i] * scale[j]);
    let a = inverse(&cholesky(n, unit, |x| (x >= 1e-12).then_some(x))?, n);
    // Of what rounding leaves unequal, the entries below the diagonal.
    let entry = |(i, j): (usize, usize)| a[i.max(j) + i.min(j) * n] / (scale[i] * scale[j]);
    Some((0..n * n).map(|place| entry((place % n, place / n))).collect())
}

#[cfg(test)]
mod tests {
    use super::scaled_inverse;

    #[test]
    fn small_matrices_are_inverted() {
        let a = [4.0, 1.0, 0.5, 1.0, 3e6, -20.0, 0.5, -20.0, 2.0];
        let found = scaled_inverse(3, |i, j| a[i + 3 * j]).expect("positive definite");
        for j in 0..3 {
            for i in 0..3 {
                let entry: f64 = (0..3).map(|k| a[i + 3 * k] * found[k + 3 * j]).sum();
                assert!((entry - f64::from(u8::from(i == j))).abs() < 1e-8, "{i} {j}: {entry}");
            }
        }
        assert!(scaled_inverse(2, |_, _| 1.0).is_none(), "singular");
        assert!(scaled_inverse(1, |_, _| 0.0).is_none());
    }
}
