//! The engine for cores that share one memory without limit, under a policy of queues: nothing
//! needs to be planned, and no lock is global.
//!
//! Worker 0 is the thread that submits: it runs tasks when it waits or when the window is full.
//! The others are threads of the engine. Each takes tasks from the shards that the policy names,
//! keeps the best task that it has just made ready where the policy allows, and sleeps when there
//! is nothing to do.

mod queues;
mod sleep;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{JoinHandle, ThreadId};
use std::time::Instant;

use queues::{Queues, Routed};
use sleep::Sleep;

use super::ExecOptions;
use super::messenger::{Host, Messenger, Watch};
use super::run::Runner;
use crate::flow::{FlowError, FlowSpace, Peering, ReadyTasks, Running, Space};
use crate::platform::{Topology, bind_to_cores};
use crate::sched::QueuePolicy;
use crate::trace::{Recorder, Records, Site};
use crate::types::WorkerId;

/// Looks at the shards of an idle worker before it sleeps: some ten microseconds.
const SEARCHES: usize = 200;
/// Looks at the shards before an idle worker empties the submitter's outbox: a few microseconds, so
/// that it does not take each small task as soon as it is submitted, which would slow both down.
const PATIENCE: usize = 40;
/// Small tasks between two polls of a worker that has others to run, if there are other ranks.
const POLL_EVERY: u64 = 4;
/// Tasks between two looks of a helping submitter, or of a busy worker that somebody waits for,
/// at how many are done.
const CHECK_EVERY: u64 = 64;

/// The shared-memory engine, running.
pub(super) struct SharedMemory {
    workers: usize,
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
    /// The submitting thread, if it was bound, and the cores that it had before.
    bound: Option<(ThreadId, Vec<usize>)>,
}

/// What the workers share.
struct Shared {
    space: Arc<Space>,
    queues: Queues,
    sleep: Sleep,
    runner: Runner,
    stop: AtomicBool,
    /// Number of completed tasks that the submitter waits for; 0 if it does not.
    target: AtomicU64,
    /// Moves messages to and from other ranks, if there are any.
    messenger: Option<Arc<Messenger>>,
}

impl SharedMemory {
    /// Starts the workers on the tasks of `space`.
    pub(super) fn start(
        space: FlowSpace,
        policy: Box<dyn QueuePolicy>,
        workers: usize,
        options: &ExecOptions,
    ) -> Self {
        let &ExecOptions { bind, trace, .. } = options;
        if trace {
            space.0.record();
        }
        let origin = Instant::now();
        let messenger = options.messenger(&space.0, (false, true), origin);
        let shared = Arc::new(Shared {
            space: space.0,
            queues: Queues::new(policy, workers),
            sleep: Sleep::new(),
            runner: Runner::new(trace.then(|| Recorder::new(workers, origin))),
            stop: AtomicBool::new(false),
            target: AtomicU64::new(0),
            messenger,
        });
        let cores = Topology::of_this_thread().cores();
        let bind = bind && cores.len() >= workers;
        let mut threads = Vec::new();
        for worker in 1..workers {
            let (shared, core) = (shared.clone(), cores.get(worker).copied().filter(|_| bind));
            let thread = std::thread::Builder::new().name(format!("worker {worker}"));
            let body = move || {
                if let Some(core) = core {
                    bind_to_cores(&[core]);
                }
                // Kernels are caught where they run. Whatever else panics, the cost of a codelet
                // say, has left a task half done: nobody could wait for it.
                if catch_unwind(AssertUnwindSafe(|| shared.work(WorkerId(worker)))).is_err() {
                    std::process::abort();
                }
            };
            threads.push(thread.spawn(body).expect("the system starts a thread"));
        }
        if let Some(messenger) = shared.messenger.clone() {
            let host: Arc<dyn Host> = shared.clone();
            messenger.set_host(&host);
            threads.extend(messenger.start());
        }
        // Last, since a thread starts on the cores of the one that makes it, and would wait there.
        let is_bound = bind && bind_to_cores(&cores[..1]);
        let bound = is_bound.then(|| (std::thread::current().id(), cores));
        Self { workers, shared, threads, bound }
    }
}

impl Running for SharedMemory {
    fn ready(&mut self, tasks: ReadyTasks<'_>) {
        let shared = &self.shared;
        tasks.0.iter().for_each(|&task| shared.queues.submit(&shared.space, task));
        shared.publish();
    }

    fn advance(&mut self, submitted: u64, unfinished: u64) {
        self.shared.help(submitted - unfinished);
    }

    fn has_private_copies(&self) -> bool {
        true
    }

    fn is_flat(&self) -> bool {
        true
    }

    fn works_in_place(&self) -> bool {
        true
    }

    fn peering(&self) -> Option<&dyn Peering> {
        self.shared.messenger.as_deref().map(|messenger| messenger as &dyn Peering)
    }

    fn take_failure(&mut self) -> Option<FlowError> {
        let shared = &self.shared;
        shared.runner.failures.take(&shared.space, shared.messenger.is_some())
    }

    fn failure(&self, mark: u64) -> Option<FlowError> {
        self.shared.runner.failures.find(mark)
    }

    fn take_records(&mut self) -> Records {
        let shared = &self.shared;
        let mut records =
            shared.runner.recorder.as_ref().map_or_else(Records::default, Recorder::take);
        shared.messenger.iter().for_each(|messenger| messenger.take_records(&mut records));
        records
    }

    fn site(&self) -> Site {
        Site::cores(self.workers)
    }
}

impl Drop for SharedMemory {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::SeqCst);
        self.shared.sleep.wake_all();
        if let Some(messenger) = &self.shared.messenger {
            messenger.stop();
        }
        for thread in self.threads.drain(..) {
            let result = thread.join();
            debug_assert!(result.is_ok(), "a worker thread panicked outside a kernel");
        }
        let here = std::thread::current().id();
        if let Some((_, cores)) = self.bound.take().filter(|(thread, _)| *thread == here) {
            bind_to_cores(&cores);
        }
    }
}

impl Host for Shared {
    fn complete(&self, task: u32, ready: &mut Vec<u32>) {
        self.space.complete_message(task, ready);
    }

    fn release(&self, tasks: &mut Vec<u32>) {
        tasks.drain(..).for_each(|task| self.queues.arrive(&self.space, task));
        self.publish();
    }

    fn runner(&self) -> &Runner {
        &self.runner
    }

    fn is_anyone_idle(&self) -> bool {
        self.sleep.is_anyone_idle()
    }
}

/// A worker at work: what it does next.
struct Hands<'a> {
    shared: &'a Shared,
    me: WorkerId,
    /// The best of the tasks that the last one made ready, if it may run next.
    kept: Option<u32>,
    /// Small tasks taken along from a shard, the next one last.
    stock: Vec<u32>,
    ready: Vec<u32>,
    routed: Vec<Routed>,
    count: u64,
    /// Whether a task has ended since the last poll of messages.
    owes_poll: bool,
}

impl<'a> Hands<'a> {
    fn new(shared: &'a Shared, me: WorkerId) -> Self {
        Self {
            shared,
            me,
            kept: None,
            stock: Vec::new(),
            ready: Vec::new(),
            routed: Vec::new(),
            count: 0,
            owes_poll: false,
        }
    }

    /// Runs tasks until there are none for this worker, or `is_enough` says so, which is asked now
    /// and then; nothing is left in its hands.
    fn work(&mut self, mut is_enough: impl FnMut() -> bool) {
        while let Some(task) = self.next() {
            self.run(task);
            if self.count.is_multiple_of(CHECK_EVERY) && is_enough() {
                break;
            }
        }
        self.stock.extend(self.kept.take());
        self.give_back();
        self.poll_if_owed();
    }

    /// Has messages go that the tasks since the last poll have posted.
    fn poll_if_owed(&mut self) {
        if std::mem::take(&mut self.owes_poll)
            && let Some(messenger) = &self.shared.messenger
        {
            messenger.poll();
        }
    }

    fn next(&mut self) -> Option<u32> {
        if let Some(task) = self.kept.take() {
            return Some(task);
        }
        if !self.stock.is_empty() && self.shared.is_anyone_starving() {
            self.give_back();
        }
        self.stock.pop().or_else(|| self.shared.queues.pop(self.me, &mut self.stock))
    }

    fn run(&mut self, task: u32) {
        self.count += 1;
        // Which the slot tells only before the task ends.
        let may_wait = self.shared.messenger.is_some() && self.shared.is_small(task);
        if !may_wait {
            self.poll_if_owed();
        }
        let Self { shared, me, ready, .. } = self;
        ready.clear();
        shared.runner.run(&shared.space, task, me.0, ready);
        self.owes_poll = shared.messenger.is_some();
        if !may_wait || self.count.is_multiple_of(POLL_EVERY) {
            self.poll_if_owed();
        }
        let Self { shared, me, ready, routed, .. } = self;
        if !ready.is_empty() {
            let (kept, pushed) = shared.queues.release(&shared.space, ready, *me, routed);
            self.kept = kept;
            if pushed {
                shared.publish();
            }
            // Others need not wait for a long task to get at the small ones.
            if kept.is_some_and(|task| !self.stock.is_empty() && !shared.is_small(task)) {
                self.give_back();
            }
        }
    }

    /// Puts what was taken along back for others.
    fn give_back(&mut self) {
        if !self.stock.is_empty() {
            self.stock.reverse();
            let (shared, routed) = (self.shared, &mut self.routed);
            shared.queues.push(&shared.space, &self.stock, self.me, routed);
            self.stock.clear();
            self.shared.publish();
        }
    }
}

impl Shared {
    /// Life of worker `me`, a thread of the engine.
    fn work(&self, me: WorkerId) {
        let mut hands = Hands::new(self, me);
        loop {
            hands.work(|| {
                self.notify_waiter();
                false
            });
            if !self.idle(me, || self.stop.load(Ordering::SeqCst)) {
                return;
            }
        }
    }

    /// Runs tasks on the submitting thread until `target` tasks in all are completed.
    fn help(&self, target: u64) {
        let me = WorkerId(0);
        let mut hands = Hands::new(self, me);
        let reached = || self.space.completed() >= target;
        self.queues.empty_outbox();
        while !reached() {
            hands.work(reached);
            self.target.store(target, Ordering::SeqCst);
            self.idle(me, reached);
            self.target.store(0, Ordering::SeqCst);
        }
    }

    /// Searches for tasks and sleeps until there may be one (true) or `over` says so (false).
    fn idle(&self, me: WorkerId, over: impl Fn() -> bool) -> bool {
        self.sleep.begin_search();
        self.notify_waiter();
        loop {
            let mut watch = None;
            for search in 1usize.. {
                if search.is_multiple_of(PATIENCE) {
                    self.queues.empty_outbox();
                }
                if search <= SEARCHES {
                    self.poll_messages(search);
                } else if !self.keeps_watch(&mut watch) {
                    break;
                }
                let found = self.queues.has_task_for(me);
                if found || over() {
                    if self.sleep.end_search() && self.queues.has_tasks() {
                        self.publish();
                    }
                    return found;
                }
                std::hint::spin_loop();
            }
            // The outbox first: tasks enter the shards before they leave it.
            self.sleep.sleep(|| over() || self.queues.has_outbox() || self.queues.has_task_for(me));
        }
    }

    /// Looks for messages on behalf of all, if there are other ranks and no other idle worker does.
    fn keeps_watch<'a>(&'a self, watch: &mut Option<Watch<'a>>) -> bool {
        if watch.is_none() {
            *watch = self.messenger.as_ref().and_then(|messenger| messenger.watch());
        }
        watch.as_mut().map(Watch::look).is_some()
    }

    /// Makes progress with messages, if there are other ranks.
    fn poll_messages(&self, search: usize) {
        if let Some(messenger) = &self.messenger {
            messenger.poll();
            if search.is_multiple_of(PATIENCE) {
                std::thread::yield_now();
            }
        }
    }

    fn is_small(&self, task: u32) -> bool {
        self.space.task(task).cost().is_small()
    }

    /// Whether a worker is idle and there is nothing for it in the shards.
    fn is_anyone_starving(&self) -> bool {
        self.sleep.is_anyone_idle() && !self.queues.has_tasks()
    }

    /// Sees to it that somebody looks for the tasks that were just added.
    fn publish(&self) {
        if self.queues.are_shared() {
            self.sleep.publish();
        } else {
            self.sleep.wake_all();
        }
    }

    /// Wakes the submitter if it waits for what has been reached.
    fn notify_waiter(&self) {
        let target = self.target.load(Ordering::SeqCst);
        if target != 0 && self.space.completed() >= target {
            self.sleep.wake_all();
        }
    }
}
