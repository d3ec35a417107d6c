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
