//! Roots of the secular equation: the eigenvalues of a diagonal matrix plus one of rank one, and
//! the squares of the singular values of a matrix with a first row and a diagonal.
//!
//! Gu, Eisenstat, "A divide-and-conquer algorithm for the symmetric tridiagonal eigenproblem", SIAM
//! J. Matrix Anal. Appl. 16 (1995), and "A divide-and-conquer algorithm for the bidiagonal SVD",
//! ibid., section 3; roots by the middle way of Li, "Solving secular equations stably and
//! efficiently", LAPACK working note 89 (1993), within brackets.

use crate::scalar::Real;

/// What stands in the denominators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Poles {
    /// The diagonal itself: eigenvalues of `D + z z'`.
    Diagonal,
    /// Its squares, the first one zero: singular values of a first row `z` over a diagonal.
    Squares,
}

/// `f(x) = 1 + sum z(j)^2 / (p(j) - x)` with poles `p(0) < p(1) < ...`: it has a root behind each.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Secular<'a, R> {
    pub(crate) poles: Poles,
    /// The diagonal, in ascending order.
    pub(crate) d: &'a [R],
    pub(crate) z: &'a [R],
}

/// A root, seen from the pole next to it: what makes its distances to all poles accurate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Root<R> {
    /// Which pole.
    pub(crate) nearest: usize,
    /// The root less the pole.
    pub(crate) beyond: R,
}

/// Sums up to a pole and from it on, each with its derivative.
struct Sums<R> {
    before: (R, R),
    after: (R, R),
}

impl<R: Real> Sums<R> {
    fn value(&self) -> R {
        R::ONE + self.before.0 + self.after.0
    }

    fn slope(&self) -> R {
        self.before.1 + self.after.1
    }

    /// What rounding may make of a root `x`.
    fn uncertainty(&self, x: R) -> R {
        let size = R::ONE + self.before.0.abs() + self.after.0.abs();
        R::EPSILON * (R::of_f64(4.0) * size + x.abs() * self.slope() * half::<R>())
    }
}

/// Where a root is looked for: poles relative to one of them.
struct Search<R> {
    /// Number of poles whose sum is the first.
    cut: usize,
    /// The two poles that the iteration models, and whether the root is beyond them.
    poles: (usize, usize),
    is_beyond: bool,
    low: R,
    high: R,
    guess: R,
}

/// More than bisection takes.
const MOST: usize = 400;

fn half<R: Real>() -> R {
    R::of_f64(0.5)
}

impl<R: Real> Secular<'_, R> {
    /// Root `i`, in ascending order, to nearly full relative accuracy of its distances to the
    /// poles. `poles` is room.
    pub(crate) fn root(&self, i: usize, poles: &mut [R]) -> Root<R> {
        let last = self.d.len() - 1;
        if last == 0 {
            return Root { nearest: 0, beyond: self.z[0] * self.z[0] };
        }
        let (nearest, search) = if i == last { self.beyond(poles) } else { self.between(i, poles) };
        Root { nearest, beyond: self.find(poles, search) }
    }

    /// Fills `gaps` with the poles less a root.
    pub(crate) fn gaps(&self, Root { nearest, beyond }: Root<R>, gaps: &mut [R]) {
        self.shift(nearest, gaps);
        gaps.iter_mut().for_each(|gap| *gap -= beyond);
    }

    /// Multiplies the squares of the `z` of which the roots found are those exactly by what root
    /// `i` with these `gaps` contributes (Gu, Eisenstat 1995, equation 3.3 of both).
    pub(crate) fn contribute(&self, i: usize, gaps: &[R], squares: &mut [R]) {
        let last = self.d.len() - 1;
        if i == last {
            return squares.iter_mut().zip(gaps).for_each(|(square, &gap)| *square *= -gap);
        }
        let (low, high) = squares.split_at_mut(i + 1);
        for (pole, part, gaps, from) in
            [(i + 1, low, &gaps[..=i], 0), (i, high, &gaps[i + 1..], i + 1)]
        {
            for ((square, &gap), &d) in part.iter_mut().zip(gaps).zip(&self.d[from..]) {
                *square *= -gap / self.difference(self.d[pole], d);
            }
        }
    }

    /// The exact `z`, from its squares.
    pub(crate) fn exact(&self, squares: &mut [R]) {
        for (square, &z) in squares.iter_mut().zip(self.z) {
            let size = square.abs().sqrt();
            *square = if z < R::ZERO { -size } else { size };
        }
    }

    /// The pole of one diagonal entry less that of another.
    fn difference(&self, d: R, from: R) -> R {
        match self.poles {
            Poles::Diagonal => d - from,
            Poles::Squares => (d - from) * (d + from),
        }
    }

    /// Poles as they are seen from pole `p`.
    fn shift(&self, p: usize, poles: &mut [R]) {
        let from = self.d[p];
        for (pole, &d) in poles.iter_mut().zip(self.d) {
            *pole = self.difference(d, from);
        }
    }

    /// The root beyond all poles, at most the sum of all squares of `z` away.
    fn beyond(&self, poles: &mut [R]) -> (usize, Search<R>) {
        let last = self.d.len() - 1;
        self.shift(last, poles);
        let high = self.z.iter().map(|&z| z * z).sum::<R>();
        // A little more, for what rounding took.
        let high = high + high * R::of_f64(8.0) * R::EPSILON;
        let guess = high * half::<R>();
        let poles = (last - 1, last);
        (last, Search { cut: last, poles, is_beyond: true, low: R::ZERO, high, guess })
    }

    /// The root between poles `i` and `i + 1`, seen from the nearer one.
    fn between(&self, i: usize, poles: &mut [R]) -> (usize, Search<R>) {
        self.shift(i, poles);
        let gap = poles[i + 1];
        let middle = gap * half::<R>();
        let value = self.sums(poles, i + 1, middle).value();
        let (left, right) = (self.z[i] * self.z[i], self.z[i + 1] * self.z[i + 1]);
        // What other poles contribute is taken as constant.
        let c = value - left / -middle - right / middle;
        let (two, four) = (R::of_f64(2.0), R::of_f64(4.0));
        let (poles_at, cut) = ((i, i + 1), i + 1);
        if value > R::ZERO {
            let (a, b) = (c * gap + left + right, left * gap);
            let root = (a * a - four * b * c).abs().sqrt();
            let guess = if a > R::ZERO { two * b / (a + root) } else { (a - root) / (two * c) };
            let search = Search {
                cut,
                poles: poles_at,
                is_beyond: false,
                low: R::ZERO,
                high: middle,
                guess,
            };
            return (i, search);
        }
        self.shift(i + 1, poles);
        let (a, b) = (c * gap - left - right, right * gap);
        let root = (a * a + four * b * c).abs().sqrt();
        let guess = if a < R::ZERO { two * b / (a - root) } else { -(a + root) / (two * c) };
        let search =
            Search { cut, poles: poles_at, is_beyond: false, low: -middle, high: R::ZERO, guess };
        (i + 1, search)
    }

    fn find(
        &self,
        poles: &[R],
        Search { cut, poles: at, is_beyond, mut low, mut high, guess }: Search<R>,
    ) -> R {
        let mut x = if guess > low && guess < high { guess } else { (low + high) * half::<R>() };
        for _ in 0..MOST {
            let sums = self.sums(poles, cut, x);
            let value = sums.value();
            if value.abs() <= sums.uncertainty(x) {
                return x;
            }
            if value < R::ZERO {
                low = x
            } else {
                high = x
            }
            let next = x + step(&sums, (poles[at.0] - x, poles[at.1] - x), is_beyond);
            let next = if next > low && next < high { next } else { (low + high) * half::<R>() };
            if next == x || next <= low || next >= high {
                return x;
            }
            x = next;
        }
        x
    }

    fn sums(&self, poles: &[R], cut: usize, x: R) -> Sums<R> {
        let part = |from: usize, to: usize| sum(&self.z[from..to], &poles[from..to], x);
        Sums { before: part(0, cut), after: part(cut, poles.len()) }
    }
}

/// Partial sums, so that they are made side by side.
const LANES: usize = 8;

/// `sum z^2 / (pole - x)` and its derivative.
fn sum<R: Real>(z: &[R], poles: &[R], x: R) -> (R, R) {
    let (mut values, mut slopes) = ([R::ZERO; LANES], [R::ZERO; LANES]);
    let ((z, z_end), (poles, poles_end)) = (z.as_chunks::<LANES>(), poles.as_chunks::<LANES>());
    for (z, poles) in z.iter().zip(poles) {
        for lane in 0..LANES {
            let ratio = z[lane] / (poles[lane] - x);
            values[lane] += z[lane] * ratio;
            slopes[lane] += ratio * ratio;
        }
    }
    for (&z, &pole) in z_end.iter().zip(poles_end) {
        let ratio = z / (pole - x);
        values[0] += z * ratio;
        slopes[0] += ratio * ratio;
    }
    (values.into_iter().sum(), slopes.into_iter().sum())
}

/// The step to the zero of `c + s / (pole - x) + t / (pole' - x)` that has the value and the slopes
/// of the sums at hand; behind both poles if `beyond`, else between them.
fn step<R: Real>(sums: &Sums<R>, (first, second): (R, R), beyond: bool) -> R {
    let (value, slope) = (sums.value(), sums.slope());
    let c = value - first * sums.before.1 - second * sums.after.1;
    let a = (first + second) * value - first * second * slope;
    let b = first * second * value;
    let (two, four) = (R::of_f64(2.0), R::of_f64(4.0));
    let c = if beyond { c.abs() } else { c };
    let root = (a * a - four * b * c).abs().sqrt();
    let step = if (a > R::ZERO) == beyond {
        let root = if beyond { root } else { -root };
        (a + root) / (two * c)
    } else {
        let root = if beyond { -root } else { root };
        two * b / (a + root)
    };
    // The other way round than the value says: Newton's step.
    if value * step >= R::ZERO { -value / slope } else { step }
}

#[cfg(test)]
mod tests {
    use super::{Poles, Secular};

    /// Two poles: the roots of a quadratic equation.
    #[test]
    fn two_roots_are_those_of_the_matrix() {
        for (d, z) in [(1.0, [0.5, 0.25]), (1e-8, [1e-3, 1e-12]), (0.7, [1e-14, 0.3])] {
            for poles in [Poles::Squares, Poles::Diagonal] {
                let d: &[f64] = &[0.0, d];
                let secular = Secular { poles, d, z: &z };
                let mut room = [0.0; 2];
                let [low, high] = [0, 1].map(|i| {
                    let root = secular.root(i, &mut room);
                    let mut gaps = [0.0; 2];
                    secular.gaps(root, &mut gaps);
                    -gaps[0]
                });
                // The roots add up to the trace, their product is the determinant.
                let pole = if poles == Poles::Squares { d[1] * d[1] } else { d[1] };
                let trace = pole + z[0] * z[0] + z[1] * z[1];
                assert!((low + high - trace).abs() <= 1e-14 * trace, "{poles:?}");
                let determinant = pole * z[0] * z[0];
                assert!((low * high - determinant).abs() <= 1e-14 * determinant, "{low} {high}");
            }
        }
    }
}
