//! The rows of the workers: their tasks, and their idle shares.

use super::super::axis::{duration, thousands};
use super::super::columns::Columns;
use super::super::frame::shortened;
use super::super::style::{CHART, LEFT, RIGHT};
use super::{Chart, percent};
use tegula_figures::svg::{Svg, escaped};
use tegula_runtime::trace::{Outcome, TaskRecord};

impl Chart<'_> {
    /// One row: merged tasks below, single ones above them, the idle share at the right.
    pub(super) fn worker(&self, svg: &mut Svg, worker: usize, line: usize) {
        let (y, height) = self.place(line);
        let records = &self.rows[worker];
        let busy: u64 =
            records.iter().map(|&i| self.trace.records[i].end - self.trace.records[i].start).sum();
        let idle = match self.trace.makespan() {
            0 => 0.0,
            makespan => 1.0 - busy as f64 / makespan as f64,
        };
        let is_labelled = line.is_multiple_of(self.rows_per_label);
        let name = self.trace.worker_name(worker);
        let about = format!("{name}: tasks {}, idle {}", thousands(records.len()), percent(idle));
        svg.line(format_args!("<g class=\"worker\"><title>{}</title>", escaped(&about)));
        svg.line(format_args!(
            "<rect x=\"{LEFT}\" y=\"{y}\" width=\"{CHART}\" height=\"{height}\" class=\"r\"/>"
        ));
        self.merged(svg, worker, (y, height));
        for &i in records.iter().filter(|&&i| !self.is_merged(&self.trace.records[i])) {
            self.task(svg, i, (y, height));
        }
        let middle = y + height / 2.0 + 4.0;
        for (class, share) in [("r", 1.0), ("i", idle)] {
            svg.rect((RIGHT + 56.0, y), (38.0 * share, height), class, &about);
        }
        if is_labelled {
            svg.text((LEFT - 10.0, middle), "e", &shortened(&name, 18));
            svg.text((RIGHT + 50.0, middle), "e", &percent(idle));
        }
        svg.line(format_args!("</g>"));
    }

    /// The narrow tasks of one worker, as stacked shares of columns.
    fn merged(&self, svg: &mut Svg, worker: usize, (y, height): (f64, f64)) {
        let count = self.groups.list.len();
        let mut columns = Columns::new(CHART, self.column, count.max(1));
        for &i in &self.rows[worker] {
            let record = &self.trace.records[i];
            let (start, end) = (self.x(record.start), self.x(record.end));
            if self.is_merged(record) {
                columns.add(self.groups.of[i], start, end);
            } else {
                columns.hide(start, end);
            }
        }
        let areas = columns.stack(1.0, height);
        // As a group, so that what is pale does not shine through.
        let class = if self.shows_outliers && !areas.is_empty() { " class=\"p\"" } else { "" };
        svg.line(format_args!("<g transform=\"translate({LEFT} {y})\"{class}>"));
        for (i, area) in areas {
            svg.line(format_args!("<path class=\"c{i}\" d=\"{area}\"/>"));
        }
        svg.line(format_args!("</g>"));
    }

    /// One task as a rectangle, with its name in it if there is room.
    fn task(&self, svg: &mut Svg, index: usize, (y, height): (f64, f64)) {
        let (record, group) = (&self.trace.records[index], self.groups.of[index]);
        let (x, width) = (LEFT + self.x(record.start), self.width(record));
        let is_pale = self.shows_outliers && !self.outliers.is[index];
        let mut class = format!("c{group}");
        if width > 6.0 {
            class.push_str(" s");
        }
        match record.outcome {
            Outcome::Done if is_pale => class.push_str(" p"),
            Outcome::Done => {}
            Outcome::Failed => class.push_str(" f"),
            Outcome::Skipped => class.push_str(" k"),
        }
        svg.rect((x, y), (width, height), &class, &self.describe_task(record));
        let room = 7.0 * record.codelet.chars().count() as f64 + 6.0;
        if width > room && height >= 14.0 {
            let ink = match self.groups.list[group].is_light {
                _ if is_pale => "n m pale",
                true => "n m d",
                false => "n m w",
            };
            svg.text((x + width / 2.0, y + height / 2.0 + 4.0), ink, record.codelet);
        }
    }

    fn describe_task(&self, record: &TaskRecord) -> String {
        let TaskRecord { codelet, task, spot, start, end, outcome, .. } = *record;
        let (from, to, took) = (duration(start), duration(end), duration(end - start));
        let phase = if self.groups.by == "phase" { self.trace.phase_of(record) } else { "" };
        let tile = spot
            .map_or_else(String::new, |spot| format!(" on tile ({}, {})", spot.row, spot.column));
        let comma = if phase.is_empty() { "" } else { ", " };
        let name = outcome.name();
        format!("{codelet}, task {task}{tile}{comma}{phase}: {from} to {to} ({took}), {name}")
    }
}
