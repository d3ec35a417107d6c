//! Moves workers between contexts while they run (Hugo 2014, chapter 3).
//!
//! It has no thread: whoever tells the [contexts](super::contexts) that something happened asks it
//! whether workers are to be moved, under the lock of the dispatcher, so that two never decide at
//! once. A [resizing policy](Resizing) chooses how many workers of each group each context is to
//! have, from an [`Outlook`] on what was measured; which ones move is found here. To add one: a
//! file with a type that implements it, and a line in [`RESIZING`].

mod allocate;
mod area;
mod feft;
mod idle;
mod idleness;
mod ispeed;
mod levels;
mod outlook;
mod teft;
#[cfg(test)]
mod tests;
mod tree;

use crate::types::{ContextId, JobId, WorkerId};

use super::View;
use super::contexts::{Contexts, Move};
pub use allocate::allocate;
pub use area::area_seconds;
pub(super) use idleness::useful;
pub use outlook::{ContextOutlook, Outlook, TypeLeft};
pub use tree::{Mapped, Subtree, proportional_mapping};

/// What makes a change of workers necessary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trigger {
    /// The program asked for it.
    Request,
    /// A context was made.
    Created(ContextId),
    /// A job began.
    Started(JobId),
    /// A job ended.
    Ended(JobId),
    /// A context ended.
    EndedContext(ContextId),
    /// A worker was without a task for longer than the limit.
    Idle(WorkerId),
    /// A context is slower or faster than its workers promised.
    Speed(ContextId),
    /// A window of time has gone by.
    Window,
    /// The resizing policy wants it.
    Policy,
    /// Time went on.
    Tick,
}

impl Trigger {
    /// Its name in tables and files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Request => "request",
            Self::Created(_) => "created",
            Self::Started(_) => "start",
            Self::Ended(_) => "end",
            Self::EndedContext(_) => "end-context",
            Self::Idle(_) => "idle",
            Self::Speed(_) => "speed",
            Self::Window => "window",
            Self::Policy => "policy",
            Self::Tick => "time",
        }
    }
}

/// How many workers of each group each context is to have.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// By context of the outlook and group.
    pub workers: Vec<Vec<usize>>,
    /// Seconds until the last context ends, as things are and as they would be; equal, if the
    /// policy has no idea: then workers move in any case.
    pub seconds: (f64, f64),
}

/// What a resizing policy is told as it happens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Notice {
    /// Tasks of a context have become ready.
    Ready {
        /// The context.
        context: ContextId,
        /// How many.
        tasks: usize,
    },
    /// A worker was given tasks of a context.
    Given {
        /// The context.
        context: ContextId,
        /// The worker.
        worker: WorkerId,
        /// How many.
        tasks: usize,
    },
    /// A task has ended.
    Done {
        /// The context of the task.
        context: ContextId,
        /// Who ran it.
        worker: WorkerId,
        /// Its operations.
        flops: f64,
        /// For how long that worked on it.
        nanoseconds: u64,
    },
    /// A worker has ended the last task that it was given.
    Idle {
        /// The worker.
        worker: WorkerId,
    },
    /// A context has ended.
    Ended {
        /// The context.
        context: ContextId,
    },
}

/// Chooses how many workers each context is to have.
pub trait Resizing: Send {
    /// The choice; none: all stays as it is. It is asked when a context or a job begins or ends,
    /// and as [`HypervisorOptions`] say.
    fn choose(&mut self, outlook: &Outlook) -> Option<Choice>;

    /// Takes note of what happened; says whether it wants to be [asked](Self::choose) at once, for
    /// [`Trigger::Policy`]. It is called under the lock of the dispatcher, for every task.
    fn notice(&mut self, _what: Notice) -> bool {
        false
    }
}

/// A member of [`RESIZING`].
#[derive(Clone, Copy)]
pub struct ResizingPolicy {
    /// Value of `--hypervisor`.
    pub name: &'static str,
    /// One line of help.
    pub summary: &'static str,
    /// Makes one.
    pub build: fn() -> Box<dyn Resizing>,
}

impl std::fmt::Debug for ResizingPolicy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// Every resizing policy.
pub static RESIZING: &[ResizingPolicy] =
    &[feft::POLICY, teft::POLICY, ispeed::POLICY, idle::POLICY];

/// The resizing policy called `name`.
#[must_use]
pub fn resizing(name: &str) -> Option<&'static ResizingPolicy> {
    RESIZING.iter().find(|policy| policy.name == name)
}

/// Workers to move when something happens: what the thesis calls on demand.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedMove {
    /// The job that begins or ends then.
    pub job: JobId,
    /// Whether it is its end.
    pub at_end: bool,
    /// The context that gives workers.
    pub from: ContextId,
    /// The context that gets them.
    pub to: ContextId,
    /// By group of workers, how many.
    pub workers: Vec<usize>,
}

/// How a hypervisor watches.
#[derive(Clone, Copy, Debug)]
pub struct HypervisorOptions {
    /// Whether it watches the contexts while they run; else it acts when jobs begin and contexts
    /// end.
    pub watches: bool,
    /// Nanoseconds since the engine began before which it only does what was planned.
    pub not_before: u64,
    /// Nanoseconds without a task after which a worker is moved.
    pub idle_limit: u64,
    /// Nanoseconds over which the speed of a context is taken, after each of which all is looked at
    /// again; nothing is decided by measured speeds sooner after a change of workers.
    pub window: u64,
    /// Tasks of a context from which its speed is taken, at least.
    pub samples: u64,
    /// By which part the speed of a context may differ from what its workers promised.
    pub speed_gap: f64,
    /// The part of the time to the end that a change must save, if a worker is idle or a context
    /// off its speed.
    pub least_gain: f64,
    /// The part that it must save, if nothing is wrong.
    pub window_gain: f64,
    /// Whether idle time bounds the workers that a context may have.
    pub bounds_by_idleness: bool,
}

impl Default for HypervisorOptions {
    fn default() -> Self {
        Self {
            watches: true,
            not_before: 0,
            idle_limit: 20_000_000,
            window: 500_000_000,
            samples: 10,
            speed_gap: 0.3,
            least_gain: 0.01,
            window_gain: 0.05,
            bounds_by_idleness: false,
        }
    }
}

/// Moves workers between contexts.
pub struct Hypervisor {
    options: HypervisorOptions,
    name: &'static str,
    policy: Option<Box<dyn Resizing>>,
    planned: Vec<PlannedMove>,
    /// A clock, in nanoseconds, for what decisions cost.
    clock: fn() -> u64,
    /// When workers were moved last.
    last: u64,
    /// Nothing is looked at before this time.
    quiet_until: u64,
    /// When a window of time will have gone by.
    window_end: u64,
    spent: u64,
    decisions: u64,
    /// Whether the policy wants to be asked.
    is_wanted: bool,
}

impl std::fmt::Debug for Hypervisor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Hypervisor").field("policy", &self.name).finish_non_exhaustive()
    }
}

impl Hypervisor {
    /// A hypervisor under `policy`, or one that only does what was planned; `clock` tells
    /// nanoseconds, for what decisions cost.
    #[must_use]
    pub fn new(
        policy: Option<&'static ResizingPolicy>,
        options: HypervisorOptions,
        clock: fn() -> u64,
    ) -> Self {
        let custom = policy.map(|policy| (policy.build)());
        Self::custom(policy.map_or("on-demand", |policy| policy.name), custom, options, clock)
    }

    /// A hypervisor under a policy of the program's own.
    #[must_use]
    pub fn custom(
        name: &'static str,
        policy: Option<Box<dyn Resizing>>,
        options: HypervisorOptions,
        clock: fn() -> u64,
    ) -> Self {
        let planned = Vec::new();
        let window_end = options.not_before.saturating_add(options.window);
        let (last, quiet_until, spent, decisions) = (0, 0, 0, 0);
        Self {
            options,
            name,
            policy,
            planned,
            clock,
            last,
            quiet_until,
            window_end,
            spent,
            decisions,
            is_wanted: false,
        }
    }

    /// Has workers moved when a job begins or ends.
    pub fn plan(&mut self, planned: PlannedMove) {
        self.planned.push(planned);
    }

    /// Nanoseconds of real time spent on decisions, and how many there were.
    #[must_use]
    pub fn spent(&self) -> (u64, u64) {
        (self.spent, self.decisions)
    }

    /// Tells the policy of something.
    pub(crate) fn notice(&mut self, what: Notice) {
        if let Some(policy) = &mut self.policy {
            self.is_wanted |= policy.notice(what);
        }
    }

    /// When an idle worker is to be looked at although nothing happens.
    pub(crate) fn wakes_at(&self, contexts: &Contexts) -> Option<u64> {
        self.policy.as_ref().filter(|_| self.options.watches)?;
        let idle = contexts.idle_since()?;
        let time = idle.saturating_add(self.options.idle_limit).saturating_add(1);
        Some(time.max(self.quiet_until).max(self.options.not_before))
    }

    /// Moves workers if that is to be done now; says whether any moved.
    pub(crate) fn consider(
        &mut self,
        contexts: &mut Contexts,
        trigger: Trigger,
        view: &View<'_>,
    ) -> bool {
        let mut any = self.do_planned(contexts, trigger, view);
        if self.policy.is_none() || view.now < self.options.not_before {
            return any;
        }
        let trigger = match trigger {
            Trigger::Tick if std::mem::take(&mut self.is_wanted) => Some(Trigger::Policy),
            Trigger::Tick if self.options.watches => self.look(contexts, view),
            Trigger::Started(_) | Trigger::EndedContext(_) => Some(trigger),
            _ => None,
        };
        if let Some(trigger) = trigger {
            any |= self.decide(contexts, trigger, view);
        }
        contexts.feed(view);
        any | contexts.note(trigger.unwrap_or(Trigger::Request), self.name, 0, view)
    }

    fn do_planned(&self, contexts: &mut Contexts, trigger: Trigger, view: &View<'_>) -> bool {
        let mut any = false;
        for planned in &self.planned {
            let is_now = match trigger {
                Trigger::Started(job) => !planned.at_end && planned.job == job,
                Trigger::Ended(job) => planned.at_end && planned.job == job,
                _ => false,
            };
            if !is_now {
                continue;
            }
            let workers = contexts.choose_workers(planned.from, &planned.workers);
            let (from, to) = (Some(planned.from), Some(planned.to));
            let change = Move { from, to, workers };
            if contexts.check(&change).is_err() {
                continue;
            }
            contexts.carry_out(&change, view);
            any |= contexts.note(trigger, "on-demand", 0, view);
        }
        any
    }

    /// Whether a worker is idle for too long, or a context too far from its speed.
    fn look(&mut self, contexts: &mut Contexts, view: &View<'_>) -> Option<Trigger> {
        if view.now < self.quiet_until {
            return None;
        }
        if self.options.bounds_by_idleness && view.now >= self.last + self.options.window {
            contexts.bound_by_idleness(view.now);
        }
        let idle = contexts.idle_worker(view.now, self.options.idle_limit).map(Trigger::Idle);
        let far = || contexts.off_speed(view.now, &self.options).map(Trigger::Speed);
        let window = || (view.now >= self.window_end).then_some(Trigger::Window);
        let trigger = idle.or_else(far).or_else(window)?;
        if view.now >= self.window_end {
            self.window_end = view.now.saturating_add(self.options.window);
        }
        self.quiet_until = view.now + self.options.idle_limit.min(self.options.window);
        Some(trigger)
    }

    fn decide(&mut self, contexts: &mut Contexts, trigger: Trigger, view: &View<'_>) -> bool {
        let start = (self.clock)();
        let outlook = contexts.outlook(trigger, view);
        let choice = match &mut self.policy {
            Some(policy) if outlook.contexts.len() > 1 => {
                levels::choose(&mut **policy, &outlook, self.options.speed_gap)
            }
            _ => None,
        };
        let least = match trigger {
            Trigger::Idle(_) | Trigger::Speed(_) => Some(self.options.least_gain),
            Trigger::Window => Some(self.options.window_gain),
            _ => None,
        };
        let choice = choice.filter(|Choice { seconds: (now, then), .. }| {
            now == then || least.is_none_or(|least| *then < now * (1.0 - least))
        });
        let decision = (self.clock)() - start;
        (self.spent, self.decisions) = (self.spent + decision, self.decisions + 1);
        if let Some(choice) = choice {
            contexts.resize(&outlook, &choice.workers, view);
        }
        let any = contexts.note(trigger, self.name, decision, view);
        if any {
            self.last = view.now;
            contexts.open_windows(view.now);
        }
        any
    }
}
