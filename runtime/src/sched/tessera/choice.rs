//! What a datum is worth: the work that it frees, for the time that bringing it takes.

use crate::random::SplitMix64;
use crate::sched::View;
use crate::sched::argmax::Argmax;
use crate::sched::pairs;
use crate::sched::pool::Pool;
use crate::types::{HandleId, TaskId};

/// Readers of a datum that are looked at to find how soon it is used.
const MOST_COMPARED: usize = 64;

/// Nanoseconds of work that `handle` would free at `site`.
fn work(pool: &Pool, handle: HandleId, site: usize) -> f64 {
    pool.score(handle, site).alone.time as f64
}

/// The work that `handle` would free at `site` for each nanosecond of its transfer.
fn rate(pool: &Pool, handle: HandleId, site: usize, view: &View<'_>) -> f64 {
    let memory = pool.sites.list[site].memory;
    work(pool, handle, site) / view.transfer(handle, memory).max(1) as f64
}

/// The highest priority of the tasks that lack `handle` and at most one other datum at `site`.
fn urgency(pool: &Pool, handle: HandleId, site: usize, view: &View<'_>) -> i32 {
    let readers = pool.readers(handle).iter().take(MOST_COMPARED);
    let near = readers.filter(|&&task| matches!(pool.missing(task, site), Some(1 | 2)));
    near.map(|&task| view.tasks.get(task).priority).max().unwrap_or(i32::MIN)
}

/// Appends to `group` what `site` is to run next, in order: all that the best datum frees; where
/// none frees anything, a task that lacks two data, the most urgent one or the one with the best
/// data; else the most urgent of all.
pub(super) fn choose(
    pool: &Pool,
    site: usize,
    by_urgency: bool,
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
    let pair = if by_urgency {
        pairs::most_urgent(pool, site, view, random)
    } else {
        best(pool, pool.wanted(), site, view, random)
            .and_then(|datum| best_with(pool, datum, site, view))
    };
    let ready = pool.ready().iter().copied();
    let can_run = ready.filter(|&task| pool.missing(task, site).is_some());
    group.extend(pair.or_else(|| can_run.min_by_key(|&task| order(task))));
}

/// The datum with the highest rate; ties go to the most urgent, then to more work that lacks one
/// other datum, then to more work left.
fn best(
    pool: &Pool,
    data: &[HandleId],
    site: usize,
    view: &View<'_>,
    random: &mut SplitMix64,
) -> Option<HandleId> {
    let score = |handle: HandleId| pool.score(handle, site);
    let useful = data.iter().copied().filter(|&handle| {
        let score = score(handle);
        score.alone.count + score.pairs.count > 0
    });
    let highest =
        useful.clone().map(|handle| rate(pool, handle, site, view)).max_by(f64::total_cmp)?;
    let equal = useful.filter(|&handle| rate(pool, handle, site, view) >= highest);
    let mut argmax = Argmax::new(random);
    for handle in equal {
        let urgency = urgency(pool, handle, site, view);
        argmax.show((urgency, score(handle).pairs.time, score(handle).left.time), handle);
    }
    argmax.value()
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
