//! Several entries at once: from coordinates to covariances, on any kind of vector.

use crate::geometry::EARTH_RADIUS_KM;

use super::arc::{ARC_CELLS_PER_UNIT, ARC_ROWS};
use super::lanes::Lanes;
use super::table::{RadialTable, Row};

/// The largest number below a positive `x`.
fn below(x: f64) -> f64 {
    f64::from_bits(x.to_bits() - 1)
}

/// A table with its constants spread over vectors.
pub(in crate::kernel) struct Evaluator<'a, L: Lanes> {
    lanes: L,
    table: &'a RadialTable,
    arc: &'a [Row; ARC_ROWS],
    first: L::F,
    last: L::F,
    limit: L::F,
    split: L::F,
    tail: L::F,
    factor: L::F,
}

impl<'a, L: Lanes> Evaluator<'a, L> {
    /// `sphere` tells that coordinates are unit vectors.
    #[inline(always)]
    pub(in crate::kernel) fn new(
        lanes: L,
        table: &'a RadialTable,
        arc: &'a [Row; ARC_ROWS],
        sphere: bool,
    ) -> Self {
        let radius2 = if sphere { EARTH_RADIUS_KM * EARTH_RADIUS_KM } else { 1.0 };
        let limit = if table.vanishes_beyond() { f64::MAX } else { below(table.end) };
        Self {
            lanes,
            table,
            arc,
            first: lanes.splat(table.first),
            last: lanes.splat(below(table.end)),
            limit: lanes.splat(limit),
            split: lanes.splat(table.split),
            tail: lanes.splat(table.tail),
            factor: lanes.splat(table.inverse_scale2 * radius2),
        }
    }

    /// The vectors computed with.
    #[inline(always)]
    pub(super) fn lanes(&self) -> L {
        self.lanes
    }

    /// Covariances of the points `a` (a vector per coordinate) with the point `b`, and the lanes,
    /// as bits, in which they are not to be trusted: there the distance is 0 or outside the table.
    #[inline(always)]
    pub(in crate::kernel) fn entries<const D: usize, const SPHERE: bool>(
        &self,
        a: &[L::F; D],
        b: &[L::F; D],
    ) -> (L::F, u32) {
        let l = self.lanes;
        let mut square = l.splat(0.0);
        for k in 0..D {
            let difference = l.sub(a[k], b[k]);
            square = if k == 0 {
                l.mul(difference, difference)
            } else {
                l.mul_add(difference, difference, square)
            };
        }
        if SPHERE {
            square = self.angle2(square);
        }
        let s = l.mul(square, self.factor);
        let inside = l.both(l.at_least(s, self.first), l.at_least(self.last, s));
        let every = (1 << L::N) - 1;
        let value = self.rows(l.select(inside, s, self.first));
        let value = l.select(inside, value, l.splat(0.0));
        if l.mask(inside) == every {
            return (value, 0);
        }
        let known = l.both(l.at_least(s, self.first), l.at_least(self.limit, s));
        (value, every & !l.mask(known))
    }

    /// From the rows at `s`, which is inside the table.
    #[inline(always)]
    fn rows(&self, s: L::F) -> L::F {
        let (l, table) = (self.lanes, self.table);
        let high = l.at_least(s, self.split);
        let shift = pick(l, high, table.shift);
        let bits = l.bits(s);
        let index = l.sub_bits(l.shift_right(bits, shift), pick(l, high, table.base));
        let rest = l.low_to_top(bits, shift);
        let fraction = l.or(l.shift_right(rest, l.splat_bits(12)), l.splat_bits(1.0_f64.to_bits()));
        let u = l.sub(l.float(fraction), l.splat(1.5));
        let (value, read) = l.rows(&table.cells, index, u);
        let is_logarithm = l.at_least(s, self.tail);
        if l.mask(is_logarithm) == 0 {
            return value;
        }
        l.select(is_logarithm, exp2(l, value, l.exponents(read)), value)
    }

    /// Squared angles from squared chords: `q B(q)` up to a quarter turn; beyond, with `v = 4 - q`
    /// the squared chord to the antipode, `(pi - sqrt(v B(v)))^2`.
    #[inline(always)]
    fn angle2(&self, q: L::F) -> L::F {
        let l = self.lanes;
        let two = l.splat(2.0);
        let beyond = l.at_least(q, two);
        if l.mask(beyond) == 0 {
            return l.mul(q, self.arc_ratio(q));
        }
        let v = l.sub(l.splat(4.0), q);
        let v = l.select(l.at_least(v, l.splat(0.0)), v, l.splat(0.0));
        let near = l.select(beyond, v, q);
        let square = l.mul(near, self.arc_ratio(near));
        let angle = l.sub(l.splat(std::f64::consts::PI), l.sqrt(square));
        l.select(beyond, l.mul(angle, angle), square)
    }

    /// `B(q)` for `q` in [0, 2].
    #[inline(always)]
    fn arc_ratio(&self, q: L::F) -> L::F {
        let l = self.lanes;
        let magic = l.splat(MAGIC);
        let place = l.mul_add(q, l.splat(ARC_CELLS_PER_UNIT), l.splat(-0.5));
        let rounded = l.add(place, magic);
        let u = l.sub(place, l.sub(rounded, magic));
        l.rows(self.arc, l.bits(rounded), u).0
    }
}

/// The second of the pair in the lanes of `high`, else the first.
#[inline(always)]
fn pick<L: Lanes>(l: L, high: L::M, pair: [u64; 2]) -> L::U {
    l.select_bits(high, l.splat_bits(pair[1]), l.splat_bits(pair[0]))
}

/// Adding `1.5 2^52` rounds to an integer, which the low bits of the sum then hold.
pub(super) const MAGIC: f64 = 6_755_399_441_055_744.0;

/// Coefficients of `(2^r - 1) / r` on `|r| <= 1/2`, interpolated at Chebyshev nodes: the power then
/// errs by 2e-17, relative.
pub(super) const POWER: [f64; 11] = [
    std::f64::consts::LN_2,
    0.240_226_506_959_100_97,
    0.055_504_108_664_821_6,
    0.009_618_129_107_606_888,
    0.001_333_355_814_641_693_6,
    0.000_154_035_304_417_360_5,
    1.525_273_382_983_612e-5,
    1.321_544_258_792_169e-6,
    1.017_806_244_584_577_4e-7,
    7.072_585_949_269_223e-9,
    4.454_960_598_186_518_6e-10,
];

/// `2^(x + n)`, if normal, for `|x| < 2^31` and the integer `n` in the last 12 bits of `exponent`.
#[inline(always)]
pub(super) fn exp2<L: Lanes>(l: L, x: L::F, exponent: L::U) -> L::F {
    let rounded = l.add(x, l.splat(MAGIC));
    let r = l.sub(x, l.sub(rounded, l.splat(MAGIC)));
    let r2 = l.mul(r, r);
    let r4 = l.mul(r2, r2);
    let low = l.mul_add(r2, linear(l, r, 2), linear(l, r, 0));
    let middle = l.mul_add(r2, linear(l, r, 6), linear(l, r, 4));
    let high = l.mul_add(r2, l.splat(POWER[10]), linear(l, r, 8));
    let q = l.mul_add(r4, l.mul_add(r4, high, middle), low);
    l.scale(l.mul_add(r, q, l.splat(1.0)), l.bits(rounded), exponent)
}

/// Two neighbouring terms of [`POWER`].
#[inline(always)]
fn linear<L: Lanes>(l: L, r: L::F, k: usize) -> L::F {
    l.mul_add(r, l.splat(POWER[k + 1]), l.splat(POWER[k]))
}
