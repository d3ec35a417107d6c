//! How many nodes each of two phases uses, chosen on line: one choice for each repetition of the
//! phases, such as an evaluation of a likelihood, from what those before cost: time, or energy.
//!
//! More nodes share the work, and send more messages; a slow node that has few of the last tiles
//! makes all others wait. So all nodes are often not the best choice, and which is best shows in
//! the run alone.
//!
//! A [`Space`] has the choices, a [`History`] what they took so far, and a member of [`STRATEGIES`]
//! says what to try next. A strategy is a function of both: whoever has the same history goes on
//! alike, as after a restart.
//!
//! L. L. Nesi, PhD thesis, UGA and UFRGS, 2023, chapter 7.

mod brent;
mod confidence;
mod dichotomy;
mod discontinuous;
mod gp_ucb;
mod history;
mod neighbours;
mod objective;
mod process;
mod replay;
mod space;
mod ucb;

pub use history::History;
pub use objective::Objective;
pub use process::{Belief, Point, Process};
pub use replay::{Outcome, Pool, PoolRow, Replay};
pub use space::{Action, Space, counts};

/// A way to choose the next action.
#[derive(Clone, Copy, Debug)]
pub struct StrategyEntry {
    /// Its name.
    pub name: &'static str,
    /// What it does.
    pub summary: &'static str,
    next: fn(&Space, &History) -> usize,
}

/// Every strategy, the one to take unless told otherwise first. Those up to `ucb` vary the nodes of
/// both phases where the space does; others leave all nodes to the first.
pub static STRATEGIES: &[StrategyEntry] = &[
    StrategyEntry {
        name: "gp-discontinuous",
        summary: "a Gaussian process about the bound of a linear programme, with a jump where each \
                  group of equal nodes begins",
        next: discontinuous::next,
    },
    StrategyEntry {
        name: "gp-ucb",
        summary: "a Gaussian process with an unknown mean, its parameters by likelihood",
        next: gp_ucb::next,
    },
    StrategyEntry {
        name: "ucb",
        summary: "upper confidence bounds, each count for itself",
        next: ucb::next,
    },
    StrategyEntry {
        name: "ucb-struct",
        summary: "the same of the ends of groups alone",
        next: ucb::next_of_ends,
    },
    StrategyEntry {
        name: "dichotomy",
        summary: "halves the interval, and keeps the half whose middle is faster",
        next: dichotomy::next,
    },
    StrategyEntry {
        name: "right-left",
        summary: "from all nodes down, as long as one fewer is faster",
        next: neighbours::from_all,
    },
    StrategyEntry {
        name: "left-right",
        summary: "from the fewest nodes up, as long as one more is faster",
        next: neighbours::from_fewest,
    },
    StrategyEntry {
        name: "brent",
        summary: "Brent's minimisation without derivatives, rounded to whole nodes",
        next: brent::next,
    },
    StrategyEntry { name: "all", summary: "always all nodes", next: |space, _| space.all() },
];

/// The strategy called `name`, if there is one.
#[must_use]
pub fn strategy(name: &str) -> Option<&'static StrategyEntry> {
    STRATEGIES.iter().find(|entry| entry.name == name)
}

impl StrategyEntry {
    /// The action of `space` to take next, by its number, after what `history` tells.
    #[must_use]
    pub fn next(&self, space: &Space, history: &History) -> usize {
        (self.next)(space, history)
    }
}

#[cfg(test)]
mod tests;
