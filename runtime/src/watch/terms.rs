//! What the protocol speaks of: terms, connections, who is at their other ends, and what is to be
//! done.

use std::time::Duration;

use super::end::{End, Member};
use super::message::{Message, Token};
use crate::types::Rank;

/// Name of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Link(pub(super) u32);

/// What all ranks agree on, and who this one is.
#[derive(Clone, Debug)]
pub(super) struct Terms {
    pub(super) me: Member,
    pub(super) ranks: usize,
    pub(super) token: Token,
    pub(super) beat: Duration,
    pub(super) patience: Duration,
    /// The host waits for guests as long as this.
    pub(super) rendezvous: Duration,
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Send(Link, Message),
    Close(Link),
    /// Tell the program why all must end, which this rank knows first.
    Announce(End),
    Report(Report),
}

/// What the program is told. After all but the first the party is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Report {
    /// All ranks are there.
    Met,
    /// Some did not come.
    Missing(Vec<Rank>),
    /// All must end.
    Ended(End),
    /// This rank gave up, and all have heard it or had the time to.
    GivenUp,
    /// All have said farewell.
    Parted,
}

/// Who is at the other end of a connection.
#[derive(Debug)]
pub(super) enum Stage {
    /// Nobody knows.
    Stranger,
    /// Has said hello and was welcomed.
    Greeted(Member),
    /// Belongs to the run.
    Member(Member),
}

#[derive(Debug)]
pub(super) struct Peer {
    pub(super) stage: Stage,
    /// When something came last.
    pub(super) heard: Duration,
    /// Has said farewell.
    pub(super) left: bool,
    /// Was told of the end and has not answered.
    pub(super) owes: bool,
}

impl Peer {
    pub(super) fn new(stage: Stage, heard: Duration) -> Self {
        Self { stage, heard, left: false, owes: false }
    }

    pub(super) fn member(&self) -> Option<&Member> {
        match &self.stage {
            Stage::Member(member) => Some(member),
            Stage::Stranger | Stage::Greeted(_) => None,
        }
    }
}
