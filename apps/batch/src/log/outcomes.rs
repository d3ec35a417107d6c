//! What became of jobs, as a table: `id, node, start, end, transfer, wait`.

use std::collections::HashMap;

use super::LogError;
use super::cells::{MOST, Rows, WIDEST};
use crate::engine::Outcome;

/// Reads outcomes by the id of their job.
///
/// # Errors
/// With the line.
pub fn read_outcomes(text: &str) -> Result<HashMap<u64, Outcome>, LogError> {
    let mut rows = Rows::new(text, b',')?;
    rows.require(&["id", "node", "start", "end", "transfer", "wait"])?;
    let mut outcomes = HashMap::new();
    while let Some(row) = rows.next()? {
        let outcome = Outcome {
            node: row.within("node", (0, WIDEST))? as u32,
            start: row.whole("start")?,
            end: row.whole("end")?,
            transfer: row.within("transfer", (0, MOST))?,
            wait: row.within("wait", (0, MOST))?,
        };
        outcomes.insert(row.within("id", (0, MOST))? as u64, outcome);
    }
    Ok(outcomes)
}
