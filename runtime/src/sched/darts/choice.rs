//! Which datum, or which task, a site that has nothing planned goes on with.

use crate::random::SplitMix64;
use crate::sched::View;
use crate::sched::argmax::Argmax;
use crate::sched::pairs;
use crate::sched::pool::Pool;
use crate::types::{HandleId, TaskId};

/// Variants of the algorithm (Gonthier 2023).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// Algorithm 12 of section 5.2.2: the shortest transfer for the longest work.
    Ratio,
    /// Algorithm 9 of section 4.3.3: most tasks, then most work left.
    Most {
        /// Whether two data are brought for a task when one alone frees none (section 4.3.5).
        pairs: bool,
        /// How many data are compared (sections 4.3.6 and 4.4.3).
        compared: usize,
    },
}

pub(super) enum Choice {
    /// Bring this datum, and run what it frees.
    Datum(HandleId),
    /// Run this task, whatever it lacks.
    Task(TaskId),
}

impl Rule {
    /// What `site` goes on with; none if no ready task can run there.
    pub(super) fn choose(
        self,
        pool: &Pool,
        site: usize,
        view: &View<'_>,
        random: &mut SplitMix64,
    ) -> Option<Choice> {
        match self {
            Self::Ratio => by_ratio(pool, site, view, random),
            Self::Most { pairs, compared } => {
                let datum = most_freed(pool, site, compared, random).map(Choice::Datum);
                let pair = || if pairs { random_of_pairs(pool, site, random) } else { None };
                datum.or_else(pair).or_else(|| random_task(pool, site, random).map(Choice::Task))
            }
        }
    }
}

fn most_freed(
    pool: &Pool,
    site: usize,
    compared: usize,
    random: &mut SplitMix64,
) -> Option<HandleId> {
    let mut argmax = Argmax::new(random);
    for &handle in pool.gains(site).iter().take(compared) {
        let score = pool.score(handle, site);
        argmax.show((score.alone.count, score.left.time), handle);
    }
    argmax.value()
}

/// A task drawn from those of the datum that most tasks lack together with one other.
fn random_of_pairs(pool: &Pool, site: usize, random: &mut SplitMix64) -> Option<Choice> {
    let mut argmax = Argmax::new(random);
    for &handle in pool.wanted() {
        let score = pool.score(handle, site);
        if score.pairs.count > 0 {
            argmax.show(score.pairs.count, handle);
        }
    }
    let datum = argmax.value()?;
    let mut argmax = Argmax::new(random);
    for &task in pool.readers(datum) {
        if pool.missing(task, site) == Some(2) {
            argmax.show((), task);
        }
    }
    argmax.value().map(Choice::Task)
}

fn random_task(pool: &Pool, site: usize, random: &mut SplitMix64) -> Option<TaskId> {
    let ready = pool.ready();
    let start = random.next_u64() as usize % ready.len().max(1);
    let from_start = ready[start..].iter().chain(&ready[..start]);
    from_start.copied().find(|&task| pool.missing(task, site).is_some())
}

/// The highest priority among the tasks that read `handle` and lack `missing` data at `site`.
fn highest(pool: &Pool, handle: HandleId, site: usize, missing: u8, view: &View<'_>) -> i32 {
    let readers = pool.readers(handle).iter();
    let lacking = readers.filter(|&&task| pool.missing(task, site) == Some(missing));
    lacking.map(|&task| view.tasks.get(task).priority).max().unwrap_or(i32::MIN)
}

fn by_ratio(pool: &Pool, site: usize, view: &View<'_>, random: &mut SplitMix64) -> Option<Choice> {
    if let Some(datum) = least_ratio(pool, site, view, random) {
        return Some(Choice::Datum(datum));
    }
    let task = pool.ready().iter().copied().filter(|&task| pool.missing(task, site).is_some());
    let order = |task: TaskId| {
        let row = view.tasks.get(task);
        (row.priority, u64::MAX - row.index)
    };
    let of_pair = pairs::most_urgent(pool, site, view, random);
    of_pair.or_else(|| task.max_by_key(|&task| order(task))).map(Choice::Task)
}

/// The datum with the shortest transfer for the work that it frees; ties go to more tasks, the
/// higher priority, more tasks that lack one more, more work left. Priorities are only looked up
/// among data that are equal before.
fn least_ratio(
    pool: &Pool,
    site: usize,
    view: &View<'_>,
    random: &mut SplitMix64,
) -> Option<HandleId> {
    let memory = pool.sites.list[site].memory;
    let first = |handle: HandleId| {
        let score = pool.score(handle, site);
        (
            -(view.transfer(handle, memory) as f64) / score.alone.time.max(1) as f64,
            score.alone.count,
        )
    };
    let (mut best, mut ties) = (None, 0);
    for key in pool.gains(site).iter().map(|&handle| first(handle)) {
        ties = if Some(key) > best { 1 } else { ties + u32::from(Some(key) == best) };
        best = if Some(key) > best { Some(key) } else { best };
    }
    let equal = pool.gains(site).iter().copied().filter(|&handle| Some(first(handle)) == best);
    let mut argmax = Argmax::new(random);
    for handle in equal {
        let score = pool.score(handle, site);
        let priority = if ties > 1 { highest(pool, handle, site, 1, view) } else { 0 };
        argmax.show((priority, score.pairs.count, score.left.time), handle);
    }
    argmax.value()
}
