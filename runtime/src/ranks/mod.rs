//! Ranks without their transport: who owns what, who runs a task, and which datum goes where.
//!
//! Every rank submits the same tasks in the same order, so each knows by itself what every other
//! does: [`Directory`] is the same on all of them, and nothing about it is ever negotiated. Only when
//! a message goes is agreed upon, by the frames of an [`Exchange`].

mod count;
mod directory;
mod exchange;
mod frame;
mod ledger;
mod owners;
mod program;
mod set;
mod stake;
mod tree;
pub use count::{Traffic, count};
pub use directory::{Directory, Key, Move};
pub use exchange::{
    Brought, Exchange, ExchangeOptions, INLINE_BYTES, Operation, Outcome, PART_BYTES,
    PARTS_UNDER_WAY, Parcel, RECEIVE_BYTES,
};
pub use frame::{Item, ItemError, Items};
pub(crate) use ledger::Ledger;
pub use owners::{Owners, Spot};
pub use program::{Change, Program, Step};
pub use tree::{Branch, Shape, tree};

pub use crate::types::Rank;
