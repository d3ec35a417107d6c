//! What a trace says of the run that it is of: settings, its energy, and bounds that whoever
//! recorded it knew.

use tegula_runtime::trace::Trace;

/// The keys of bounds in seconds, and what they are called.
const BOUNDS: [(&str, &str); 2] =
    [("abe_seconds", "area bound (ABE)"), ("cpb_seconds", "critical path bound (CPB)")];

/// The keys of the energy, and of the time in which it was counted.
const ENERGY: [&str; 2] = ["energy_joules", "energy_seconds"];

/// What was run, but for its energy and the bounds.
pub fn settings(trace: &Trace) -> impl Iterator<Item = (&str, &str)> {
    let pairs = trace.about.iter().map(|(key, value)| (key.as_str(), value.as_str()));
    pairs.filter(|(key, _)| !ENERGY.contains(key) && BOUNDS.iter().all(|(bound, _)| bound != key))
}

/// The number under `key`, if there is one.
fn number(trace: &Trace, key: &str) -> Option<f64> {
    trace.about.iter().find(|(name, _)| name == key)?.1.parse().ok()
}

/// Joules that the run took, if that is known, and the seconds in which it did: those in which they
/// were counted, or the makespan of a simulated one.
#[must_use]
pub fn energy(trace: &Trace) -> Option<(f64, f64)> {
    let [joules, seconds] = ENERGY.map(|key| number(trace, key));
    Some((joules?, seconds.unwrap_or_else(|| trace.makespan_seconds())))
}

/// Names and seconds of the bounds that are known: by the mean times of the platform, no run of
/// this program there takes less. What follows from the records alone is none.
#[must_use]
pub fn bounds_seconds(trace: &Trace) -> Vec<(&'static str, f64)> {
    BOUNDS.iter().filter_map(|&(key, name)| Some((name, number(trace, key)?))).collect()
}
