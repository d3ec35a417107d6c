//! Polynomial fits of the cells of a radial table: interpolation at Chebyshev nodes.

use std::f64::consts::LOG2_E;
use std::sync::LazyLock;

use super::correlation::Correlation;
use super::table::{COEFFICIENTS, Row};

/// Change of the logarithm across a cell of 1/32 of an octave above which the logarithm itself is
/// tabulated.
///
/// Interpolating `exp(-a u)` on a cell leaves `2 (a/4)^8 / 8!`, relative: 2e-15 at this bound. In
/// coarser cells the logarithm bends as well, and its products with the slope count: with 16 cells
/// and 0.2 they leave 1.5e-13. The bound falls with the number of cells.
const STEEP: f64 = 0.2;

/// The Chebyshev nodes `cos((2j + 1) pi / 16) / 2`.
pub(super) const NODES: Row = [
    0.490_392_640_201_615_2,
    0.415_734_806_151_272_6,
    0.277_785_116_509_801_1,
    0.097_545_161_008_064_13,
    -0.097_545_161_008_064_13,
    -0.277_785_116_509_801_1,
    -0.415_734_806_151_272_6,
    -0.490_392_640_201_615_2,
];

/// The matrix from values at the nodes to coefficients, a row per coefficient.
static MATRIX: LazyLock<[Row; COEFFICIENTS]> = LazyLock::new(|| {
    let n = COEFFICIENTS as f64;
    let mut matrix = [[0.0; COEFFICIENTS]; COEFFICIENTS];
    for (k, polynomial) in chebyshev().iter().enumerate() {
        let weight = if k == 0 { 1.0 / n } else { 2.0 / n };
        for (row, coefficient) in matrix.iter_mut().zip(polynomial) {
            for (j, entry) in row.iter_mut().enumerate() {
                let angle = std::f64::consts::PI * (j as f64 + 0.5) / n;
                *entry += coefficient * weight * (k as f64 * angle).cos();
            }
        }
    }
    matrix
});

/// Coefficients in `u` of the Chebyshev polynomials `T_k(2 u)`, `k < 8`.
fn chebyshev() -> [Row; COEFFICIENTS] {
    let mut t = [[0.0; COEFFICIENTS]; COEFFICIENTS];
    t[0][0] = 1.0;
    t[1][1] = 2.0;
    for k in 2..COEFFICIENTS {
        for i in 0..COEFFICIENTS {
            let shifted = if i == 0 { 0.0 } else { t[k - 1][i - 1] };
            t[k][i] = 4.0 * shifted - t[k - 2][i];
        }
    }
    t
}

/// The interpolating polynomial. The value at one node is taken off first and put back last, so
/// that rounding is relative to the variation over the cell.
pub(super) fn coefficients(values: &Row) -> Row {
    let middle = values[COEFFICIENTS / 2];
    let mut row = [0.0; COEFFICIENTS];
    for (c, weights) in row.iter_mut().zip(MATRIX.iter()) {
        *c = values.iter().zip(weights).map(|(v, w)| (v - middle) * w).sum();
    }
    row[0] += middle;
    row
}

/// Square roots of the nodes of cell `index` of the octave `[start, 2 start)` cut into `2^bits`.
fn nodes(start: f64, bits: u32, index: usize) -> Row {
    let width = start / f64::from(1_u32 << bits);
    let middle = start + width * (index as f64 + 0.5);
    NODES.map(|u| (middle + width * u).sqrt())
}

/// Rows of `factor` times a function, whose `values` at the nodes of a cell are given, for
/// consecutive octaves from `start`.
pub(super) fn octaves(
    values: impl Fn(&Row) -> Row,
    start: f64,
    bits: u32,
    factor: f64,
    cells: &mut [Row],
) {
    let mut start = start;
    for octave in cells.chunks_exact_mut(1 << bits) {
        for (index, row) in octave.iter_mut().enumerate() {
            *row = coefficients(&values(&nodes(start, bits, index))).map(|c| c * factor);
        }
        start *= 2.0;
    }
}

/// Leading and remaining part of `ln 2`: multiples of the first are exact up to `2^20`.
const LN_2: [f64; 2] = [6.931_471_803_691_238e-1, 1.908_214_929_270_587_7e-10];

/// Bits of the last coefficients that hold the integer of a row of logarithms.
const EXPONENT_BITS: u32 = 12;

/// Fits rows of logarithms.
pub(super) struct Logarithms<'a, C: ?Sized> {
    correlation: &'a C,
    /// Logarithm to base 2 of the variance: an integer and the rest.
    variance: (f64, f64),
    stretch: f64,
}

impl<'a, C: Correlation + ?Sized> Logarithms<'a, C> {
    /// The table's variable is `x^2 (1 + stretch)`.
    pub(super) fn new(correlation: &'a C, variance: f64, stretch: f64) -> Self {
        let whole = variance.log2().floor().clamp(-1000.0, 1000.0);
        Self { correlation, variance: (whole, (variance * (-whole).exp2()).log2()), stretch }
    }

    /// Rows of `log2(variance * correlation)` less integers, for the octave from `start`.
    pub(super) fn octave(&self, start: f64, bits: u32, cells: &mut [Row]) {
        let width = start / f64::from(1_u32 << bits);
        let first = self.correlation.logarithm((start + 0.5 * width).sqrt());
        let mut whole = (first * LOG2_E).round();
        for (index, row) in cells.iter_mut().enumerate() {
            let middle = start + width * (index as f64 + 0.5);
            *row = self.row(middle, width, whole);
            // The polynomial in the middle of the next cell.
            let next = whole + row.iter().sum::<f64>().round();
            row[0] += self.variance.1;
            set_exponent(row, self.variance.0 + whole);
            whole = next;
        }
    }

    /// Of the correlation, less `whole`. The nodes are moved back from where rounding put them.
    fn row(&self, middle: f64, width: f64, whole: f64) -> Row {
        let x = NODES.map(|u| (middle + width * u).sqrt());
        let mut values = self.correlation.remainders(&x, whole * LN_2[0]);
        let slope = (values[0] - values[COEFFICIENTS - 1]) / (NODES[0] - NODES[COEFFICIENTS - 1]);
        for ((value, x), u) in values.iter_mut().zip(x).zip(NODES) {
            let s = x * x;
            let rounding = square_error(x, s) + s * self.stretch;
            let off = u - ((s - middle) + rounding) / width;
            *value = (*value - whole * LN_2[1] + slope * off) * LOG2_E;
        }
        coefficients(&values)
    }
}

/// `x^2 - s` of the rounded square `s`, by halves of the digits (T. J. Dekker, "A floating-point
/// technique for extending the available precision", Numer. Math. 18 (1971) 224-242).
fn square_error(x: f64, s: f64) -> f64 {
    let high = f64::from_bits(x.to_bits() & !((1 << 27) - 1));
    let low = x - high;
    ((high * high - s) + 2.0 * high * low) + low * low
}

/// Puts an integer into the last bits of each of the last four coefficients, so that vectors may
/// take it where it costs least. They are too small for these bits to count.
fn set_exponent(row: &mut Row, n: f64) {
    let most = (1 << (EXPONENT_BITS - 1)) - 1;
    let n = (n as i64).clamp(-most, most) as u64;
    let mask = (1 << EXPONENT_BITS) - 1;
    for c in &mut row[COEFFICIENTS / 2..] {
        // With 0 the bits would be a denormal number, which is slow to compute with.
        let normal = if c.abs() < 1e-30 { 1e-30 } else { *c };
        *c = f64::from_bits((normal.to_bits() & !mask) | (n & mask));
    }
}

/// The integer of a row of logarithms, from one of its last coefficients.
pub(super) fn exponent(last: f64) -> i32 {
    let unused = 64 - EXPONENT_BITS;
    ((last.to_bits() << unused) as i64 >> unused) as i32
}

/// Whether the octave from `start`, in `2^bits` cells, falls too steeply for its values to be
/// tabulated. A compact support has no logarithm at its end and is smooth up to it.
pub(super) fn is_steep<C: Correlation + ?Sized>(
    correlation: &C,
    start: f64,
    bits: u32,
    support2: f64,
) -> bool {
    if support2.is_finite() {
        return false;
    }
    let ln = |s: f64| correlation.logarithm(s.sqrt());
    let cells = f64::from(1_u32 << bits);
    let cell = start / cells;
    let fall = |s: f64| (ln(s) - ln(s + cell)).abs();
    fall(start).max(fall(2.0 * start - cell)) > STEEP * cells / 32.0
}
