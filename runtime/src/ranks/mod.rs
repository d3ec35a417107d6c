//! Ranks without their transport: who owns what, who runs a task, and which datum goes where.
//!
//! Every rank submits the same tasks in the same order, so each can tell by itself what every other
//! does; nothing here is ever negotiated.

/// One of the processes (or, in tests, groups of threads) that run a program together, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Rank(pub u16);

impl std::fmt::Display for Rank {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}
