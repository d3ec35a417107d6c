//! The Standard Workload Format of the Parallel Workloads Archive: 18 numbers a line.
//!
//! S. Chapin et al., "Benchmarks and standards for the evaluation of parallel job schedulers",
//! 1999. -1 stands for what is not known.

use super::cells::{LONGEST, MOST, Names, WIDEST};
use super::{LogError, Read, Skipped};
use crate::job::{Job, Kind, Workload};

/// Whether `text` looks like it: comments that begin with a semicolon, or lines of 18 numbers.
pub(super) fn is_it(text: &str) -> bool {
    let first = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("");
    first.starts_with(';')
        || first.split_whitespace().count() == 18
            && first.split_whitespace().all(|word| word.parse::<f64>().is_ok())
}

/// Reads it. No file is named in this format.
pub(super) fn read(text: &str) -> Result<Read, LogError> {
    let mut users = Names::default();
    let mut jobs = Vec::new();
    let mut skipped = Skipped::default();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim_start_matches('\u{feff}').trim();
        if line.is_empty() || line.starts_with(';') {
            continue;
        }
        let at = index as u64 + 1;
        let fields = fields(line).map_err(|what| LogError { line: at, what })?;
        let [id, submit, _, run, allocated, _, _, requested, limit, .., user] = fields;
        let cores = if allocated > 0 { allocated } else { requested };
        if run <= 0 || cores <= 0 {
            skipped.never_ran += 1;
            continue;
        }
        if cores > WIDEST || run > LONGEST || submit.abs() > MOST || id < 0 {
            let what = "a number is beyond what a job can have".to_owned();
            return Err(LogError { line: at, what });
        }
        jobs.push(Job {
            id: id as u64,
            submit,
            walltime: if limit > 0 { limit.clamp(run, LONGEST) } else { run },
            duration: run,
            cores: cores as u32,
            user: users.number(&user.to_string()),
            file: None,
            file_gb: 0.0,
            output_gb: 0.0,
            nodes: 1,
            kind: Kind::Evaluated,
            ran: None,
        });
    }
    jobs.sort_by_key(|job: &Job| job.submit);
    let workload = Workload { jobs, users: users.names, files: Vec::new(), begin: None };
    Ok(Read { workload, notes: skipped.notes() })
}

/// The first nine numbers of a line, and its user.
fn fields(line: &str) -> Result<[i64; 10], String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    if words.len() < 12 {
        return Err(format!("{} numbers, where the format has 18", words.len()));
    }
    let mut found = [0; 10];
    for (place, index) in [0, 1, 2, 3, 4, 5, 6, 7, 8, 11].into_iter().enumerate() {
        let word = words[index];
        let number = word.parse::<f64>().ok().filter(|number| number.is_finite());
        found[place] = number.ok_or_else(|| format!("'{word}' is no number"))? as i64;
    }
    Ok(found)
}
