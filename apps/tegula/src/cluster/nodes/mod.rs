//! How many of the ranks take part in the phases of a program that runs again and again, such as
//! generation and factorisation in an evaluation of a likelihood: the fastest ones, as many as are
//! given or as a strategy chooses from what the runs before took.
//!
//! Rank 0 measures and decides, since times differ from rank to rank; the others get its choice
//! and the owners of tiles as data of the flow. Nothing moves by a choice: the matrix is generated
//! anew in each run.

mod head;

use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Instant;

use anyhow::Result;
use serde_json::Value;
use tegula_files::checkpoint::{read_word, write_word};
use tegula_plan::adapt::{Action, Objective, STRATEGIES, StrategyEntry, strategy};
use tegula_runtime::flow::Flow;
use tegula_runtime::ranks::{Owners, Rank, Spot};
use tegula_tiles::Storage;
use tegula_tiles::owners::OwnerMap;

use super::wire::{map_of, owners_of};
use super::{Needs, Question, of_ranks};
use crate::checkpoint::{agreed, words_of};
use crate::error::refused;
use crate::output::{
    Console, count, energy, joules_of_host, meter, microjoules, number, seconds as time,
};
use crate::plan::Maps;
use crate::ranks;
use head::Head;

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
    first: Option<usize>,
    second: usize,
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
    fn of(self, all: usize) -> Action {
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
                    "'{text}' is neither a number of ranks, from 1, nor two (generation/factorisation), \
                     nor auto[:STRATEGY][:OBJECTIVE][:{BOTH}]"
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

    /// What is to be least.
    fn objective(self) -> Objective {
        match self {
            Self::Auto { objective, .. } => objective,
            Self::Counts(_) => Objective::Time,
        }
    }
}

/// `action` as a number, for other ranks.
fn word_of(action: Action) -> u64 {
    (action.first as u64) << 32 | action.second as u64
}

/// The action of such a number.
fn action_of(word: u64) -> Action {
    Action { first: (word >> 32) as usize, second: word as u32 as usize }
}

/// Numbers of nodes in words.
fn words(action: Action, all: usize) -> String {
    match action {
        Action { first, second } if first == all => count(second, "node"),
        Action { first, second } => format!("{first}/{}", count(second, "node")),
    }
}

/// How many times faster or slower than it was a rank is that has changed.
const CHANGED: f64 = 1.3;
/// In place of numbers of nodes: the ranks time themselves.
const TIME_RANKS: u64 = u64::MAX;

/// The numbers of nodes of a program over ranks.
pub(crate) struct Nodes {
    needs: Needs,
    tiles: usize,
    /// On rank 0, what it decides by.
    head: Option<Head>,
    /// Owners in both phases for all numbers of nodes that were chosen.
    maps: HashMap<Action, [Arc<OwnerMap>; 2]>,
    switch: Arc<Switch>,
    current: Action,
    /// Seconds of this rank's kernels as the run began, and how fast each rank is beside then.
    own_seconds: f64,
    speeds: Vec<f64>,
    /// The numbers of nodes of each run.
    taken: Vec<Action>,
    objective: Objective,
    began: Instant,
    /// Joules that this rank's host had counted then, if it is the first one there.
    joules_before: f64,
}

impl Nodes {
    /// The choice of nodes for the program of `question`, whose distribution makes the maps of both
    /// phases, after what an earlier run has [kept](Self::write); all ranks call it, while no flow
    /// runs.
    ///
    /// # Errors
    /// If there are not so many ranks, the program cannot be planned, or a rank is gone.
    pub(crate) fn begin(
        choice: Choice,
        question: Question,
        needs: Needs,
        kept: &[u64],
    ) -> Result<Self> {
        let ranks = ranks::ranks();
        match choice {
            _ if ranks == 1 => {
                return Err(refused("--nodes: there is one rank; start several (--ranks)"));
            }
            Choice::Counts(Counts { first, second })
                if second.max(first.unwrap_or(second)) > ranks =>
            {
                let most = second.max(first.unwrap_or(second));
                return Err(refused(format!("--nodes {most}: there are {ranks} ranks")));
            }
            _ => {}
        }
        let objective = choice.objective();
        check_meters(objective)?;
        let tiles = question.sizes.tiles;
        let pace = needs.pace();
        let cluster = of_ranks(&needs, pace)?;
        let head = cluster.map(|cluster| Head::new(choice, question, cluster));
        let mut head = head.transpose()?;
        let current = head.as_mut().map_or(0, |head| word_of(head.begin(kept)));
        let current = action_of(ranks::agree(current)?);
        let own_seconds = pace.seconds;
        let speeds = vec![1.0; ranks];
        let maps = match &head {
            Some(head) => owners_of_both(&head.maps(current)?),
            None => Vec::new(),
        };
        let maps = both_of_owners(tiles, ranks, &ranks::broadcast_words(&maps)?);
        let switch = Arc::new(Switch(RwLock::new(maps[0].clone())));
        let maps = HashMap::from([(current, maps)]);
        Ok(Self {
            needs,
            tiles,
            head,
            maps,
            switch,
            current,
            own_seconds,
            speeds,
            taken: Vec::new(),
            objective,
            began: Instant::now(),
            joules_before: joules(objective),
        })
    }

    /// Owners in the first phase, for the number of nodes of now.
    pub(crate) fn earlier_owners(&self) -> Arc<dyn Owners> {
        self.switch.clone()
    }

    /// Gives `flow`, which has not begun, the owners of the second phase.
    pub(crate) fn enter(&mut self, flow: &mut Flow) {
        flow.set_owners(self.owners());
        self.go_on();
    }

    /// Owners in the second phase, for the number of nodes of now.
    fn owners(&self) -> Arc<dyn Owners> {
        let [_, second] = &self.maps[&self.current];
        Maps::of_map("nodes", OwnerMap::clone(second)).owners
    }

    /// What follows a run on `flow`, which nothing else uses: the number of nodes of the next one.
    /// Runs of one `kind` are compared; one of none has failed. All ranks call it.
    ///
    /// # Errors
    /// If a rank is gone.
    pub(crate) fn next(
        &mut self,
        flow: &mut Flow,
        kind: Option<u64>,
        console: &Console,
    ) -> Result<()> {
        let seconds = self.began.elapsed().as_secs_f64();
        let (current, drawn) = (self.current, self.drawn(flow)?);
        let cost = self.objective.cost(seconds, drawn);
        self.taken.push(current);
        let took =
            drawn.map_or_else(String::new, |joules| ", ".to_owned() + &energy(joules, seconds));
        let nodes = words(current, flow.ranks());
        console.detail(format_args!("       {nodes}: {}{took}", time(seconds)));
        let after = |head: &mut Head| head.after(current, kind, cost).map_or(TIME_RANKS, word_of);
        let mut next = agreed(flow, self.head.as_mut().map_or(0, after))?;
        if next == TIME_RANKS {
            self.time_ranks(flow, console)?;
            let decide = |head: &mut Head| word_of(head.decide(current, cost));
            next = agreed(flow, self.head.as_mut().map_or(0, decide))?;
        }
        self.change(flow, action_of(next))
    }

    /// Joules that all hosts took in this run, where they are asked for.
    fn drawn(&self, flow: &Flow) -> Result<Option<f64>> {
        if self.objective == Objective::Time {
            return Ok(None);
        }
        let mine = microjoules(joules(self.objective) - self.joules_before);
        Ok(Some(1e-6 * flow.total([mine, 0])?[0] as f64))
    }

    /// The next run begins.
    pub(crate) fn go_on(&mut self) {
        self.began = Instant::now();
        self.joules_before = joules(self.objective);
    }

    /// The ranks time their kernels again; where one has changed, what was learnt is void.
    fn time_ranks(&mut self, flow: &mut Flow, console: &Console) -> Result<()> {
        let speed = self.own_seconds / self.needs.pace().seconds;
        let mut speeds = Vec::new();
        for rank in 0..flow.ranks() {
            let word = words_of(flow, Rank(rank as u16), &[speed.to_bits()])?[0];
            speeds.push(f64::from_bits(word));
        }
        // All have the same numbers, and find the same.
        let change = |rank: usize| speeds[rank] / self.speeds[rank];
        let changed = |&rank: &usize| !(1.0 / CHANGED..CHANGED).contains(&change(rank));
        let changed: Vec<usize> = (0..speeds.len()).filter(changed).collect();
        for &rank in &changed {
            console.note(format_args!(
                "rank {rank} is {} times as fast as it was: the number of nodes is learnt anew",
                number(change(rank), 2)
            ));
        }
        if !changed.is_empty() {
            self.maps.clear();
            self.speeds.clone_from(&speeds);
            if let Some(head) = &mut self.head {
                head.change_speeds(&speeds)?;
            }
        }
        Ok(())
    }

    /// From now on so many nodes take part.
    fn change(&mut self, flow: &mut Flow, next: Action) -> Result<()> {
        if !self.maps.contains_key(&next) {
            let mine = match &self.head {
                Some(head) => owners_of_both(&head.maps(next)?),
                None => vec![0; self.tiles * (self.tiles + 1)],
            };
            let owners = words_of(flow, Rank(0), &mine)?;
            self.maps.insert(next, both_of_owners(self.tiles, flow.ranks(), &owners));
        }
        self.current = next;
        *self.switch.0.write().unwrap_or_else(PoisonError::into_inner) =
            self.maps[&next][0].clone();
        flow.set_owners(self.owners());
        Ok(())
    }

    /// Writes what was learnt, for a run that goes on; on other ranks than 0 nothing.
    ///
    /// # Errors
    /// Those of `out`.
    pub(crate) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let words = self.head.as_ref().map_or_else(Vec::new, Head::kept);
        write_word(out, words.len() as u64)?;
        words.into_iter().try_for_each(|word| write_word(out, word))
    }

    /// Reads what [`write`](Self::write) has written; nothing if it has not.
    pub(crate) fn read(input: &mut dyn Read) -> Vec<u64> {
        let count = read_word(input).unwrap_or(0);
        (0..count).map_while(|_| read_word(input).ok()).collect()
    }

    /// Prints which numbers were taken.
    pub(crate) fn describe(&self, console: &Console) {
        let Some(head) = &self.head else { return };
        let Choice::Auto { strategy, objective, .. } = head.choice else { return };
        let all = self.speeds.len();
        let mut counts: Vec<(Action, usize)> = Vec::new();
        for &nodes in &self.taken {
            match counts.iter_mut().find(|(known, _)| *known == nodes) {
                Some((_, times)) => *times += 1,
                None => counts.push((nodes, 1)),
            }
        }
        counts.sort_unstable();
        let short = |action: Action| match action {
            Action { first, second } if first == all => second.to_string(),
            Action { first, second } => format!("{first}/{second}"),
        };
        let counts = counts.iter().map(|&(nodes, times)| format!("{} in {times}", short(nodes)));
        let counts: Vec<String> = counts.collect();
        console.field(
            "nodes",
            format_args!(
                "{} of {all} in the end ({}, least {}): {} of {}; deciding took {} each",
                short(self.current),
                strategy.name,
                objective.name(),
                counts.join(", "),
                count(self.taken.len(), "run"),
                time(head.deciding.as_secs_f64() / head.decisions.max(1) as f64),
            ),
        );
    }

    /// Adds them to a result.
    pub(crate) fn describe_json(&self, into: &mut Value) {
        let taken = |of: fn(&Action) -> usize| self.taken.iter().map(of).collect::<Vec<_>>().into();
        into["nodes"] = taken(|action| action.second);
        into["generating_nodes"] = taken(|action| action.first);
        let deciding = self.head.as_ref().map(|head| head.deciding.as_secs_f64());
        into["decision_seconds"] = deciding.into();
    }
}

/// Joules that this rank counts for its host, if they are asked for.
fn joules(objective: Objective) -> f64 {
    let meter = (objective != Objective::Time).then(|| meter().ok()).flatten();
    meter.map_or(0.0, |meter| joules_of_host(&meter.energy()))
}

/// Refuses an objective that needs the energy where a host counts none; all ranks call it.
///
/// # Errors
/// If it does, or a rank is gone.
fn check_meters(objective: Objective) -> Result<()> {
    if objective == Objective::Time {
        return Ok(());
    }
    let lacking = meter().err();
    let all = ranks::each(u64::from(lacking.is_some()))?;
    match (all.iter().position(|&lacks| lacks == 1), lacking) {
        (None, _) => Ok(()),
        (Some(rank), reason) => {
            let reason = reason.map_or_else(String::new, |reason| format!(": {reason}"));
            Err(refused(format!(
                "--nodes auto:{}: the host of rank {rank} does not count its energy{reason}",
                objective.name()
            )))
        }
    }
}

/// Owners that can be changed while a program that asks for them runs on.
struct Switch(RwLock<Arc<OwnerMap>>);

impl Owners for Switch {
    fn owner(&self, spot: Spot, ranks: usize) -> Rank {
        let map = self.0.read().unwrap_or_else(PoisonError::into_inner);
        Owners::owner(&**map, spot, ranks)
    }
}

/// The owners of the tiles of two maps.
fn owners_of_both(maps: &[OwnerMap; 2]) -> Vec<u64> {
    maps.iter().flat_map(owners_of).collect()
}

/// The maps of a triangle of so many tiles along an edge with these owners.
fn both_of_owners(tiles: usize, ranks: usize, owners: &[u64]) -> [Arc<OwnerMap>; 2] {
    let (first, second) = owners.split_at(owners.len() / 2);
    let map = |owners| Arc::new(map_of((tiles, tiles), Storage::Lower, ranks, owners));
    [first, second].map(map)
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
