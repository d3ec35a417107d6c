//! Tasks that took unusually long for their codelet and the class of their worker.

use tegula_runtime::trace::Trace;

/// Fewest tasks of a kind among which one can be unusual.
const FEWEST: usize = 8;

/// Durations that differ by less than this factor count as equal.
const LEAST: f64 = 1.01;

/// Which tasks are unusually long.
#[derive(Clone, Debug)]
pub(super) struct Outliers {
    /// For each record whether it is.
    pub(super) is: Vec<bool>,
    /// How many are.
    pub(super) count: usize,
}

/// Tasks longer than the third quartile of the durations of their kind plus one and a half times
/// the distance between the quartiles.
///
/// Source: J. W. Tukey, "Exploratory Data Analysis", 1977; for tasks: L. L. Nesi, PhD thesis, UGA
/// and UFRGS, 2023, section 4.2.3.
pub(super) fn outliers(trace: &Trace) -> Outliers {
    let (codelets, codelet_of) = trace.codelets();
    let (classes, class_of) = trace.classes();
    let kind =
        |index: usize| codelet_of[index] * classes.len() + class_of[trace.records[index].worker];
    let mut durations = vec![Vec::new(); codelets.len() * classes.len()];
    for (index, record) in trace.records.iter().enumerate() {
        durations[kind(index)].push(record.end - record.start);
    }
    let limits: Vec<f64> = durations.iter_mut().map(|times| limit(times)).collect();
    let long = trace.records.iter().enumerate();
    let is: Vec<bool> =
        long.map(|(index, r)| (r.end - r.start) as f64 > limits[kind(index)]).collect();
    let count = is.iter().filter(|&&is| is).count();
    Outliers { is, count }
}

/// The longest duration that is not unusual among `times`.
fn limit(times: &mut [u64]) -> f64 {
    if times.len() < FEWEST {
        return f64::INFINITY;
    }
    let mut quartile = |quarter: usize| {
        let place = times.len() * quarter / 4;
        *times.select_nth_unstable(place).1 as f64
    };
    let (first, third) = (quartile(1), quartile(3));
    (third + 1.5 * (third - first)).max(LEAST * third)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_far_from_the_others_is_found() {
        let mut times: Vec<u64> = (100..200).collect();
        assert_eq!(limit(&mut times), 175.0 + 1.5 * 50.0);
        assert_eq!(limit(&mut [1, 2, 3, 1000]), f64::INFINITY, "too few to tell");
    }
}
