//! Singular values of a bidiagonal matrix by QR iterations with implicit shifts, or without one
//! where small values would suffer from it.
//!
//! Demmel, Kahan, "Accurate singular values of bidiagonal matrices", SIAM J. Sci. Stat. Comput. 11
//! (1990); as LAPACK's `bdsqr`.

use crate::error::NumericalError;
use crate::scalar::Real;
use crate::tile::TileMut;

/// Rotation of two columns, `x = c x + s y` and `y = c y - s x`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rotation<R> {
    pub(crate) c: R,
    pub(crate) s: R,
}

impl<R: Real> Rotation<R> {
    /// The one that takes `(f, g)` to `(r, 0)`, and `r`. Neither is above the root of the largest
    /// number.
    pub(crate) fn new(f: R, g: R) -> (Self, R) {
        if g == R::ZERO {
            return (Self { c: R::ONE, s: R::ZERO }, f);
        }
        let square = f * f + g * g;
        // Where squares have underflowed, with care.
        let few = R::MIN_POSITIVE / R::EPSILON / R::EPSILON;
        let length = if square > few { square.sqrt() } else { f.hypot(g) };
        let r = if f < R::ZERO { -length } else { length };
        (Self { c: f / r, s: g / r }, r)
    }

    /// Applies it to columns `i` and `j` of a matrix whose rows are adjacent.
    pub(crate) fn turn(self, a: &mut TileMut<'_, R>, (i, j): (usize, usize)) {
        let (low, high) = (i.min(j), i.max(j));
        let (mut left, mut right) = a.reborrow().split_cols(high);
        let x = left.col_mut(low).expect("adjacent rows");
        let y = right.col_mut(0).expect("adjacent rows");
        if i < j { self.apply(x, y) } else { self.apply(y, x) }
    }

    /// Applies it to two columns.
    pub(crate) fn apply(self, x: &mut [R], y: &mut [R]) {
        for (x, y) in x.iter_mut().zip(y) {
            (*x, *y) = (self.c * *x + self.s * *y, self.c * *y - self.s * *x);
        }
    }
}

/// Which vectors a rotation meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Vectors {
    Left,
    Right,
}

/// What is done with columns `(i, j)` of the vectors.
pub(super) trait Rotate<R> {
    fn rotate(&mut self, which: Vectors, columns: (usize, usize), rotation: Rotation<R>);
}

/// No vectors.
pub(super) struct Nothing;

impl<R> Rotate<R> for Nothing {
    fn rotate(&mut self, _: Vectors, _: (usize, usize), _: Rotation<R>) {}
}

/// Iterations for each value, squared times: LAPACK's `maxitr`.
const MOST: usize = 6;

/// Overwrites the diagonal `d` by the singular values with any sign, in any order, and the entries
/// `e` above it by zeros; none is above one in modulus.
pub(super) fn iterate<R: Real>(
    d: &mut [R],
    e: &mut [R],
    vectors: &mut impl Rotate<R>,
) -> Result<(), NumericalError> {
    let n = d.len();
    let tolerance = tolerance::<R>();
    let negligible = negligible(d, e, tolerance);
    // Of the block at work: whether it is chased from its end to its beginning.
    let mut block: Option<(usize, usize, bool)> = None;
    let mut end = n.saturating_sub(1);
    let mut left = MOST * n * n + 30;
    while end > 0 {
        let mut first = end;
        while first > 0 && d_is_joined(e, first, negligible) {
            first -= 1;
        }
        if first == end {
            end -= 1;
            continue;
        }
        left = left.checked_sub(end - first).ok_or(NumericalError::NoConvergence { order: n })?;
        let is_new = block.is_none_or(|(f, l, _)| first > l || end < f);
        let upwards = match block {
            Some((.., upwards)) if !is_new => upwards,
            _ => d[first].abs() < d[end].abs(),
        };
        block = Some((first, end, upwards));
        let mut part = Part { d, e, first, end, upwards, vectors };
        let Some(least) = part.split(tolerance) else { continue };
        let shift = part.shift(least, tolerance, n);
        if shift == R::ZERO {
            part.chase_unshifted()
        } else {
            part.chase(shift)
        }
        let last = part.last();
        if part.e[last].abs() <= negligible {
            part.e[last] = R::ZERO;
        }
    }
    Ok(())
}

/// Whether the entry above `d[i]` counts; else it becomes zero.
fn d_is_joined<R: Real>(e: &mut [R], i: usize, negligible: R) -> bool {
    if e[i - 1].abs() <= negligible {
        e[i - 1] = R::ZERO;
    }
    e[i - 1] != R::ZERO
}

/// Relative error that values may have: LAPACK's `tol`.
fn tolerance<R: Real>() -> R {
    let epsilon = R::EPSILON.to_f64() / 2.0;
    R::of_f64(epsilon.powf(-0.125).clamp(10.0, 100.0) * epsilon)
}

/// What is zero beside the smallest value: Demmel and Kahan (1990), section 4.
fn negligible<R: Real>(d: &[R], e: &[R], tolerance: R) -> R {
    let n = R::of_f64(d.len() as f64);
    let mut mu = d.first().map_or(R::ZERO, |d| d.abs());
    let mut least = mu;
    for (d, e) in d.iter().skip(1).zip(e) {
        if mu == R::ZERO {
            break;
        }
        mu = d.abs() * (mu / (mu + e.abs()));
        least = if mu < least { mu } else { least };
    }
    let (relative, absolute) =
        (tolerance * least / n.sqrt(), R::of_f64(MOST as f64) * n * n * R::MIN_POSITIVE);
    if relative > absolute { relative } else { absolute }
}

/// A block with nothing that is zero above its diagonal, seen so that it is chased from its
/// beginning to its end: from the end to the beginning a bidiagonal matrix is the transpose of one.
struct Part<'a, R, V> {
    d: &'a mut [R],
    e: &'a mut [R],
    first: usize,
    end: usize,
    upwards: bool,
    vectors: &'a mut V,
}

impl<R: Real, V: Rotate<R>> Part<'_, R, V> {
    fn order(&self) -> usize {
        self.end - self.first + 1
    }

    fn at(&self, i: usize) -> usize {
        if self.upwards { self.end - i } else { self.first + i }
    }

    fn above(&self, i: usize) -> usize {
        if self.upwards { self.end - 1 - i } else { self.first + i }
    }

    /// Place of the last entry above the diagonal.
    fn last(&self) -> usize {
        self.above(self.order() - 2)
    }

    fn rotate(&mut self, which: Vectors, i: usize, rotation: Rotation<R>) {
        let turned = match which {
            Vectors::Left => Vectors::Right,
            Vectors::Right => Vectors::Left,
        };
        let which = if self.upwards { turned } else { which };
        self.vectors.rotate(which, (self.at(i), self.at(i + 1)), rotation);
    }

    /// Sets an entry above the diagonal to zero if values keep their relative accuracy; else a
    /// lower bound of the smallest value.
    fn split(&mut self, tolerance: R) -> Option<R> {
        let m = self.order();
        if self.e[self.last()].abs() <= tolerance * self.d[self.at(m - 1)].abs() {
            let last = self.last();
            self.e[last] = R::ZERO;
            return None;
        }
        let mut mu = self.d[self.at(0)].abs();
        let mut least = mu;
        for i in 0..m - 1 {
            let (above, next) = (self.above(i), self.d[self.at(i + 1)].abs());
            let e = self.e[above].abs();
            if e <= tolerance * mu {
                self.e[above] = R::ZERO;
                return None;
            }
            mu = next * (mu / (mu + e));
            least = if mu < least { mu } else { least };
        }
        Some(least)
    }

    /// The shift, zero if another one would spoil the smallest value.
    fn shift(&self, least: R, tolerance: R, n: usize) -> R {
        let m = self.order();
        let size = |largest: R, x: &R| if x.abs() > largest { x.abs() } else { largest };
        let largest = self.d[self.first..=self.end].iter().fold(R::ZERO, size);
        let largest = self.e[self.first..self.end].iter().fold(largest, size);
        let hundredth = R::of_f64(0.01) * tolerance;
        let bound = if hundredth > R::EPSILON { hundredth } else { R::EPSILON };
        if R::of_f64(n as f64) * tolerance * (least / largest) <= bound {
            return R::ZERO;
        }
        let (f, h) = (self.d[self.at(m - 2)], self.d[self.at(m - 1)]);
        let shift = smaller_value(f, self.e[self.last()], h);
        let ratio = shift / self.d[self.at(0)].abs();
        if ratio * ratio < R::EPSILON { R::ZERO } else { shift }
    }

    /// An iteration without a shift.
    fn chase_unshifted(&mut self) {
        let m = self.order();
        let mut right = Rotation { c: R::ONE, s: R::ZERO };
        let mut left = right;
        for i in 0..m - 1 {
            let (here, next, above) = (self.at(i), self.at(i + 1), self.above(i));
            let r;
            (right, r) = Rotation::new(self.d[here] * right.c, self.e[above]);
            if i > 0 {
                let before = self.above(i - 1);
                self.e[before] = left.s * r;
            }
            (left, self.d[here]) = Rotation::new(left.c * r, self.d[next] * right.s);
            self.rotate(Vectors::Right, i, right);
            self.rotate(Vectors::Left, i, left);
        }
        let (end, last) = (self.at(m - 1), self.last());
        let h = self.d[end] * right.c;
        self.d[end] = h * left.c;
        self.e[last] = h * left.s;
    }

    /// An iteration with a shift.
    fn chase(&mut self, shift: R) {
        let (m, start) = (self.order(), self.d[self.at(0)]);
        let sign = if start < R::ZERO { -R::ONE } else { R::ONE };
        let mut f = (start.abs() - shift) * (sign + shift / start);
        let mut g = self.e[self.above(0)];
        for i in 0..m - 1 {
            let (here, next, above) = (self.at(i), self.at(i + 1), self.above(i));
            let (right, r) = Rotation::new(f, g);
            if i > 0 {
                let before = self.above(i - 1);
                self.e[before] = r;
            }
            f = right.c * self.d[here] + right.s * self.e[above];
            self.e[above] = right.c * self.e[above] - right.s * self.d[here];
            g = right.s * self.d[next];
            self.d[next] = right.c * self.d[next];
            let (left, r) = Rotation::new(f, g);
            self.d[here] = r;
            f = left.c * self.e[above] + left.s * self.d[next];
            self.d[next] = left.c * self.d[next] - left.s * self.e[above];
            if i + 2 < m {
                let after = self.above(i + 1);
                g = left.s * self.e[after];
                self.e[after] = left.c * self.e[after];
            }
            self.rotate(Vectors::Right, i, right);
            self.rotate(Vectors::Left, i, left);
        }
        let last = self.last();
        self.e[last] = f;
    }
}

/// The smaller singular value of the upper triangle `(f, g; 0, h)`, to nearly full accuracy:
/// LAPACK's `las2`.
fn smaller_value<R: Real>(f: R, g: R, h: R) -> R {
    let (f, g, h) = (f.abs(), g.abs(), h.abs());
    let (low, high) = if f < h { (f, h) } else { (h, f) };
    if low == R::ZERO {
        return R::ZERO;
    }
    let (one, two) = (R::ONE, R::ONE + R::ONE);
    let (sum, difference) = (one + low / high, (high - low) / high);
    if g < high {
        let square = (g / high) * (g / high);
        let root = (sum * sum + square).sqrt() + (difference * difference + square).sqrt();
        return low * (two / root);
    }
    let ratio = high / g;
    if ratio == R::ZERO {
        return (low * high) / g;
    }
    let (a, b) = (sum * ratio, difference * ratio);
    let root = (one + a * a).sqrt() + (one + b * b).sqrt();
    (low * (two / root)) * ratio
}
