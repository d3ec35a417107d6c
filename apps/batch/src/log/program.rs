//! Logs of the published program: `{ id: 1 subtime: 0 delay: 60 walltime: 3600 ... }`, a job a
//! line.

use std::collections::HashMap;

use super::cells::{LONGEST, MOST, Names, WIDEST};
use super::{LogError, Read};
use crate::job::{Job, Kind, Workload};

/// Whether `text` looks like it.
pub(super) fn is_it(text: &str) -> bool {
    let first = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("");
    first.starts_with('{') && first.contains("subtime:")
}

/// Reads it.
pub(super) fn read(text: &str) -> Result<Read, LogError> {
    let (mut users, mut files) = (Names::default(), Names::default());
    let mut jobs = Vec::new();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let job = job(line, &mut users, &mut files);
        jobs.push(job.map_err(|what| LogError { line: index as u64 + 1, what })?);
    }
    jobs.sort_by_key(|job: &Job| job.submit);
    let workload = Workload { jobs, users: users.names, files: files.names, begin: None };
    Ok(Read { workload, notes: Vec::new() })
}

fn job(line: &str, users: &mut Names, files: &mut Names) -> Result<Job, String> {
    let words: Vec<&str> = line.trim().trim_matches(['{', '}']).split_whitespace().collect();
    let fields: HashMap<&str, &str> =
        words.chunks(2).map(|pair| (pair[0], pair.get(1).copied().unwrap_or(""))).collect();
    let text = |name: &str| fields.get(name).copied().ok_or_else(|| format!("no '{name}'"));
    let whole = |name: &str, least: i64, most: i64| -> Result<i64, String> {
        let text = text(name)?;
        let number = text.parse::<i64>().ok().filter(|number| (least..=most).contains(number));
        number.ok_or_else(|| format!("'{name} {text}' is no number from {least} to {most}"))
    };
    let kind = Kind::of_number(whole("workload:", -2, 2)?).ok_or("no such kind of job")?;
    let size = text("data_size:")?;
    let file_gb = size.parse::<f64>().ok().filter(|size| (0.0..1e12).contains(size));
    let ran = if kind == Kind::Running {
        let node = whole("start_node_from_history:", 1, WIDEST)? as u32 - 1;
        Some((node, whole("start_time_from_history:", -MOST, MOST)?))
    } else {
        None
    };
    let file = Some(text("data:")?).filter(|name| *name != "0");
    Ok(Job {
        id: whole("id:", 0, MOST)? as u64,
        submit: whole("subtime:", -MOST, MOST)?,
        walltime: whole("walltime:", 1, LONGEST)?,
        duration: whole("delay:", 1, LONGEST)?,
        cores: whole("cores:", 1, WIDEST)? as u32,
        user: users.number(text("user:")?),
        file: file.map(|name| files.number(name)),
        file_gb: file_gb.ok_or_else(|| format!("'data_size: {size}' is no number from 0 on"))?,
        output_gb: 0.0,
        nodes: 1,
        kind,
        ran,
    })
}
