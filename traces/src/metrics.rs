//! Numbers that say what a run was like: how busy classes of workers were, how long tasks took, and
//! what moved.

use std::collections::BTreeMap;

use tegula_runtime::trace::{Outcome, Purpose, Trace};

/// Share of the makespan after which a run has begun to end: its last part says little about the
/// rest.
///
/// Source: L. L. Nesi, PhD thesis, UGA and UFRGS, 2023, chapter 6, where utilisation is given for
/// the first 95 % beside the whole.
pub const EARLY_SHARE: f64 = 0.95;

/// How busy the workers of one class were.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassUse {
    /// Name of the class.
    pub class: String,
    /// Its workers.
    pub workers: usize,
    /// Time in tasks, summed over the workers, in seconds.
    pub busy_seconds: f64,
    /// Share of the workers' time from the first start to the makespan that they spent in tasks.
    pub utilisation: f64,
    /// The same until [`EARLY_SHARE`] of the makespan.
    pub early_utilisation: f64,
}

/// Tasks of one codelet.
#[derive(Clone, Debug, PartialEq)]
pub struct CodeletTime {
    /// Name of the codelet.
    pub codelet: &'static str,
    /// Tasks.
    pub tasks: u64,
    /// Time in them, summed over workers, in seconds.
    pub busy_seconds: f64,
    /// For each class, in the order of [`Trace::classes`], the tasks that succeeded there and the
    /// time that they took in seconds.
    pub classes: Vec<(u64, f64)>,
}

/// What moved from one memory to another for one purpose.
#[derive(Clone, Debug, PartialEq)]
pub struct RouteTotal {
    /// Number of the memory that it came from.
    pub src: usize,
    /// Number of the memory that it went to.
    pub dst: usize,
    /// Why.
    pub purpose: Purpose,
    /// Number of transfers.
    pub transfers: u64,
    /// Bytes in all.
    pub bytes: u64,
    /// Durations of the transfers, summed, in seconds.
    pub seconds: f64,
}

/// When a phase ran, and for how long in all.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PhaseTime {
    /// Name of the phase.
    pub phase: &'static str,
    /// Time spent in its tasks, summed over workers, in seconds.
    pub busy_seconds: f64,
    /// Start of its first task, in seconds since the trace began.
    pub start_seconds: f64,
    /// End of its last task, likewise.
    pub end_seconds: f64,
}

/// How busy each class was.
#[must_use]
pub fn utilisation(trace: &Trace) -> Vec<ClassUse> {
    let (names, of) = trace.classes();
    let makespan = trace.makespan();
    let early = (makespan as f64 * EARLY_SHARE) as u64;
    let mut busy = vec![(0u64, 0u64); names.len()];
    for record in &trace.records {
        let (whole, part) = &mut busy[of[record.worker]];
        *whole += record.end - record.start;
        *part += record.end.min(early).saturating_sub(record.start);
    }
    let share = |busy: u64, time: u64, workers: usize| {
        if time == 0 { 0.0 } else { busy as f64 / (time as f64 * workers as f64) }
    };
    let describe = |(number, (class, (whole, part))): (usize, (String, (u64, u64)))| {
        let workers = of.iter().filter(|&&class| class == number).count();
        ClassUse {
            class,
            workers,
            busy_seconds: whole as f64 * 1e-9,
            utilisation: share(whole, makespan, workers),
            early_utilisation: share(part, early, workers),
        }
    };
    names.into_iter().zip(busy).enumerate().map(describe).collect()
}

/// Share of the workers' time until the makespan in which they ran no task.
#[must_use]
pub fn idle_share(trace: &Trace) -> f64 {
    let total = trace.makespan() as f64 * trace.workers as f64;
    let busy: u64 = trace.records.iter().map(|record| record.end - record.start).sum();
    if total > 0.0 { 1.0 - busy as f64 / total } else { 0.0 }
}

/// Times of each codelet, that with the most work first.
#[must_use]
pub fn codelet_times(trace: &Trace) -> Vec<CodeletTime> {
    let (names, of) = trace.codelets();
    let (classes, class_of) = trace.classes();
    let empty = |codelet| {
        let classes = vec![(0, 0.0); classes.len()];
        CodeletTime { codelet, tasks: 0, busy_seconds: 0.0, classes }
    };
    let mut times: Vec<CodeletTime> = names.into_iter().map(empty).collect();
    for (record, &codelet) in trace.records.iter().zip(&of) {
        let time = &mut times[codelet];
        time.tasks += 1;
        time.busy_seconds += record.seconds();
        if record.outcome == Outcome::Done {
            let class = &mut time.classes[class_of[record.worker]];
            *class = (class.0 + 1, class.1 + record.seconds());
        }
    }
    times.sort_by(|a, b| b.busy_seconds.total_cmp(&a.busy_seconds));
    times
}

/// What moved on each route and for what, in order of memories.
#[must_use]
pub fn route_totals(trace: &Trace) -> Vec<RouteTotal> {
    let mut totals = BTreeMap::new();
    for transfer in &trace.transfers {
        let (src, dst, purpose) = (transfer.src, transfer.dst, transfer.purpose);
        let empty = RouteTotal { src, dst, purpose, transfers: 0, bytes: 0, seconds: 0.0 };
        let total = totals.entry((src, dst, purpose)).or_insert(empty);
        total.transfers += 1;
        total.bytes += transfer.bytes;
        total.seconds += (transfer.end - transfer.start) as f64 * 1e-9;
    }
    totals.into_values().collect()
}

/// Times of every phase that has tasks, in the order in which the phases were named.
#[must_use]
pub fn phase_times(trace: &Trace) -> Vec<PhaseTime> {
    let mut times: Vec<Option<PhaseTime>> = vec![None; trace.phases.len().max(1)];
    for record in &trace.records {
        let (start, end) = (record.start as f64 * 1e-9, record.end as f64 * 1e-9);
        let time = times[record.phase as usize].get_or_insert(PhaseTime {
            phase: trace.phase_of(record),
            busy_seconds: 0.0,
            start_seconds: start,
            end_seconds: end,
        });
        time.busy_seconds += record.seconds();
        time.start_seconds = time.start_seconds.min(start);
        time.end_seconds = time.end_seconds.max(end);
    }
    times.into_iter().flatten().collect()
}
