//! One rank of a simulated cluster: a node, and what it exchanges with others.

mod messages;

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use messages::{Posted, Staged};

use super::wire::Wire;
use super::{ClusterOptions, NodeOptions};
use crate::dispatch::Staging;
use crate::flow::{FlowError, Post, Space};
use crate::ranks::{
    Contribution, Exchange, ExchangeOptions, Item, Key, Ledger, Operation, Outcome, Traffic,
};
use crate::sim::SimOptions;
use crate::sim::node::Node;
use crate::trace::Records;
use crate::types::{MemoryId, Rank};

pub(super) struct Member {
    me: Rank,
    space: Arc<Space>,
    pub(super) node: Node,
    exchange: Exchange,
    /// Bytes that a core moves per second, if cores do.
    core_rate: Option<f64>,
    posted: Arc<Posted>,
    /// Whether contents must be brought to the RAM.
    lends: bool,
    staging: Staging,
    /// Messages that wait for their contents to be there.
    staged: HashMap<u32, Staged>,
    /// Messages that nobody wants yet.
    parked: HashMap<(Key, Rank), VecDeque<u32>>,
    /// What a barrier has come to, until it is asked for.
    pub(super) outcome: Option<Outcome>,
    /// The failure of all ranks that was learnt last, by its mark.
    pub(super) learnt: Option<(u64, FlowError)>,
    /// What is noted of messages, if anything is to be.
    ledger: Option<Ledger>,
    operations: Vec<Operation>,
    tasks: Vec<u32>,
    ready: Vec<u32>,
    frame: Vec<u8>,
}

/// Labels of messages, more than are ever under way.
const LABELS: u32 = 1 << 24;

impl Member {
    /// Ends the tasks that wait for workers which nothing under way can give them; says whether
    /// there were any.
    pub(super) fn refuse_stuck(&mut self) -> bool {
        self.node.refuse_stuck(&self.space)
    }

    /// The rank `me`, which begins to work on the tasks of `space`.
    pub(super) fn new(me: Rank, options: &ClusterOptions, space: Arc<Space>) -> Self {
        let NodeOptions { machine, durations, .. } = &options.nodes[usize::from(me.0)];
        let mut node = Node::new(SimOptions {
            contexts: options.contexts,
            order: &[],
            machine: machine.clone(),
            durations: durations.clone(),
            policy: options.policy,
            eviction: options.eviction,
            seed: options.seed.wrapping_add(u64::from(me.0)),
            noise: options.noise,
            trace: options.trace,
            costs: options.costs.clone(),
        });
        if options.counts_buffers {
            node.buffers.get_or_insert_default();
        }
        node.begin(&space);
        let posted = Arc::<Posted>::default();
        let post: Arc<dyn Post> = posted.clone();
        space.set_post(&post);
        let lends = node.dispatcher.has_replicas();
        // A memory that is limited has most of its room for tasks.
        let share = machine.memories[MemoryId::RAM.0].capacity.map_or(u64::MAX, |most| most / 4);
        let exchange = ExchangeOptions {
            room: options.receive_bytes.min(share),
            labels: LABELS,
            priorities: options.message_priorities,
            lends,
            part_bytes: u64::MAX,
            parts_under_way: options.sends,
        };
        Self {
            me,
            space,
            node,
            exchange: Exchange::new(me, options.nodes.len(), exchange),
            core_rate: options.core_bytes_per_second,
            posted,
            lends,
            staging: Staging::default(),
            staged: HashMap::new(),
            parked: HashMap::new(),
            outcome: None,
            learnt: None,
            ledger: options.trace.then(|| Ledger::new(me, u64::MAX)),
            operations: Vec::new(),
            tasks: Vec::new(),
            ready: Vec::new(),
            frame: Vec::new(),
        }
    }

    /// Whether at most `unfinished` of `submitted` tasks are left.
    pub(super) fn has_run(&self, submitted: u64, unfinished: u64) -> bool {
        self.node.has_run(&self.space, submitted, unfinished)
    }

    /// Whether so many messages have come or gone.
    pub(super) fn has_settled(&self, messages: u64) -> bool {
        self.space.completed_messages() >= messages
    }

    /// Whether the barrier `number` has ended.
    pub(super) fn has_left_barrier(&mut self, number: u32) -> bool {
        self.outcome = self.outcome.take().or_else(|| self.exchange.barrier_outcome(number));
        self.outcome.is_some()
    }

    /// Goes on to `time`, at which something of the node's own ends.
    pub(super) fn step(&mut self, time: u64) {
        self.node.step(&self.space, time);
    }

    /// Enters the next barrier of all ranks; answers its number.
    pub(super) fn enter_barrier(&mut self, contribution: Contribution) -> u32 {
        self.exchange.enter_barrier(contribution)
    }

    /// Versions, and bytes of them, that this rank has sent.
    pub(super) fn traffic(&self) -> Traffic {
        self.exchange.traffic()
    }

    /// What was recorded since the last call.
    pub(super) fn take_records(&mut self) -> Records {
        let mut records = self.node.take_records();
        self.notes().into_iter().for_each(|ledger| ledger.take(&mut records));
        records
    }

    /// Where to note what happens now, if anything is to be noted.
    fn notes(&mut self) -> Option<&mut Ledger> {
        let now = self.node.clock();
        self.ledger.as_mut().map(|ledger| ledger.at(now))
    }

    /// Another rank has said `item`, which comes at `now`.
    pub(super) fn handle(&mut self, from: Rank, item: Item, now: u64) {
        self.node.set_time(now);
        self.notes().into_iter().for_each(|ledger| ledger.note_item(from, &item));
        self.exchange.handle(from, item);
    }

    /// The message of the sending `number` has gone at `now`.
    pub(super) fn has_sent(&mut self, number: u64, bytes: u64, now: u64) {
        self.node.set_time(now);
        self.move_bytes(bytes);
        self.notes().into_iter().for_each(|ledger| ledger.note_gone(number));
        self.exchange.sent(number);
    }

    /// The message of `key` has come at `now`.
    pub(super) fn has_received(&mut self, key: Key, bytes: u64, now: u64) {
        self.node.set_time(now);
        self.move_bytes(bytes);
        self.notes().into_iter().for_each(|ledger| ledger.note_part(key));
        self.exchange.received(key);
    }

    /// So many bytes came or went, by the work of a core if that is what moves them.
    fn move_bytes(&mut self, bytes: u64) {
        if let Some(rate) = self.core_rate {
            self.node.burden((bytes as f64 / rate * 1e9).round() as u64);
        }
    }

    /// Does all that can be done at `now`; what is to be sent goes to `wire`.
    pub(super) fn settle(&mut self, now: u64, wire: &mut Wire) {
        self.node.set_time(now);
        loop {
            self.take_posted();
            if self.node.is_stirred() {
                self.act();
            }
            let mut operations = std::mem::take(&mut self.operations);
            self.exchange.take(&mut operations);
            let is_done = operations.is_empty();
            for operation in operations.drain(..) {
                self.perform(operation, wire);
            }
            self.operations = operations;
            if is_done && !self.node.is_stirred() && self.posted.is_empty() {
                return;
            }
        }
    }

    /// Has the node do what it can, with the messages whose contents it brings to the RAM.
    fn act(&mut self) {
        loop {
            self.node.forget_discarded(&self.space);
            self.staging.admit(&mut self.node.dispatcher);
            self.node.act(&self.space);
            let mut started = std::mem::take(&mut self.tasks);
            self.staging.start(&mut self.node.dispatcher, &mut started);
            let is_done = started.is_empty();
            started.drain(..).for_each(|task| self.let_go(task));
            self.tasks = started;
            if is_done {
                return;
            }
        }
    }
}
