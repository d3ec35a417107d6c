//! Tables that simulations write, read again: jobs as they ran, usage over time.

use super::LogError;
use super::cells::{MOST, Rows, WIDEST};
use crate::engine::Outcome;
use crate::metrics::{Measured, Usage};

/// Reads the jobs of a run: `id, node, submit, start, end, cores, transfer, wait, stretch,
/// session`.
///
/// # Errors
/// With the line.
pub fn read_measured(text: &str) -> Result<Vec<Measured>, LogError> {
    let mut rows = Rows::new(text, b',')?;
    rows.require(&[
        "id", "node", "submit", "start", "end", "cores", "transfer", "wait", "stretch", "session",
    ])?;
    let mut jobs = Vec::new();
    while let Some(row) = rows.next()? {
        let stretch = row.amount("stretch", 0.0)?;
        jobs.push(Measured {
            id: row.within("id", (0, MOST))? as u64,
            submit: row.whole("submit")?,
            cores: row.within("cores", (1, WIDEST))? as u32,
            outcome: Outcome {
                node: row.within("node", (0, WIDEST))? as u32,
                start: row.whole("start")?,
                end: row.whole("end")?,
                transfer: row.within("transfer", (0, MOST))?,
                wait: row.within("wait", (0, MOST))?,
            },
            stretch,
            bounded_stretch: stretch,
            session: row.within("session", (0, WIDEST))? as u32,
        });
    }
    Ok(jobs)
}

/// Reads the usage of a cluster: `time, running, queued, loading`.
///
/// # Errors
/// With the line.
pub fn read_usage(text: &str) -> Result<Vec<Usage>, LogError> {
    let mut rows = Rows::new(text, b',')?;
    rows.require(&["time", "running", "queued", "loading"])?;
    let mut usage = Vec::new();
    while let Some(row) = rows.next()? {
        usage.push(Usage {
            time: row.whole("time")?,
            running: row.whole("running")?,
            queued: row.whole("queued")?,
            loading: row.whole("loading")?,
        });
    }
    Ok(usage)
}
