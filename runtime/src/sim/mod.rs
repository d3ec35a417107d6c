//! The simulated engine: the same graph, policies and planner of transfers as [`crate::exec`], in
//! virtual time.
//!
//! No kernel runs and no byte moves: a task takes the time that [`Durations`] say, with log-normal
//! noise by seed if asked for. On each way from memory to memory one transfer moves at a time, the
//! most urgent first; ways that share links have max-min fair shares of them. The outcome is
//! deterministic, to the last record.
//!
//! [`Census`] counts the tasks of a program by type and finds its critical path bound, both on the
//! classes that have workers whose memory holds what a task works on. [`Cluster`] simulates ranks.
//!
//! Submission, decisions and memory that is new take no time, unless [`Costs`] say what. What is
//! left out: contention of cores for memory.

mod allocations;
mod census;
mod cluster;
mod costs;
mod network;
mod node;
mod streams;

use std::sync::Arc;

use allocations::Allocations;
pub use census::{Census, Contents, TaskType};
pub use cluster::{Cluster, ClusterOptions, ClusterRank, ClusterRun, NodeOptions};
pub use costs::{Costs, Deciding, DecisionTimes};
use node::Node;

use crate::flow::{Engine, FlowError, FlowSpace, LookAtContexts, ReadyTasks, Running, Space};
use crate::platform::{Durations, Machine};
use crate::sched::contexts::ContextError;
use crate::sched::{EvictionPolicy, Policy, eviction};
use crate::trace::{Records, Site, Totals};

/// What is simulated.
#[derive(Clone)]
pub struct SimOptions {
    /// The machine.
    pub machine: Arc<Machine>,
    /// How long tasks take, and how long policies expect them to take.
    pub durations: Arc<dyn Durations>,
    /// Who runs what.
    pub policy: &'static Policy,
    /// What leaves a memory that is full.
    pub eviction: &'static EvictionPolicy,
    /// For policies that draw at random, and for noise.
    pub seed: u64,
    /// Coefficient of variation of task times around the model; 0: none.
    pub noise: f64,
    /// The order of [`ORDER`](crate::sched::ORDER): by worker, the program indices of its tasks.
    pub order: &'static [Vec<u64>],
    /// Whether the program may make scheduling contexts.
    pub contexts: bool,
    /// Records every task and transfer.
    pub trace: bool,
    /// What is counted beside tasks and transfers.
    pub costs: Costs,
}

impl std::fmt::Debug for SimOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SimOptions").field("policy", &self.policy).finish_non_exhaustive()
    }
}

impl SimOptions {
    /// `policy` on `machine` with the eviction policy that suits it, recorded, without noise.
    ///
    /// # Panics
    /// If the policy names an eviction policy that is not listed.
    #[must_use]
    pub fn new(
        machine: Machine,
        durations: impl Durations + 'static,
        policy: &'static Policy,
    ) -> Self {
        Self {
            machine: Arc::new(machine),
            durations: Arc::new(durations),
            policy,
            eviction: eviction(policy.eviction).expect("a policy names a listed eviction policy"),
            seed: 0,
            noise: 0.0,
            order: &[],
            contexts: false,
            trace: true,
            costs: Costs::default(),
        }
    }
}

/// The simulated engine.
pub struct Sim {
    node: Node,
    workers: usize,
    space: Option<Arc<Space>>,
}

impl std::fmt::Debug for Sim {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sim").field("clock", &self.node.clock()).finish_non_exhaustive()
    }
}

impl Sim {
    /// A simulation.
    ///
    /// # Panics
    /// If the parts of the machine do not fit together.
    #[must_use]
    pub fn new(options: SimOptions) -> Self {
        let workers = options.machine.workers.len();
        Self { node: Node::new(options), workers, space: None }
    }

    /// The same with the memory counted that buffers would take: what
    /// [`Flow::memory`](crate::flow::Flow::memory) then answers.
    #[must_use]
    pub fn counting_buffers(mut self) -> Self {
        self.node.buffers = Some(Allocations::default());
        self
    }

    /// The same with an upper bound of the memory that buffers take in whatever order the workers
    /// run tasks, as far as these may run: nothing that a program has given back is counted on
    /// before it waits for all tasks.
    #[must_use]
    pub fn bounding_buffers(mut self) -> Self {
        self.node.buffers = Some(Allocations::in_any_order(self.workers));
        self
    }
}

impl Engine for Sim {
    fn workers(&self) -> usize {
        self.workers
    }

    fn start(mut self: Box<Self>, space: FlowSpace) -> Box<dyn Running> {
        self.node.begin(&space.0);
        self.space = Some(space.0);
        self
    }
}

impl Running for Sim {
    fn ready(&mut self, tasks: ReadyTasks<'_>) {
        let Some(space) = &self.space else { return };
        self.node.submit(space, tasks.0);
    }

    fn advance(&mut self, submitted: u64, unfinished: u64) {
        let Some(space) = &self.space else { return };
        while !self.node.has_run(space, submitted, unfinished) {
            if self.node.is_stirred() {
                self.node.act(space);
                continue;
            }
            let time = self.node.next();
            if time == u64::MAX && self.node.refuse_stuck(space) {
                continue;
            }
            assert!(
                time < u64::MAX,
                "nothing runs or moves, and tasks are left: the policy keeps {} back",
                self.node.dispatcher.backlog()
            );
            self.node.step(space, time);
        }
        if let Some(buffers) = self.node.buffers.as_mut().filter(|_| unfinished == 0) {
            buffers.settle(&space.handles.cache);
        }
    }

    fn resume(&mut self, index: u64) {
        self.node.resume(index);
    }

    fn take_failure(&mut self) -> Option<FlowError> {
        self.node.take_failure()
    }

    fn computes(&self) -> bool {
        false
    }

    fn failure(&self, _mark: u64) -> Option<FlowError> {
        None
    }

    fn take_records(&mut self) -> Records {
        self.node.take_records()
    }

    fn site(&self) -> Site {
        self.node.dispatcher.machine().site()
    }

    fn touch(&mut self, handle: u32) {
        let Some(space) = &self.space else { return };
        self.node.touch(space, handle);
    }

    fn host(&mut self, handle: u32, _reads: bool, _writes: bool) -> Result<(), FlowError> {
        if let (Some(space), Some(buffers)) = (&self.space, &mut self.node.buffers) {
            buffers.leave_to_program(handle, &space.handles.cache);
        }
        Ok(())
    }

    fn unregistered(&mut self) {
        let Some(space) = &self.space else { return };
        self.node.act(space);
    }

    fn with_contexts(&mut self, look: &mut LookAtContexts<'_>) -> Result<(), ContextError> {
        self.node.stir();
        self.node.dispatcher.with_contexts(look)
    }

    fn has_private_copies(&self) -> bool {
        self.is_flat()
    }

    fn is_flat(&self) -> bool {
        self.node.dispatcher.machine().is_flat()
    }

    fn totals(&self) -> Option<Totals> {
        Some(self.node.totals())
    }
}
