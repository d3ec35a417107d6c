//! How many of the ranks take part in the second phase of a program that runs again and again, such
//! as the factorisation in an evaluation of a likelihood: the fastest ones, as many as are given or
//! as a strategy chooses from what the runs before took.
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
use tegula_plan::adapt::{Objective, STRATEGIES, StrategyEntry, strategy};
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

/// What a number of nodes is by.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Choice {
    /// So many.
    Count(usize),
    /// As a strategy chooses, so that this is least.
    Auto(&'static StrategyEntry, Objective),
}

impl Choice {
    /// Reads `N` or `auto[:STRATEGY][:OBJECTIVE]`.
    ///
    /// # Errors
    /// If it is neither.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut names = text.split(':');
        if names.next() != Some("auto") {
            let count = text.parse().ok().filter(|&count| count > 0).map(Self::Count);
            return count.ok_or_else(|| {
                format!(
                    "'{text}' is neither a number of ranks, from 1, nor auto[:STRATEGY][:OBJECTIVE]"
                )
            });
        }
        let (mut by, mut least) = (None, None);
        for name in names {
            let objective = Objective::ALL.into_iter().find(|objective| objective.name() == name);
            match (strategy(name), objective) {
                (Some(entry), _) if by.is_none() => by = Some(entry),
                (None, Some(objective)) if least.is_none() => least = Some(objective),
                (None, None) => {
                    let strategies: Vec<&str> = STRATEGIES.iter().map(|entry| entry.name).collect();
                    let objectives = Objective::ALL.map(Objective::name);
                    return Err(format!(
                        "'{name}' is neither a strategy ({}) nor what is to be least ({})",
                        strategies.join(", "),
                        objectives.join(", ")
                    ));
                }
                _ => return Err(format!("'{text}': one strategy, and one objective")),
            }
        }
        Ok(Self::Auto(by.unwrap_or(&STRATEGIES[0]), least.unwrap_or(Objective::Time)))
    }

    /// What is to be least.
    fn objective(self) -> Objective {
        match self {
            Self::Auto(_, objective) => objective,
            Self::Count(_) => Objective::Time,
        }
    }
}

/// How many times faster or slower than it was a rank is that has changed.
const CHANGED: f64 = 1.3;
/// In place of a number of nodes: the ranks time themselves.
const TIME_RANKS: u64 = u64::MAX;

/// The number of nodes of a program over ranks.
pub(crate) struct Nodes {
    needs: Needs,
    tiles: usize,
    /// On rank 0, what it decides by.
    head: Option<Head>,
    /// Owners in both phases for each number of nodes that was chosen.
    maps: HashMap<usize, [Arc<OwnerMap>; 2]>,
    switch: Arc<Switch>,
    current: usize,
    /// Seconds of this rank's kernels as the run began, and how fast each rank is beside then.
    own_seconds: f64,
    speeds: Vec<f64>,
    /// The number of nodes of each run.
    taken: Vec<usize>,
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
            Choice::Count(count) if count > ranks => {
                return Err(refused(format!("--nodes {count}: there are {ranks} ranks")));
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
        let current = head.as_mut().map_or(0, |head| head.begin(kept));
        let current = ranks::agree(current as u64)? as usize;
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
        console.detail(format_args!("       {}: {}{took}", count(current, "node"), time(seconds)));
        let mine = self.head.as_mut().map_or(0, |head| head.after(current, kind, cost));
        let mut next = agreed(flow, mine)?;
        if next == TIME_RANKS {
            self.time_ranks(flow, console)?;
            let mine = self.head.as_mut().map_or(0, |head| head.decide(current, cost));
            next = agreed(flow, mine)?;
        }
        self.change(flow, next as usize)
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

    /// From now on `next` nodes take part.
    fn change(&mut self, flow: &mut Flow, next: usize) -> Result<()> {
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
        let Choice::Auto(strategy, objective) = head.choice else { return };
        let mut counts: Vec<(usize, usize)> = Vec::new();
        for &nodes in &self.taken {
            match counts.iter_mut().find(|(known, _)| *known == nodes) {
                Some((_, times)) => *times += 1,
                None => counts.push((nodes, 1)),
            }
        }
        counts.sort_unstable();
        let counts = counts.iter().map(|(nodes, times)| format!("{nodes} in {times}"));
        let counts: Vec<String> = counts.collect();
        console.field(
            "nodes",
            format_args!(
                "{} of {} in the end ({}, least {}): {} of {}; deciding took {} each",
                self.current,
                self.speeds.len(),
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
        into["nodes"] = self.taken.clone().into();
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
        assert!(matches!(Choice::parse("3"), Ok(Choice::Count(3))));
        for (text, name, objective) in [
            ("auto", STRATEGIES[0].name, Objective::Time),
            ("auto:ucb", "ucb", Objective::Time),
            ("auto:energy", STRATEGIES[0].name, Objective::Energy),
            ("auto:brent:product", "brent", Objective::Product),
        ] {
            let Ok(Choice::Auto(entry, least)) = Choice::parse(text) else {
                panic!("{text} is a choice")
            };
            assert_eq!((entry.name, least), (name, objective));
        }
        for wrong in ["0", "-1", "auto:", "auto:x", "auto:ucb:brent", "automatic", "1.5", ""] {
            let reason = Choice::parse(wrong).expect_err("it is wrong");
            assert!(reason.contains("auto") || reason.contains("strategy"), "{reason}");
        }
    }
}
