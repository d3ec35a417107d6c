//! A row of pixel columns, each with the share of its time that each group of tasks takes: how
//! tasks too narrow to be drawn one by one are shown.

use std::fmt::Write;

/// Shares of time per column.
#[derive(Clone, Debug)]
pub(super) struct Columns {
    /// Width of a column in pixels.
    width: f64,
    groups: usize,
    /// Pixels of each group in each column, by columns.
    time: Vec<f64>,
    /// Pixels of each column that are taken by something else.
    hidden: Vec<f64>,
}

impl Columns {
    /// Empty columns of `width` pixels, `total` in all.
    pub(super) fn new(total: f64, width: f64, groups: usize) -> Self {
        let count = (total / width).ceil() as usize;
        Self { width, groups, time: vec![0.0; count * groups], hidden: vec![0.0; count] }
    }

    /// Adds the pixels from `start` to `end` to `group`.
    pub(super) fn add(&mut self, group: usize, start: f64, end: f64) {
        for (column, part) in self.parts(start, end) {
            self.time[column * self.groups + group] += part;
        }
    }

    /// Adds `amount` of anything to `group`, spread evenly over the pixels from `start` to `end`.
    pub(super) fn add_amount(&mut self, group: usize, start: f64, end: f64, amount: f64) {
        let parts: Vec<(usize, f64)> = self.parts(start, end).collect();
        let length: f64 = parts.iter().map(|(_, part)| part).sum();
        for &(column, part) in &parts {
            let share = if length > 0.0 { part / length } else { 1.0 / parts.len() as f64 };
            self.time[column * self.groups + group] += amount * share;
        }
    }

    /// The most that any column holds of all groups, per pixel.
    pub(super) fn peak(&self) -> f64 {
        let sums = self.time.chunks(self.groups).map(|parts| parts.iter().sum::<f64>());
        sums.fold(0.0, f64::max) / self.width
    }

    /// The areas of all groups, each on top of those before it, in a row of this height in which
    /// `whole` per pixel reaches the top. The last comes first: each covers what the next leaves.
    pub(super) fn stack(&self, whole: f64, height: f64) -> Vec<(usize, String)> {
        let groups = (0..self.groups).rev().filter(|&group| self.has(group));
        groups.map(|g| (g, self.area(&self.shares(0..g + 1, whole), height))).collect()
    }

    /// Says that the pixels from `start` to `end` are covered by something else.
    pub(super) fn hide(&mut self, start: f64, end: f64) {
        for (column, part) in self.parts(start, end) {
            self.hidden[column] += part;
        }
    }

    /// The columns that the pixels from `start` to `end` fall into, and how much into each.
    fn parts(&self, start: f64, end: f64) -> impl Iterator<Item = (usize, f64)> + use<> {
        let (width, last) = (self.width, self.hidden.len() - 1);
        let first = ((start / width) as usize).min(last);
        let last = ((end / width) as usize).min(last);
        (first..=last).map(move |column| {
            let left = column as f64 * width;
            (column, (end.min(left + width) - start.max(left)).max(0.0))
        })
    }

    /// Whether `group` is in any column.
    pub(super) fn has(&self, group: usize) -> bool {
        self.time.iter().skip(group).step_by(self.groups).any(|&part| part > 0.0)
    }

    /// Share of the visible time of each column that the groups in `range` take, each over `whole`.
    pub(super) fn shares(&self, range: std::ops::Range<usize>, whole: f64) -> Vec<f64> {
        let share = |(column, parts): (usize, &[f64])| {
            let visible = whole * self.width - self.hidden[column];
            let taken: f64 = parts[range.clone()].iter().sum();
            if visible > 1e-6 { (taken / visible).min(1.0) } else { 0.0 }
        };
        self.time.chunks(self.groups).enumerate().map(share).collect()
    }

    /// The path of an area of these heights, from the bottom of a row that is `height` pixels high.
    pub(super) fn area(&self, shares: &[f64], height: f64) -> String {
        let mut path = String::new();
        let level = |share: f64| (10.0 * height * (1.0 - share)).round() as i64;
        let bottom = level(0.0);
        let mut at = bottom;
        for (column, share) in shares.iter().map(|&share| level(share)).chain([bottom]).enumerate()
        {
            if share == at {
                continue;
            }
            let x = column as f64 * self.width;
            let y = share as f64 / 10.0;
            let step = if at == bottom {
                write!(path, "M{x} {}V{y}", bottom as f64 / 10.0)
            } else {
                write!(path, "H{x}V{y}")
            };
            step.expect("a string takes all");
            at = share;
        }
        path
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_kept() {
        let mut columns = Columns::new(10.0, 2.0, 2);
        columns.add(0, 0.5, 4.5);
        columns.add(1, 4.5, 10.0);
        assert_eq!(columns.shares(0..1, 1.0), [0.75, 1.0, 0.25, 0.0, 0.0]);
        assert_eq!(columns.shares(1..2, 1.0), [0.0, 0.0, 0.75, 1.0, 1.0]);
        assert_eq!(columns.shares(0..2, 2.0), [0.375, 0.5, 0.5, 0.5, 0.5]);
        assert!(columns.has(0) && columns.has(1));
    }

    #[test]
    fn what_is_covered_does_not_count() {
        let mut columns = Columns::new(4.0, 2.0, 1);
        columns.hide(1.0, 4.0);
        columns.add(0, 0.0, 0.5);
        assert_eq!(columns.shares(0..1, 1.0), [0.5, 0.0]);
    }

    #[test]
    fn areas_are_steps() {
        let columns = Columns::new(5.0, 1.0, 1);
        let area = columns.area(&[0.0, 1.0, 1.0, 0.5, 0.0], 20.0);
        assert_eq!(area, "M1 20V0H3V10H4V20");
        assert_eq!(columns.area(&[0.0; 5], 20.0), "");
    }
}
