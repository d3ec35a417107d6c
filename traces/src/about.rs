//! What a trace says of the run that it is of: settings, and bounds that whoever recorded it knew.

use tegula_runtime::trace::Trace;

/// The keys of bounds in seconds, and what they are called.
const BOUNDS: [(&str, &str); 2] =
    [("abe_seconds", "area bound (ABE)"), ("cpb_seconds", "critical path bound (CPB)")];

/// What was run, but for the bounds.
pub fn settings(trace: &Trace) -> impl Iterator<Item = (&str, &str)> {
    let pairs = trace.about.iter().map(|(key, value)| (key.as_str(), value.as_str()));
    pairs.filter(|(key, _)| BOUNDS.iter().all(|(bound, _)| bound != key))
}

/// Names and seconds of the bounds that are known: by the mean times of the platform, no run of
/// this program there takes less. What follows from the records alone is none.
#[must_use]
pub fn bounds_seconds(trace: &Trace) -> Vec<(&'static str, f64)> {
    let value = |key: &str| trace.about.iter().find(|(name, _)| name == key)?.1.parse().ok();
    BOUNDS.iter().filter_map(|&(key, name)| Some((name, value(key)?))).collect()
}
