//! `--order`: which worker runs which tasks, as a table of a recorded run says.

use std::path::Path;

use anyhow::Result;
use tegula_files::text::read_whole;

use crate::error::refused;

/// Bytes that a table may have.
const MOST_BYTES: u64 = 1 << 30;

/// A task as a line of the table has it.
struct Row {
    start: f64,
    worker: usize,
    task: u64,
}

/// By worker, the tasks of the table at `path`, of a program of `tasks` tasks on `workers` workers:
/// those of a worker by their starts, if the table says them, else as they stand there.
///
/// # Errors
/// If there is no such table, a line is not of this program and machine, or a task is there twice.
pub(super) fn read(path: &Path, workers: usize, tasks: u64) -> Result<&'static [Vec<u64>]> {
    let wrong = |what: String| refused(format!("--order {}: {what}", path.display()));
    let text = read_whole(path, MOST_BYTES).map_err(|error| wrong(error.to_string()))?;
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.as_bytes());
    let header = reader.headers().map_err(|error| wrong(error.to_string()))?.clone();
    let find = |name: &str| header.iter().position(|column| column == name);
    let column = |name: &str| {
        find(name).ok_or_else(|| {
            wrong(format!(
                "it has no column '{name}': give the table of a run, as \"--trace FILE.csv\" writes"
            ))
        })
    };
    let (task_at, worker_at, start_at) =
        (column("task")?, column("worker")?, find("start_seconds"));
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| wrong(error.to_string()))?;
        let line = record.position().map_or(0, csv::Position::line);
        let cell = |at: usize| record.get(at).unwrap_or_default();
        let bad = |name: &str, at: usize| wrong(format!("line {line}: {name} '{}'", cell(at)));
        let task: u64 = cell(task_at).parse().map_err(|_| bad("task", task_at))?;
        let worker: usize = cell(worker_at).parse().map_err(|_| bad("worker", worker_at))?;
        let start: f64 = match start_at {
            Some(at) => cell(at).parse().map_err(|_| bad("start_seconds", at))?,
            None => 0.0,
        };
        if worker >= workers {
            return Err(wrong(format!("line {line}: worker {worker}: the machine has {workers}")));
        }
        if task >= tasks {
            return Err(wrong(format!(
                "line {line}: task {task}: the program has {tasks} (a real run counts those that \
                 make its data, too)"
            )));
        }
        rows.push(Row { start, worker, task });
    }
    rows.sort_by(|a, b| a.start.total_cmp(&b.start));
    let mut order = vec![Vec::new(); workers];
    let mut is_there = vec![false; tasks as usize];
    for Row { worker, task, .. } in rows {
        if std::mem::replace(&mut is_there[task as usize], true) {
            return Err(wrong(format!("task {task} is there twice")));
        }
        order[worker].push(task);
    }
    // A process simulates once.
    Ok(order.leak())
}
