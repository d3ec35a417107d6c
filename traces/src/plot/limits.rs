//! Times that a makespan is compared with, as lines across the rows: balanced work, critical path,
//! bounds.

use super::axis::duration;
use super::frame::Frame;
use super::style::{CHART, LEFT, Rule};
use crate::{CriticalPath, balanced_by_rank, balanced_seconds, bounds_seconds};
use tegula_figures::svg::{Svg, px};
use tegula_runtime::trace::Trace;

/// Height of the line of text of a limit.
const STEP: f64 = 15.0;

const BALANCED: &str = "balanced work";
const PATH: &str = "critical path";

/// Rules of figures with limits: the line of a rank by itself.
pub(super) const RULES: &[Rule] = &[(".own", "stroke:#c00;stroke-width:2")];
pub(super) const DARK: &[Rule] = &[(".own", "stroke:#ff6b6b")];

/// What the makespan of a trace is compared with, as far as it is known.
#[derive(Debug)]
pub(super) struct Limits {
    frame: Frame,
    /// Names and times in nanoseconds, in such an order that the lines do not cross the labels,
    /// which lie right of those in the left half and left of the others.
    list: Vec<(&'static str, u64)>,
    /// What the work of each rank takes on its own workers in nanoseconds, if that is asked for.
    own: Vec<Option<u64>>,
}

impl Limits {
    /// The limits of `trace` that lie on the axis, but for what rounding adds.
    pub(super) fn of(trace: &Trace, span: u64) -> Self {
        let balanced = balanced_seconds(trace).map(|seconds| (BALANCED, seconds));
        let path = CriticalPath::of(trace).map(|path| (PATH, path.seconds));
        let all = balanced.into_iter().chain(path).chain(bounds_seconds(trace));
        let all = all.map(|(name, seconds)| (name, nanoseconds(seconds)));
        let (mut right, mut left): (Vec<_>, Vec<_>) =
            all.filter(|&(_, at)| at <= span + span / 1000).partition(|&(_, at)| at > span / 2);
        right.sort_by_key(|&(_, at)| at);
        left.sort_by_key(|&(_, at)| std::cmp::Reverse(at));
        let list = right.into_iter().chain(left).collect();
        Self { frame: Frame::new(span), list, own: Vec::new() }
    }

    /// The same with those of each rank by itself.
    pub(super) fn of_ranks(trace: &Trace, span: u64) -> Self {
        let own = if trace.rank_count() > 1 { balanced_by_rank(trace) } else { Vec::new() };
        let own = own.into_iter().map(|seconds| seconds.map(nanoseconds)).collect();
        Self { own, ..Self::of(trace, span) }
    }

    /// Height of the names, above the rows.
    pub(super) fn height(&self) -> f64 {
        STEP * self.list.len() as f64
    }

    /// Lines from `top`, where the rows begin, to `bottom`, each named in a line of its own above.
    pub(super) fn draw(&self, svg: &mut Svg, top: f64, bottom: f64) {
        for (place, &(_, at)) in self.list.iter().enumerate() {
            let (x, y) = (px(LEFT + self.frame.x(at)), px(top - 18.0 - STEP * place as f64));
            svg.line(format_args!("<path d=\"M{x} {y}V{}\" class=\"limit\"/>", px(bottom)));
        }
        for (place, &(name, at)) in self.list.iter().enumerate() {
            let (x, y) = (LEFT + self.frame.x(at), top - 8.0 - STEP * place as f64);
            let (x, class) = if x < LEFT + CHART / 2.0 { (x + 5.0, "") } else { (x - 5.0, "e ") };
            let text = format!("{name} {}", duration(at));
            svg.text((x, y), &format!("{class}limit-text"), &text);
        }
    }

    /// The line of `rank` by itself across its rows, if there are several ranks.
    pub(super) fn draw_own(&self, svg: &mut Svg, rank: usize, (top, bottom): (f64, f64)) {
        let Some(at) = self.own.get(rank).copied().flatten() else { return };
        let x = px(LEFT + self.frame.x(at));
        svg.line(format_args!("<path d=\"M{x} {}V{}\" class=\"own\"/>", px(top), px(bottom)));
    }

    /// What the names mean.
    pub(super) fn describe(&self) -> String {
        let has = |name: &str| self.list.iter().any(|&(other, _)| other == name);
        let own = self.own.iter().any(Option::is_some);
        let balanced = match (has(BALANCED), own) {
            (false, _) => "",
            (_, false) => {
                "Balanced work: all tasks, divided as well as can be, at the means of this run."
            }
            _ => {
                "Balanced work: all tasks, divided as well as can be, at the means of this run; solid: of each \
                 rank alone."
            }
        };
        let path = if has(PATH) { "Critical path: its tasks, as they ran." } else { "" };
        format!("{balanced} {path}").trim().to_owned()
    }
}

fn nanoseconds(seconds: f64) -> u64 {
    (1e9 * seconds) as u64
}
