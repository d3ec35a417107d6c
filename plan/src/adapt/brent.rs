//! Brent's minimisation (section 7.2.3): R. P. Brent, "Algorithms for minimization without
//! derivatives", Prentice-Hall, 1973, chapter 5, over the counts of the second phase, each rounded
//! to the nearest whole one when it is tried.
//!
//! The search is run anew for each choice: what it asks for is in the history, as far as that goes.

use super::{History, Space};

/// The golden section of an interval.
const GOLDEN: f64 = 0.381_966_011_250_105_1;

/// It ends where the interval has shrunk to so many nodes about the best.
const TOLERANCE: f64 = 0.25;

pub(super) fn next(space: &Space, history: &History) -> usize {
    let line = space.line();
    let action = |x: f64| line[x.round() as usize];
    let mut taken = history.taken().iter();
    let mut asked = None;
    let best = minimise(line.len() - 1, |x| match taken.next() {
        Some((_, seconds)) => Some(*seconds),
        None => {
            asked = Some(action(x));
            None
        }
    });
    asked.unwrap_or_else(|| action(best))
}

/// The minimum of a function on `[0, end]`, or where it was when a value was not to be had.
fn minimise(end: usize, mut value: impl FnMut(f64) -> Option<f64>) -> f64 {
    let (mut a, mut b) = (0.0, end as f64);
    let mut x = a + GOLDEN * (b - a);
    let (mut w, mut v) = (x, x);
    let Some(mut fx) = value(x) else { return x };
    let (mut fw, mut fv) = (fx, fx);
    // The step, and the one before it.
    let (mut d, mut e) = (0.0_f64, 0.0_f64);
    loop {
        let middle = f64::midpoint(a, b);
        if (x - middle).abs() + 0.5 * (b - a) <= 2.0 * TOLERANCE {
            return x;
        }
        // The minimum of the parabola through x, w and v.
        let r = (x - w) * (fx - fv);
        let q = (x - v) * (fx - fw);
        let p = (x - v) * q - (x - w) * r;
        let q = 2.0 * (q - r);
        let (p, q) = if q > 0.0 { (-p, q) } else { (p, -q) };
        let is_taken = e.abs() > TOLERANCE
            && p.abs() < (0.5 * q * e).abs()
            && p > q * (a - x)
            && p < q * (b - x);
        if is_taken {
            (e, d) = (d, p / q);
            let u = x + d;
            if u - a < 2.0 * TOLERANCE || b - u < 2.0 * TOLERANCE {
                d = TOLERANCE.copysign(middle - x);
            }
        } else {
            e = if x < middle { b - x } else { a - x };
            d = GOLDEN * e;
        }
        let u = x + if d.abs() >= TOLERANCE { d } else { TOLERANCE.copysign(d) };
        let Some(fu) = value(u) else { return x };
        if fu <= fx {
            if u < x {
                b = x
            } else {
                a = x
            }
            (v, fv, w, fw, x, fx) = (w, fw, x, fx, u, fu);
        } else {
            if u < x {
                a = u
            } else {
                b = u
            }
            if fu <= fw || w == x {
                (v, fv, w, fw) = (w, fw, u, fu);
            } else if fu <= fv || v == x || v == w {
                (v, fv) = (u, fu);
            }
        }
    }
}
