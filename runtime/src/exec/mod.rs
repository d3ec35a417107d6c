//! The real engines: worker threads that run tasks on the cores and accelerators of this machine.
//!
//! [`Exec`] is one of two inside: where all workers are cores that share one memory without limit,
//! and the policy spreads tasks over queues, nothing needs to be planned and no lock is global
//! (`shared_memory`); else a dispatcher decides who runs what and what moves (`heterogeneous`).
//! [`Sequential`] is what both are compared with.

pub mod accelerator;
mod event_queue;
mod failures;
mod gather;
mod heterogeneous;
mod messenger;
mod run;
mod sequential;
mod shared_memory;
mod team;

use std::path::PathBuf;
use std::sync::Arc;

use accelerator::Accelerator;
pub use gather::{GatherError, gather_trace};
use heterogeneous::Heterogeneous;
pub use heterogeneous::{Pool, PoolEngine, ScratchError};
pub use sequential::Sequential;
use shared_memory::SharedMemory;
pub use team::Team;

use crate::comm::World;
use crate::flow::{Engine, FlowSpace, Running};
use crate::platform::{Durations, Machine, WorkerClass, WorkerKind, WorkerModel};
use crate::ranks::RECEIVE_BYTES;
use crate::sched::{DEFAULT_POLICY, EvictionPolicy, Policy, PolicyOptions, eviction, policy};
use crate::types::{MemoryId, Rank};

/// How the engine runs.
#[derive(Clone)]
pub struct ExecOptions {
    /// The machine: cores, accelerators, memories and their limits.
    pub machine: Arc<Machine>,
    /// The devices of the machine's CUDA workers, in the order of the workers.
    pub accelerators: Vec<Arc<dyn Accelerator>>,
    /// How long tasks are expected to take, for policies that plan.
    pub durations: Arc<dyn Durations>,
    /// Who runs what.
    pub policy: &'static Policy,
    /// What leaves a memory that is full.
    pub eviction: &'static EvictionPolicy,
    /// Folder for what does not fit the RAM, where the machine has a disk.
    pub scratch: Option<PathBuf>,
    /// For policies that draw at random.
    pub seed: u64,
    /// Binds each core's worker to a core of its own, if there are as many as workers; the
    /// submitting thread gets its cores back with the end of the engine.
    pub bind: bool,
    /// Whether the program may make scheduling contexts, which takes a dispatcher.
    pub contexts: bool,
    /// Records every task, transfer and message; over ranks alike on all of them.
    pub trace: bool,
    /// The ranks that run the program together; none: this one alone.
    pub world: Option<World>,
    /// Bytes of messages that may be on their way to this rank; more only for what is earlier in
    /// the program than all of them.
    pub receive_bytes: u64,
    /// Whether messages go by the priority of the tasks that wait for them.
    pub message_priorities: bool,
}

impl std::fmt::Debug for ExecOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ExecOptions").field("policy", &self.policy).finish_non_exhaustive()
    }
}

impl ExecOptions {
    /// `workers` cores under the default policy, not bound, not traced.
    #[must_use]
    pub fn new(workers: usize) -> Self {
        Self::on(Machine::cores(workers))
    }

    /// `machine` under the default policy, not bound, not traced.
    #[must_use]
    pub fn on(machine: Machine) -> Self {
        let policy = policy(DEFAULT_POLICY).expect("the default policy is listed");
        let core = WorkerModel { gflops: 10.0, gbytes_per_second: 10.0, overhead_seconds: 1e-6 };
        let device =
            WorkerModel { gflops: 2000.0, gbytes_per_second: 500.0, overhead_seconds: 1e-5 };
        let guess = |class: &WorkerClass| {
            if class.kind == WorkerKind::Cuda { device } else { core }
        };
        let guesses: Vec<WorkerModel> = machine.classes.iter().map(guess).collect();
        Self {
            durations: Arc::new(guesses),
            machine: Arc::new(machine),
            accelerators: Vec::new(),
            policy,
            eviction: eviction(policy.eviction).expect("a policy names a listed eviction policy"),
            scratch: None,
            seed: 0,
            bind: false,
            contexts: false,
            trace: false,
            world: None,
            receive_bytes: RECEIVE_BYTES,
            message_priorities: true,
        }
    }

    /// The device that `memory` belongs to, if it is a real one.
    fn accelerator_of(&self, memory: MemoryId) -> Option<Arc<dyn Accelerator>> {
        let place = cuda_memories(&self.machine).position(|other| other == memory)?;
        Some(self.accelerators[place].clone())
    }
}

/// The memories of the machine's CUDA workers, in their order.
fn cuda_memories(machine: &Machine) -> impl Iterator<Item = MemoryId> + '_ {
    let is_cuda = |class: usize| machine.classes[class].kind == WorkerKind::Cuda;
    let workers = machine.workers.iter().filter(move |worker| is_cuda(worker.class.0));
    workers.map(|worker| worker.memory)
}

/// The real engine.
pub struct Exec {
    options: ExecOptions,
}

impl std::fmt::Debug for Exec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Exec").field("options", &self.options).finish_non_exhaustive()
    }
}

impl Exec {
    /// An engine with these options; its threads start with the flow.
    ///
    /// # Panics
    /// If the parts of the machine do not fit together, it has a disk and there is no folder for
    /// it, or there are not as many devices as CUDA workers.
    #[must_use]
    pub fn new(options: ExecOptions) -> Self {
        options.machine.check();
        assert!(
            !options.machine.has_disk() || options.scratch.is_some(),
            "a machine with a disk needs a folder for what goes there"
        );
        let (workers, devices) =
            (cuda_memories(&options.machine).count(), options.accelerators.len());
        assert!(workers == devices, "{devices} devices for {workers} CUDA workers");
        Self { options }
    }

    /// An engine with `workers` workers and else default options.
    #[must_use]
    pub fn with_workers(workers: usize) -> Self {
        Self::new(ExecOptions::new(workers))
    }
}

impl Engine for Exec {
    fn workers(&self) -> usize {
        self.options.machine.workers.len()
    }

    fn ranks(&self) -> (Rank, usize) {
        let world = self.options.world.as_ref();
        world.map_or((Rank(0), 1), |world| (world.rank(), world.ranks()))
    }

    fn start(self: Box<Self>, space: FlowSpace) -> Box<dyn Running> {
        let ExecOptions { machine, policy, seed, .. } = &self.options;
        let workers = machine.workers.len();
        let queues = policy.queue(&PolicyOptions { workers, seed: *seed, order: &[] });
        let is_plain = machine.is_flat() && machine.is_free() && !self.options.contexts;
        match queues.filter(|_| is_plain) {
            Some(queues) => Box::new(SharedMemory::start(space, queues, workers, &self.options)),
            None => Box::new(Heterogeneous::start(space, &self.options)),
        }
    }
}
