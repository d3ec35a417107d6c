//! What moved between memories over time: bytes per second of each route, coloured by purpose.

use super::Panel;
use super::axis::{bytes, round_up, thousands};
use super::columns::Columns;
use super::frame::{FOOT, Frame, HEAD, area, caption, head, legend, nothing, row, shortened};
use super::style::{CHART, WIDTH, fills, style};
use crate::{RouteTotal, route_totals};
use tegula_figures::svg::Svg;
use tegula_runtime::trace::{Purpose, Trace};

pub(super) const PANEL: Panel = Panel {
    name: "transfers",
    summary: "bytes per second on each route between memories over time, by purpose",
    has: |trace| !trace.transfers.is_empty(),
    draw: transfers,
};

const ROW: f64 = 70.0;
const STEP: f64 = ROW + 36.0;
/// Width of a column in pixels.
const COLUMN: f64 = 2.0;
/// Most routes that have a row of their own.
const MOST_ROUTES: usize = 16;
/// Colours of the purposes, in their order.
const COLOURS: [&str; 3] = ["#d55e00", "#009e73", "#cc79a7"];

/// Draws, over `span` nanoseconds, for each route the rate of its transfers, each spread evenly
/// over its duration.
#[must_use]
pub fn transfers(trace: &Trace, span: u64) -> String {
    let mut svg = Svg::default();
    let style = style("tegula-transfers", &fills(COLOURS), &[]);
    if trace.transfers.is_empty() {
        let height = nothing(&mut svg, "Transfers", "Nothing moved between memories.");
        return svg.finish("tegula-transfers", (WIDTH, height), &style);
    }
    let frame = Frame::new(span);
    let routes = Route::all(trace);
    let drawn = &routes[..routes.len().min(MOST_ROUTES)];
    let total: u64 = routes.iter().map(|route| route.bytes).sum();
    let more = format!("{} transfers of {}", thousands(trace.transfers.len()), bytes(total as f64));
    head(&mut svg, "Transfers", &more);
    let names = Purpose::ALL.into_iter().enumerate();
    legend(&mut svg, HEAD + 8.0, names.map(|(i, purpose)| (format!("c{i}"), purpose.name())));
    let first = HEAD + 50.0;
    let bottom = first + STEP * drawn.len() as f64 - (STEP - ROW);
    let columns: Vec<Columns> = drawn.iter().map(|route| route.columns(trace, frame)).collect();
    let scale = Scale::of(span, &columns);
    for (number, (route, columns)) in drawn.iter().zip(&columns).enumerate() {
        route.draw(&mut svg, trace, (columns, &scale), first + STEP * number as f64);
    }
    frame.marks(&mut svg, first, bottom);
    caption(&mut svg, bottom, &says(routes.len() - drawn.len()));
    svg.finish("tegula-transfers", (WIDTH, bottom + FOOT), &style)
}

/// The caption of a figure that leaves out so many routes.
fn says(left_out: usize) -> String {
    let height = "The height is the rate, alike for all routes: bytes of a transfer spread over its time, \
                  in columns of two pixels.";
    match left_out {
        0 => height.to_owned(),
        some => format!("{height} {some} routes with fewer bytes are left out."),
    }
}

/// A route and what moved on it.
struct Route {
    ends: (usize, usize),
    bytes: u64,
    transfers: u64,
}

impl Route {
    /// Every route, that with the most bytes first.
    fn all(trace: &Trace) -> Vec<Self> {
        let mut routes: Vec<Self> = Vec::new();
        for RouteTotal { src, dst, bytes, transfers, .. } in route_totals(trace) {
            match routes.last_mut().filter(|route| route.ends == (src, dst)) {
                Some(route) => {
                    route.bytes += bytes;
                    route.transfers += transfers;
                }
                None => routes.push(Self { ends: (src, dst), bytes, transfers }),
            }
        }
        routes.sort_by_key(|route| std::cmp::Reverse(route.bytes));
        routes
    }

    /// Its bytes over time, by purpose.
    fn columns(&self, trace: &Trace, frame: Frame) -> Columns {
        let mut columns = Columns::new(CHART, COLUMN, Purpose::ALL.len());
        for transfer in trace.transfers.iter().filter(|t| (t.src, t.dst) == self.ends) {
            let (start, end) = (frame.x(transfer.start), frame.x(transfer.end));
            columns.add_amount(transfer.purpose as usize, start, end, transfer.bytes as f64);
        }
        columns
    }

    fn draw(&self, svg: &mut Svg, trace: &Trace, (columns, scale): (&Columns, &Scale), y: f64) {
        let name = |memory| shortened(&trace.memory_name(memory), 40);
        let (src, dst) = (name(self.ends.0), name(self.ends.1));
        let (count, moved) = (thousands(self.transfers as usize), bytes(self.bytes as f64));
        let name = format!("{src} \u{2192} {dst}: {moved} in {count} transfers");
        row(svg, y, ROW, &name, [&rate(scale.top), &rate(scale.top / 2.0)]);
        for (purpose, path) in columns.stack(scale.top / scale.pixels_per_second, ROW) {
            area(svg, y, &format!("c{purpose}"), &path);
        }
    }
}

/// What the height of a row stands for.
struct Scale {
    /// Bytes per second.
    top: f64,
    pixels_per_second: f64,
}

impl Scale {
    /// One that all of `columns` fit.
    fn of(span: u64, columns: &[Columns]) -> Self {
        let pixels_per_second = 1e9 / span.max(1) as f64 * CHART;
        let peak = columns.iter().map(Columns::peak).fold(0.0, f64::max);
        Self { top: round_up(peak * pixels_per_second, 1024.0), pixels_per_second }
    }
}

fn rate(bytes_per_second: f64) -> String {
    format!("{}/s", bytes(bytes_per_second))
}
