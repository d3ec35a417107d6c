//! Tables of durations, as CSV.

use std::path::Path;

use anyhow::Result;
use tegula_files::{Table, WriteError};
use tegula_plan::adapt::{Action, Objective, Pool, PoolRow};

use crate::error::refused;
use crate::output::write_file;

/// The columns of joules, which pools of nodes have of which it is known what they draw: at least,
/// and simulated.
const JOULES: [&str; 2] = ["least_joules", "joules"];
/// Columns of a pool.
const COLUMNS: [&str; 6] =
    ["generation", "factorization", "group", "lp_first", "lp_second", "seconds"];

/// Writes `pool` to `path`.
pub(super) fn write(path: &Path, pool: &Pool) -> Result<()> {
    let space = pool.space(Objective::Time);
    write_file::<WriteError>(path, |out| {
        let last: &[&str] = if pool.has_joules() { &JOULES } else { &[] };
        let columns: Vec<&str> = COLUMNS.iter().chain(last).copied().collect();
        writeln!(out, "{}", columns.join(","))?;
        for PoolRow { action, bounds, seconds, joules, least_joules } in &pool.rows {
            let Action { first, second } = action;
            let group = space.group(*second) + 1;
            write!(out, "{first},{second},{group},{},{},{seconds}", bounds[0], bounds[1])?;
            match joules.filter(|_| pool.has_joules()) {
                Some(joules) => writeln!(out, ",{},{joules}", least_joules.unwrap_or(0.0))?,
                None => writeln!(out)?,
            }
        }
        Ok(())
    })
}

/// The pool in the table at `path`. Groups end where the column says.
///
/// # Errors
/// If it cannot be read, lacks a column, or has numbers that are none of a pool.
pub(super) fn read(path: &Path) -> Result<Pool> {
    let table = Table::read(path)?;
    let mut columns = Vec::new();
    for name in COLUMNS {
        columns.push(table.numbers(table.find(name)?)?);
    }
    let known = |name| table.find_any(&[name]).map(|column| table.numbers(column)).transpose();
    let [least_joules, joules] = [known(JOULES[0])?, known(JOULES[1])?];
    let wrong = |row: usize, reason: &str| {
        refused(format!("{}, line {}: {reason}", path.display(), table.line(row)))
    };
    let mut rows: Vec<PoolRow> = Vec::new();
    let mut groups: Vec<(usize, usize)> = Vec::new();
    for row in 0..table.rows() {
        let cells: Vec<f64> = columns.iter().map(|column| column[row]).collect();
        let [first, second, group] = [0, 1, 2].map(|column| whole(cells[column]));
        let (Some(first), Some(second), Some(group)) = (first, second, group) else {
            return Err(wrong(row, "counts and groups are whole numbers from 1 to 65535"));
        };
        let [lp_first, lp_second, seconds] = [3, 4, 5].map(|column| cells[column]);
        let are_times = lp_first >= 0.0 && lp_second >= 0.0 && seconds > 0.0;
        if !are_times {
            return Err(wrong(row, "times are numbers of seconds, the last one above 0"));
        }
        let of_row = |column: Option<&[f64]>| column.map(|column| column[row]);
        let [least_joules, joules] = [of_row(least_joules), of_row(joules)];
        let is_wrong = |joules: &f64| joules.is_nan() || *joules < 0.0;
        if [least_joules, joules].iter().flatten().any(is_wrong) {
            return Err(wrong(row, "joules are numbers from 0 on"));
        }
        let action = Action { first, second };
        if rows.iter().any(|other| other.action == action) {
            return Err(wrong(row, "these counts stand there twice"));
        }
        groups.push((second, group));
        let bounds = [lp_first, lp_second];
        rows.push(PoolRow { action, bounds, seconds, joules, least_joules });
    }
    groups.sort_unstable();
    if !groups.is_sorted_by_key(|(_, group)| group) {
        let reason = "groups follow each other: more nodes are never of an earlier group";
        return Err(refused(format!("{}: {reason}", path.display())));
    }
    let last = |index: &usize| groups.get(index + 1).is_none_or(|next| next.1 != groups[*index].1);
    let ends: Vec<usize> = (0..groups.len()).filter(last).map(|index| groups[index].0).collect();
    let all = ends.last().copied().unwrap_or(0);
    if !rows.iter().any(|row| row.action == Action { first: all, second: all }) {
        return Err(refused(format!(
            "{}: no row has all {all} nodes in both phases",
            path.display()
        )));
    }
    if let Some(row) = rows.iter().position(|row| row.action.first > all) {
        return Err(wrong(row, "the generation has more nodes than there are"));
    }
    Ok(Pool { ends, rows })
}

/// A count of nodes.
fn whole(number: f64) -> Option<usize> {
    let is_count = number.fract() == 0.0 && (1.0..=65535.0).contains(&number);
    is_count.then_some(number as usize)
}
