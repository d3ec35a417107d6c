//! Columns of distances to embedded items, matched with these by name.

use std::collections::{HashMap, HashSet};

use tegula_files::source::Source;

use super::Embedding;
use crate::EmbedError;

/// Names that a message shows.
const SHOWN: usize = 5;

impl Embedding {
    /// The embedding with its items in the order of the columns of `distances`, which are those of
    /// new items, a row each, to the embedded ones, a column each: by name, unless either has none.
    ///
    /// # Errors
    /// If the columns are not as many, or an item has no column, or two, or a column is of no item.
    pub fn in_order_of(self, distances: &dyn Source) -> Result<Self, EmbedError> {
        let Some(names) = distances.column_names() else {
            self.check_count(distances)?;
            return Ok(self);
        };
        if names == self.ids {
            return Ok(self);
        }
        let places = self.places(names, distances)?;
        let permuted = |numbers: &[f64]| -> Vec<f64> {
            let columns = numbers.chunks_exact(self.items());
            columns.flat_map(|column| places.iter().map(|&item| column[item])).collect()
        };
        Ok(Self {
            ids: names.to_vec(),
            coordinates: permuted(&self.coordinates),
            norms2: permuted(&self.norms2),
            weights: self.weights.as_deref().map(permuted),
            ..self
        })
    }

    /// The item of each column.
    fn places(&self, names: &[String], distances: &dyn Source) -> Result<Vec<usize>, EmbedError> {
        let items: HashMap<&str, usize> =
            self.ids.iter().enumerate().map(|(item, id)| (id.as_str(), item)).collect();
        let strange = some_of(names, |name| !items.contains_key(name));
        if names.iter().all(|name| !items.contains_key(name.as_str())) {
            self.check_count(distances)?;
            if self.has_numbers_for_names() {
                return Ok((0..names.len()).collect());
            }
        }
        let columns: HashSet<&str> = names.iter().map(String::as_str).collect();
        let missing = some_of(&self.ids, |id| !columns.contains(id));
        let mut seen = HashSet::new();
        let repeated = some_of(names, |name| !seen.insert(name.to_owned()));
        let wrong: Vec<String> = [
            ("columns of no embedded item", strange),
            ("columns that come twice", repeated),
            ("embedded items without a column", missing),
        ]
        .into_iter()
        .filter_map(|(what, names)| Some(format!("{what}: {}", names?)))
        .collect();
        if wrong.is_empty() {
            return Ok(names.iter().map(|name| items[name.as_str()]).collect());
        }
        Err(EmbedError::Entries(format!(
            "{}: {}; give one column for each embedded item, called as it is, in any order",
            distances.name(),
            wrong.join("; ")
        )))
    }

    /// Whether the embedded distances had no names, so that items are called 1, 2, and so on.
    fn has_numbers_for_names(&self) -> bool {
        (1..).zip(&self.ids).all(|(number, id): (usize, _)| *id == number.to_string())
    }

    /// Refuses distances with too few or too many columns.
    fn check_count(&self, distances: &dyn Source) -> Result<(), EmbedError> {
        let ([rows, columns], n) = (distances.shape(), self.items());
        if columns == n {
            return Ok(());
        }
        let turned = if rows == n { "; rows and columns may be exchanged" } else { "" };
        Err(EmbedError::Entries(format!(
            "{}: {columns} columns, but {n} embedded items: distances have a row for each new item and a column for each \
             embedded one{turned}",
            distances.name()
        )))
    }
}

/// The first few of the `names` that `is_one`, if there are any.
fn some_of(names: &[String], mut is_one: impl FnMut(&str) -> bool) -> Option<String> {
    let found: Vec<&str> = names.iter().map(String::as_str).filter(|name| is_one(name)).collect();
    let more =
        if found.len() > SHOWN { format!(", ... ({} in all)", found.len()) } else { String::new() };
    let text = found[..found.len().min(SHOWN)].join(", ") + &more;
    (!found.is_empty()).then_some(text)
}
