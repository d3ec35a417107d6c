//! Which rank owns which tile.

use std::fmt::Write;

use super::axis::thousands;
use super::frame::{HEAD, head, shortened};
use super::style::{Rule, WIDTH, rules, style};
use tegula_figures::scale::scale;
use tegula_figures::svg::{Svg, escaped, px};

/// Side of the map in pixels.
const SIDE: f64 = 720.0;
/// Left of the map, and of the legend.
const MAP: f64 = 64.0;
const LEGEND: f64 = MAP + SIDE + 56.0;
/// A rank in the legend.
const SWATCH: f64 = 48.0;
const LINE: f64 = 18.0;
/// Least side of a tile that its owner is written in.
const WRITTEN: f64 = 14.0;

const RULES: &[Rule] =
    &[(".map", "stroke-width:1;shape-rendering:crispEdges"), (".n", "font-size:9px")];

/// Hues of kinds of nodes in degrees, which differ also for the colour-blind: blue, orange, green,
/// pink, red, olive.
const HUES: [f64; 6] = [204.0, 36.0, 160.0, 320.0, 10.0, 70.0];
/// Lightness of the first and the last node of a kind, in per cent.
const DARKEST: f64 = 25.0;
const LIGHTEST: f64 = 80.0;

/// Draws who owns each of `rows` x `columns` tiles: `owner(row, column)`, a position in `kinds`, or
/// none where no tile is stored. `kinds` has for each rank the kind of its node: kinds have hues,
/// and the ranks of a kind differ in lightness. Neighbouring tiles of a row with one owner are one
/// stroke, so that the figure stays small.
///
/// # Panics
/// If an owner is not in `kinds`.
#[must_use]
pub fn owners(
    title: &str,
    (rows, columns): (usize, usize),
    kinds: &[&str],
    owner: impl Fn(usize, usize) -> Option<usize>,
) -> String {
    let mut svg = Svg::default();
    let ranks = Ranks::new(kinds);
    let cell = SIDE / rows.max(columns).max(1) as f64;
    let tiles: Vec<Vec<Option<usize>>> =
        (0..rows).map(|row| (0..columns).map(|column| owner(row, column)).collect()).collect();
    let map = Map::new(&tiles, kinds.len());
    let stored = thousands(map.tiles.iter().sum());
    let more = format!("{rows} x {columns} tiles, {stored} stored, on {} ranks", kinds.len());
    head(&mut svg, title, &more);
    let top = HEAD + 24.0;
    let (tall, wide) = (cell * rows as f64, cell * columns as f64);
    svg.line(format_args!(
        "<rect x=\"{MAP}\" y=\"{top}\" width=\"{}\" height=\"{}\" class=\"r\"/>",
        px(wide),
        px(tall)
    ));
    map.draw(&mut svg, kinds, &ranks.colours, (top, cell));
    numbers(&mut svg, (rows, columns), (top, cell));
    if cell >= WRITTEN {
        ranks.write(&mut svg, &tiles, (top, cell));
    }
    let bottom = ranks.legend(&mut svg, top, &map.tiles).max(top + tall) + 30.0;
    svg.finish("tegula-owners", (WIDTH, bottom), &style("tegula-owners", &rules(RULES), &[]))
}

/// Round numbers of columns above the map, and of rows at its left.
fn numbers(svg: &mut Svg, (rows, columns): (usize, usize), (top, cell): (f64, f64)) {
    let round = |count: usize, room: f64| {
        let most = (count as f64 * cell / room).clamp(1.0, 10.0);
        (0..count).step_by((scale(count as f64, most).0 as usize).max(1))
    };
    for column in round(columns, 36.0) {
        svg.text((MAP + cell * (column as f64 + 0.5), top - 6.0), "m q", &thousands(column));
    }
    for row in round(rows, 16.0) {
        svg.text((MAP - 8.0, top + cell * (row as f64 + 0.5) + 4.0), "e q", &thousands(row));
    }
}

/// What each rank owns.
struct Map {
    tiles: Vec<usize>,
    /// The tiles as horizontal strokes, a unit long and thick each.
    strokes: Vec<String>,
}

impl Map {
    fn new(tiles: &[Vec<Option<usize>>], ranks: usize) -> Self {
        let mut map = Self { tiles: vec![0; ranks], strokes: vec![String::new(); ranks] };
        tiles.iter().enumerate().for_each(|(row, owners)| map.add(row, owners));
        map
    }

    fn add(&mut self, row: usize, owners: &[Option<usize>]) {
        let mut column = 0;
        for run in owners.chunk_by(|a, b| a == b) {
            if let Some(rank) = run[0] {
                write!(self.strokes[rank], "M{column} {row}h{}", run.len())
                    .expect("a string takes all");
                self.tiles[rank] += run.len();
            }
            column += run.len();
        }
    }

    fn draw(&self, svg: &mut Svg, kinds: &[&str], colours: &[String], (top, cell): (f64, f64)) {
        svg.line(format_args!(
            "<g transform=\"translate({MAP} {top}) scale({cell:.5}) translate(0 .5)\" class=\"map\">"
        ));
        for (rank, path) in self.strokes.iter().enumerate().filter(|(_, path)| !path.is_empty()) {
            let (about, colour) =
                (escaped(&format!("rank {rank}, {}", kinds[rank])), &colours[rank]);
            svg.line(format_args!(
                "<path d=\"{path}\" stroke=\"{colour}\"><title>{about}</title></path>"
            ));
        }
        svg.line(format_args!("</g>"));
    }
}

/// Kinds of nodes and colours of their ranks.
struct Ranks<'a> {
    /// Each kind with its ranks.
    kinds: Vec<(&'a str, Vec<usize>)>,
    colours: Vec<String>,
    /// Whether text on the colour should be dark.
    is_light: Vec<bool>,
}

impl<'a> Ranks<'a> {
    fn new(names: &[&'a str]) -> Self {
        let mut kinds: Vec<(&str, Vec<usize>)> = Vec::new();
        for (rank, &name) in names.iter().enumerate() {
            match kinds.iter_mut().find(|(kind, _)| *kind == name) {
                Some((_, ranks)) => ranks.push(rank),
                None => kinds.push((name, vec![rank])),
            }
        }
        let (mut colours, mut is_light) =
            (vec![String::new(); names.len()], vec![false; names.len()]);
        for (number, (_, ranks)) in kinds.iter().enumerate() {
            for (place, &rank) in ranks.iter().enumerate() {
                let part = (place as f64 + 0.5) / ranks.len() as f64;
                let light = DARKEST + (LIGHTEST - DARKEST) * part;
                colours[rank] = format!("hsl({},70%,{light:.0}%)", HUES[number % HUES.len()]);
                is_light[rank] = light > 55.0;
            }
        }
        Self { kinds, colours, is_light }
    }

    /// The owner of each tile in it.
    fn write(&self, svg: &mut Svg, tiles: &[Vec<Option<usize>>], (top, cell): (f64, f64)) {
        for (row, owners) in tiles.iter().enumerate() {
            let y = top + cell * (row as f64 + 0.5) + 3.5;
            for (column, rank) in owners.iter().enumerate() {
                let Some(rank) = *rank else { continue };
                let x = MAP + cell * (column as f64 + 0.5);
                let ink = if self.is_light[rank] { "n m d" } else { "n m w" };
                svg.text((x, y), ink, &rank.to_string());
            }
        }
    }

    /// For each kind its ranks and their share of `tiles`; returns where it ends.
    fn legend(&self, svg: &mut Svg, top: f64, tiles: &[usize]) -> f64 {
        let all: usize = tiles.iter().sum();
        let share = |tiles: usize| 100.0 * tiles as f64 / all.max(1) as f64;
        let a_line = ((WIDTH - LEGEND) / SWATCH) as usize;
        let mut y = top + 10.0;
        for (kind, ranks) in &self.kinds {
            let sum: usize = ranks.iter().map(|&rank| tiles[rank]).sum();
            let noun = if ranks.len() == 1 { "rank" } else { "ranks" };
            let (kind, count) = (shortened(kind, 24), ranks.len());
            let text = format!("{kind}: {count} {noun}, {:.1} % of the tiles", share(sum));
            svg.text((LEGEND, y), "", &text);
            y += 8.0;
            for line in ranks.chunks(a_line) {
                for (place, &rank) in line.iter().enumerate() {
                    let x = LEGEND + SWATCH * place as f64;
                    let colour = &self.colours[rank];
                    let own = thousands(tiles[rank]);
                    svg.line(format_args!(
                        "<rect x=\"{x}\" y=\"{}\" width=\"14\" height=\"14\" fill=\"{colour}\"><title>rank \
                         {rank}: {own} tiles, {:.2} %</title></rect>",
                        px(y),
                        share(tiles[rank])
                    ));
                    svg.text((x + 18.0, y + 11.0), "", &rank.to_string());
                }
                y += LINE;
            }
            y += 22.0;
        }
        y
    }
}
