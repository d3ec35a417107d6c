//! `tegula adapt replay`: strategies on the durations of pools.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::Result;
use clap::Args;
use serde_json::{Value, json};
use tegula_files::WriteError;
use tegula_plan::adapt::{
    Objective, Outcome, Pool, PoolRow, Replay as Runs, STRATEGIES, Space, StrategyEntry,
};

use super::{pool_file, report};
use crate::error::refused;
use crate::flags::{OutputFlags, member};
use crate::output::{
    Align, Console, Form, Progress, Table, check_form, energy, number, percent, seconds, write_file,
};

/// Flags of `replay`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  tegula adapt replay pool.csv
  tegula adapt replay pool.csv --objective energy
  tegula adapt replay pools/*.csv --strategy gp-discontinuous,gp-ucb --repeat 100 -o report.html")]
pub(crate) struct Replay {
    /// Tables that pool wrote
    #[arg(value_name = "POOL.csv", required = true)]
    pools: Vec<PathBuf>,
    /// Strategies [default: all of them]
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = member(strategies()))]
    strategy: Vec<usize>,
    /// What choices are to make least
    #[arg(long, value_name = "NAME", default_value = "time", value_parser = member(objectives()))]
    objective: usize,
    /// Choices of a run
    #[arg(long, value_name = "N", default_value_t = 127, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    iterations: u32,
    /// Runs of each strategy
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    repeat: u32,
    /// Durations that are drawn of each count of nodes
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    samples: u32,
    /// Standard deviation of a duration, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 0.5, value_parser = parse_deviation)]
    noise: f64,
    /// Seed of what is drawn
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Write a report as a page of HTML
    #[arg(long, short, value_name = "FILE.html", help_heading = "Output")]
    output_file: Option<PathBuf>,
    #[command(flatten)]
    output: OutputFlags,
}

fn strategies() -> Vec<(&'static str, &'static str)> {
    STRATEGIES.iter().map(|entry| (entry.name, entry.summary)).collect()
}

/// What there is to make least.
fn objectives() -> Vec<(&'static str, &'static str)> {
    Objective::ALL.iter().map(|objective| (objective.name(), objective.summary())).collect()
}

fn parse_deviation(text: &str) -> Result<f64, String> {
    let number = text.trim_end_matches('s').parse::<f64>().ok();
    let number = number.filter(|number| number.is_finite() && *number >= 0.0);
    number.ok_or_else(|| format!("'{text}' is not a number of seconds from 0 on"))
}

/// A strategy on a pool.
pub(super) struct Trial {
    pub(super) strategy: &'static StrategyEntry,
    pub(super) outcomes: Vec<Outcome>,
    /// The longest time to choose, and the mean one, in seconds.
    pub(super) deciding: (f64, f64),
}

/// What a run takes in the mean.
#[derive(Clone, Copy)]
pub(super) struct Mean {
    pub(super) cost: f64,
    seconds: f64,
    joules: Option<f64>,
}

impl Mean {
    fn of(outcomes: &[Outcome]) -> Self {
        let runs = outcomes.len() as f64;
        let mean = |of: fn(&Outcome) -> f64| outcomes.iter().map(of).sum::<f64>() / runs;
        let joules: Option<f64> = outcomes.iter().map(|outcome| outcome.joules).sum();
        Self {
            cost: mean(|outcome| outcome.cost),
            seconds: mean(|outcome| outcome.seconds),
            joules: joules.map(|joules| joules / runs),
        }
    }

    /// Its time, and its energy if that is known.
    fn describe(&self) -> String {
        let joules = self.joules.map(|joules| energy(joules, self.seconds));
        let joules = joules.map_or_else(String::new, |energy| format!(", {energy}"));
        seconds(self.seconds) + &joules
    }
}

/// A pool with what was tried on it.
pub(super) struct Tried {
    pub(super) name: String,
    pub(super) objective: Objective,
    pub(super) pool: Pool,
    pub(super) space: Space,
    /// What runs take with all nodes, and with the best count.
    pub(super) all: Mean,
    pub(super) best: Mean,
    pub(super) trials: Vec<Trial>,
}

impl Tried {
    /// The count that costs least.
    fn best_row(&self) -> usize {
        self.pool.best(self.objective)
    }
}

impl Trial {
    /// What a run takes.
    pub(super) fn mean(&self) -> Mean {
        Mean::of(&self.outcomes)
    }

    /// After how many choices `row` was first tried, in the median over runs; none if half of the
    /// runs never did.
    pub(super) fn found_after(&self, row: usize) -> Option<usize> {
        let first = |outcome: &Outcome| {
            let place = outcome.history.taken().iter().position(|&(action, _)| action == row);
            place.map_or(usize::MAX, |place| place + 1)
        };
        let mut firsts: Vec<usize> = self.outcomes.iter().map(first).collect();
        firsts.sort_unstable();
        Some(firsts[firsts.len() / 2]).filter(|&first| first < usize::MAX)
    }

    /// How often each row was taken, in the mean over runs.
    pub(super) fn taken(&self, rows: usize) -> Vec<f64> {
        let mut taken = vec![0.0; rows];
        for &(row, _) in self.outcomes.iter().flat_map(|outcome| outcome.history.taken()) {
            taken[row] += 1.0 / self.outcomes.len() as f64;
        }
        taken
    }
}

impl Replay {
    pub(crate) fn run(&self) -> Result<()> {
        let console = self.output.console(self.output_file.as_deref())?;
        if let Some(path) = &self.output_file {
            check_form("-o", path, Form::Page)?;
        }
        let (objective, mut pools) = (self.objective(), Vec::new());
        for path in &self.pools {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let pool = pool_file::read(path)?;
            if !pool.rows.iter().all(|row| row.cost(objective) > 0.0) {
                return Err(refused(format!(
                    "{}: --objective {} needs the column joules, above 0, which `tegula adapt pool` \
                     writes where the platform says what its nodes draw (power)",
                    path.display(),
                    objective.name()
                )));
            }
            pools.push((name, pool));
        }
        let chosen = self.chosen();
        let mut progress = Progress::new(&console);
        let (mut done, all) = (0, pools.len() * chosen.len());
        let mut tried = Vec::new();
        for (name, pool) in pools {
            let space = pool.space(objective);
            let mut trials = Vec::new();
            for &strategy in &chosen {
                trials.push(self.trial(&pool, &space, strategy));
                done += 1;
                progress.share(done, all, "strategies");
            }
            let mean = |row: usize| {
                let fixed = |run| self.runs().run((&pool, &space), run, |_, _| row);
                Mean::of(&(0..self.repeat as usize).map(fixed).collect::<Vec<Outcome>>())
            };
            let (all, best) = (mean(space.all()), mean(pool.best(objective)));
            tried.push(Tried { name, objective, pool, space, all, best, trials });
        }
        progress.clear();
        tried.iter().for_each(|tried| describe(tried, self.iterations, &console));
        if let Some(path) = &self.output_file {
            let text = report::page(&tried);
            write_file::<WriteError>(path, |out| Ok(out.write_all(text.as_bytes())?))?;
            console.line(format_args!("\nwritten to {}", path.display()));
        }
        let pools: Vec<Value> = tried.iter().map(tried_json).collect();
        self.output.write(&json!({
            "objective": objective.name(),
            "iterations": self.iterations,
            "repetitions": self.repeat,
            "noise_seconds": self.noise,
            "pools": pools,
        }))?;
        console.finish()
    }

    /// The strategies to try, each once.
    fn chosen(&self) -> Vec<&'static StrategyEntry> {
        let is_chosen = |index: &usize| self.strategy.is_empty() || self.strategy.contains(index);
        (0..STRATEGIES.len()).filter(is_chosen).map(|index| &STRATEGIES[index]).collect()
    }

    fn objective(&self) -> Objective {
        Objective::ALL[self.objective]
    }

    fn runs(&self) -> Runs {
        Runs {
            objective: self.objective(),
            iterations: self.iterations as usize,
            samples: self.samples as usize,
            deviation: self.noise,
            seed: self.seed,
        }
    }

    fn trial(&self, pool: &Pool, space: &Space, strategy: &'static StrategyEntry) -> Trial {
        let (mut longest, mut sum) = (0.0_f64, 0.0);
        let run = |run| {
            self.runs().run((pool, space), run, |space, history| {
                let start = Instant::now();
                let next = strategy.next(space, history);
                let seconds = start.elapsed().as_secs_f64();
                longest = longest.max(seconds);
                sum += seconds;
                next
            })
        };
        let outcomes: Vec<Outcome> = (0..self.repeat as usize).map(run).collect();
        let choices = f64::from(self.repeat) * f64::from(self.iterations);
        Trial { strategy, outcomes, deciding: (longest, sum / choices) }
    }
}

fn describe(tried: &Tried, iterations: u32, console: &Console) {
    let Tried { name, objective, pool, space, all, best, trials } = tried;
    let row = pool.rows[tried.best_row()];
    console.line(format_args!("\n{name}"));
    console.field("all nodes", format_args!("{} nodes, {}", space.nodes(), all.describe()));
    console.field(
        "best",
        format_args!(
            "{} of the factorisation, {} of the generation: {} for {iterations} runs",
            row.action.second,
            row.action.first,
            best.describe()
        ),
    );
    let mut table = Table::new(&[
        ("strategy", Align::Left),
        (objective.summary(), Align::Right),
        ("less than all", Align::Right),
        ("more than best", Align::Right),
        ("best tried at", Align::Right),
        ("deciding", Align::Right),
        ("at most", Align::Right),
    ]);
    for trial in trials {
        let total = trial.mean().cost;
        table.row(vec![
            trial.strategy.name.to_owned(),
            number(total, 5),
            percent(1.0 - total / all.cost),
            percent(total / best.cost - 1.0),
            trial.found_after(tried.best_row()).map_or("never".to_owned(), |n| n.to_string()),
            seconds(trial.deciding.1),
            seconds(trial.deciding.0),
        ]);
    }
    console.line(table);
}

fn tried_json(tried: &Tried) -> Value {
    let Tried { name, pool, space, all, best, trials, .. } = tried;
    let [best_row, all_row]: [PoolRow; 2] =
        [tried.best_row(), space.all()].map(|row| pool.rows[row]);
    let mut line = space.line().iter();
    let bound = line.find(|&&row| space.bound(row) < all_row.cost(tried.objective));
    let trial_json = |trial: &Trial| {
        let Mean { cost, seconds, joules } = trial.mean();
        json!({
            "name": trial.strategy.name,
            "seconds": seconds,
            "joules": joules,
            "gain_over_all": all.cost / cost - 1.0,
            "less_than_all": 1.0 - cost / all.cost,
            "loss_to_best": cost / best.cost - 1.0,
            "best_found_at": trial.found_after(tried.best_row()),
            "actions": trial.taken(pool.rows.len()),
            "decision_seconds": trial.deciding.1,
            "longest_decision_seconds": trial.deciding.0,
        })
    };
    json!({
        "name": name,
        "groups": pool.ends,
        "all_nodes_seconds": all.seconds,
        "all_nodes_joules": all.joules,
        "best_seconds": best.seconds,
        "best_joules": best.joules,
        "best": {
            "generation": best_row.action.first,
            "factorization": best_row.action.second,
            "seconds": best_row.seconds,
            "joules": best_row.joules,
        },
        "bound_nodes": bound.map(|&row| pool.rows[row].action.second),
        "strategies": trials.iter().map(trial_json).collect::<Vec<_>>(),
    })
}
