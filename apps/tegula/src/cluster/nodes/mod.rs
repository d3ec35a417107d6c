//! How many of the ranks take part in the phases of a program that runs again and again, such as
//! generation and factorisation in an evaluation of a likelihood, or reading and products in a pass
//! over distances: the fastest ones, as many as are given or as a strategy chooses from what the
//! runs before took.
//!
//! Rank 0 measures and decides, since times differ from rank to rank; the others get its choice
//! and what the ranks then have as data of the flow. Nothing moves by a choice: the matrix is
//! generated, or read, anew in each run.

mod choice;
mod division;
mod head;

use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Instant;

use anyhow::Result;
use serde_json::Value;
use tegula_files::checkpoint::{read_word, write_word};
use tegula_plan::adapt::{Action, Objective};
use tegula_runtime::flow::Flow;
use tegula_runtime::ranks::{Owners, Rank, Spot};

use super::{Needs, Question, of_ranks};
use crate::checkpoint::{agreed, words_of};
use crate::error::refused;
use crate::output::{
    Console, count, energy, joules_of_host, meter, microjoules, number, seconds as time,
};
use crate::ranks;
pub(crate) use choice::{Choice, nodes_distribution};
pub(crate) use division::{Division, TwoMaps};
use head::Head;

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

/// Which nodes are to be counted, for which program.
pub(crate) struct NodesRequest {
    pub(crate) choice: Choice,
    /// The program, whose distribution plans both phases.
    pub(crate) question: Question,
    /// What it asks of the ranks.
    pub(crate) needs: Needs,
}

/// The numbers of nodes of a program over ranks, in each of whose phases the ranks have what a `D`
/// says.
pub(crate) struct Nodes<D> {
    needs: Needs,
    tiles: usize,
    /// On rank 0, what it decides by.
    head: Option<Head>,
    /// What the ranks have for all numbers of nodes that were chosen, and now.
    divisions: HashMap<Action, D>,
    switch: Arc<Switch<D>>,
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

impl<D: Division> Nodes<D> {
    /// The nodes of a request, after what an earlier run has [kept](Self::write); all ranks call
    /// it, while no flow runs.
    ///
    /// # Errors
    /// If the program cannot be planned, or a rank is gone.
    pub(crate) fn begin(request: NodesRequest, kept: &[u64]) -> Result<Self> {
        let NodesRequest { choice, question, needs } = request;
        let ranks = ranks::ranks();
        let objective = choice.objective();
        check_meters(objective)?;
        let tiles = question.sizes.tiles;
        let pace = needs.pace();
        let cluster = of_ranks(&needs, pace)?;
        let head = cluster.map(|mut cluster| {
            question.set_reading(&mut cluster);
            Head::new(choice, question, cluster)
        });
        let mut head = head.transpose()?;
        let current = head.as_mut().map_or(0, |head| word_of(head.begin(kept)));
        let current = action_of(ranks::agree(current)?);
        let own_seconds = pace.seconds;
        let speeds = vec![1.0; ranks];
        let division = match &head {
            Some(head) => head.division::<D>(current)?.write(),
            None => Vec::new(),
        };
        let division = D::read(&ranks::broadcast_words(&division)?, tiles, ranks)?;
        let switch = Arc::new(Switch(RwLock::new(division.clone())));
        let divisions = HashMap::from([(current, division)]);
        Ok(Self {
            needs,
            tiles,
            head,
            divisions,
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

    /// `flow`, which has not begun, is that of the runs.
    pub(crate) fn enter(&mut self, flow: &mut Flow) {
        self.division().enter(flow);
        self.go_on();
    }

    /// What the ranks have, for the numbers of nodes of now.
    pub(crate) fn division(&self) -> &D {
        &self.divisions[&self.current]
    }

    /// Seconds since the run began.
    pub(crate) fn seconds(&self) -> f64 {
        self.began.elapsed().as_secs_f64()
    }

    /// What follows a run on `flow`, which nothing else uses: the number of nodes of the next one.
    /// The run took so many `seconds`. Runs of one `kind` are compared; one of none has failed. All
    /// ranks call it. Says whether the ranks have something else than before.
    ///
    /// # Errors
    /// If a rank is gone.
    pub(crate) fn next(
        &mut self,
        flow: &mut Flow,
        (kind, seconds): (Option<u64>, f64),
        console: &Console,
    ) -> Result<bool> {
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

    /// The run of now was the last one.
    pub(crate) fn end(&mut self) {
        self.taken.push(self.current);
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
            self.divisions.clear();
            self.speeds.clone_from(&speeds);
            if let Some(head) = &mut self.head {
                head.change_speeds(&speeds)?;
            }
        }
        Ok(())
    }

    /// From now on so many nodes take part. Says whether the ranks have something else than before.
    fn change(&mut self, flow: &mut Flow, next: Action) -> Result<bool> {
        let is_new = !self.divisions.contains_key(&next);
        if is_new {
            let mine = match &self.head {
                Some(head) => head.division::<D>(next)?.write(),
                None => vec![0; D::words(self.tiles, flow.ranks())],
            };
            let words = words_of(flow, Rank(0), &mine)?;
            self.divisions.insert(next, D::read(&words, self.tiles, flow.ranks())?);
        }
        let has_changed = is_new || next != self.current;
        self.current = next;
        let division = self.division();
        division.enter(flow);
        *self.switch.0.write().unwrap_or_else(PoisonError::into_inner) = division.clone();
        Ok(has_changed)
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
        let how = match self.taken.len() {
            0 => "as it was learnt before".to_owned(),
            runs => format!(
                "{} of {}; deciding took {} each",
                counts.join(", "),
                count(runs, "run"),
                time(head.deciding.as_secs_f64() / head.decisions.max(1) as f64),
            ),
        };
        let (nodes, strategy) = (short(self.current), strategy.name);
        let objective = objective.name();
        console.field(
            "nodes",
            format_args!("{nodes} of {all} in the end ({strategy}, least {objective}): {how}"),
        );
    }

    /// Adds them to a result.
    pub(crate) fn describe_json(&self, into: &mut Value) {
        let taken = |of: fn(&Action) -> usize| self.taken.iter().map(of).collect::<Vec<_>>().into();
        into["nodes"] = taken(|action| action.second);
        into[D::FIRST] = taken(|action| action.first);
        let deciding = self.head.as_ref().map(|head| head.deciding.as_secs_f64());
        into["decision_seconds"] = deciding.into();
    }
}

impl Nodes<TwoMaps> {
    /// Owners in the first phase, for the number of nodes of now.
    pub(crate) fn earlier_owners(&self) -> Arc<dyn Owners> {
        self.switch.clone()
    }
}

/// Reads what [`Nodes::write`] has written; nothing if it has not.
pub(crate) fn read_learnt(input: &mut dyn Read) -> Vec<u64> {
    let count = read_word(input).unwrap_or(0);
    (0..count).map_while(|_| read_word(input).ok()).collect()
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

/// What can be changed while a program that asks for it runs on.
struct Switch<D>(RwLock<D>);

impl Owners for Switch<TwoMaps> {
    fn owner(&self, spot: Spot, ranks: usize) -> Rank {
        let TwoMaps([first, _]) = &*self.0.read().unwrap_or_else(PoisonError::into_inner);
        Owners::owner(&**first, spot, ranks)
    }
}
