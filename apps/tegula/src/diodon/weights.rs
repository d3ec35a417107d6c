//! Weights of items, from a file.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::Result;

use crate::error::refused;
use crate::output::count;

/// What stands between a name and its weight.
const SEPARATORS: [char; 3] = [',', '\t', ';'];
/// Bytes of a file that are looked at.
const LOOKED_AT: u64 = 1 << 16;

/// Reads a file with lines `id,weight` (the first may be a header), and returns the weights of the items `ids` in their
/// order.
///
/// # Errors
/// If the file cannot be read, a line is wrong, an item has no weight or two, or a weight is not positive.
pub(super) fn read(path: &Path, ids: &[String]) -> Result<Vec<f64>> {
    named("--weights", path, ids)
}

/// The same for `flag`; or lines `weight`, in the order of the items.
///
/// # Errors
/// As [`read`].
pub(super) fn read_column(flag: &str, path: &Path, ids: &[String]) -> Result<Vec<f64>> {
    let text = text(flag, path)?;
    if text.lines().any(|line| line.contains(SEPARATORS)) {
        return named(flag, path, ids);
    }
    let mut weights = Vec::with_capacity(ids.len());
    for (number, line) in lines(&text) {
        weights.extend(weight(line, number).map_err(|what| wrong(flag, path, (number, &what)))?);
    }
    if weights.len() != ids.len() {
        return Err(refused(format!(
            "{flag} {}: {} for {}: give a line for each, or lines \"id,weight\"",
            path.display(),
            count(weights.len(), "weight"),
            count(ids.len(), "item")
        )));
    }
    Ok(weights)
}

/// Whether the file at `path` looks like weights of the items `ids`, and not like a matrix: a text with one or two
/// cells to a line, the last of which is a number.
pub(super) fn are_in(path: &Path, ids: &[String]) -> bool {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(LOOKED_AT).read_to_end(&mut bytes));
    let is_cut = bytes.len() as u64 == LOOKED_AT;
    let last = bytes.iter().rposition(|&byte| is_cut && byte == b'\n');
    let end = last.unwrap_or(bytes.len());
    let Ok(text) = std::str::from_utf8(&bytes[..end]) else { return false };
    if read.is_err() || text.contains('\0') || text.trim().is_empty() {
        return false;
    }
    let cells = |line: &str| line.trim_end_matches('\r').split(SEPARATORS).count();
    let is_number = |line: &str| {
        let last = line.trim_end_matches('\r').rsplit(SEPARATORS).next();
        last.is_some_and(|cell| cell.trim().parse::<f64>().is_ok())
    };
    let all: Vec<&str> = lines(text).map(|(_, line)| line).collect();
    let rest = if all.len() > 1 { &all[1..] } else { &all[..] };
    let looks = all.iter().all(|line| cells(line) <= 2) && rest.iter().all(|line| is_number(line));
    // Two by two numbers are a matrix unless they begin with the names of the items.
    let is_named =
        |line: &&str| ids.iter().any(|id| line.split(SEPARATORS).next() == Some(id.as_str()));
    let is_square = ids.len() == 2 && all.len() == 2 && all.iter().all(|line| cells(line) == 2);
    looks && (!is_square || all.iter().all(is_named))
}

/// Weights by name.
fn named(flag: &str, path: &Path, ids: &[String]) -> Result<Vec<f64>> {
    let text = text(flag, path)?;
    let wrong = |number: usize, what: &str| wrong(flag, path, (number, what));
    let mut weights = BTreeMap::new();
    for (number, line) in lines(&text) {
        let (id, value) = line
            .rsplit_once(SEPARATORS)
            .ok_or_else(|| wrong(number, "a name, a comma and a weight are wanted"))?;
        let id = id.trim().trim_matches('"');
        let Some(weight) = weight(value, number).map_err(|what| wrong(number, &what))? else {
            continue;
        };
        if weights.insert(id.to_owned(), weight).is_some() {
            return Err(wrong(number, &format!("{id} has a weight already")));
        }
    }
    let of = |id: &String| {
        weights.get(id).copied().ok_or_else(|| {
            refused(format!(
                "{flag} {}: no weight for {id}: every item needs a line \"id,weight\"",
                path.display()
            ))
        })
    };
    ids.iter().map(of).collect()
}

/// The weight that `value` spells, if it is one, in line `number`; nothing of a header.
fn weight(value: &str, number: usize) -> Result<Option<f64>, String> {
    let Ok(weight) = value.trim().parse::<f64>() else {
        return if number == 1 { Ok(None) } else { Err(format!("'{value}' is no number")) };
    };
    if weight > 0.0 && weight.is_finite() {
        Ok(Some(weight))
    } else {
        Err(format!("{weight} is no weight: it must be above 0"))
    }
}

/// The whole file.
fn text(flag: &str, path: &Path) -> Result<String> {
    std::fs::read_to_string(path)
        .map_err(|error| refused(format!("{flag}: cannot read {}: {error}", path.display())))
}

/// Lines that are not blank, with their numbers from 1.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.lines().map(|line| line.trim_end_matches('\r'));
    (1..).zip(lines).filter(|(_, line)| !line.trim().is_empty())
}

/// What is wrong with a line.
fn wrong(flag: &str, path: &Path, (number, what): (usize, &str)) -> anyhow::Error {
    refused(format!("{flag} {}: line {number}: {what}", path.display()))
}
