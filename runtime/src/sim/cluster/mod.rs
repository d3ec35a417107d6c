//! A simulated cluster: every rank runs the program on a thread of its own, against a node in
//! virtual time.
//!
//! The program, its unrolling, the directory of owners, the protocol of messages, dispatcher and
//! policies are those of real runs. Simulated are workers and transfers of each node, as
//! [`Sim`](super::Sim) does (both drive `sim::node`), and the network between nodes (`wire`):
//!
//! - A message takes the latency, and then as long as its max-min fair share of the way out of its
//!   sender, the way into its receiver and the backbone allows. Each node sends so many at a time
//!   and receives so many at a time, the most urgent first. Messages go whole, where real ranks
//!   send parts of a MiB, so that data of many receivers go down the trees of data that are short.
//! - Frames of the protocol (who has room for what, what follows, barriers) take the latency and
//!   the time of their few bytes, and neither wait for messages nor hold them up. Versions that are
//!   short enough travel in them.
//! - Where cores move the bytes ([`ClusterOptions::core_bytes_per_second`]), the next task that
//!   begins on one takes that much longer, unless a core was idle when they came or went.
//!
//! A slow node, a slow link or a missing accelerator is a node with other options.
//!
//! While any program is at work, time stands still; when the last of them waits, its thread has
//! time pass until what some rank waits for is so (`stage`, `world`). A node acts only when
//! something has happened to it. What a program finds is therefore the same on every run, to the
//! last record, whatever the system does with the threads. The ranks greet each other before time
//! begins.
//!
//! `examples/cluster_speed.rs` shows what a simulation costs, and `examples/cluster_messages.rs`
//! when messages of any pattern come; SimGrid says the same
//! (`scripts/bench/results/simulation.md`).

mod member;
mod rank;
mod stage;
mod wire;
mod world;

use std::sync::Arc;

pub use rank::ClusterRank;
use stage::Stage;

use crate::flow::{Flow, FlowOptions};
use crate::platform::{Durations, Machine};
use crate::ranks::{PARTS_UNDER_WAY, RECEIVE_BYTES, Traffic};
use crate::sched::{EvictionPolicy, Policy, eviction};
use crate::sim::Costs;
use crate::trace::{Totals, Trace};
use crate::types::Rank;

/// One node of a cluster.
#[derive(Clone)]
pub struct NodeOptions {
    /// Its machine.
    pub machine: Arc<Machine>,
    /// How long tasks take there, and how long its policy expects them to take.
    pub durations: Arc<dyn Durations>,
    /// Bytes per second that leave it.
    pub send_bytes_per_second: f64,
    /// Bytes per second that come to it, beside those that leave it.
    pub receive_bytes_per_second: f64,
}

impl std::fmt::Debug for NodeOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NodeOptions").field("machine", &self.machine).finish_non_exhaustive()
    }
}

impl NodeOptions {
    /// `machine`, from and to which go as many `bytes_per_second`.
    #[must_use]
    pub fn new(
        machine: Machine,
        durations: impl Durations + 'static,
        bytes_per_second: f64,
    ) -> Self {
        Self {
            machine: Arc::new(machine),
            durations: Arc::new(durations),
            send_bytes_per_second: bytes_per_second,
            receive_bytes_per_second: bytes_per_second,
        }
    }
}

/// What is simulated.
#[derive(Clone, Debug)]
pub struct ClusterOptions {
    /// The nodes, one for each rank.
    pub nodes: Vec<NodeOptions>,
    /// Time from one node to another before the first byte, in seconds.
    pub latency_seconds: f64,
    /// Bytes per second of all messages together; none: no limit.
    pub backbone_bytes_per_second: Option<f64>,
    /// Bytes of messages that a core moves per second for its node, sent and received alike; none:
    /// network adapters do it. Cores that are in tasks are that much later.
    pub core_bytes_per_second: Option<f64>,
    /// Most messages that leave a node at a time, with those that wait for their receivers; by
    /// their bytes they may be fewer, as between ranks that run. With `usize::MAX` there is no
    /// limit of either kind.
    pub sends: usize,
    /// Messages that come to a node at a time; others wait, and the most urgent of them comes next.
    /// By default there is no such limit: a node asks for no more than there is room for.
    pub receives: usize,
    /// Bytes of messages that may be on their way to a node; more only for what is earlier in the
    /// program than all of them.
    pub receive_bytes: u64,
    /// Whether messages go by the priority of the tasks that wait for them.
    pub message_priorities: bool,
    /// Who runs what on each node.
    pub policy: &'static Policy,
    /// What leaves a memory that is full.
    pub eviction: &'static EvictionPolicy,
    /// For policies that draw at random, and for noise: that of rank 0, the next of rank 1, and so
    /// on.
    pub seed: u64,
    /// Coefficient of variation of task times around the model; 0: none.
    pub noise: f64,
    /// Records every task, transfer and message.
    pub trace: bool,
    /// Whether each node has scheduling contexts, of which the policy is that of all its workers.
    pub contexts: bool,
    /// What each node spends beside tasks, transfers and messages.
    pub costs: Costs,
    /// Whether the memory is counted that buffers would take on each node: what
    /// [`Flow::memory`](crate::flow::Flow::memory) then answers there.
    pub counts_buffers: bool,
}

impl ClusterOptions {
    /// `nodes` under `policy` and the eviction policy that suits it, without a backbone, on which
    /// messages take `latency_seconds`; not recorded, without noise.
    ///
    /// # Panics
    /// If the policy names an eviction policy that is not listed.
    #[must_use]
    pub fn new(nodes: Vec<NodeOptions>, latency_seconds: f64, policy: &'static Policy) -> Self {
        Self {
            nodes,
            latency_seconds,
            backbone_bytes_per_second: None,
            core_bytes_per_second: None,
            sends: PARTS_UNDER_WAY,
            receives: usize::MAX,
            receive_bytes: RECEIVE_BYTES,
            message_priorities: true,
            policy,
            eviction: eviction(policy.eviction).expect("a policy names a listed eviction policy"),
            seed: 0,
            noise: 0.0,
            trace: false,
            contexts: false,
            costs: Costs::default(),
            counts_buffers: false,
        }
    }
}

/// What a program came to on a simulated cluster.
#[derive(Clone, Debug)]
pub struct ClusterRun<T> {
    /// What the program answered on each rank.
    pub answers: Vec<T>,
    /// What was run and moved on each node.
    pub totals: Vec<Totals>,
    /// What each rank has sent.
    pub sent: Vec<Traffic>,
    /// What was recorded on all ranks and not taken by the program, if anything was to be.
    pub trace: Option<Trace>,
}

impl<T> ClusterRun<T> {
    /// End of the last task of all nodes, in nanoseconds.
    #[must_use]
    pub fn makespan(&self) -> u64 {
        self.totals.iter().map(|totals| totals.makespan).max().unwrap_or(0)
    }

    /// What all ranks have sent.
    #[must_use]
    pub fn traffic(&self) -> Traffic {
        let add = |all: Traffic, one: &Traffic| Traffic {
            messages: all.messages + one.messages,
            bytes: all.bytes + one.bytes,
        };
        self.sent.iter().fold(Traffic::default(), add)
    }
}

/// A simulated cluster: the engine of each rank.
#[derive(Debug)]
pub struct Cluster {
    ranks: Vec<ClusterRank>,
    trace: bool,
}

/// Bytes of the stack of a rank's thread in [`Cluster::run`].
const STACK_BYTES: usize = 1 << 20;

impl Cluster {
    /// A cluster.
    ///
    /// # Panics
    /// If there are no nodes, the parts of a machine do not fit together, a rate is not above 0, or
    /// nothing may be sent or received.
    #[must_use]
    pub fn new(options: ClusterOptions) -> Self {
        let (ranks, trace) = (options.nodes.len(), options.trace);
        assert!((1..=usize::from(u16::MAX)).contains(&ranks), "a cluster of {ranks} nodes");
        for (rank, node) in options.nodes.iter().enumerate() {
            node.machine.check();
            let rates = [node.send_bytes_per_second, node.receive_bytes_per_second];
            assert!(rates.iter().all(|&rate| rate > 0.0), "node {rank} has rates of {rates:?}");
        }
        let backbone = options.backbone_bytes_per_second;
        assert!(
            backbone.is_none_or(|rate| rate > 0.0),
            "a backbone of {backbone:?} bytes a second"
        );
        let core = options.core_bytes_per_second;
        assert!(core.is_none_or(|rate| rate > 0.0), "a core that moves {core:?} bytes a second");
        let (sends, receives) = (options.sends, options.receives);
        assert!(sends > 0 && receives > 0, "{sends} messages to send and {receives} to receive");
        let stage = Arc::new(Stage::new(options));
        let rank = |rank: usize| ClusterRank::new(stage.clone(), Rank(rank as u16));
        Self { ranks: (0..ranks).map(rank).collect(), trace }
    }

    /// The engine of each rank, in their order: each is to run the same program in a [`Flow`] on a
    /// thread of its own. Time passes only while all of them wait.
    #[must_use]
    pub fn into_ranks(self) -> Vec<ClusterRank> {
        self.ranks
    }

    /// Runs `program` on every rank.
    ///
    /// # Panics
    /// If the program panics on a rank, or no thread can be started.
    pub fn run<T: Send>(
        self,
        options: FlowOptions,
        program: impl Fn(&mut Flow) -> T + Sync,
    ) -> ClusterRun<T> {
        let run = |rank: ClusterRank| {
            let mut flow = Flow::new(rank, options);
            let answer = program(&mut flow);
            let trace = flow.take_trace();
            (answer, flow.totals().unwrap_or_default(), flow.sent(), trace)
        };
        let all = std::thread::scope(|scope| {
            let start = |rank: ClusterRank| {
                let builder = std::thread::Builder::new().name(format!("rank {}", rank.rank()));
                let started = builder.stack_size(STACK_BYTES).spawn_scoped(scope, || run(rank));
                started.expect("the system starts a thread for each rank")
            };
            let threads: Vec<_> = self.ranks.into_iter().map(start).collect();
            let join = |started: std::thread::ScopedJoinHandle<'_, _>| {
                started.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            threads.into_iter().map(join).collect::<Vec<_>>()
        });
        let mut outcome =
            ClusterRun { answers: Vec::new(), totals: Vec::new(), sent: Vec::new(), trace: None };
        let mut traces = Vec::new();
        for (answer, totals, sent, trace) in all {
            outcome.answers.push(answer);
            outcome.totals.push(totals);
            outcome.sent.push(sent);
            traces.push(trace);
        }
        let ranks = traces.len();
        outcome.trace = self.trace.then(|| Trace::join(traces, |_, time| time, vec![0; ranks]));
        outcome
    }
}
