//! The engine of one rank of a simulated cluster.

use std::sync::Arc;

use super::member::Member;
use super::stage::Stage;
use super::world::Until;
use crate::flow::{
    Engine, FirstFailure, FlowError, FlowSpace, LookAtContexts, Peering, ReadyTasks, Running, Space,
};
use crate::platform::Machine;
use crate::ranks::{Contribution, Outcome, Traffic};
use crate::sched::contexts::ContextError;
use crate::trace::{Records, Site, Totals};
use crate::types::Rank;

/// The engine of one rank of a [`Cluster`](super::Cluster), for a flow on a thread of its own.
pub struct ClusterRank {
    stage: Arc<Stage>,
    rank: Rank,
}

impl std::fmt::Debug for ClusterRank {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ClusterRank").field("rank", &self.rank).finish_non_exhaustive()
    }
}

impl ClusterRank {
    pub(super) fn new(stage: Arc<Stage>, rank: Rank) -> Self {
        Self { stage, rank }
    }

    /// Which rank it is.
    #[must_use]
    pub fn rank(&self) -> Rank {
        self.rank
    }

    fn machine(&self) -> &Machine {
        &self.stage.options.nodes[usize::from(self.rank.0)].machine
    }
}

impl Engine for ClusterRank {
    fn workers(&self) -> usize {
        self.machine().workers.len()
    }

    fn ranks(&self) -> (Rank, usize) {
        (self.rank, self.stage.options.nodes.len())
    }

    fn start(self: Box<Self>, space: FlowSpace) -> Box<dyn Running> {
        let Self { stage, rank } = *self;
        let number = usize::from(rank.0);
        stage.enter(number, Member::new(rank, &stage.options, space.0.clone()));
        Box::new(RunningRank { stage, rank: number, space: space.0 })
    }
}

/// A rank at work.
struct RunningRank {
    stage: Arc<Stage>,
    rank: usize,
    space: Arc<Space>,
}

impl RunningRank {
    fn wait(&self, until: Until) {
        self.stage.wait(self.rank, until);
    }
}

impl Running for RunningRank {
    fn ready(&mut self, tasks: ReadyTasks<'_>) {
        self.stage.member(self.rank).node.submit(&self.space, tasks.0);
    }

    fn advance(&mut self, submitted: u64, unfinished: u64) {
        self.wait(Until::Run { submitted, unfinished });
    }

    fn resume(&mut self, index: u64) {
        self.stage.member(self.rank).node.resume(index);
    }

    fn computes(&self) -> bool {
        false
    }

    fn take_failure(&mut self) -> Option<FlowError> {
        self.stage.member(self.rank).node.take_failure()
    }

    fn failure(&self, mark: u64) -> Option<FlowError> {
        let member = self.stage.member(self.rank);
        member.learnt.clone().filter(|(learnt, _)| *learnt == mark).map(|(_, error)| error)
    }

    fn take_records(&mut self) -> Records {
        self.stage.member(self.rank).take_records()
    }

    fn site(&self) -> Site {
        self.stage.options.nodes[self.rank].machine.site()
    }

    fn touch(&mut self, handle: u32) {
        self.stage.member(self.rank).node.touch(&self.space, handle);
    }

    fn unregistered(&mut self) {
        let node = &mut self.stage.member(self.rank).node;
        node.forget_discarded(&self.space);
        node.stir();
    }

    fn has_private_copies(&self) -> bool {
        self.is_flat()
    }

    fn is_flat(&self) -> bool {
        self.stage.options.nodes[self.rank].machine.is_flat()
    }

    fn peering(&self) -> Option<&dyn Peering> {
        (self.stage.options.nodes.len() > 1).then_some(self)
    }

    fn with_contexts(&mut self, look: &mut LookAtContexts<'_>) -> Result<(), ContextError> {
        let node = &mut self.stage.member(self.rank).node;
        node.stir();
        node.dispatcher.with_contexts(look)
    }

    fn totals(&self) -> Option<Totals> {
        Some(self.stage.member(self.rank).node.totals())
    }
}

impl Peering for RunningRank {
    fn begin(&self) -> Result<(), FlowError> {
        Ok(())
    }

    fn settle(&self, count: u64) {
        self.wait(Until::Settled(count));
    }

    fn barrier(&self, contribution: Contribution) -> Result<Outcome, FlowError> {
        let number = self.stage.member(self.rank).enter_barrier(contribution);
        self.wait(Until::Barrier(number));
        let outcome = self.stage.member(self.rank).outcome.take();
        Ok(outcome.expect("the barrier has ended"))
    }

    fn traffic(&self) -> Traffic {
        self.stage.member(self.rank).traffic()
    }

    fn first_failure(&self) -> Option<FirstFailure> {
        self.stage.member(self.rank).node.first_failure()
    }

    fn learn_failure(&self, mark: u64, error: &FlowError) {
        self.stage.member(self.rank).learnt = Some((mark, error.clone()));
    }
}

impl Drop for RunningRank {
    fn drop(&mut self) {
        self.stage.end(self.rank);
    }
}
