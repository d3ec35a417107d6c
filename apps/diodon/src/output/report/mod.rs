//! `report.html`: a page to look at an ordination with, in one file that needs no other and no
//! network.
//!
//! The page is a template, styles and scripts, which are files of their own here, and the data,
//! which follow them in elements that a browser does not run. `frame.html` has the order of it all.

mod data;
mod escape;
mod groups;
mod lines;
mod tables;

use std::io::{self, Write};
use std::path::Path;

use serde_json::Value;
use tegula_files::{WriteError, write_atomically};

use super::labels::LabelsOfItems;
use crate::Ordination;
use escape::escaped;

/// The page around its parts, which stand for themselves as `{{name}}`.
const FRAME: &str = include_str!("frame.html");
const STYLE: &str = include_str!("style.css");

/// The scripts, in the order in which they need each other.
const SCRIPTS: [&str; 12] = [
    include_str!("data.js"),
    include_str!("numbers.js"),
    include_str!("look.js"),
    include_str!("colours.js"),
    include_str!("view.js"),
    include_str!("points.js"),
    include_str!("groups.js"),
    include_str!("scatter.js"),
    include_str!("pointer.js"),
    include_str!("legend.js"),
    include_str!("charts.js"),
    include_str!("page.js"),
];

/// What the page shows.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a> {
    /// The places of the items.
    pub ordination: &'a Ordination,
    /// Labels of the items, if there are any.
    pub labels: Option<&'a LabelsOfItems>,
    /// Facts of the run, an object.
    pub summary: &'a Value,
    /// The heading.
    pub title: &'a str,
}

/// Writes the page. It shows the eigenvalues with their shares, each share with the name of its
/// denominator; the items on any two or three axes, as points or as a density, with the variables
/// of a table among them; what items and variables contribute to the axes; the quality of each
/// item; residuals; and the facts of the run.
///
/// Coordinates are embedded in single precision, for as many axes as fit into 2^24 numbers (at
/// least three): about 5.4 bytes for each number, and the ids as they are.
///
/// # Errors
/// [`WriteError`] when the file cannot be written; what stood there before is untouched.
///
/// # Panics
/// If the labels are not one for each item.
pub fn write_report(path: &Path, report: &Report<'_>) -> Result<(), WriteError> {
    for column in report.labels.iter().flat_map(|labels| &labels.columns) {
        let (found, items) = (column.codes.len(), report.ordination.items());
        assert!(found == items, "{found} labels where there are {items} items");
    }
    write_atomically(path, |out| Ok(write_page(out, report)?))
}

fn write_page(out: &mut dyn Write, report: &Report<'_>) -> io::Result<()> {
    let mut rest = FRAME;
    while let Some((before, (name, after))) =
        rest.split_once("{{").and_then(|(before, rest)| Some((before, rest.split_once("}}")?)))
    {
        out.write_all(before.as_bytes())?;
        write_part(out, name, report)?;
        rest = after;
    }
    out.write_all(rest.as_bytes())
}

/// Writes the part that stands in the template as `{{name}}`.
fn write_part(out: &mut dyn Write, name: &str, report: &Report<'_>) -> io::Result<()> {
    let ordination = report.ordination;
    let mut text = |text: &str| out.write_all(text.as_bytes());
    match name {
        "title" => text(&escaped(report.title)),
        "lead" => text(&tables::lead(ordination)),
        "style" => text(STYLE),
        "axes" => text(&tables::axes(ordination)),
        "negative" => text(&tables::negative(ordination)),
        "labels" => text(&tables::labels(report.labels)),
        "lines" => text(&lines::sections(ordination)),
        "facts" => text(&tables::facts(report.summary)),
        "data" => data::write(out, report),
        "scripts" => SCRIPTS.iter().try_for_each(|script| out.write_all(script.as_bytes())),
        other => unreachable!("the template asks for {other}, which no report has"),
    }
}
