//! The radial table: a covariance as plain data, piecewise polynomials in the squared distance.
//!
//! With `s = (d / scale)^2` the table covers `s` in `[first, end)`. A cell is a leading part of the
//! bits of `s`: each octave is cut into `2^k` equal cells, mostly 8 below `split` and 32 from there
//! on, so the cell is found by one shift and one subtraction, without a square root. Its row holds
//! the eight coefficients of a polynomial in the rest of the bits, `u` in `[-1/2, 1/2)`: of the
//! covariance itself below `tail`, of its logarithm from there on. What lies outside is given by
//! the expansion at 0 ([`SmallExpansion`]) and by 0 or the same expansion beyond ([`Tail`]).
//!
//! A logarithm of several hundreds would lose the digits that its exponential needs. Its rows are
//! therefore to base 2 and less an integer `n`, which the last 12 bits of each of the last four
//! coefficients hold: the covariance is `2^n 2^(polynomial)`, of a polynomial that stays small.

use bytemuck::{Pod, Zeroable};

use super::correlation::{Correlation, Derivative, SmallDerivative, SmallExpansion, Tail};
use super::entry;
use super::fit;
use super::lanes::Single;

/// Coefficients per cell: one cache line.
pub const COEFFICIENTS: usize = 8;

/// Cells in a table: a power of two, so that a masked index is always inside.
pub const CELLS: usize = 1024;

/// Size of a table, hence of the buffer that holds it.
pub const TABLE_BYTES: usize = size_of::<RadialTable>();

/// Logarithm to base 2 below which a covariance is taken as 0: that of the smallest normal number.
const LOG2_UNDERFLOW: f64 = -1022.0;

/// Natural logarithm below which a covariance is taken as 0.
pub const LN_UNDERFLOW: f64 = LOG2_UNDERFLOW * std::f64::consts::LN_2;

/// Mantissa bits of an `f64`.
const MANTISSA_BITS: u32 = 52;

/// A polynomial's coefficients, from the constant term.
pub type Row = [f64; COEFFICIENTS];

/// A covariance as a function of distance, as plain data; it needs no pointer and no code.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(64))]
pub struct RadialTable {
    /// Smallest `s` in the table, a power of two.
    pub first: f64,
    /// Where cells become finer, a power of two.
    pub split: f64,
    /// From here on rows give logarithms; a power of two, at least `split`.
    pub tail: f64,
    /// Upper bound of the table: a power of two, or where the covariance underflows.
    pub end: f64,
    /// `1 / scale^2`, rounded; the rows of logarithms allow for its rounding.
    pub inverse_scale2: f64,
    /// Length by which distances are divided.
    pub scale: f64,
    /// Factor of the function: of a covariance its variance, which is its value at distance 0
    /// (without the nugget).
    pub variance: f64,
    /// Added where an observation meets itself.
    pub nugget: f64,
    /// Shift of the bits of `s` below `split`, then from `split`.
    pub shift: [u64; 2],
    /// Subtracted from the shifted bits, below `split`, then from `split`.
    pub base: [u64; 2],
    near_a: [f64; 3],
    near_b: [f64; 3],
    near_power: f64,
    /// Which expansion holds outside, one of [`near`].
    near_kind: u64,
    far_is_near: u64,
    /// Coefficient of `ln(s)` beside the constant term of `near_b`.
    near_log: f64,
    /// Value at distance 0.
    origin: f64,
    /// Numbers from 1 of the coordinates that a derivative by direction goes by, or 0.
    axes: [u64; 2],
    padding: [u64; 7],
    /// The rows; those not used are zero.
    pub cells: [Row; CELLS],
}

/// Kinds of expansions, with `z = s^power`.
mod near {
    /// `a(s) + s^power b(s)`.
    pub(super) const SUM: u64 = 0;
    /// The exponential of that sum.
    pub(super) const LOGARITHM: u64 = 1;
    /// `(1 + z)^-p` with `p` in the place of `a[0]`.
    pub(super) const RATIONAL: u64 = 2;
    /// `a[0] ln(1 + z) + (a[1] + log ln(s)) z / (1 + z)`.
    pub(super) const RATIONAL_DERIVATIVE: u64 = 3;
}

impl RadialTable {
    /// The table of `variance * correlation(d / scale)`, with `nugget` for an observation with
    /// itself. It is rebuilt for each set of parameters.
    ///
    /// # Panics
    /// If `variance` or `scale` is not positive and finite or `nugget` is negative.
    #[must_use]
    pub fn new<C: Correlation + ?Sized>(
        correlation: &C,
        variance: f64,
        scale: f64,
        nugget: f64,
    ) -> Box<Self> {
        let mut table = Self::empty();
        table.tabulate(correlation, variance, scale, nugget);
        table
    }

    /// A table to be filled; as it is, it gives 0 everywhere.
    #[must_use]
    pub fn empty() -> Box<Self> {
        Box::new(Self::zeroed())
    }

    /// As [`new`](Self::new), into an existing table (a task's buffer).
    ///
    /// # Panics
    /// As [`new`](Self::new).
    pub fn tabulate<C: Correlation + ?Sized>(
        &mut self,
        correlation: &C,
        variance: f64,
        scale: f64,
        nugget: f64,
    ) {
        assert!(variance > 0.0 && variance.is_finite(), "variance {variance} is not positive");
        assert!(scale > 0.0 && scale.is_finite(), "scale {scale} is not positive");
        assert!(nugget >= 0.0 && nugget.is_finite(), "nugget {nugget} is negative");
        *self = Self { variance, scale, nugget, origin: variance, ..Self::zeroed() };
        self.inverse_scale2 = (1.0 / scale) * (1.0 / scale);
        self.set_near(correlation);
        let (first, split) = (correlation.first(), correlation.split());
        assert!((-64..=split).contains(&first), "first exponent {first} is outside [-64, {split}]");
        self.first = f64::from(first).exp2();
        self.split = f64::from(split).exp2();
        let bits = correlation.bits();
        self.shift = bits.map(|bits| u64::from(MANTISSA_BITS - bits));
        let low = u64::from((split - first).unsigned_abs()) << bits[0];
        self.base[0] = self.first.to_bits() >> self.shift[0];
        self.base[1] = (self.split.to_bits() >> self.shift[1]) - low;
        self.fill(correlation, low as usize);
        self.cut_underflow();
    }

    /// Makes this the table of `factor * derivative(d / scale)` of the covariance that `like`
    /// holds: over the same cells, 0 at distance 0 and where that table ends.
    ///
    /// # Panics
    /// If `factor` is not finite.
    pub fn tabulate_derivative(&mut self, derivative: &dyn Derivative, factor: f64, like: &Self) {
        assert!(factor.is_finite(), "factor {factor} of a derivative");
        let (near_kind, near_a, near_b, near_log, near_power) = match derivative.near() {
            SmallDerivative::Power { b, log, power } => (near::SUM, [0.0; 3], b, log, power),
            SmallDerivative::Rational { power, logarithm, ratio: [ratio, log] } => {
                let a = [logarithm, ratio, 0.0];
                (near::RATIONAL_DERIVATIVE, a, [0.0; 3], log, power)
            }
        };
        *self = Self {
            variance: factor,
            nugget: 0.0,
            tail: f64::INFINITY,
            near_a,
            near_b,
            near_log,
            near_power,
            near_kind,
            origin: 0.0,
            cells: [[0.0; COEFFICIENTS]; CELLS],
            ..*like
        };
        let values = |x: &Row| derivative.values(x);
        let bits = like.bits();
        let low = ((self.split / self.first).log2() as usize) << bits[0];
        let (low, high) = self.cells.split_at_mut(low);
        fit::octaves(values, like.first, bits[0], factor, low);
        let octaves = (like.end / like.split).log2().ceil() as usize;
        let used = (octaves << bits[1]).min(high.len());
        fit::octaves(values, like.split, bits[1], factor, &mut high[..used]);
    }

    /// Makes this derivative one by direction: between places that are `w` apart it is what the
    /// table gives for their distance, times `w_i w_j / w' w` with the coordinates `i` and `j` of
    /// these `axes`. Kernels of derivatives heed it; [`value`](Self::value) does not.
    pub fn set_axes(&mut self, axes: [usize; 2]) {
        self.axes = axes.map(|axis| axis as u64 + 1);
    }

    /// The coordinates that it goes by, if it is a derivative by direction.
    pub(in crate::kernel) fn axes(&self) -> Option<[usize; 2]> {
        (self.axes[0] > 0).then(|| self.axes.map(|axis| axis as usize - 1))
    }

    fn set_near<C: Correlation + ?Sized>(&mut self, correlation: &C) {
        let (kind, a, b, power) = match correlation.near() {
            SmallExpansion::Sum { a, b, power } => (near::SUM, a, b, power),
            SmallExpansion::Logarithm { a, b, power } => (near::LOGARITHM, a, b, power),
            SmallExpansion::Rational { power, exponent } => {
                (near::RATIONAL, [exponent, 0.0, 0.0], [0.0; 3], power)
            }
        };
        let starts = [1.0, 0.0, a[0]][kind as usize];
        assert!(a[0] == starts, "the expansion starts with {}, not {starts}", a[0]);
        (self.near_kind, self.near_a, self.near_b, self.near_power) = (kind, a, b, power);
        self.far_is_near = u64::from(correlation.far() == Tail::SmallExpansion);
    }

    /// Fits the rows, octave after octave, until the support or the underflow is passed or the
    /// table is full.
    fn fill<C: Correlation + ?Sized>(&mut self, correlation: &C, low: usize) {
        let support2 = correlation.support() * correlation.support();
        let logarithms = fit::Logarithms::new(correlation, self.variance, self.stretch());
        let values = |x: &Row| correlation.values(x);
        let bits = self.bits();
        fit::octaves(values, self.first, bits[0], self.variance, &mut self.cells[..low]);
        (self.tail, self.end) = (f64::INFINITY, self.split);
        let ln_variance = self.variance.ln();
        let is_over = |end: f64| {
            if support2.is_finite() {
                end >= support2
            } else {
                correlation.logarithm(end.sqrt()) + ln_variance < LN_UNDERFLOW
            }
        };
        for cells in self.cells[low..].chunks_exact_mut(1 << bits[1]) {
            if is_over(self.end) {
                break;
            }
            if self.tail.is_infinite() && fit::is_steep(correlation, self.end, bits[1], support2) {
                self.tail = self.end;
            }
            if self.tail.is_finite() {
                logarithms.octave(self.end, bits[1], cells);
            } else {
                fit::octaves(values, self.end, bits[1], self.variance, cells);
            }
            self.end *= 2.0;
        }
        self.tail = self.tail.min(self.end);
        assert!(
            is_over(self.end) || !self.vanishes_beyond(),
            "the table ends at x^2 = {}, where the correlation has not vanished",
            self.end
        );
    }

    /// How many bits of `s` number the cells of an octave, below `split` and from there on.
    fn bits(&self) -> [u32; 2] {
        self.shift.map(|shift| MANTISSA_BITS - shift as u32)
    }

    /// `inverse_scale2 scale^2 - 1`, by products without error.
    fn stretch(&self) -> f64 {
        let (factor, scale) = (self.inverse_scale2, self.scale);
        let once = factor * scale;
        let twice = once * scale;
        let low = factor.mul_add(scale, -once) * scale + once.mul_add(scale, -twice);
        let stretch = (twice - 1.0) + low;
        // Beyond 1e150 and below 1e-150 the square of the scale is no normal number.
        if stretch.abs() < 1e-14 { stretch } else { 0.0 }
    }

    /// Ends the table where its logarithms, which fall, pass that of the smallest normal number.
    fn cut_underflow(&mut self) {
        let underflows = |bits: u64| {
            let (rest, last) = self.row(f64::from_bits(bits));
            rest + f64::from(fit::exponent(last)) < LOG2_UNDERFLOW
        };
        let (mut normal, mut end) = (self.tail.to_bits(), self.end.to_bits());
        if normal == end || !underflows(end - 1) {
            return;
        }
        while end - normal > 1 {
            let middle = normal + (end - normal) / 2;
            if underflows(middle) {
                end = middle;
            } else {
                normal = middle;
            }
        }
        (self.end, self.far_is_near) = (f64::from_bits(end), 0);
    }

    /// The covariance at distance `d >= 0`, one at a time: what the kernels compute in blocks.
    #[must_use]
    pub fn value(&self, d: f64) -> f64 {
        let s = d * d * self.inverse_scale2;
        if s >= self.first && s < self.end { self.row_value(s) } else { self.outside(d) }
    }

    /// Whether the covariance is 0 beyond the table.
    #[must_use]
    pub fn vanishes_beyond(&self) -> bool {
        self.far_is_near == 0
    }

    /// From the row of `s`, which is inside the table.
    fn row_value(&self, s: f64) -> f64 {
        let (value, last) = self.row(s);
        if s < self.tail { value } else { entry::exp2(Single, value, last.to_bits()) }
    }

    /// The polynomial of the row of `s`, which is inside the table, and its last coefficient.
    fn row(&self, s: f64) -> (f64, f64) {
        let tier = usize::from(s >= self.split);
        let bits = s.to_bits();
        let index = (bits >> self.shift[tier]).wrapping_sub(self.base[tier]) as usize;
        let rest = bits << (64 - self.shift[tier]) >> 12;
        let u = f64::from_bits(rest | 1.0_f64.to_bits()) - 1.5;
        let row = &self.cells[index % CELLS];
        (row.iter().rev().fold(0.0, |sum, c| sum * u + c), row[COEFFICIENTS - 1])
    }

    /// The covariance at a distance outside the table, NaN at NaN.
    #[must_use]
    pub fn outside(&self, d: f64) -> f64 {
        if d == 0.0 {
            return self.origin;
        }
        let x = d / self.scale;
        if x >= 1.0 && self.far_is_near == 0 {
            return 0.0;
        }
        let (a, b, s) = (&self.near_a, &self.near_b, x * x);
        if self.near_kind >= near::RATIONAL {
            return self.rational(x);
        }
        let rest = if b[1] == 0.0 && b[2] == 0.0 { b[0] } else { b[0] + s * (b[1] + s * b[2]) };
        let rest = if self.near_log == 0.0 { rest } else { rest + self.near_log * s.ln() };
        let regular = if a[1] == 0.0 && a[2] == 0.0 { 0.0 } else { s * (a[1] + s * a[2]) };
        let sum = regular + x.powf(2.0 * self.near_power) * rest;
        if self.near_kind == near::SUM {
            return self.variance * (a[0] + sum);
        }
        let value = self.variance * sum.exp();
        if value < f64::MIN_POSITIVE { 0.0 } else { value }
    }

    /// The expansions with `z = x^(2 power)`, which hold everywhere; where `z` overflows, its
    /// logarithm does not.
    fn rational(&self, x: f64) -> f64 {
        let (a, ln_s) = (&self.near_a, 2.0 * x.ln());
        let ln_z = self.near_power * ln_s;
        let (z, rest) = (ln_z.exp(), (-ln_z).exp());
        let logarithm = if ln_z < 0.0 { z.ln_1p() } else { ln_z + rest.ln_1p() };
        if self.near_kind == near::RATIONAL {
            return self.variance * (-a[0] * logarithm).exp();
        }
        let ratio = if ln_z < 0.0 { z / (1.0 + z) } else { 1.0 / (1.0 + rest) };
        let log = if self.near_log == 0.0 { 0.0 } else { self.near_log * ln_s };
        self.variance * (a[0] * logarithm + (a[1] + log) * ratio)
    }
}
