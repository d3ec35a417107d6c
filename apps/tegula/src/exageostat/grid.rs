//! `--grid`: the nodes of a regular grid as places to predict at.

use std::path::Path;
use std::str::FromStr;

use anyhow::Result;
use tegula_files::Table;
use tegula_files::raster::Nodes;

use super::places::Coordinates;
use crate::error::refused;
use crate::output::count;

/// Most nodes: at a million per second they take more than a day.
const MOST_NODES: f64 = 1e11;
/// How far from a whole number of steps an axis may end, as a share of that number: rounding of
/// decimals.
const ROUNDING: f64 = 1e-9;
/// What stands for a file in messages.
const NAME: &str = "--grid";

/// Nodes at equal distances along each axis, the first axis the fastest.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Grid {
    /// In the order in which the user names coordinates.
    axes: Vec<Nodes>,
}

/// Reads the nodes of one coordinate.
fn axis(text: &str) -> Result<Nodes, String> {
    let parts: Vec<&str> = text.split(':').map(str::trim).collect();
    let [from, to, step] = parts.as_slice() else {
        return Err(format!("'{text}' is no MIN:MAX:STEP"));
    };
    let number = |part: &&str| {
        let value = part.parse::<f64>().ok().filter(|value| value.is_finite());
        value.ok_or_else(|| format!("'{part}' in '{text}' is no number"))
    };
    let (from, to, step) = (number(from)?, number(to)?, number(step)?);
    if step <= 0.0 {
        return Err(format!("the step of '{text}' is not positive"));
    }
    if from > to {
        return Err(format!("'{text}' ends before it begins: write {to}:{from}:{step}"));
    }
    let steps = (to - from) / step;
    if steps >= MOST_NODES {
        return Err(format!("'{text}' has {steps:.3e} nodes: take a larger step"));
    }
    let whole = steps.round();
    if (steps - whole).abs() > ROUNDING * whole.max(1.0) {
        let end = round(from + steps.floor() * step);
        let other = round((to - from) / whole.max(1.0));
        return Err(format!(
            "the step of '{text}' does not divide it: {} steps; end at {end}, or take the step \
             {other}",
            crate::output::number(steps, 4)
        ));
    }
    Ok(Nodes { from, to, step, count: whole as usize + 1 })
}

/// `x` in 12 digits, without what rounding leaves behind them.
fn round(x: f64) -> f64 {
    format!("{x:.11e}").parse().unwrap_or(x)
}

impl FromStr for Grid {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let axes = text.split(',').map(axis).collect::<Result<Vec<_>, _>>()?;
        let nodes: f64 = axes.iter().map(|axis| axis.count as f64).product();
        if nodes > MOST_NODES {
            return Err(format!(
                "{nodes:.3e} nodes are more than can be predicted: take larger steps"
            ));
        }
        Ok(Self { axes })
    }
}

impl Grid {
    /// Number of nodes.
    pub(super) fn len(&self) -> usize {
        self.axes.iter().map(|axis| axis.count).product()
    }

    /// The nodes of each coordinate, the fastest first.
    pub(super) fn axes(&self) -> &[Nodes] {
        &self.axes
    }

    /// Refuses a grid that has not the axes of a model's coordinates, and of its time after them.
    pub(super) fn check(&self, coordinates: &Coordinates, model: &Path) -> Result<()> {
        let time = coordinates.time();
        let (found, needed) = (self.axes.len(), coordinates.count());
        if found == needed + usize::from(time.is_some()) {
            return Ok(());
        }
        let (model, texts) = (model.display(), coordinates.texts().join(", "));
        let (has, needs) = (count(found, "axis"), count(needed, "coordinate"));
        let time = time.map_or(String::new(), |time| format!(" and the time {time}"));
        Err(refused(format!(
            "{NAME} has {has}, and the places of {model} have {needs} ({texts}){time}: give \
             MIN:MAX:STEP for each, with commas between"
        )))
    }

    /// A few words.
    pub(super) fn describe(&self) -> String {
        let sizes: Vec<String> = self.axes.iter().map(|axis| axis.count.to_string()).collect();
        format!("grid of {} nodes", sizes.join(" x "))
    }

    /// The nodes `first..end` with the `names` of the coordinates.
    pub(super) fn part(&self, names: &[String], first: usize, end: usize) -> Table {
        let mut stride = 1;
        let columns = self.axes.iter().zip(names).map(|(axis, name)| {
            let before = stride;
            stride *= axis.count;
            let values = (first..end).map(|node| axis.node(node / before % axis.count)).collect();
            (name.clone(), values)
        });
        let columns = columns.collect();
        Table::of_numbers(Path::new(NAME), columns, ("node", first as u64 + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_as_round_as_their_ends() {
        let grid: Grid = "0:1:0.1, 2:3:0.5".parse().expect("a grid");
        assert_eq!(grid.len(), 33);
        let part = grid.part(&["x".to_owned(), "y".to_owned()], 9, 14);
        let column =
            |name| part.numbers(part.find(name).expect("there")).expect("numbers").to_vec();
        assert_eq!(column("x"), [0.9, 1.0, 0.0, 0.1, 0.2]);
        assert_eq!(column("y"), [2.0, 2.0, 2.5, 2.5, 2.5]);
        let one = axis("3:3:1").expect("an axis");
        assert_eq!((one.count, one.step, one.node(0)), (1, 1.0, 3.0));
    }

    #[test]
    fn grids_that_mean_nothing_are_refused_in_words() {
        for (text, words) in [
            ("0:1", "'0:1' is no MIN:MAX:STEP"),
            ("0:1:a", "'a' in '0:1:a' is no number"),
            ("0:nan:1", "'nan' in '0:nan:1' is no number"),
            ("0:1:0", "the step of '0:1:0' is not positive"),
            ("1:0:0.5", "ends before it begins: write 0:1:0.5"),
            ("0:10:3", "does not divide it: 3.333 steps; end at 9, or take the step 3.333"),
            ("0:1:0.3", "end at 0.9, or"),
            ("0:1:1e-12", "nodes: take a larger step"),
            ("0:1:1e-7,0:1:1e-7", "nodes are more than can be predicted"),
            ("-1e308:1e308:1", "nodes: take a larger step"),
        ] {
            let error = text.parse::<Grid>().expect_err(text);
            assert!(error.contains(words), "{text}: {error}");
        }
    }
}
