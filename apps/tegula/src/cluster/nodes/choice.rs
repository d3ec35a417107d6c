//! What `--nodes` may ask for.

use anyhow::Result;
use tegula_plan::adapt::{Action, Objective, STRATEGIES, StrategyEntry, strategy};
use tegula_plan::phases::{PLACEMENTS, placement};

use crate::cluster::AUTO;
use crate::error::refused;
use crate::ranks;

/// What numbers of nodes are by.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Choice {
    /// So many.
    Counts(Counts),
    /// As a strategy chooses, so that this is least.
    Auto {
        strategy: &'static StrategyEntry,
        objective: Objective,
        /// Whether the first phase may have fewer nodes, too.
        is_of_both: bool,
    },
}

/// How many nodes take part in the first phase, if not all, and in the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(super) first: Option<usize>,
    pub(super) second: usize,
}

impl Counts {
    /// Reads `N` or `N/N`.
    fn parse(text: &str) -> Option<Self> {
        let count = |text: &str| text.parse().ok().filter(|&count: &usize| count > 0);
        match text.split_once('/') {
            None => Some(Self { first: None, second: count(text)? }),
            Some((first, second)) => {
                Some(Self { first: Some(count(first)?), second: count(second)? })
            }
        }
    }

    /// The same where there are `all` nodes.
    pub(super) fn of(self, all: usize) -> Action {
        Action { first: self.first.unwrap_or(all), second: self.second }
    }
}

/// What has both phases chosen.
const BOTH: &str = "both";

impl Choice {
    /// Reads `N`, `N/N` or `auto[:STRATEGY][:OBJECTIVE][:both]`.
    ///
    /// # Errors
    /// If it is none of these.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut names = text.split(':');
        if names.next() != Some("auto") {
            return Counts::parse(text).map(Self::Counts).ok_or_else(|| {
                format!(
                    "'{text}' is neither a number of ranks, from 1, nor two (N/N, of both phases), nor \
                     auto[:STRATEGY][:OBJECTIVE][:{BOTH}]"
                )
            });
        }
        let (mut by, mut least, mut is_of_both) = (None, None, false);
        for name in names {
            let objective = Objective::ALL.into_iter().find(|objective| objective.name() == name);
            match (strategy(name), objective) {
                (None, None) if name == BOTH && !is_of_both => is_of_both = true,
                (Some(entry), _) if by.is_none() => by = Some(entry),
                (None, Some(objective)) if least.is_none() => least = Some(objective),
                (None, None) if name != BOTH => {
                    let strategies: Vec<&str> = STRATEGIES.iter().map(|entry| entry.name).collect();
                    let objectives = Objective::ALL.map(Objective::name);
                    return Err(format!(
                        "'{name}' is neither a strategy ({}) nor what is to be least ({}) nor {BOTH}",
                        strategies.join(", "),
                        objectives.join(", ")
                    ));
                }
                _ => return Err(format!("'{text}': one strategy, one objective, and {BOTH} once")),
            }
        }
        let (strategy, objective) =
            (by.unwrap_or(&STRATEGIES[0]), least.unwrap_or(Objective::Time));
        Ok(Self::Auto { strategy, objective, is_of_both })
    }

    /// Refuses what the ranks of this run, which may be `is_deterministic`, cannot do.
    ///
    /// # Errors
    /// If they cannot.
    pub(crate) fn check(self, is_deterministic: bool) -> Result<()> {
        let ranks = ranks::ranks();
        match self {
            _ if ranks == 1 => Err(refused("--nodes: there is one rank; start several (--ranks)")),
            Self::Counts(Counts { first, second }) => match second.max(first.unwrap_or(second)) {
                most if most > ranks => {
                    Err(refused(format!("--nodes {most}: there are {ranks} ranks")))
                }
                _ => Ok(()),
            },
            Self::Auto { .. } if is_deterministic => {
                Err(refused("--nodes auto chooses by times: with --deterministic give a number"))
            }
            Self::Auto { .. } => Ok(()),
        }
    }

    /// Whether a strategy chooses.
    pub(crate) fn is_auto(self) -> bool {
        matches!(self, Self::Auto { .. })
    }

    /// What is to be least.
    pub(super) fn objective(self) -> Objective {
        match self {
            Self::Auto { objective, .. } => objective,
            Self::Counts(_) => Objective::Time,
        }
    }
}

/// The distribution under which nodes are counted, where this one is `asked` for.
///
/// # Errors
/// If it plans no phases.
pub(crate) fn nodes_distribution(asked: Option<&str>) -> Result<&'static str> {
    match asked {
        None | Some(AUTO) => Ok(PLACEMENTS[0].name),
        Some(name) => match placement(name) {
            Some(entry) => Ok(entry.name),
            None => Err(refused(format!(
                "--nodes distributes tiles by lp or lp-constrained, not by {name}"
            ))),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_read() {
        for (text, counts) in [("3", (3, 3)), ("5/2", (5, 2))] {
            let Ok(Choice::Counts(read)) = Choice::parse(text) else { panic!("{text}") };
            let first = read.first.unwrap_or(read.second);
            assert_eq!((first, read.second), counts);
        }
        for (text, name, least, both) in [
            ("auto", STRATEGIES[0].name, Objective::Time, false),
            ("auto:ucb", "ucb", Objective::Time, false),
            ("auto:energy", STRATEGIES[0].name, Objective::Energy, false),
            ("auto:brent:product:both", "brent", Objective::Product, true),
            ("auto:both", STRATEGIES[0].name, Objective::Time, true),
        ] {
            let Ok(Choice::Auto { strategy, objective, is_of_both }) = Choice::parse(text) else {
                panic!("{text} is a choice")
            };
            assert_eq!((strategy.name, objective, is_of_both), (name, least, both));
        }
        for wrong in [
            "0",
            "-1",
            "auto:",
            "auto:x",
            "auto:ucb:brent",
            "automatic",
            "1.5",
            "",
            "2/",
            "0/2",
            "auto:both:both",
        ] {
            let reason = Choice::parse(wrong).expect_err("it is wrong");
            assert!(reason.contains("auto") || reason.contains("strategy"), "{reason}");
        }
    }
}
