//! Weights of items, from a file.

use std::collections::HashMap;
use std::io::Read;
use std::path::Path;

use anyhow::Result;
use tegula_files::text::{Text, TextFault, longest_line, read_line, shortened};

use crate::error::refused;
use crate::output::count;

/// What stands between a name and its weight.
const SEPARATORS: [char; 3] = [',', '\t', ';'];
/// Bytes of a file that are looked at.
const LOOKED_AT: u64 = 1 << 16;

/// Reads a file with lines `id,weight` (the first may be a header), and returns the weights of the
/// items `ids` in their order.
///
/// # Errors
/// If the file cannot be read, a line is wrong, an item has no weight or two, or a weight is not
/// positive.
pub(super) fn read(path: &Path, ids: &[String]) -> Result<Vec<f64>> {
    named("--weights", path, ids)
}

/// The same for `flag`; or lines `weight`, in the order of the items.
///
/// # Errors
/// As [`read`].
pub(super) fn read_column(flag: &str, path: &Path, ids: &[String]) -> Result<Vec<f64>> {
    let mut are_named = false;
    each_line((flag, path), |_, line| {
        are_named = line.contains(SEPARATORS);
        Ok(!are_named)
    })?;
    if are_named {
        return named(flag, path, ids);
    }
    let (mut weights, mut found) = (Vec::with_capacity(ids.len()), 0);
    each_line((flag, path), |number, line| {
        let weight = weight(line, number).map_err(|what| wrong(flag, path, (number, &what)))?;
        found += usize::from(weight.is_some());
        weights.extend(weight.filter(|_| found <= ids.len()));
        Ok(true)
    })?;
    if found != ids.len() {
        return Err(refused(format!(
            "{flag} {}: {} for {}: give a line for each, or lines \"id,weight\"",
            path.display(),
            count(found, "weight"),
            count(ids.len(), "item")
        )));
    }
    Ok(weights)
}

/// Whether the file at `path` looks like weights of the items `ids`, and not like a matrix: a text
/// with one or two cells to a line, the last of which is a number.
pub(super) fn are_in(path: &Path, ids: &[String]) -> bool {
    let mut bytes = Vec::new();
    let read = Text::open(path).and_then(|mut text| {
        text.skip_mark()?;
        text.take(LOOKED_AT).read_to_end(&mut bytes)
    });
    let is_cut = bytes.len() as u64 == LOOKED_AT;
    let last = bytes.iter().rposition(|&byte| is_cut && byte == b'\n');
    let end = last.unwrap_or(bytes.len());
    let Ok(text) = std::str::from_utf8(&bytes[..end]) else { return false };
    if read.is_err() || text.trim().is_empty() {
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
    let mut weights: HashMap<&str, Option<f64>> = ids.iter().map(|id| (&**id, None)).collect();
    each_line((flag, path), |number, line| {
        let wrong = |what: &str| wrong(flag, path, (number, what));
        let (id, value) = line
            .rsplit_once(SEPARATORS)
            .ok_or_else(|| wrong("a name, a comma and a weight are wanted"))?;
        let id = id.trim().trim_matches('"');
        let weight = weight(value, number).map_err(|what| wrong(&what))?;
        // What is of no item needs no memory.
        if let (Some(weight), Some(of_item)) = (weight, weights.get_mut(id))
            && of_item.replace(weight).is_some()
        {
            return Err(wrong(&format!("{} has a weight already", shortened(id))));
        }
        Ok(true)
    })?;
    let of = |id: &String| {
        weights[&**id].ok_or_else(|| {
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
        return if number == 1 {
            Ok(None)
        } else {
            Err(format!("'{}' is no number", shortened(value)))
        };
    };
    if weight > 0.0 && weight.is_finite() {
        Ok(Some(weight))
    } else {
        Err(format!("{weight} is no weight: it must be above 0"))
    }
}

/// Gives `each` the lines of the file that are not blank, with their numbers from 1, until it wants
/// no more.
fn each_line(
    (flag, path): (&str, &Path),
    mut each: impl FnMut(usize, &str) -> Result<bool>,
) -> Result<()> {
    let failed = |error| refused(format!("{flag}: cannot read {}: {error}", path.display()));
    let mut text = Text::open(path).map_err(failed)?;
    text.skip_mark().map_err(failed)?;
    let mut bytes = Vec::new();
    for number in 1.. {
        bytes.clear();
        let place = (number as u64, longest_line(0));
        if read_line(&mut text, &mut bytes, place).map_err(failed)? == 0 {
            break;
        }
        let line = std::str::from_utf8(&bytes)
            .map_err(|_| failed(TextFault::NotUtf8 { line: place.0 }.into()))?;
        let line = line.trim_end_matches(['\r', '\n']);
        if !line.trim().is_empty() && !each(number, line)? {
            break;
        }
    }
    Ok(())
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
