//! Ranks without their transport: who owns what, who runs a task, and which datum goes where.
//!
//! With [`ExecOptions::world`](crate::exec::ExecOptions::world) a flow is one of several that run
//! the same program. Every rank submits the same tasks in the same order and runs its own, so each
//! knows by itself what every other does. Nothing about who does what is ever negotiated; only when
//! a message goes is agreed upon, by the frames of an [`Exchange`].
//!
//! 1. [`Directory`] is the same on every rank. For each datum it knows the owner
//!    ([`Flow::register_at`](crate::flow::Flow::register_at) with a place, and the [`Owners`] of
//!    the flow; or [`Flow::set_owner`](crate::flow::Flow::set_owner)), the version, and which ranks
//!    hold that version. A task runs on the owner of the first datum that it writes; where nobody
//!    owns what it writes, on that of the first that it reads. A task that does not concern a rank
//!    costs it less than ten nanoseconds ([`Directory::passes`], part of the loops that submit;
//!    `examples/unrolling_cost.rs`): nothing is built.
//! 2. What a task reads and its rank does not hold is a *message* from the rank that wrote it: a
//!    task of the graph on either side, which reads there and overwrites here, so that everything
//!    waits as it would for any other task. A version goes once to each rank, and its copy there is
//!    kept until the next write, [`Flow::done_with`](crate::flow::Flow::done_with), or
//!    [`Flow::done_with_copies`](crate::flow::Flow::done_with_copies).
//! 3. [`Exchange`] says when it goes. A receiver that has room tells the source; the source sends
//!    when it has the version and knows of the room. So nothing long comes unexpected, whoever is
//!    ahead. Room is bounded ([`ExchangeOptions`]); only a receive that is earlier in the program
//!    than all others on their way gets more, so that the earliest unfinished task of all ranks
//!    always goes on: nothing can block, also with a window of one task. Longer messages
//!    go in parts, the most urgent part first. Those of up to a KiB travel in frames as soon
//!    as they are there, and their receiver keeps them: 128 of a sender at most, which beyond that
//!    only says what it holds, and sends it when asked (`ranks::exchange::eager`).
//! 4. What one version owes several ranks when it is sent goes down a [`tree()`]: a chain, part by
//!    part, for long data, else a binomial tree, the most urgent receivers first. Receivers pass on
//!    what they get.
//! 5. `Reduce` adds up where the other data of a task are; each rank's share goes to one rank
//!    before the next other use, and shares are folded by rank. Owners may change in the program at
//!    any place; contents follow when a task needs them.
//! 6. At [`Flow::wait`](crate::flow::Flow::wait) and whatever reads contents, all ranks enter a
//!    barrier, compare how many tasks they have submitted, and end with the failure of the smallest
//!    program index, wherever it happened. What a failed task would have written travels as
//!    spoiled.
//!
//! [`count()`] replays a recorded program ([`Flow::listening`](crate::flow::Flow::listening)) under
//! any owners and answers messages and bytes, exactly.
//! [`Flow::traffic`](crate::flow::Flow::traffic) is what was sent; a test holds them to be equal.

mod count;
mod directory;
mod exchange;
mod frame;
mod ledger;
mod local_state;
mod owners;
mod program;
mod set;
mod tree;
pub use count::{Traffic, count, each_message};
pub use directory::{Directory, Key, Move};
pub use exchange::{
    Contribution, EAGER_BYTES, Exchange, ExchangeOptions, Message, Operation, Outcome, PART_BYTES,
    PARTS_UNDER_WAY, RECEIVE_BYTES,
};
pub use frame::{Item, ItemError, Items};
pub(crate) use ledger::Ledger;
pub use owners::Owners;
pub use program::{Change, Program, Step};
pub use tree::{Branch, Shape, tree};

pub use crate::types::{Rank, Spot};
