//! In which order tasks went over the tiles of a matrix, and who ran them: a map for each of some
//! iterations.
//!
//! Pictures of this kind, one per processor, show why a scheduler moves little or much: squares of
//! a product, triangles of a factorisation (M. Gonthier, PhD thesis, ENS Lyon, 2023, sections 3.5
//! and 5.4).

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;

use super::Panel;
use super::axis::thousands;
use super::frame::{HEAD, head, nothing, shortened};
use super::style::{CHART, LEFT, WIDTH, rules, style};
use tegula_figures::colour::Colours;
use tegula_figures::svg::{Svg, px};
use tegula_runtime::ranks::Spot;
use tegula_runtime::trace::{TaskRecord, Trace};

pub(super) const PANEL: Panel = Panel {
    name: "order",
    summary: "maps of the tiles: who ran the task on each, and in which order",
    has: |trace| trace.records.iter().any(|record| record.spot.is_some()),
    draw: |trace, _| order(trace),
};

/// Most maps, and those side by side.
const MOST_MAPS: usize = 8;
const A_LINE: usize = 4;
/// Side of a map in pixels, if there is one and if there are several, and what is between them.
const LARGE: f64 = 560.0;
const SMALL: f64 = 230.0;
const GAP: f64 = (CHART - A_LINE as f64 * SMALL) / (A_LINE - 1) as f64;
/// Least side of a square in pixels: more tiles share one.
const LEAST: f64 = 3.0;
/// Steps from the first to the last task of a map.
const SHADES: usize = 12;
/// Hues of who runs tasks in degrees, as of maps of owners; all others are grey.
const HUES: [f64; 7] = [204.0, 36.0, 160.0, 320.0, 10.0, 70.0, 265.0];
/// Lightness of the first and the last task, in per cent.
const DARKEST: f64 = 22.0;
const LIGHTEST: f64 = 84.0;

/// Draws for at most eight iterations, evenly chosen, a map of the tiles with the last task on
/// each: the hue says who ran it, the lightness when it started among those of the map. The tiles
/// are those of the grid that most tasks work on.
#[must_use]
pub fn order(trace: &Trace) -> String {
    let mut svg = Svg::default();
    let title = "Order of tasks";
    let Some((shape, tasks)) = shape(trace) else {
        let height = nothing(&mut svg, title, "The trace does not say on which tile a task works.");
        return svg.finish("tegula-order", (WIDTH, height), &style("tegula-order", &[], &[]));
    };
    let units = Units::of(trace, shape);
    let maps = maps(trace, shape, &units);
    let (rows, columns) = shape;
    let more = format!("{} tasks on {rows} x {columns} tiles", thousands(tasks));
    head(&mut svg, title, &more);
    let side = if maps.len() == 1 { LARGE } else { SMALL };
    let share = (rows.max(columns) as f64 * LEAST / side).ceil().max(1.0) as usize;
    let cell = side / rows.max(columns).div_ceil(share) as f64;
    let top = HEAD + units.legend(&mut svg, HEAD + 10.0) + 22.0;
    let height = cell * rows.div_ceil(share) as f64;
    let mut bottom = top;
    for (place, (iteration, map)) in maps.iter().enumerate() {
        let x = LEFT + (place % A_LINE) as f64 * (SMALL + GAP);
        let y = top + (place / A_LINE) as f64 * (height + 34.0);
        if maps.len() > 1 {
            svg.text((x, y - 7.0), "q", &format!("iteration {}", thousands(*iteration as usize)));
        }
        let width = cell * columns.div_ceil(share) as f64;
        svg.line(format_args!(
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" class=\"r\"/>",
            px(x),
            px(y),
            px(width),
            px(height)
        ));
        draw(&mut svg, map, (x, y), (cell, share));
        bottom = y + height;
    }
    let shared = match share {
        1 => String::new(),
        share => format!(" A square is {share} x {share} tiles, and shows the last task on them."),
    };
    let of = if maps.len() > 1 { " of each iteration" } else { "" };
    let caption = format!(
        "The last task{of} on each tile; dark ones started first, light ones last.{shared}"
    );
    svg.text((LEFT, bottom + 24.0), "q", &caption);
    let style = style("tegula-order", &units.rules(), &[]);
    svg.finish("tegula-order", (WIDTH, bottom + 40.0), &style)
}

/// Rows and columns of the grid that most tasks work on, and their number; of equal ones the
/// largest.
fn shape(trace: &Trace) -> Option<((usize, usize), usize)> {
    let mut tasks: HashMap<(usize, usize), usize> = HashMap::new();
    for spot in trace.records.iter().filter_map(|record| record.spot) {
        *tasks.entry((spot.rows, spot.columns)).or_default() += 1;
    }
    tasks.into_iter().max_by_key(|&(shape, tasks)| (tasks, shape))
}

/// Where a task works, if that is in the grid of this `shape`.
fn spot_of(record: &TaskRecord, shape: (usize, usize)) -> Option<Spot> {
    record.spot.filter(|spot| (spot.rows, spot.columns) == shape)
}

/// A task on a tile: its start and its unit.
type Last = (u64, usize);
/// The tiles of a map, by row and column.
type Map = BTreeMap<(usize, usize), Last>;

/// The iterations that are shown, each with its map.
fn maps(trace: &Trace, shape: (usize, usize), units: &Units) -> Vec<(u32, Map)> {
    let of_shape =
        || trace.records.iter().filter_map(move |record| Some((record, spot_of(record, shape)?)));
    let iterations: BTreeSet<u32> = of_shape().map(|(record, _)| record.iteration).collect();
    let iterations: Vec<u32> = iterations.into_iter().collect();
    let count = iterations.len().min(MOST_MAPS);
    let shown = (0..count).map(|place| iterations[place * iterations.len() / count]);
    let mut maps: Vec<(u32, Map)> = shown.map(|iteration| (iteration, Map::new())).collect();
    for (record, spot) in of_shape() {
        let place = maps.binary_search_by_key(&record.iteration, |(iteration, _)| *iteration);
        if let Ok(place) = place {
            let last = (record.start, units.of[record.worker]);
            let entry = maps[place].1.entry((spot.row, spot.column)).or_insert(last);
            *entry = last.max(*entry);
        }
    }
    maps
}

/// Draws a map, `share` tiles a square: neighbours of a row with one colour are one stroke.
fn draw(svg: &mut Svg, map: &Map, (x, y): (f64, f64), (cell, share): (f64, usize)) {
    let mut squares = Map::new();
    for (&(row, column), &last) in map {
        let square = squares.entry((row / share, column / share)).or_insert(last);
        *square = last.max(*square);
    }
    let mut in_order: Vec<(Last, (usize, usize))> =
        squares.into_iter().map(|(place, last)| (last, place)).collect();
    in_order.sort_unstable();
    let count = in_order.len().max(1);
    let coloured: BTreeMap<(usize, usize), (usize, usize)> = in_order
        .into_iter()
        .enumerate()
        .map(|(rank, ((_, unit), place))| (place, (unit, rank * SHADES / count)))
        .collect();
    let coloured: Vec<_> = coloured.into_iter().collect();
    let mut paths: BTreeMap<(usize, usize), String> = BTreeMap::new();
    let follows = |a: &((usize, usize), _), b: &((usize, usize), _)| {
        a.1 == b.1 && a.0.0 == b.0.0 && a.0.1 + 1 == b.0.1
    };
    for run in coloured.chunk_by(follows) {
        let ((row, column), colour) = run[0];
        write!(paths.entry(colour).or_default(), "M{column} {row}h{}", run.len())
            .expect("a string takes all");
    }
    svg.line(format_args!(
        "<g transform=\"translate({} {}) scale({cell:.5}) translate(0 .5)\" class=\"map\">",
        px(x),
        px(y)
    ));
    for ((unit, shade), path) in paths {
        svg.line(format_args!("<path class=\"u{unit}s{shade}\" d=\"{path}\"/>"));
    }
    svg.line(format_args!("</g>"));
}

/// Whoever runs tasks, as far as hues go: ranks, workers, or classes of workers.
#[derive(Debug)]
struct Units {
    names: Vec<String>,
    tasks: Vec<usize>,
    /// Of each worker.
    of: Vec<usize>,
}

impl Units {
    fn of(trace: &Trace, shape: (usize, usize)) -> Self {
        let mut tasks_of = vec![0; trace.workers];
        for record in &trace.records {
            tasks_of[record.worker] += usize::from(spot_of(record, shape).is_some());
        }
        let busy: Vec<usize> = (0..trace.workers).filter(|&worker| tasks_of[worker] > 0).collect();
        let mut classes: BTreeMap<&str, usize> = BTreeMap::new();
        busy.iter().for_each(|&worker| *classes.entry(trace.class_of(worker)).or_default() += 1);
        let largest = classes.into_iter().max_by_key(|&(_, workers)| workers).map(|(name, _)| name);
        let rank = |worker: usize| format!("rank {}", trace.site.rank_of(worker));
        let worker = |worker: usize| trace.worker_name(worker);
        let class = |worker: usize| trace.class_of(worker).to_owned();
        let but_largest = |of: usize| match trace.class_of(of) {
            name if Some(name) == largest => name.to_owned(),
            _ => worker(of),
        };
        // The finest for which there are hues enough.
        let ways: [&dyn Fn(usize) -> String; 4] = [&rank, &worker, &but_largest, &class];
        let is_enough = |way: &&&dyn Fn(usize) -> String| {
            busy.iter().map(|&worker| way(worker)).collect::<BTreeSet<_>>().len() <= HUES.len()
        };
        let ways = if trace.rank_count() > 1 { &ways[..] } else { &ways[1..] };
        let name = ways.iter().find(is_enough).unwrap_or(&ways[ways.len() - 1]);
        let mut units = Self { names: Vec::new(), tasks: Vec::new(), of: vec![0; trace.workers] };
        for of in busy {
            let name = name(of);
            let known = units.names.iter().position(|other| *other == name);
            let unit = known.unwrap_or(units.names.len());
            if known.is_none() {
                units.names.push(name);
                units.tasks.push(0);
            }
            units.tasks[unit] += tasks_of[of];
            units.of[of] = unit;
        }
        units
    }

    /// The colour of the tasks of `unit` in a step of a map.
    fn colour(&self, unit: usize, shade: usize) -> String {
        let part = (shade as f64 + 0.5) / SHADES as f64;
        if self.names.len() == 1 {
            return Colours::Amount.at(part);
        }
        let light = DARKEST + (LIGHTEST - DARKEST) * part;
        match HUES.get(unit) {
            Some(hue) => format!("hsl({hue},72%,{light:.0}%)"),
            None => format!("hsl(0,0%,{light:.0}%)"),
        }
    }

    fn rules(&self) -> Vec<(String, String)> {
        let mut all = rules(&[(".map", "stroke-width:1;shape-rendering:crispEdges")]);
        for unit in 0..self.names.len() {
            for shade in 0..SHADES {
                let colour = self.colour(unit, shade);
                all.push((format!(".u{unit}s{shade}"), format!("stroke:{colour};fill:{colour}")));
            }
        }
        all
    }

    /// Names with their colours from the first to the last task, from `y` down; returns the height
    /// that they take.
    fn legend(&self, svg: &mut Svg, y: f64) -> f64 {
        const STEP: f64 = 5.0;
        let strip = STEP * SHADES as f64;
        let (mut x, mut line) = (LEFT, y);
        for (unit, (name, &tasks)) in self.names.iter().zip(&self.tasks).enumerate() {
            let text = format!("{}: {} tasks", shortened(name, 28), thousands(tasks));
            let width = strip + 8.0 + 7.0 * text.chars().count() as f64 + 18.0;
            if x + width > WIDTH && x > LEFT {
                (x, line) = (LEFT, line + 18.0);
            }
            for shade in 0..SHADES {
                svg.line(format_args!(
                    "<rect x=\"{}\" y=\"{}\" width=\"{STEP}\" height=\"11\" class=\"u{unit}s{shade}\"/>",
                    px(x + STEP * shade as f64),
                    px(line - 10.0)
                ));
            }
            svg.text((x + strip + 8.0, line), "", &text);
            x += width;
        }
        line - y + 18.0
    }
}
