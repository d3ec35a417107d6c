//! Lines that are drawn among the items: variables of a table, and instruments.

use super::data::shown_axes;
use crate::Ordination;

/// Lines of a group that a page holds.
const MOST_LINES: usize = 1000;

/// Lines that are drawn among the items.
#[derive(Debug)]
pub(super) struct Group<'a> {
    pub(super) name: &'static str,
    /// Whether they are directions, and not points among the items.
    pub(super) are_arrows: bool,
    pub(super) ids: &'a [String],
    /// Coordinates along the axes of the page.
    pub(super) axes: Vec<&'a [f64]>,
    /// The lines that the page holds, the longest first.
    pub(super) places: Vec<usize>,
}

impl<'a> Group<'a> {
    fn of(
        (name, are_arrows): (&'static str, bool),
        ids: &'a [String],
        axes: Vec<&'a [f64]>,
    ) -> Self {
        let length2 = |&line: &usize| axes.iter().map(|axis| axis[line] * axis[line]).sum::<f64>();
        let mut places: Vec<usize> = (0..ids.len()).collect();
        places.sort_by(|one, other| length2(other).total_cmp(&length2(one)));
        places.truncate(MOST_LINES);
        Self { name, are_arrows, ids, axes, places }
    }

    /// What coordinates are divided by in the page: arrows by the length of the longest, since they
    /// are drawn in a scale of their own, points by the `scale` of the items.
    pub(super) fn unit(&self, scale: f64) -> f64 {
        if !self.are_arrows {
            return scale;
        }
        let length =
            |&line: &usize| self.axes.iter().map(|axis| axis[line] * axis[line]).sum::<f64>();
        let longest2 = self.places.first().map_or(0.0, length);
        if longest2 > 0.0 { longest2.sqrt() } else { 1.0 }
    }
}

/// What is drawn among the items of `ordination`.
pub(super) fn groups(ordination: &Ordination) -> Vec<Group<'_>> {
    let shown = shown_axes(ordination);
    let mut groups = Vec::new();
    if let Some(variables) = &ordination.variables {
        let mut axes = variables.columns();
        axes.truncate(shown);
        let name = if variables.are_points { "columns" } else { "variables" };
        groups.push(Group::of((name, !variables.are_points), &variables.ids, axes));
    }
    if let Some(constraints) = &ordination.constraints {
        let columns = constraints.along.correlations.chunks_exact(constraints.ids.len().max(1));
        let axes = columns.take(shown).collect();
        groups.push(Group::of(("instruments", true), &constraints.ids, axes));
    }
    groups
}
