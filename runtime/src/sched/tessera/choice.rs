//! What a datum is worth: the work that it frees, for the time that bringing it takes.

use crate::platform::MemoryId;
use crate::random::SplitMix64;
use crate::sched::draw::Draw;
use crate::sched::pool::Pool;
use crate::sched::{HandleId, TaskId, View};

/// What the work counts that a datum would free together with one other one. Little: it decides
/// among data that free equally much now.
const WITH_ANOTHER: f64 = 0.02;

/// Readers that are looked at to find how soon a datum is used.
const MOST_COMPARED: usize = 64;

/// Nanoseconds of work that `handle` would free at `site`.
fn work(pool: &Pool, handle: HandleId, site: usize) -> f64 {
    let score = pool.score(handle, site);
    score.alone.time as f64 + WITH_ANOTHER * score.pairs.time as f64
}

/// The work that `handle` would free at `site` for each nanosecond of its transfer.
fn rate(pool: &Pool, handle: HandleId, site: usize, view: &View<'_>) -> f64 {
    let memory = pool.sites.list[site].memory;
    work(pool, handle, site) / view.transfer(handle, memory).max(1) as f64
}

/// Appends to `group` what `site` is to run next, in order: all that the best datum frees; where
/// none frees anything, the best task that lacks two data; else the most urgent one.
pub(super) fn choose(
    pool: &Pool,
    site: usize,
    view: &View<'_>,
    random: &mut SplitMix64,
    group: &mut Vec<TaskId>,
) {
    let order = |task: TaskId| {
        let row = view.tasks.get(task);
        (std::cmp::Reverse(row.priority), row.index)
    };
    if let Some(datum) = best(pool, pool.gains(site), site, view, random) {
        let readers = pool.readers(datum).iter().copied();
        group.extend(readers.filter(|&task| pool.missing(task, site) == Some(1)));
        group.sort_unstable_by_key(|&task| order(task));
        return;
    }
    let pair = best(pool, pool.wanted(), site, view, random)
        .and_then(|datum| best_with(pool, datum, site, view));
    let ready = pool.ready().iter().copied();
    let can_run = ready.filter(|&task| pool.missing(task, site).is_some());
    group.extend(pair.or_else(|| can_run.min_by_key(|&task| order(task))));
}

/// The datum with the highest rate.
fn best(
    pool: &Pool,
    data: &[HandleId],
    site: usize,
    view: &View<'_>,
    random: &mut SplitMix64,
) -> Option<HandleId> {
    let mut draw = Draw::new(random);
    for &handle in data {
        let score = pool.score(handle, site);
        if score.alone.count + score.pairs.count > 0 {
            draw.show((rate(pool, handle, site, view), score.left.time), handle);
        }
    }
    draw.value()
}

/// Among the tasks that lack `datum` and one other, the one whose other datum has the highest rate,
/// then the most urgent.
fn best_with(pool: &Pool, datum: HandleId, site: usize, view: &View<'_>) -> Option<TaskId> {
    let memory = pool.sites.list[site].memory;
    let mut best: Option<((f64, i32, u64), TaskId)> = None;
    for &task in pool.readers(datum) {
        if pool.missing(task, site) != Some(2) {
            continue;
        }
        let other = pool.lacking(task, memory).find(|&other| other != datum);
        let row = view.tasks.get(task);
        let rate = other.map_or(0.0, |other| rate(pool, other, site, view));
        let key = (rate, row.priority, u64::MAX - row.index);
        if best.as_ref().is_none_or(|(most, _)| key > *most) {
            best = Some((key, task));
        }
    }
    best.map(|(_, task)| task)
}

/// How soon `handle`, which no planned task uses, will be used in `memory`: the most work, in
/// microseconds, that a datum would free that one of its readers waits for.
pub(super) fn promise(pool: &Pool, handle: HandleId, memory: MemoryId) -> u32 {
    let mut most: f64 = 0.0;
    for site in (0..pool.sites.list.len()).filter(|&site| pool.sites.list[site].memory == memory) {
        for &task in pool.readers(handle).iter().take(MOST_COMPARED) {
            if matches!(pool.missing(task, site), Some(1 | 2)) {
                let works = pool.lacking(task, memory).map(|other| work(pool, other, site));
                most = works.fold(most, f64::max);
            }
        }
    }
    (most / 1000.0) as u32
}
