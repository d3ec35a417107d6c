//! Round numbers on an axis.

/// The least of 1, 2 and 5 times the powers of ten that `length` holds at most `most` of, and the
/// digits after the point that its multiples have. 1 if `length` is nothing.
#[must_use]
pub fn scale(length: f64, most: f64) -> (f64, usize) {
    if length <= 0.0 {
        return (1.0, 0);
    }
    let power = (length / most).log10().floor();
    let fits = |factor: &f64| length / (factor * 10f64.powf(power)) <= most;
    let factor = [1.0, 2.0, 5.0, 10.0].into_iter().find(fits).unwrap_or(10.0);
    let step = factor * 10f64.powf(power);
    (step, (-step.log10().floor()).max(0.0) as usize)
}

/// The least and the largest of `values`.
pub fn reach(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values.fold(None, |reach, value| {
        let (low, high) = reach.unwrap_or((value, value));
        Some((value.min(low), value.max(high)))
    })
}

/// Round numbers from `low` to `high`, at most `most` steps between them, with their labels.
#[must_use]
pub fn round((low, high): (f64, f64), most: f64) -> Vec<(f64, String)> {
    let (step, digits) = scale(high - low, most);
    let first = (low / step - 1e-9).ceil() as i64;
    let last = (high / step + 1e-9).floor() as i64;
    (first..=last).map(|i| i as f64 * step).map(|value| (value, label(value, digits))).collect()
}

/// A number with so many digits after the point, in powers of ten if it is very large or small.
fn label(value: f64, digits: usize) -> String {
    match value {
        0.0 => "0".to_owned(),
        _ if digits > 5 || value.abs() >= 1e7 => format!("{value:.1e}"),
        _ => format!("{value:.digits$}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_on_an_axis_are_round_and_within_it() {
        let labels = |range, most| {
            round(range, most).into_iter().map(|(_, label)| label).collect::<Vec<_>>()
        };
        assert_eq!(labels((-0.35, 0.5), 5.0), ["-0.2", "0", "0.2", "0.4"]);
        assert_eq!(labels((178_600.0, 181_400.0), 3.0), ["179000", "180000", "181000"]);
        assert_eq!(labels((2e-7, 4e-7), 2.0), ["2.0e-7", "3.0e-7", "4.0e-7"]);
    }
}
