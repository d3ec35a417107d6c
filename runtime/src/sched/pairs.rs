//! Two data for a task, where no datum alone frees any (Gonthier 2023, sections 4.3.5 and 5.2.2).

use super::argmax::Argmax;
use super::pool::Pool;
use super::{TaskId, View};
use crate::random::SplitMix64;

/// The task of the highest priority among those that lack two data, of the datum that more such
/// tasks lack, then of the one with more work left.
pub(super) fn most_urgent(
    pool: &Pool,
    site: usize,
    view: &View<'_>,
    random: &mut SplitMix64,
) -> Option<TaskId> {
    let memory = pool.sites.list[site].memory;
    let priority = |task: TaskId| view.tasks.get(task).priority;
    let ready = pool.ready().iter().copied();
    let pairs = ready.filter(|&task| pool.missing(task, site) == Some(2));
    let highest = pairs.clone().map(priority).max()?;
    let mut argmax = Argmax::new(random);
    for task in pairs.filter(|&task| priority(task) == highest) {
        for handle in pool.lacking(task, memory) {
            let score = pool.score(handle, site);
            argmax.show((score.pairs.count, score.left.time), handle);
        }
    }
    let readers = pool.readers(argmax.value()?).iter().copied();
    let lacking = readers.filter(|&task| pool.missing(task, site) == Some(2));
    lacking.max_by_key(|&task| (priority(task), u64::MAX - view.tasks.get(task).index))
}
