//! Times on the command line and in files.

/// A time such as `1s`, `20ms`, `200ns` or `0.5`, in seconds.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn parse_seconds(text: &str) -> Result<f64, String> {
    let units = [("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9), ("s", 1.0)];
    let known = units.iter().find_map(|(unit, size)| Some((text.strip_suffix(unit)?, *size)));
    let (number, size) = known.unwrap_or((text, 1.0));
    let seconds = number.trim().parse::<f64>().ok().map(|number| number * size);
    seconds
        .filter(|seconds| (0.0..1e9).contains(seconds))
        .ok_or_else(|| format!("{text} is no time such as 1s, 20ms or 50us"))
}
