//! What nodes spend beside tasks and transfers: flags, and what was measured.

use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Instant;

use anyhow::Result;
use clap::Args;
use serde_json::{Map, Value, json};
use tegula_files::text::read_whole;
use tegula_runtime::sim::{Costs, Deciding, DecisionTimes};

use crate::error::refused;
use crate::flags::{parse_rate, parse_seconds};
use crate::output::{Console, number, rate, seconds};

/// Bytes that the JSON of a simulation may have.
const MOST_BYTES: u64 = 64 << 20;
/// The key of what was measured there.
const KEY: &str = "deciding";

/// Flags of what takes no time otherwise.
#[derive(Args, Debug)]
#[command(next_help_heading = "Costs beside tasks")]
pub(crate) struct CostFlags {
    /// Decisions take what they take here, by the clock: never twice the same
    #[arg(long)]
    measure_deciding: bool,
    /// Decisions take what the JSON of such a simulation says
    #[arg(long, value_name = "FILE.json", conflicts_with = "measure_deciding")]
    deciding: Option<PathBuf>,
    /// Submitting a task takes so long, as 200ns or 1us
    #[arg(long, value_name = "TIME", value_parser = parse_seconds)]
    submission: Option<f64>,
    /// A node gives its tasks so many bytes of new memory per second
    #[arg(long, value_name = "RATE", value_parser = parse_rate)]
    allocation: Option<f64>,
}

/// Costs as they were asked for, and where what is measured is noted.
pub(crate) struct Asked {
    pub(crate) costs: Costs,
    measured: Option<Arc<Mutex<DecisionTimes>>>,
}

impl CostFlags {
    /// What they ask for.
    ///
    /// # Errors
    /// If the file is no JSON of a simulation that measured what decisions take.
    pub(crate) fn read(&self) -> Result<Asked> {
        let measured = self.measure_deciding.then(Arc::default);
        let deciding = match (&measured, &self.deciding) {
            (Some(times), _) => Deciding::Measured(now, Arc::clone(times)),
            (None, Some(path)) => Deciding::Known(Arc::new(read_times(path)?)),
            (None, None) => Deciding::Free,
        };
        let costs = Costs {
            submission_seconds: self.submission.unwrap_or(0.0),
            deciding,
            new_bytes_per_second: self.allocation,
        };
        Ok(Asked { costs, measured })
    }

    /// # Errors
    /// If any is given: a real run takes what it takes.
    pub(crate) fn refuse_for_real(&self) -> Result<()> {
        let words = self.describe();
        if words.is_empty() {
            return Ok(());
        }
        Err(refused(format!("{words}: costs are those of simulations; give --platform")))
    }

    /// The flags that were given, in words.
    fn describe(&self) -> String {
        let parts = [
            self.measure_deciding.then(|| "decisions as measured here".to_owned()),
            self.deciding.as_ref().map(|path| format!("decisions as in {}", path.display())),
            self.submission.map(|each| format!("{} to submit a task", seconds(each))),
            self.allocation.map(|most| format!("new memory at {}", rate(most))),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }

    /// Says what was asked for, and what was measured.
    pub(crate) fn tell(&self, asked: &Asked, console: &Console) {
        let words = self.describe();
        if !words.is_empty() {
            console.field("costs", words);
        }
        let Some(times) = asked.times() else { return };
        let tasks: u64 = times.rows().map(|(_, tasks, _)| tasks).sum();
        let each = times.seconds() / tasks.max(1) as f64;
        let rows = times.rows().map(|(ready, _, each)| format!("{} at {ready}", seconds(each)));
        console.field(
            KEY,
            format_args!(
                "{} in all, {} for a task; by ready tasks: {}",
                seconds(times.seconds()),
                seconds(each),
                rows.collect::<Vec<_>>().join(", ")
            ),
        );
    }

    /// Adds the same to a result.
    pub(crate) fn tell_json(&self, asked: &Asked, into: &mut Map<String, Value>) {
        into.insert("submission_seconds".to_owned(), json!(self.submission));
        into.insert("allocation_bytes_per_second".to_owned(), json!(self.allocation));
        let one = |(ready, tasks, each): (usize, u64, f64)| json!({ "ready": ready, "tasks": tasks, "seconds": each });
        let rows = asked.times().map(|times| times.rows().map(one).collect::<Vec<_>>());
        into.insert(KEY.to_owned(), json!(rows));
    }
}

impl Asked {
    /// What decisions took, or are said to take.
    fn times(&self) -> Option<DecisionTimes> {
        match (&self.measured, &self.costs.deciding) {
            (Some(times), _) => Some(times.lock().unwrap_or_else(PoisonError::into_inner).clone()),
            (None, Deciding::Known(times)) => Some((**times).clone()),
            (None, _) => None,
        }
    }
}

/// Nanoseconds since the first look.
fn now() -> u64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed().as_nanos() as u64
}

/// What decisions take by the JSON of a simulation.
fn read_times(path: &Path) -> Result<DecisionTimes> {
    let wrong = |why: &str| {
        refused(format!(
            "--deciding {}: {why}; tegula simulate ... --measure-deciding --json FILE.json writes one",
            path.display()
        ))
    };
    let text = read_whole(path, MOST_BYTES).map_err(|error| wrong(&error.to_string()))?;
    let value: Value =
        serde_json::from_str(&text).map_err(|error| wrong(&format!("no JSON ({error})")))?;
    let rows = value.get(KEY).and_then(Value::as_array).ok_or_else(|| {
        wrong(&format!("it has no '{KEY}', the times of decisions by ready tasks"))
    })?;
    let row = |(place, row): (usize, &Value)| {
        let ready = row.get("ready").and_then(Value::as_u64).filter(|ready| *ready < 1 << 32);
        let tasks = row.get("tasks").and_then(Value::as_u64).filter(|tasks| *tasks > 0);
        let each = row.get("seconds").and_then(Value::as_f64);
        let each = each.filter(|seconds| (0.0..1e6).contains(seconds));
        let all = ready.zip(tasks).zip(each);
        all.map(|((ready, tasks), each)| (ready as usize, tasks, each)).ok_or_else(|| {
            wrong(&format!(
                "row {} of '{KEY}' has no ready, tasks and seconds",
                number(place as f64 + 1.0, 9)
            ))
        })
    };
    let rows = rows.iter().enumerate().map(row).collect::<Result<Vec<_>>>()?;
    if rows.is_empty() {
        return Err(wrong(&format!("'{KEY}' has no rows")));
    }
    Ok(DecisionTimes::new(rows))
}
