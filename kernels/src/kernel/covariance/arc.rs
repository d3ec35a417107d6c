//! From the chord between unit vectors to the angle: a polynomial table of `angle^2 / chord^2`.

use std::sync::LazyLock;

use super::fit;
use super::table::Row;

/// Rows over `chord^2` in [0, 2), of equal width.
pub(in crate::kernel) const ARC_ROWS: usize = 16;

/// Cells per unit of `chord^2`.
pub(super) const ARC_CELLS_PER_UNIT: f64 = 8.0;

/// The rows, in `u` in `[-1/2, 1/2]` over each cell. The nearest singularity is `chord^2 = 4`, 33
/// half widths off, so the interpolation leaves less than rounding.
pub(in crate::kernel) static ARC: LazyLock<[Row; ARC_ROWS]> = LazyLock::new(|| {
    std::array::from_fn(|cell| {
        let middle = cell as f64 + 0.5;
        fit::coefficients(&fit::NODES.map(|u| ratio((middle + u) / ARC_CELLS_PER_UNIT)))
    })
});

/// `(2 asin(sqrt(q) / 2))^2 / q = 2 sum q^(n-1) / (n^2 binomial(2n, n))` (Gradshteyn and Ryzhik
/// 1.645.2).
fn ratio(q: f64) -> f64 {
    let (mut term, mut sum, mut n) = (1.0, 1.0, 1.0);
    while term > 1e-18 * sum {
        // binomial(2n, n) / binomial(2n+2, n+1) = (n+1) / (2 (2n+1)).
        term *= q * n * n / ((n + 1.0) * 2.0 * (2.0 * n + 1.0));
        sum += term;
        n += 1.0;
    }
    sum
}
