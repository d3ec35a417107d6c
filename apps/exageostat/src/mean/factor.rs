//! Factors: variables of classes, by the levels that they have in the data.

use std::collections::HashMap;

use tegula_files::Classes;

use super::spelling;
use super::terms::Coding;

/// Most levels of a factor: texts that hardly ever occur again are no classes.
const MOST_LEVELS: usize = 1000;

/// The levels of a factor. Numbers are in their order, texts in that of their characters' code
/// points (R's in the locale `C`: capitals first); the first is the one that contrasts are taken
/// from, R's treatment contrasts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Levels {
    pub(super) labels: Vec<String>,
    pub(super) are_numbers: bool,
}

impl Levels {
    /// Levels with these `labels`, of numbers or of texts.
    #[must_use]
    pub fn new(labels: Vec<String>, are_numbers: bool) -> Self {
        Self { labels, are_numbers }
    }

    /// The labels, the reference first.
    #[must_use]
    pub fn labels(&self) -> &[String] {
        &self.labels
    }

    /// Whether they are numbers.
    #[must_use]
    pub fn are_numbers(&self) -> bool {
        self.are_numbers
    }

    /// The levels of `classes`; those that do not occur are none.
    pub(super) fn of_classes(classes: &Classes) -> Self {
        let mut occurs = vec![false; classes.names.len()];
        classes.codes.iter().flatten().for_each(|&code| occurs[code as usize] = true);
        let names = classes.names.iter().zip(occurs).filter(|(_, occurs)| *occurs);
        let mut labels: Vec<String> = names.map(|(name, _)| name.clone()).collect();
        labels.sort_unstable();
        Self { labels, are_numbers: false }
    }

    /// The different numbers in `values`, one more than a factor may have at most.
    pub(super) fn of_numbers(values: &[f64]) -> Self {
        let mut levels: Vec<f64> = values.iter().map(|x| x + 0.0).collect();
        levels.sort_unstable_by(f64::total_cmp);
        levels.dedup();
        let labels = levels.into_iter().take(MOST_LEVELS + 1).map(spelling::number).collect();
        Self { labels, are_numbers: true }
    }

    /// What is wrong with them as those of a factor.
    pub(super) fn check(&self) -> Result<(), String> {
        match self.labels.as_slice() {
            [] => Err("it has no level".to_owned()),
            [one] => Err(format!("it has one level, {one}, in all rows: leave it out of the mean")),
            labels if labels.len() > MOST_LEVELS => Err(format!(
                "it has more than {MOST_LEVELS} levels; are these classes? A number is a regressor as it is"
            )),
            _ => Ok(()),
        }
    }

    /// The level of each row of `classes`, or the first row, with its text, whose text is none.
    pub(super) fn find_classes(&self, classes: &Classes) -> Result<Vec<usize>, (usize, String)> {
        let known = self.places();
        let places: Vec<Option<usize>> =
            classes.names.iter().map(|name| known.get(name.as_str()).copied()).collect();
        let level = |(row, code): (usize, &Option<u32>)| {
            let code = code.expect("rows that lack a class are left out") as usize;
            places[code].ok_or_else(|| (row, classes.names[code].clone()))
        };
        classes.codes.iter().enumerate().map(level).collect()
    }

    /// As [`find_classes`](Self::find_classes), of numbers.
    pub(super) fn find_numbers(&self, values: &[f64]) -> Result<Vec<usize>, (usize, String)> {
        let known = self.places();
        let level = |(row, value): (usize, &f64)| {
            let label = spelling::number(value + 0.0);
            known.get(label.as_str()).copied().ok_or((row, label))
        };
        values.iter().enumerate().map(level).collect()
    }

    fn places(&self) -> HashMap<&str, usize> {
        self.labels.iter().enumerate().map(|(place, label)| (label.as_str(), place)).collect()
    }

    /// The levels that have a column.
    pub(super) fn coded(&self, coding: Coding) -> std::ops::Range<usize> {
        usize::from(coding == Coding::Contrasts)..self.labels.len()
    }
}
