//! The engine for workers of several kinds and memories that may be too small: a dispatcher
//! decides, worker threads compute, copying threads move data.
//!
//! What happens is put on a list of events; whoever gets the dispatcher's lock works the list off
//! and hands out what is to be done. Workers and copying threads never wait for that lock.

mod copier;
mod core;
mod disk;
mod drive;
mod fatal;
mod full_disk;
mod heap;
mod kept;
mod pins;
mod pool;
mod programs;
mod staging;
mod store;

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use self::core::Core;
use copier::Copiers;
pub use disk::ScratchError;
use fatal::Fatal;
pub use pool::{Pool, PoolEngine};
use programs::{Program, Programs};
use store::{InMemory, Stores};

use super::ExecOptions;
use super::event_queue::EventQueue;
use super::messenger::{Host, Messenger};
use super::run::{OnDemand, Runner};
use super::team::Team;
use crate::flow::{FlowError, FlowSpace, LookAtContexts, Peering, ReadyTasks, Running, Space};
use crate::memory::Transfer;
use crate::platform::{Machine, Topology, WorkerKind, bind_to_cores};
use crate::sched::Task;
use crate::sched::contexts::ContextError;
use crate::trace::{Outcome, Recorder, Records, Site, TaskRecord, Totals};
use crate::types::{HandleId, TaskId, WorkerId};

/// What happened.
enum Event {
    /// Tasks are ready by submission.
    Ready(Vec<u32>),
    /// A task has ended; whether it did its work.
    Done { task: TaskId, worker: WorkerId, nanoseconds: u64, is_whole: bool },
    /// A message needs its contents in the RAM.
    Stage(u32),
    /// A message has ended.
    Closed(u32),
    /// A transfer has ended, well or not.
    Landed { transfer: Transfer, start: u64, end: u64, result: Result<(), Fatal> },
}

/// What the threads share.
struct Shared {
    programs: Programs,
    machine: Arc<Machine>,
    origin: Instant,
    core: EventQueue<Core, Event>,
    stores: Stores,
    task_queues: Vec<TaskQueue>,
    /// For each worker the core that it is bound to, if it is.
    cores: Vec<Option<usize>>,
    copiers: Copiers,
    stop: AtomicBool,
    /// Whether all data is in the RAM, where the dispatcher keeps no track of it.
    is_light: bool,
    /// Workers without a task.
    idle: AtomicUsize,
    /// Moves messages to and from other ranks, if there are any.
    messenger: Option<Arc<Messenger>>,
}

/// The next tasks of one worker: more than one only for a device with a queue.
#[derive(Default)]
struct TaskQueue {
    jobs: Mutex<VecDeque<Job>>,
    /// How many there are.
    count: AtomicUsize,
    filled: Condvar,
}

/// A task to be run, with the cores of its team, which is empty if it has none.
type Job = (TaskId, Vec<Option<usize>>);

impl TaskQueue {
    /// Looks for a task for a moment, before a worker sleeps: to wake one takes longer than most
    /// are idle for.
    fn look(&self) {
        for _ in 0..LOOKS {
            if self.count.load(Ordering::Relaxed) > 0 {
                return;
            }
            std::hint::spin_loop();
        }
    }
}

/// How often a worker looks for a task before it sleeps: some microseconds.
const LOOKS: usize = 500;

/// The threads of an engine: they end with this.
struct Threads {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

/// The engine at work on one flow.
pub(super) struct Heterogeneous {
    shared: Arc<Shared>,
    program: Arc<Program>,
    /// The threads, which other flows may share, and which end with the last of them.
    _threads: Arc<Threads>,
    /// The handle that the program uses itself now.
    held: Option<Task>,
}

impl Heterogeneous {
    /// Starts workers on the tasks of `space` alone.
    pub(super) fn start(space: FlowSpace, options: &ExecOptions) -> Self {
        let origin = Instant::now();
        prepare(&space.0, options);
        let messenger = options.messenger(&space.0, (!is_light(options), false), origin);
        let workers = options.machine.workers.len();
        let recorder = options.trace.then(|| Recorder::new(workers, origin));
        let programs = Programs::sole(space.0, recorder);
        let program = programs.only().expect("it was just added").clone();
        let threads = Arc::new(Threads::start(options, programs, messenger, origin));
        threads.shared.stores.adopt(&program.space);
        Self { shared: threads.shared.clone(), program, _threads: threads, held: None }
    }
}

/// For each worker the core that it is bound to: every one that is a core has its own, if they are
/// to be bound and there are enough.
fn cores_of(machine: &Machine, bind: bool) -> Vec<Option<usize>> {
    let cores = Topology::of_this_thread().cores();
    let all = (0..machine.workers.len()).map(WorkerId);
    let is_core = |worker| machine.kind(worker) == WorkerKind::Cpu;
    let count = all.clone().filter(|&worker| is_core(worker)).count();
    let mut free = cores.iter().copied().filter(|_| bind && cores.len() >= count);
    all.map(|worker| if is_core(worker) { free.next() } else { None }).collect()
}

/// Whether nothing has to be known of where data lies.
fn is_light(options: &ExecOptions) -> bool {
    let ExecOptions { machine, policy, .. } = options;
    !policy.plans() && machine.is_flat() && machine.is_free()
}

/// Has the handles of `space` tell what a dispatcher has to know.
fn prepare(space: &Space, options: &ExecOptions) {
    // Where nothing is moved a buffer goes back at once: a message may make the next one before the
    // dispatcher hears of it.
    if !is_light(options) {
        space.handles.note_discards();
    }
    if options.trace {
        space.record();
    }
    if let Some(most) = options.machine.memories[0].capacity {
        space.handles.cache.limit(most as usize);
    }
}

impl Threads {
    fn start(
        options: &ExecOptions,
        programs: Programs,
        messenger: Option<Arc<Messenger>>,
        origin: Instant,
    ) -> Self {
        let (machine, workers) = (options.machine.clone(), options.machine.workers.len());
        let shared = Arc::new(Shared {
            stores: Stores::new(&machine, options.scratch.as_deref(), |memory| {
                options.accelerator_of(memory)
            }),
            core: EventQueue::new(Core::new(options)),
            task_queues: (0..workers).map(|_| TaskQueue::default()).collect(),
            cores: cores_of(&machine, options.bind),
            copiers: Copiers::new(&machine),
            stop: AtomicBool::new(false),
            is_light: is_light(options),
            idle: AtomicUsize::new(0),
            origin,
            messenger,
            programs,
            machine,
        });
        let mut node = Self { shared, threads: Vec::new() };
        if let Some(messenger) = node.shared.messenger.clone() {
            let host: Arc<dyn Host> = node.shared.clone();
            messenger.set_host(&host);
            let messages = messenger.start();
            node.threads.push(messages.expect("a dispatcher's messages have a thread"));
        }
        node.start_workers();
        for copy_queue in Copiers::threads(&options.machine) {
            node.spawn(format!("copier {copy_queue}"), None, move |shared| shared.copy(copy_queue));
        }
        node
    }

    fn start_workers(&mut self) {
        for (worker, core) in self.shared.cores.clone().into_iter().enumerate() {
            self.spawn(format!("worker {worker}"), core, move |shared| {
                shared.work(WorkerId(worker))
            });
        }
    }

    fn spawn(
        &mut self,
        name: String,
        core: Option<usize>,
        body: impl FnOnce(&Shared) + Send + 'static,
    ) {
        let shared = self.shared.clone();
        let life = move || {
            if let Some(core) = core {
                bind_to_cores(&[core]);
            }
            // Kernels are caught where they run; whatever else panics has left the dispatcher half
            // way, and nobody could wait for it.
            if catch_unwind(AssertUnwindSafe(|| body(&shared))).is_err() {
                std::process::abort();
            }
        };
        let thread = std::thread::Builder::new().name(name);
        self.threads.push(thread.spawn(life).expect("the system starts a thread"));
    }
}

impl Shared {
    fn now(&self) -> u64 {
        self.origin.elapsed().as_nanos() as u64
    }

    /// Waits for the dispatcher, and does `work` with it.
    fn with_core<T>(&self, work: impl FnOnce(&mut Core) -> T) -> T {
        self.core.with(|core, events| core.step(self, events), work)
    }

    /// What the run came to so far.
    fn totals(&self) -> Totals {
        let totals = self.with_core(|core| core.totals());
        let (events, conflicts) = self.core.conflicts();
        Totals { events, conflicts, ..totals }
    }

    /// Notes an event, and sees to it that somebody deals with it.
    fn post(&self, event: Event) {
        self.core.post(event, |core, events| core.step(self, events));
    }

    /// Life of a worker.
    fn work(&self, worker: WorkerId) {
        let memory = self.machine.workers[worker.0].memory;
        if let Some(heap) = self.stores.heap(memory) {
            return self.drive(worker, heap);
        }
        let speed = self.machine.class(worker).speed;
        while let Some((task, team)) = self.next_job(worker) {
            let start = Instant::now();
            let program = self.programs.of_task(task.0);
            let (space, runner) = (&program.space, &program.runner);
            let linger = || {
                // An emulated device that is slower than a core.
                if speed < 1.0 {
                    std::thread::sleep(start.elapsed().mul_f64(1.0 / speed - 1.0));
                }
            };
            let work = || {
                if self.is_light {
                    return runner.work(space, task.0, worker.0, &OnDemand, linger);
                }
                let place = InMemory { stores: &self.stores, memory };
                runner.work(space, task.0, worker.0, &place, linger)
            };
            let outcome = if team.is_empty() { work() } else { Team::new(team).work(work) };
            let nanoseconds = start.elapsed().as_nanos() as u64;
            let is_whole = outcome == Outcome::Done;
            self.post(Event::Done { task, worker, nanoseconds, is_whole });
            if let Some(messenger) = &self.messenger {
                messenger.poll();
            }
        }
    }

    /// Waits for the next task of `worker`; none: the engine ends.
    fn next_job(&self, worker: WorkerId) -> Option<Job> {
        let task_queue = &self.task_queues[worker.0];
        task_queue.look();
        let mut jobs = task_queue.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(job) = jobs.pop_front() {
                task_queue.count.store(jobs.len(), Ordering::Relaxed);
                return Some(job);
            }
            if self.stop.load(Ordering::SeqCst) {
                return None;
            }
            self.idle.fetch_add(1, Ordering::Relaxed);
            jobs = task_queue.filled.wait(jobs).unwrap_or_else(PoisonError::into_inner);
            self.idle.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// The next task of `worker`, if it has one.
    fn poll_job(&self, worker: WorkerId) -> Option<TaskId> {
        let task_queue = &self.task_queues[worker.0];
        let mut jobs = task_queue.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        let job = jobs.pop_front();
        task_queue.count.store(jobs.len(), Ordering::Relaxed);
        job.map(|(task, _)| task)
    }

    /// Gives `task`, with the cores of its team, to `worker`, which has a slot free.
    fn give(&self, task: TaskId, worker: WorkerId, team: Vec<Option<usize>>) {
        let task_queue = &self.task_queues[worker.0];
        let mut jobs = task_queue.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        jobs.push_back((task, team));
        task_queue.count.store(jobs.len(), Ordering::Relaxed);
        let most = self.machine.workers[worker.0].slots;
        debug_assert!(jobs.len() <= most, "worker {} was given {} tasks", worker.0, jobs.len());
        task_queue.filled.notify_one();
    }

    /// Sleeps until `target` tasks of `program` are completed.
    fn wait_for(&self, program: &Program, target: u64) {
        // Under the lock under which tasks complete: whoever completes the last one after this
        // knows that somebody waits; what completed before is counted below.
        self.with_core(|_| program.set_target(target));
        program.sleep_until(target, || {
            // Jobs may begin, and workers be idle for too long, although nothing happens.
            let wake = self.with_core(Core::wakes_at)?;
            Some(Duration::from_nanos(wake.saturating_sub(self.now())).max(POLL))
        });
        program.set_target(0);
    }
}

impl Host for Shared {
    fn complete(&self, task: u32, _ready: &mut Vec<u32>) {
        self.post(Event::Closed(task));
    }

    fn admit(&self, task: u32) {
        self.post(Event::Stage(task));
    }

    fn runner(&self) -> &Runner {
        &self.programs.only().expect("an engine with other ranks has one flow").runner
    }

    fn is_anyone_idle(&self) -> bool {
        self.idle.load(Ordering::Relaxed) > 0
    }
}

impl Running for Heterogeneous {
    fn ready(&mut self, tasks: ReadyTasks<'_>) {
        self.shared.post(Event::Ready(tasks.0.to_vec()));
    }

    fn advance(&mut self, submitted: u64, unfinished: u64) {
        if self.program.space.completed() < submitted - unfinished {
            self.shared.wait_for(&self.program, submitted - unfinished);
        }
        // Nothing is under way when a flow is at rest: handles may be given other sizes.
        let number = Some(self.program.number());
        while unfinished == 0 && self.shared.with_core(|core| core.is_moving(number)) {
            std::thread::sleep(POLL);
        }
    }

    fn peering(&self) -> Option<&dyn Peering> {
        self.shared.messenger.as_deref().map(|messenger| messenger as &dyn Peering)
    }

    fn take_failure(&mut self) -> Option<FlowError> {
        let Program { space, runner, .. } = &*self.program;
        runner.failures.take(space, self.shared.messenger.is_some())
    }

    fn failure(&self, mark: u64) -> Option<FlowError> {
        self.program.runner.failures.find(mark)
    }

    fn take_records(&mut self) -> Records {
        let mut records = match self.shared.programs.only() {
            Some(_) => self.shared.with_core(Core::take_records),
            // What the flows share is for whoever has made the engine.
            None => Records::default(),
        };
        if let Some(recorder) = &self.program.runner.recorder {
            records.tasks.append(&mut recorder.take().tasks);
        }
        self.shared.messenger.iter().for_each(|messenger| messenger.take_records(&mut records));
        records
    }

    fn show_records(&mut self, tasks: &[TaskRecord]) {
        if self.shared.programs.only().is_none() {
            let job = self.program.space.naming.job;
            self.shared.with_core(|core| core.kept.add(job, tasks));
        }
    }

    fn site(&self) -> Site {
        self.shared.machine.site()
    }

    fn totals(&self) -> Option<Totals> {
        Some(self.shared.totals())
    }

    fn with_contexts(&mut self, look: &mut LookAtContexts<'_>) -> Result<(), ContextError> {
        self.shared.with_core(|core| core.with_contexts(&self.shared, look))
    }

    fn has_private_copies(&self) -> bool {
        self.shared.machine.is_flat()
    }

    fn is_flat(&self) -> bool {
        self.shared.machine.is_flat()
    }

    fn works_in_place(&self) -> bool {
        self.shared.is_light
    }

    fn unregistered(&mut self) {
        self.shared.with_core(|_| ());
    }

    fn host(&mut self, handle: u32, reads: bool, writes: bool) -> Result<(), FlowError> {
        let task = Task::new(0, i32::MAX, &[(HandleId(handle), reads, writes)]);
        loop {
            let (shared, program) = (&self.shared, &self.program);
            let is_there = shared.with_core(|core| core.host(shared, program, &task))?;
            if is_there {
                self.held = Some(task);
                return Ok(());
            }
            std::thread::sleep(POLL);
        }
    }

    fn host_done(&mut self) {
        if let Some(task) = self.held.take() {
            self.shared.with_core(|core| core.release_host(&task));
        }
    }
}

/// How often the program looks whether what it waits for has come.
const POLL: Duration = Duration::from_micros(50);

impl Drop for Heterogeneous {
    fn drop(&mut self) {
        if self.shared.programs.only().is_none() {
            self.leave();
        }
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::SeqCst);
        for task_queue in &self.shared.task_queues {
            drop(task_queue.jobs.lock().unwrap_or_else(PoisonError::into_inner));
            task_queue.filled.notify_all();
        }
        self.shared.copiers.stop();
        if let Some(messenger) = &self.shared.messenger {
            messenger.stop();
        }
        for thread in self.threads.drain(..) {
            let result = thread.join();
            debug_assert!(result.is_ok(), "a thread of the engine panicked");
        }
        self.shared.programs.for_each(|program| self.shared.stores.clear(&program.space));
    }
}
