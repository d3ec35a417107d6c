//! One context: a policy of its own that sees a machine of its workers alone.

use crate::platform::Machine;
use crate::sched::{PolicyOptions, Scheduler, View};
use crate::types::{ClassId, TaskId, WorkerId};

use super::spec::{ContextSpec, Limits, TypeCount};
use super::statistics::Statistics;
use super::team::Working;

/// Stands for "cannot run there", as in the table of tasks.
const NEVER: u64 = u64::MAX;

/// Tasks of a context that take equally long.
#[derive(Clone, Debug)]
pub(super) struct Type {
    /// By class, the nanoseconds of one.
    pub(super) nanoseconds: Vec<u64>,
    pub(super) flops: f64,
    /// Announced or handed over, and not done.
    pub(super) left: u64,
    /// Announced, and not handed over.
    announced: u64,
}

/// A context.
pub(super) struct Context {
    pub(super) spec: ContextSpec,
    scheduler: Box<dyn Scheduler>,
    /// Its workers as its policy sees them.
    machine: Machine,
    /// Its workers, in order; the policy calls them by their places.
    pub(super) workers: Vec<WorkerId>,
    /// By worker of the machine, its place among those of the context, plus 1.
    places: Vec<usize>,
    /// For each of its workers, when it is expected to have run what is given to it.
    busy_until: Vec<u64>,
    /// How often its policy was made anew.
    pub(super) epoch: u32,
    /// The task that its workers have together, if they are a team and have one.
    pub(super) working: Option<Working>,
    /// Tasks that its policy was given, and some that it has given away since.
    handed: Vec<TaskId>,
    /// How many it has.
    pub(super) backlog: usize,
    /// Tasks that wait for a worker or for their job to begin.
    pub(super) held: Vec<TaskId>,
    pub(super) types: Vec<Type>,
    pub(super) statistics: Statistics,
    pub(super) is_ended: bool,
    /// What its workers were expected to do together when they were last chosen, in operations per
    /// second.
    pub(super) ideal: Option<f64>,
    /// Most workers by group, of what it could use lately.
    pub(super) bound: Vec<usize>,
}

impl Context {
    pub(super) fn new(spec: ContextSpec, machine: &Machine) -> Self {
        let options = PolicyOptions { workers: 1, seed: spec.seed, order: &[] };
        let classes = machine.classes.len();
        let mut context = Self {
            scheduler: spec.policy.scheduler(&options),
            machine: Machine { workers: Vec::new(), ..machine.clone() },
            workers: Vec::new(),
            places: vec![0; machine.workers.len()],
            busy_until: Vec::new(),
            epoch: 0,
            working: None,
            handed: Vec::new(),
            backlog: 0,
            held: Vec::new(),
            types: Vec::new(),
            statistics: Statistics::new(classes),
            is_ended: false,
            ideal: None,
            bound: vec![usize::MAX; classes],
            spec,
        };
        context.settle(Vec::new(), machine);
        context
    }

    /// Gives it `workers`, and a policy that knows nothing yet.
    pub(super) fn settle(&mut self, workers: Vec<WorkerId>, machine: &Machine) {
        self.places.fill(0);
        for (place, worker) in workers.iter().enumerate() {
            self.places[worker.0] = place + 1;
        }
        self.machine.workers =
            workers.iter().map(|worker| machine.workers[worker.0].clone()).collect();
        self.busy_until = vec![0; workers.len()];
        let count = if self.spec.is_team { 1 } else { workers.len().max(1) };
        let options = PolicyOptions { workers: count, seed: self.spec.seed, order: &[] };
        self.scheduler = self.spec.policy.scheduler(&options);
        self.workers = workers;
        self.epoch += 1;
    }

    /// Gives it other workers: its policy is made anew, and is handed what it had not committed.
    /// `is_here` tells of tasks whether they still wait in this context.
    pub(super) fn set_workers(
        &mut self,
        mut workers: Vec<WorkerId>,
        view: &View<'_>,
        mut is_here: impl FnMut(TaskId) -> bool,
    ) {
        workers.sort_unstable();
        workers.dedup();
        let mut waiting = std::mem::take(&mut self.handed);
        waiting.retain(|&task| is_here(task));
        waiting.append(&mut self.held);
        // A slot that was used twice has its task twice.
        waiting.sort_unstable_by_key(|&task| (view.tasks.get(task).index, task));
        waiting.dedup();
        self.backlog = 0;
        self.settle(workers, view.machine);
        self.hand_over(&waiting, None, view, &[]);
    }

    /// Takes back what waits, as `is_here` tells, and `goes`; its policy is made anew, and is
    /// handed the rest.
    pub(super) fn recall(
        &mut self,
        view: &View<'_>,
        is_here: impl Fn(TaskId) -> bool,
        goes: impl Fn(TaskId) -> bool,
        out: &mut Vec<TaskId>,
    ) {
        let first = out.len();
        let mut waiting: Vec<TaskId> = self.handed.iter().chain(&self.held).copied().collect();
        waiting.retain(|&task| is_here(task) && goes(task));
        waiting.sort_unstable();
        waiting.dedup();
        out.append(&mut waiting);
        out[first..].iter().for_each(|&task| self.take_off(task, view));
        self.held.retain(|&task| !goes(task));
        self.set_workers(self.workers.clone(), view, |task| is_here(task) && !goes(task));
    }

    /// Whether it has workers, and one of them can run `task`.
    fn can_run(&self, task: TaskId, view: &View<'_>) -> bool {
        self.serves(view.tasks.all_nanoseconds(task))
    }

    /// Whether one of its workers runs tasks that take so long on each class.
    pub(super) fn serves(&self, nanoseconds: &[u64]) -> bool {
        self.machine.workers.iter().any(|worker| nanoseconds[worker.class.0] != NEVER)
    }

    /// Whether `workers` can run each type of tasks that it has had.
    pub(super) fn is_served_by(&self, workers: &[WorkerId], machine: &Machine) -> bool {
        let class = |worker: &WorkerId| machine.workers[worker.0].class.0;
        let runs =
            |kind: &Type| workers.iter().any(|worker| kind.nanoseconds[class(worker)] != NEVER);
        self.types.iter().all(runs)
    }

    pub(super) fn has(&self, worker: WorkerId) -> bool {
        self.places[worker.0] > 0
    }

    fn place(&self, worker: WorkerId) -> Option<WorkerId> {
        self.places[worker.0].checked_sub(1).map(WorkerId)
    }

    /// Calls its policy with a view of its workers alone. `others` are, by worker of the machine,
    /// the nanoseconds of what other contexts plan for them.
    fn ask<T>(
        &mut self,
        view: &View<'_>,
        others: &[u64],
        call: impl FnOnce(&mut dyn Scheduler, &View<'_>) -> T,
    ) -> T {
        let Self { scheduler, machine, workers, busy_until, .. } = self;
        for (busy, worker) in busy_until.iter_mut().zip(&*workers) {
            let other = others.get(worker.0).copied().unwrap_or(0);
            let until = view.busy_until[worker.0];
            *busy = if other > 0 { until.max(view.now) + other } else { until };
        }
        call(&mut **scheduler, &View { machine, busy_until, ..*view })
    }

    /// Hands tasks to its policy; what none of its workers runs is held.
    pub(super) fn hand_over(
        &mut self,
        tasks: &[TaskId],
        by: Option<WorkerId>,
        view: &View<'_>,
        others: &[u64],
    ) {
        let first = self.handed.len();
        for &task in tasks {
            let list = if self.can_run(task, view) { &mut self.handed } else { &mut self.held };
            list.push(task);
        }
        let given = self.handed.split_off(first);
        if !given.is_empty() {
            // A team is one worker to its policy.
            let is_known = |place: &WorkerId| !self.spec.is_team || place.0 == 0;
            let by = by.and_then(|worker| self.place(worker)).filter(is_known);
            self.ask(view, others, |policy, view| policy.ready(&given, by, view));
            self.backlog += given.len();
        }
        self.handed.extend(given);
    }

    /// Commits tasks to `worker`, one of its own that holds `held` tasks, as far as it has room.
    pub(super) fn refill(
        &mut self,
        worker: WorkerId,
        (room, held): (usize, usize),
        view: &View<'_>,
        out: &mut Vec<TaskId>,
    ) -> usize {
        let Some(place) = self.place(worker).filter(|_| self.backlog > 0) else { return 0 };
        let pipeline = view.machine.workers[worker.0].pipeline;
        let most = self.scheduler.lookahead(pipeline).max(pipeline).saturating_sub(held);
        let (before, room) = (out.len(), room.min(most));
        if room > 0 {
            self.ask(view, &[], |policy, view| policy.refill(place, room, view, out));
        }
        let given = out.len() - before;
        self.backlog -= given;
        given
    }

    /// Forgets tasks that it has given away, once they are most of its list.
    pub(super) fn trim(&mut self, mut is_here: impl FnMut(TaskId) -> bool) {
        if self.handed.len() > 64 + 2 * self.backlog {
            self.handed.retain(|&task| is_here(task));
            self.handed.sort_unstable();
            self.handed.dedup();
        }
    }

    /// Tells its policy, if that committed the task, that it is done.
    pub(super) fn finished(&mut self, task: TaskId, worker: WorkerId, view: &View<'_>) {
        if let Some(place) = self.place(worker) {
            self.ask(view, &[], |policy, view| policy.finished(task, place, view));
        }
    }

    /// Its policy.
    pub(super) fn policy(&self) -> &dyn Scheduler {
        &*self.scheduler
    }

    /// Tells its policy something about data.
    pub(super) fn tell(
        &mut self,
        view: &View<'_>,
        call: impl FnOnce(&mut dyn Scheduler, &View<'_>),
    ) {
        if !self.workers.is_empty() {
            self.ask(view, &[], call);
        }
    }

    /// Appends what its policy would bring ahead.
    pub(super) fn hints(&mut self, out: &mut Vec<(WorkerId, TaskId)>) {
        let first = out.len();
        self.scheduler.hints(out);
        out[first..].iter_mut().for_each(|(worker, _)| *worker = self.workers[worker.0]);
    }

    /// Nanoseconds that its policy plans for each of its workers, which is added to `into` by
    /// worker of the machine.
    pub(super) fn add_planned(&self, into: &mut [u64]) {
        for (place, worker) in self.workers.iter().enumerate() {
            into[worker.0] += self.scheduler.planned(WorkerId(place));
        }
    }

    /// The type of tasks that take so long.
    pub(super) fn type_of(&mut self, nanoseconds: &[u64], flops: f64) -> &mut Type {
        let is_it = |kind: &Type| kind.nanoseconds == nanoseconds;
        let place = self.types.iter().position(is_it).unwrap_or_else(|| {
            let nanoseconds = nanoseconds.to_vec();
            self.types.push(Type { nanoseconds, flops, left: 0, announced: 0 });
            self.types.len() - 1
        });
        &mut self.types[place]
    }

    /// Notes that so many tasks of a type will come.
    pub(super) fn announce(&mut self, count: &TypeCount) {
        let nanoseconds: Vec<u64> =
            count.nanoseconds.iter().map(|time| time.unwrap_or(NEVER)).collect();
        let kind = self.type_of(&nanoseconds, count.flops);
        (kind.left, kind.announced) = (kind.left + count.tasks, kind.announced + count.tasks);
    }

    /// Notes that a task was handed over.
    pub(super) fn enter(&mut self, task: TaskId, view: &View<'_>) {
        let (times, flops) = (view.tasks.all_nanoseconds(task), view.tasks.flops(task));
        let kind = self.type_of(times, flops);
        match kind.announced {
            0 => kind.left += 1,
            _ => kind.announced -= 1,
        }
        self.statistics.began.get_or_insert(view.now);
        self.statistics.submitted += 1;
    }

    /// Notes that a task is done that `class` worked on for `busy` nanoseconds.
    pub(super) fn leave(&mut self, task: TaskId, class: ClassId, busy: u64, view: &View<'_>) {
        let (times, flops) = (view.tasks.all_nanoseconds(task), view.tasks.flops(task));
        self.statistics.count(class, flops, busy, times);
        self.take_off(task, view);
    }

    /// Takes a task off those that are left.
    fn take_off(&mut self, task: TaskId, view: &View<'_>) {
        let kind = self.type_of(view.tasks.all_nanoseconds(task), view.tasks.flops(task));
        kind.left = kind.left.saturating_sub(1);
    }

    /// Its workers by group, given the group of each class.
    pub(super) fn count(&self, groups: &[usize]) -> Vec<usize> {
        let mut count = vec![0; groups.iter().max().map_or(0, |most| most + 1)];
        self.machine.workers.iter().for_each(|worker| count[groups[worker.class.0]] += 1);
        count
    }

    /// How many workers of `group` it is to have.
    pub(super) fn limits(&self, group: usize) -> Limits {
        let Limits { least, most } = self.spec.limits.get(group).copied().unwrap_or(Limits::NONE);
        Limits { least, most: most.min(self.bound[group]).max(least) }
    }
}
