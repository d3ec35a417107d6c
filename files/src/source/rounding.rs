//! What of stored distances is rounding, and not a fault of the matrix.

use tegula_kernels::element::Element;

/// Digits behind the point from which a number is not one that was rounded to some.
const MOST_DIGITS: usize = 10;
/// The last place of numbers that were rounded, as a share of the greatest, at most.
const LAST_PLACE: f64 = 1e-4;

/// The largest deviation of a distance that is rounding, as a share of the greatest of all, where
/// they are stored as `element`: `8 sqrt(epsilon)`, of 16 bits, in which nobody computes,
/// `8 epsilon`, and 0 of integers.
///
/// A distance is often the root of a difference that cancels, as `|x|^2 + |y|^2 - 2 x'y` does for
/// neighbours, or the root of a sum in another order. Some operations leave an error of about
/// `64 epsilon` of the largest square, whose root it is.
#[must_use]
pub fn rounding(element: Element) -> f64 {
    match element {
        Element::F16 => 8.0 * element.epsilon(),
        _ => 8.0 * element.epsilon().sqrt(),
    }
}

/// The last decimal place of `numbers` that were rounded to some, if it is small beside the
/// `greatest`; else 0.
///
/// Two results that differ by rounding alone may be printed with different last digits.
pub fn last_place(numbers: impl IntoIterator<Item = f64>, greatest: f64) -> f64 {
    let digits =
        |number: f64| format!("{number}").split_once('.').map_or(0, |(_, rest)| rest.len());
    let most = numbers.into_iter().map(digits).max().unwrap_or(0);
    let place = 10.0_f64.powi(-(most as i32));
    let is_rounded = (1..MOST_DIGITS).contains(&most) && place <= LAST_PLACE * greatest;
    // The difference of two such numbers is not exactly a decimal.
    if is_rounded { 1.001 * place } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_place_is_that_of_the_decimals() {
        assert!((last_place([0.12345, 0.5], 1.0) / 1.001e-5 - 1.0).abs() < 1e-12);
        assert_eq!(last_place([0.12, 0.13], 1.0), 0.0, "too coarse");
        assert_eq!(last_place([1.0 / 3.0], 1.0), 0.0, "not rounded");
        assert_eq!(last_place([3.0, 4.0], 1e9), 0.0, "whole numbers");
        assert_eq!(rounding(Element::U16), 0.0);
    }
}
