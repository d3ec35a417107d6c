//! The bars above the workers: when each phase ran, and how many workers it kept busy.

use super::super::axis::{duration, thousands};
use super::super::columns::Columns;
use super::super::frame::shortened;
use super::super::groups::Group;
use super::super::style::{CHART, LEFT, RIGHT};
use super::{BAR, BAR_STEP, Chart, TOP, percent};
use tegula_figures::svg::{Svg, escaped, px};

impl Chart<'_> {
    /// For each group a bar from its first task to its last, as high as it keeps workers busy.
    pub(super) fn phases(&self, svg: &mut Svg) {
        let mut columns = Columns::new(CHART, 1.0, self.groups.list.len());
        for (record, &group) in self.trace.records.iter().zip(&self.groups.of) {
            columns.add(group, self.x(record.start), self.x(record.end));
        }
        let work: u64 = self.groups.list.iter().map(|group| group.busy).sum();
        for (i, group) in self.groups.list.iter().enumerate() {
            let y = TOP + BAR_STEP * i as f64;
            let share = percent(group.busy as f64 / work as f64);
            let (from, to) = (self.x(group.span.0), self.x(group.span.1));
            svg.line(format_args!(
                "<g class=\"c{i}\"><title>{}</title>",
                escaped(&self.describe(group, &share))
            ));
            svg.line(format_args!("<rect x=\"20\" y=\"{}\" width=\"10\" height=\"10\"/>", y + 2.0));
            let size = format!("width=\"{}\" height=\"{BAR}\"", px((to - from).max(1.5)));
            svg.line(format_args!(
                "<rect x=\"{}\" y=\"{y}\" {size} class=\"b\"/>",
                px(LEFT + from)
            ));
            let area = columns.area(&columns.shares(i..i + 1, self.trace.workers as f64), BAR);
            svg.line(format_args!("<path transform=\"translate({LEFT} {y})\" d=\"{area}\"/>"));
            svg.text((36.0, y + 11.0), "", &shortened(&group.name, 16));
            svg.text((RIGHT + 50.0, y + 11.0), "e", &share);
            svg.line(format_args!("</g>"));
        }
    }

    fn describe(&self, group: &Group, share: &str) -> String {
        let Group { name, tasks, busy, span, .. } = group;
        let (tasks, busy) = (thousands(*tasks), duration(*busy));
        let (from, to) = (duration(span.0), duration(span.1));
        format!("{name}: tasks {tasks}, work {busy} ({share}), from {from} to {to}")
    }
}
