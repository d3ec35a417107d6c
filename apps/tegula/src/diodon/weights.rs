//! Weights of items, from a file.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;

use crate::error::refused;

/// Reads a file with lines `id,weight` (the first may be a header), and returns the weights of the items `ids` in their
/// order.
///
/// # Errors
/// If the file cannot be read, a line is wrong, an item has no weight or two, or a weight is not positive.
pub(super) fn read(path: &Path, ids: &[String]) -> Result<Vec<f64>> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| refused(format!("--weights: cannot read {}: {error}", path.display())))?;
    let wrong = |line: usize, what: &str| {
        refused(format!("--weights {}: line {line}: {what}", path.display()))
    };
    let mut weights = BTreeMap::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim_end_matches('\r');
        if line.trim().is_empty() {
            continue;
        }
        let (id, value) = line
            .rsplit_once([',', '\t', ';'])
            .ok_or_else(|| wrong(number + 1, "a name, a comma and a weight are wanted"))?;
        let id = id.trim().trim_matches('"');
        let Ok(weight) = value.trim().parse::<f64>() else {
            if number == 0 {
                continue;
            }
            return Err(wrong(number + 1, &format!("'{value}' is no number")));
        };
        if !(weight > 0.0 && weight.is_finite()) {
            return Err(wrong(number + 1, &format!("{weight} is no weight: it must be above 0")));
        }
        if weights.insert(id.to_owned(), weight).is_some() {
            return Err(wrong(number + 1, &format!("{id} has a weight already")));
        }
    }
    let of = |id: &String| {
        weights.get(id).copied().ok_or_else(|| {
            refused(format!(
                "--weights {}: no weight for {id}: every item needs a line \"id,weight\"",
                path.display()
            ))
        })
    };
    ids.iter().map(of).collect()
}
