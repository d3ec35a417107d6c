//! What a resizing policy is shown of contexts, and the way from its choice to workers that move.

use crate::sched::View;
use crate::sched::hypervisor::{
    ContextOutlook, HypervisorOptions, Outlook, Trigger, TypeLeft, useful,
};
use crate::types::{ClassId, ContextId, WorkerId};

use super::Contexts;
use super::context::Type;

/// By which part the speed of a context must be off its average for its workers to be bounded.
const FAR: f64 = 0.5;

impl Contexts {
    /// What policies that move workers look at.
    pub(crate) fn outlook(&self, trigger: Trigger, view: &View<'_>) -> Outlook {
        let mut workers = vec![0; self.group_count()];
        for number in 0..view.machine.workers.len() {
            if self.is_movable(WorkerId(number)) {
                workers[self.group_of(WorkerId(number))] += 1;
            }
        }
        let contexts: Vec<ContextOutlook> = (1..self.contexts.len())
            .map(|number| ContextId(number as u16))
            .filter(|&id| self.takes_part(id))
            .map(|id| self.context_outlook(id, view.now))
            .collect();
        let idle = match trigger {
            Trigger::Idle(worker) => contexts
                .iter()
                .position(|outlook| self.contexts[usize::from(outlook.context.0)].has(worker))
                .map(|place| (self.group_of(worker), place)),
            _ => None,
        };
        Outlook { trigger, workers, contexts, idle }
    }

    fn group_count(&self) -> usize {
        self.groups.iter().max().map_or(0, |most| most + 1)
    }

    fn group_of(&self, worker: WorkerId) -> usize {
        self.groups[self.machine.workers[worker.0].class.0]
    }

    /// The classes of `group` that have workers.
    fn classes_of(&self, group: usize) -> impl Iterator<Item = usize> + '_ {
        let has_workers =
            |&class: &usize| self.machine.workers.iter().any(|worker| worker.class.0 == class);
        let classes = (0..self.groups.len()).filter(move |&class| self.groups[class] == group);
        classes.filter(has_workers)
    }

    /// Whether workers may come to or leave `id`: it has work, and may be resized now.
    fn takes_part(&self, id: ContextId) -> bool {
        let context = &self.contexts[usize::from(id.0)];
        let is_resting = || context.workers.iter().all(|&worker| !self.works_for(worker, id));
        !context.is_ended
            && !self.has_below(id)
            && self.is_open(id)
            && (!context.spec.is_moldable || is_resting())
    }

    /// Whether a context that has not ended is below `id`, as a child or a child of one.
    fn has_below(&self, id: ContextId) -> bool {
        let is_below = |number: usize| {
            let below = ContextId(number as u16);
            !self.contexts[number].is_ended && self.parents(below).contains(&id)
        };
        (1..self.contexts.len()).any(is_below)
    }

    /// Whether `worker` may be moved: no context keeps it that takes no part.
    fn is_movable(&self, worker: WorkerId) -> bool {
        let keeps = |&id: &ContextId| {
            let context = &self.contexts[usize::from(id.0)];
            self.is_open(id) && !self.takes_part(id) && context.has(worker)
        };
        !self.of_worker(worker).iter().any(keeps)
    }

    fn context_outlook(&self, id: ContextId, now: u64) -> ContextOutlook {
        let context = &self.contexts[usize::from(id.0)];
        let groups = 0..self.group_count();
        // Workers of a group are taken to be alike, as fast as its classes on average.
        let mean = |group: usize, of: &dyn Fn(usize) -> Option<f64>| {
            let known: Vec<f64> = self.classes_of(group).filter_map(of).collect();
            (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64)
        };
        let seconds = |nanoseconds: &[u64], group: usize| {
            let of = |class: usize| {
                (nanoseconds[class] != u64::MAX).then(|| nanoseconds[class] as f64 * 1e-9)
            };
            mean(group, &of).unwrap_or(f64::INFINITY)
        };
        let kind = |kind: &Type| TypeLeft {
            tasks: kind.left as f64,
            seconds: groups.clone().map(|group| seconds(&kind.nanoseconds, group)).collect(),
        };
        let expected = |class: usize| {
            let left = context.types.iter().filter(|kind| kind.left > 0);
            let runs = left.filter(|kind| kind.nanoseconds[class] != u64::MAX);
            let (flops, time) = runs.fold((0.0, 0.0), |(flops, time), kind| {
                let left = kind.left as f64;
                (flops + left * kind.flops, time + left * kind.nanoseconds[class] as f64)
            });
            (time > 0.0).then(|| flops * 1e9 / time)
        };
        let statistics = &context.statistics;
        let speed = |class: usize| statistics.speed(ClassId(class)).or_else(|| expected(class));
        let measured = |class: usize| {
            let work = statistics.window[class];
            (work.busy > 0).then(|| work.flops * 1e9 / work.busy as f64)
        };
        ContextOutlook {
            context: id,
            workers: context.count(&self.groups),
            limits: groups.clone().map(|group| context.limits(group)).collect(),
            flops: self.left(id),
            speed: groups.clone().map(|group| mean(group, &speed).unwrap_or(0.0)).collect(),
            measured: groups.clone().map(|group| mean(group, &measured)).collect(),
            types: context.types.iter().map(kind).collect(),
            ready: context.backlog + context.held.len(),
            parents: self.parents(id),
            observed: statistics.observed(now),
            ideal: context.ideal,
        }
    }

    /// The contexts that `id` is below, from the highest on, without that of all workers.
    fn parents(&self, id: ContextId) -> Vec<ContextId> {
        let parent = |id: ContextId| Some(self.contexts[usize::from(id.0)].spec.parent);
        let above = std::iter::successors(parent(id), |&id| parent(id));
        let mut parents: Vec<_> = above.take_while(|&id| id != ContextId::ROOT).collect();
        parents.reverse();
        parents
    }

    /// Gives each context of `outlook` as many workers of each class as `choice` says. What nobody
    /// is given is shared by all.
    pub(crate) fn resize(&mut self, outlook: &Outlook, choice: &[Vec<usize>], view: &View<'_>) {
        let ids: Vec<ContextId> = outlook.contexts.iter().map(|context| context.context).collect();
        let mut sets: Vec<Vec<WorkerId>> = vec![Vec::new(); ids.len()];
        let mut free = Vec::new();
        for group in 0..self.group_count() {
            let wanted: Vec<usize> = choice.iter().map(|own| own[group]).collect();
            free.extend(self.deal(group, &ids, &wanted, &mut sets));
        }
        // Contexts that have nothing to do keep no workers that others get.
        let taken: Vec<WorkerId> = sets.iter().flatten().chain(&free).copied().collect();
        for id in (1..self.contexts.len()).map(|number| ContextId(number as u16)) {
            let context = &self.contexts[usize::from(id.0)];
            if !ids.contains(&id) && context.workers.iter().any(|own| taken.contains(own)) {
                let own = context.workers.iter().copied();
                let rest = own.filter(|worker| !taken.contains(worker)).collect();
                self.seat(id, rest, view);
            }
        }
        for (place, &id) in ids.iter().enumerate() {
            let mut set = sets[place].clone();
            set.extend(&free);
            set.sort_unstable();
            self.seat(id, set, view);
        }
        for (place, id) in ids.iter().enumerate() {
            let own = &outlook.contexts[place];
            let ideal = own.speed.iter().zip(&choice[place]).map(|(v, &n)| v * n as f64).sum();
            self.contexts[usize::from(id.0)].ideal = Some(ideal);
        }
    }

    /// Adds the workers of `group` to the sets of the contexts `ids`, as many as each wants: those
    /// that it has, first the ones that may not move, which it keeps in any case, then the ones at
    /// work; then others. Returns those that are left.
    fn deal(
        &self,
        group: usize,
        ids: &[ContextId],
        wanted: &[usize],
        sets: &mut [Vec<WorkerId>],
    ) -> Vec<WorkerId> {
        let all = (0..self.machine.workers.len()).map(WorkerId);
        let mut pool: Vec<WorkerId> = all
            .filter(|&worker| self.group_of(worker) == group && self.is_movable(worker))
            .collect();
        let mut lacking = Vec::with_capacity(ids.len());
        for ((&id, &wanted), set) in ids.iter().zip(wanted).zip(&mut *sets) {
            let context = &self.contexts[usize::from(id.0)];
            let is_of_group = |worker: &WorkerId| self.group_of(*worker) == group;
            let stay = context.workers.iter().copied().filter(is_of_group);
            let stay: Vec<WorkerId> = stay.filter(|&worker| !self.is_movable(worker)).collect();
            let wanted = wanted.saturating_sub(stay.len());
            let mut own: Vec<WorkerId> =
                pool.iter().copied().filter(|&worker| context.has(worker)).collect();
            own.sort_by_key(|&worker| (!self.works_for(worker, id), worker));
            own.truncate(wanted);
            pool.retain(|worker| !own.contains(worker));
            lacking.push(wanted - own.len());
            set.extend(stay);
            set.extend(own);
        }
        for (lacking, set) in lacking.into_iter().zip(sets) {
            let take = lacking.min(pool.len());
            set.extend(pool.drain(..take));
        }
        pool
    }

    /// Lets contexts whose tasks nobody would run share all workers, where somebody else than the
    /// program took theirs; says whether there were any.
    pub(crate) fn rescue(&mut self, view: &View<'_>) -> bool {
        let mut any = false;
        for id in (1..self.contexts.len()).map(|number| ContextId(number as u16)) {
            if self.hypervisor.is_some() && !self.contexts[usize::from(id.0)].held.is_empty() {
                self.seat(id, (0..view.machine.workers.len()).map(WorkerId).collect(), view);
                any |= self.contexts[usize::from(id.0)].held.is_empty();
            }
        }
        any
    }

    /// Lets every context that has none of the workers that it needs share those that may move.
    pub(crate) fn feed(&mut self, view: &View<'_>) {
        for id in (1..self.contexts.len()).map(|number| ContextId(number as u16)) {
            let context = &self.contexts[usize::from(id.0)];
            let is_fed = context.held.is_empty() && !context.workers.is_empty();
            if is_fed || context.is_ended || !self.takes_part(id) {
                continue;
            }
            let all = (0..view.machine.workers.len()).map(WorkerId);
            let all = all.filter(|&worker| self.is_movable(worker) || context.has(worker));
            let all: Vec<WorkerId> = all.collect();
            self.seat(id, all, view);
        }
    }

    /// Begins the window of every context anew.
    pub(crate) fn open_windows(&mut self, now: u64) {
        self.contexts.iter_mut().for_each(|context| context.statistics.open_window(now));
    }

    /// Since when the worker is idle that is so for longest in a context, if workers could move.
    pub(crate) fn idle_since(&self) -> Option<u64> {
        let workers = (0..self.machine.workers.len()).map(WorkerId);
        workers.filter_map(|worker| self.idleness(worker)).min()
    }

    /// Since when `worker` is idle, if it is, and is in one context alone.
    fn idleness(&self, worker: WorkerId) -> Option<u64> {
        let since = self.since(worker)?;
        let [only] = self.of_worker(worker) else { return None };
        (!self.contexts[usize::from(only.0)].spec.is_moldable).then_some(since)
    }

    /// A worker that is idle for longer than `limit`.
    pub(crate) fn idle_worker(&self, now: u64, limit: u64) -> Option<WorkerId> {
        let workers = (0..self.machine.workers.len()).map(WorkerId);
        let mut idle = workers.filter_map(|worker| Some((self.idleness(worker)?, worker)));
        idle.find(|&(since, _)| now - since > limit).map(|(_, worker)| worker)
    }

    /// A context whose speed is far from what its workers promised.
    pub(crate) fn off_speed(&self, now: u64, options: &HypervisorOptions) -> Option<ContextId> {
        let is_off = |number: &usize| {
            let context = &self.contexts[*number];
            let statistics = &context.statistics;
            let is_known = now >= statistics.window_start + options.window
                && statistics.window_tasks() >= options.samples;
            if !is_known || !self.takes_part(ContextId(*number as u16)) {
                return false;
            }
            let ideal = context.ideal.unwrap_or_else(|| {
                let of = |worker: &WorkerId| self.machine.workers[worker.0].class;
                context.workers.iter().filter_map(|worker| statistics.speed(of(worker))).sum()
            });
            (statistics.observed(now) - ideal).abs() > options.speed_gap * ideal
        };
        (1..self.contexts.len()).find(is_off).map(|number| ContextId(number as u16))
    }

    /// So many workers of each class out of `from`, those without a task first.
    pub(crate) fn choose_workers(&self, from: ContextId, wanted: &[usize]) -> Vec<WorkerId> {
        let mut chosen = Vec::new();
        for (group, &count) in wanted.iter().enumerate() {
            let of_group = |worker: &WorkerId| self.group_of(*worker) == group;
            let own = &self.contexts[usize::from(from.0)].workers;
            let mut own: Vec<WorkerId> = own.iter().copied().filter(of_group).collect();
            own.sort_by_key(|&worker| (self.works_for(worker, from), std::cmp::Reverse(worker)));
            chosen.extend(own.into_iter().take(count));
        }
        chosen
    }

    /// Bounds the workers of each context whose speed is far from its average, and that had idle
    /// ones; frees the others of their bounds.
    pub(crate) fn bound_by_idleness(&mut self, now: u64) {
        for number in 1..self.contexts.len() {
            let context = &self.contexts[number];
            let statistics = &context.statistics;
            let Some(began) = statistics.began.filter(|&began| began < statistics.window_start)
            else {
                continue;
            };
            let average = statistics.flops() * 1e9 / (now - began).max(1) as f64;
            let observed = statistics.observed(now);
            let is_far = (observed - average).abs() > FAR * average;
            let period = now - statistics.window_start;
            let count = context.count(&self.groups);
            let mut bound = vec![usize::MAX; count.len()];
            for (group, &workers) in count.iter().enumerate() {
                let busy: u64 =
                    self.classes_of(group).map(|class| statistics.window[class].busy).sum();
                let idle = (workers as u64 * period).saturating_sub(busy);
                if is_far && idle > 0 && workers > 0 && period > 0 {
                    bound[group] = useful(workers, idle as f64, period as f64);
                }
            }
            self.contexts[number].bound = bound;
        }
    }

    /// Since when `worker` has no task.
    fn since(&self, worker: WorkerId) -> Option<u64> {
        self.workers[worker.0].idle_since
    }
}
