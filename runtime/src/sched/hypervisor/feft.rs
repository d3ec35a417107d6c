//! FEFT, flops in the earliest finish time (Hugo 2014, equation 3.1; with a speed for each context,
//! equation 4.1): a context of `W` operations left ends after `W / sum_k v_k n_k` seconds on `n_k`
//! workers of class `k`, each of `v_k` operations per second.
//!
//! Dependencies are left out, so that near its end a factorisation looks faster than it is.

use super::{Choice, Outlook, Resizing, ResizingPolicy, allocate};

pub(super) const POLICY: ResizingPolicy = ResizingPolicy {
    name: "feft",
    summary: "the operations left of each context, by measured speeds, end as soon as can be",
    build: || Box::new(Feft),
};

struct Feft;

impl Resizing for Feft {
    fn choose(&mut self, outlook: &Outlook) -> Option<Choice> {
        let seconds = |context: usize, workers: &[usize]| {
            let own = &outlook.contexts[context];
            finish(own.flops, &own.speed, workers)
        };
        best(outlook, seconds)
    }
}

/// Time of `work` at these speeds of each class.
pub(super) fn finish(work: f64, speed: &[f64], workers: &[usize]) -> f64 {
    let rate: f64 = speed.iter().zip(workers).map(|(speed, &count)| speed * count as f64).sum();
    if work == 0.0 {
        return 0.0;
    }
    if rate > 0.0 { work / rate } else { f64::INFINITY }
}

/// The workers under which the last context ends soonest, if `seconds` is the time of each.
pub(super) fn best(outlook: &Outlook, seconds: impl Fn(usize, &[usize]) -> f64) -> Option<Choice> {
    // A context needs a worker at least, and one of a class that runs each type of its tasks: of
    // those that it has had more may come.
    let runs = |context: usize, workers: &[usize]| {
        let types = &outlook.contexts[context].types;
        let has_one = workers.iter().any(|&count| count > 0);
        has_one
            && types.iter().all(|kind| {
                let mut classes = kind.seconds.iter().zip(workers);
                classes.any(|(time, &count)| count > 0 && time.is_finite())
            })
    };
    let seconds = |context: usize, workers: &[usize]| {
        if runs(context, workers) { seconds(context, workers) } else { f64::INFINITY }
    };
    let limits: Vec<_> = outlook.contexts.iter().map(|own| own.limits.clone()).collect();
    let (workers, then) = allocate(&outlook.workers, &limits, seconds)?;
    let now = (0..outlook.contexts.len())
        .map(|context| seconds(context, &outlook.contexts[context].workers))
        .fold(0.0, f64::max);
    Some(Choice { workers, seconds: (now, then) })
}
