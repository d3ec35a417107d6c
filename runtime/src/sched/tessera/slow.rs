//! Workers that are much slower than others: the cores beside accelerators.
//!
//! An hour of theirs is worth most on the tasks that an accelerator is least better at: it spares
//! the accelerator more of its time than any other. In a Cholesky factorisation on the sample
//! machine mirage a core loses 3 and 7 times on the factorisation of a tile and on its solves, and
//! 31 times on the products, of which there are most.

use super::Tessera;
use crate::sched::View;
use crate::types::TaskId;

/// How many times longer a worker takes than others that it only helps: accelerators of one kind
/// differ by a quarter on some kernels, and a core takes twice as long on its best one.
const SLOW: f64 = 1.5;

/// Tasks in the pool that a worker beside faster ones chooses among.
const MOST_COMPARED: usize = 4096;

/// Tasks at the end of a plan that a worker which helps chooses among.
const LAST: usize = 8;

impl Tessera {
    pub(super) fn note_times(&mut self, task: TaskId, view: &View<'_>) {
        if view.machine.classes.len() > 1 {
            let sites = &self.board.pool.sites;
            let time = |site: usize| view.tasks.nanoseconds(task, sites.list[site].class);
            self.known.note_times(sites.list.len(), time);
        }
    }

    /// Whether `site` takes no more times as long for `task` than it does on average, if it is a
    /// slow one, or no other can run it.
    pub(super) fn is_apt(&self, task: TaskId, site: usize, view: &View<'_>) -> bool {
        let slowness = self.known.slowness(site);
        if slowness <= SLOW {
            return true;
        }
        let times = (0..self.board.sites()).filter_map(|other| self.duration(task, other, view));
        let (own, least) = (self.duration(task, site, view), times.min());
        let (own, least) = (own.unwrap_or(u64::MAX), least.unwrap_or(u64::MAX));
        own == least || own as f64 <= slowness * least as f64
    }

    /// Whether `site` only helps others, which are much faster at what is in the pool.
    pub(super) fn is_helper(&self, site: usize) -> bool {
        let pool = &self.board.pool;
        let others = (0..self.board.sites()).filter(|&other| other != site);
        let least = others.map(|other| pool.work(other)).filter(|&work| work > 0).min();
        least.is_some_and(|least| pool.work(site) as f64 > SLOW * least as f64)
    }

    /// What `site` takes out of the pool beside others: the most urgent of the tasks that only it
    /// can run; else, of those that end there before the others would have come to them, one that
    /// it is apt for, and the least urgent.
    pub(super) fn helps_with(&self, site: usize, view: &View<'_>) -> Option<TaskId> {
        let others: Vec<(usize, u64)> = self.others(site, view).collect();
        let rank = |task: TaskId| {
            let cost = self.cost(task, site, view)?;
            let ends = others
                .iter()
                .filter_map(|&(other, start)| Some(start + self.duration(task, other, view)?));
            let priority = i64::from(view.tasks.get(task).priority);
            match ends.min() {
                None => Some((true, true, priority)),
                Some(end) => (view.now + cost <= end)
                    .then(|| (false, self.is_apt(task, site, view), -priority)),
            }
        };
        let ready = self.board.pool.ready().iter().copied().take(MOST_COMPARED);
        let ranked = ready.filter_map(|task| Some((rank(task)?, task)));
        ranked.max_by_key(|&(rank, _)| rank).map(|(_, task)| task)
    }

    /// The sites besides `site`, and when each would have run all that is ready.
    fn others<'a>(
        &'a self,
        site: usize,
        view: &'a View<'_>,
    ) -> impl Iterator<Item = (usize, u64)> + 'a {
        let pool = &self.board.pool;
        let others = (0..self.board.sites()).filter(move |&other| other != site);
        others.map(|other| {
            let rest = pool.work(other) / pool.sites.peers(other);
            (other, self.free_at(other, view) + rest)
        })
    }

    /// Takes a task for `site`, if it is a slow one, out of the plan of another: among the last
    /// ones, the one that gains most. Only where plans follow priorities, since there they are made
    /// early.
    pub(super) fn help(&mut self, site: usize, view: &View<'_>) -> Option<TaskId> {
        if self.known.slowness(site) <= SLOW || !self.is_by_priority(site) {
            return None;
        }
        let others = (0..self.board.sites()).filter(|&other| other != site);
        let others = others.filter(|&other| self.is_by_priority(other));
        let gains = others.filter_map(|other| self.most_gained(site, other, view));
        let (_, other, place) = gains.max()?;
        Some(self.board.take_back(other, place, view))
    }

    /// By how much the best of the last tasks planned for `other` would end sooner at `site`, and
    /// its place from the end.
    fn most_gained(
        &self,
        site: usize,
        other: usize,
        view: &View<'_>,
    ) -> Option<(u64, usize, usize)> {
        let workers = self.board.pool.sites.list[other].workers.len() as u64;
        let mut end = self.free_at(other, view);
        let gains = self.board.last_planned(other).take(LAST).enumerate().map(|(place, task)| {
            let own_end = self.cost(task, site, view).map(|cost| view.now + cost);
            let gain = own_end.and_then(|own_end| end.checked_sub(own_end));
            end = end.saturating_sub(self.duration(task, other, view).unwrap_or(0) / workers);
            (gain, place)
        });
        let gains = gains.filter_map(|(gain, place)| Some((gain?, other, place)));
        gains.filter(|&(gain, ..)| gain > 0).max()
    }
}
