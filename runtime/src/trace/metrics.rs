//! Numbers that say what a run was like: how busy classes of workers were, how long tasks took, and what
//! moved.

use std::collections::{BTreeMap, HashMap};

use super::{Outcome, Purpose, Trace};

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

impl Trace {
    /// Names of the codelets in the order in which they first ran, and for each record the position
    /// of its own.
    #[must_use]
    pub fn codelets(&self) -> (Vec<&'static str>, Vec<usize>) {
        let mut names = Vec::new();
        let mut places = HashMap::new();
        let mut place = |name| {
            *places.entry(name).or_insert_with(|| {
                names.push(name);
                names.len() - 1
            })
        };
        let of = self.records.iter().map(|record| place(record.codelet)).collect();
        (names, of)
    }

    /// Names of the classes in the order of their first workers, and for each worker the position
    /// of its own.
    #[must_use]
    pub fn classes(&self) -> (Vec<String>, Vec<usize>) {
        let mut names: Vec<String> = Vec::new();
        let mut of = Vec::with_capacity(self.workers);
        for worker in 0..self.workers {
            let name = self.class_of(worker);
            let known = names.iter().position(|other| other == name);
            of.push(known.unwrap_or(names.len()));
            if known.is_none() {
                names.push(name.to_owned());
            }
        }
        (names, of)
    }

    /// How busy each class was.
    #[must_use]
    pub fn utilisation(&self) -> Vec<ClassUse> {
        let (names, of) = self.classes();
        let makespan = self.makespan();
        let early = (makespan as f64 * EARLY_SHARE) as u64;
        let mut busy = vec![(0u64, 0u64); names.len()];
        for record in &self.records {
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
    pub fn idle_share(&self) -> f64 {
        let total = self.makespan() as f64 * self.workers as f64;
        let busy: u64 = self.records.iter().map(|record| record.end - record.start).sum();
        if total > 0.0 { 1.0 - busy as f64 / total } else { 0.0 }
    }

    /// Times of each codelet, that with the most work first.
    #[must_use]
    pub fn codelet_times(&self) -> Vec<CodeletTime> {
        let (names, of) = self.codelets();
        let (classes, class_of) = self.classes();
        let empty = |codelet| {
            let classes = vec![(0, 0.0); classes.len()];
            CodeletTime { codelet, tasks: 0, busy_seconds: 0.0, classes }
        };
        let mut times: Vec<CodeletTime> = names.into_iter().map(empty).collect();
        for (record, &codelet) in self.records.iter().zip(&of) {
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
    pub fn route_totals(&self) -> Vec<RouteTotal> {
        let mut totals = BTreeMap::new();
        for transfer in &self.transfers {
            let (src, dst, purpose) = (transfer.src, transfer.dst, transfer.purpose);
            let empty = RouteTotal { src, dst, purpose, transfers: 0, bytes: 0, seconds: 0.0 };
            let total = totals.entry((src, dst, purpose)).or_insert(empty);
            total.transfers += 1;
            total.bytes += transfer.bytes;
            total.seconds += (transfer.end - transfer.start) as f64 * 1e-9;
        }
        totals.into_values().collect()
    }
}
