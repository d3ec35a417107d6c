//! Times on the command line and in files.

use std::time::Duration;

/// Units of times, in seconds.
const UNITS: [(&str, f64); 7] = [
    ("ns", 1e-9),
    ("us", 1e-6),
    ("ms", 1e-3),
    ("s", 1.0),
    ("m", 60.0),
    ("h", 3600.0),
    ("d", 86_400.0),
];

/// The longest time that can be given, in seconds: some thousand years, so that it may also be a
/// date, counted from 1970 on.
const LONGEST: f64 = 3e10;

/// The seconds of `text`, a number and a unit; one without unit has `plain`, if that is allowed.
fn seconds(text: &str, plain: Option<f64>) -> Option<f64> {
    let number = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let size = match &text[number.len()..] {
        "" => plain?,
        unit => UNITS.iter().find(|(name, _)| *name == unit)?.1,
    };
    let seconds = number.trim_end().parse::<f64>().ok()? * size;
    (0.0..LONGEST).contains(&seconds).then_some(seconds)
}

/// A time such as `1s`, `20ms`, `200ns` or `0.5`, in seconds.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn parse_seconds(text: &str) -> Result<f64, String> {
    seconds(text, Some(1.0)).ok_or_else(|| format!("{text} is no time such as 1s, 20ms or 50us"))
}

/// A time with its unit.
///
/// # Errors
/// What is wrong with it.
pub(super) fn parse_time(text: &str) -> Result<Duration, String> {
    let seconds = seconds(text, None);
    seconds
        .map(Duration::from_secs_f64)
        .ok_or_else(|| "a time is a number with its unit: 30s, 10m, 1h".to_owned())
}

/// A time in whole seconds: `800`, `800s`, `10m`, `2h`, `7d`.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn parse_span(text: &str) -> Result<i64, String> {
    let whole = seconds(text, Some(1.0)).filter(|seconds| seconds.fract() == 0.0);
    whole
        .map(|seconds| seconds as i64)
        .ok_or_else(|| format!("'{text}' is no time: write 800s, 10m, 2h or 7d"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        for (text, seconds) in [
            ("30s", 30.0),
            ("10m", 600.0),
            ("1h", 3600.0),
            ("1.5 h", 5400.0),
            ("0s", 0.0),
            ("2d", 172_800.0),
            ("250ms", 0.25),
        ] {
            assert_eq!(parse_time(text).map(|time| time.as_secs_f64()), Ok(seconds), "{text}");
            assert_eq!(parse_seconds(text), Ok(seconds), "{text}");
            let whole = (seconds.fract() == 0.0).then_some(seconds as i64);
            assert_eq!(parse_span(text).ok(), whole, "{text}");
        }
        for text in ["30", "0.5", "1e3"] {
            assert!(parse_time(text).is_err(), "{text}");
            assert_eq!(parse_seconds(text), text.parse().map_err(|_| String::new()), "{text}");
        }
        for text in ["s", "-1s", "1y", "m10", "", "inf s", "inf", "1e400s", "1 2s"] {
            assert!(parse_time(text).is_err(), "{text}");
            assert!(parse_seconds(text).is_err(), "{text}");
            assert!(parse_span(text).is_err(), "{text}");
        }
    }
}
