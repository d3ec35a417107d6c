//! Where the tasks of one run stand in the order of another: what was planned against what was
//! done, or one scheduler against the next.
//!
//! On the diagonal nothing has changed its place (M. Gonthier, PhD thesis, ENS Lyon, 2023, figures
//! 3.5 and 4.2).

use std::collections::BTreeMap;
use std::fmt::Write;

use super::axis::thousands;
use super::compare::Run;
use super::frame::{HEAD, head, shortened};
use super::style::{LEFT, WIDTH, rules, style};
use tegula_figures::scale::round;
use tegula_figures::svg::{Svg, px};
use tegula_runtime::trace::{TaskRecord, Trace};

/// Cells of the picture, along each of its sides, and their side in pixels.
const CELLS: usize = 120;
const CELL: f64 = 4.0;
const SIDE: f64 = CELLS as f64 * CELL;
/// Shades of a cell: up to a quarter of what a cell of the diagonal would hold, up to three
/// quarters, and above.
const SHADES: &[(&str, &str)] = &[
    (".s0", "fill:#0072b2;fill-opacity:.3"),
    (".s1", "fill:#0072b2;fill-opacity:.6"),
    (".s2", "fill:#0072b2"),
];
const DARK: &[(&str, &str)] =
    &[(".s0", "fill:#56b4e9"), (".s1", "fill:#56b4e9"), (".s2", "fill:#56b4e9")];

/// Draws the place of each task in the order of `other` above its place in that of `first`, by
/// their starts, among the tasks of both; none if there are not two.
pub(super) fn places(first: Run<'_>, other: Run<'_>) -> Option<String> {
    let places = both(first.1, other.1);
    let count = places.len();
    if count < 2 {
        return None;
    }
    let mut svg = Svg::default();
    let names = [first.0, other.0].map(|name| shortened(name, 60));
    let moved = places.iter().enumerate().filter(|&(at, &to)| at != to).map(|(at, _)| at);
    let last = moved.clone().next_back().map_or(String::new(), |at| {
        format!(", the last of them number {} of {}", thousands(at + 1), names[0])
    });
    let (of, moved) = (thousands(count), thousands(moved.count()));
    let more = format!("{moved} of {of} tasks start at another place{last}");
    head(&mut svg, "Order in both runs", &more);
    let (top, bottom) = (HEAD + 4.0, HEAD + 4.0 + SIDE);
    svg.line(format_args!(
        "<rect x=\"{LEFT}\" y=\"{top}\" width=\"{SIDE}\" height=\"{SIDE}\" class=\"r\"/>"
    ));
    for (value, label) in round((0.0, count as f64), 6.0) {
        let at = value / count as f64 * SIDE;
        let (x, y) = (px(LEFT + at), px(bottom - at));
        svg.line(format_args!("<path d=\"M{x} {top}V{bottom}M{LEFT} {y}h{SIDE}\" class=\"g\"/>"));
        svg.text((x, bottom + 17.0), "m q", &label);
        svg.text((LEFT - 6.0, y + 4.0), "e q", &label);
    }
    for (shade, cells) in shaded(&places) {
        svg.line(format_args!(
            "<path transform=\"translate({LEFT} {bottom}) scale({CELL} -{CELL})\" \
             class=\"s{shade}\" d=\"{cells}\"/>"
        ));
    }
    svg.text((LEFT + 0.5 * SIDE, bottom + 36.0), "m", &format!("place in {}", names[0]));
    let middle = px(top + 0.5 * SIDE);
    let label = tegula_figures::svg::escaped(&format!("place in {}", names[1]));
    svg.line(format_args!(
        "<text transform=\"translate({} {middle}) rotate(-90)\" class=\"m\">{label}</text>",
        LEFT - 70.0
    ));
    let style = style("tegula-places", &rules(SHADES), DARK);
    Some(svg.finish("tegula-places", (WIDTH, bottom + 50.0), &style))
}

/// Of each task of both runs, in the order of the first, its place in the order of the other. The
/// nth task of a codelet in one program is the nth in the other, if both ran it equally often.
fn both(first: &Trace, other: &Trace) -> Vec<usize> {
    let (here, there) = (by_codelet(first), by_codelet(other));
    let shared = |codelet: &&str| here[*codelet].len() == there.get(*codelet).map_or(0, Vec::len);
    let shared: Vec<&str> = here.keys().copied().filter(shared).collect();
    let order = |of: &BTreeMap<&str, Vec<TaskRecord>>| {
        let starts = shared.iter().flat_map(|codelet| &of[codelet]).map(|record| record.start);
        let mut order: Vec<(u64, usize)> = starts.zip(0..).collect();
        order.sort_unstable();
        order.into_iter().map(|(_, task)| task).collect::<Vec<_>>()
    };
    let (here, there) = (order(&here), order(&there));
    let mut place = vec![0; there.len()];
    there.iter().enumerate().for_each(|(at, &task)| place[task] = at);
    here.into_iter().map(|task| place[task]).collect()
}

/// The tasks of each codelet in the order of the program.
fn by_codelet(trace: &Trace) -> BTreeMap<&'static str, Vec<TaskRecord>> {
    let mut records = trace.records.clone();
    records.sort_by_key(|record| (record.job, record.task));
    let mut codelets: BTreeMap<&str, Vec<TaskRecord>> = BTreeMap::new();
    for record in records {
        codelets.entry(record.codelet).or_default().push(record);
    }
    codelets
}

/// The cells of each shade as a path, their corners in numbers of cells.
fn shaded(places: &[usize]) -> BTreeMap<usize, String> {
    let count = places.len();
    let cell = |place: usize| place * CELLS / count;
    let mut held: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for (at, &to) in places.iter().enumerate() {
        *held.entry((cell(at), cell(to))).or_default() += 1;
    }
    let full = count.div_ceil(CELLS);
    let mut paths: BTreeMap<usize, String> = BTreeMap::new();
    for ((column, row), tasks) in held {
        let shade = usize::from(4 * tasks > full) + usize::from(4 * tasks > 3 * full);
        write!(paths.entry(shade).or_default(), "M{column} {row}h1v1h-1z")
            .expect("a string takes all");
    }
    paths
}
