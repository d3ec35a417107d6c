//! The rows of messages: when any was on its way to or from each rank.

use super::super::axis::{bytes, thousands};
use super::super::columns::Columns;
use super::super::frame::shortened;
use super::super::style::{CHART, LEFT, RIGHT};
use super::Chart;
use crate::overlap::union;
use tegula_figures::svg::{Svg, escaped};
use tegula_runtime::trace::MessageRecord;

impl Chart<'_> {
    /// One row: above what comes to `rank`, below what goes, and at the right the bytes that came.
    pub(super) fn messages(&self, svg: &mut Svg, rank: usize, line: usize) {
        let (y, height) = self.place(line);
        let coming = self.flights(|message| message.to == rank);
        let going = self.flights(|message| message.from == rank);
        let name = format!("rank {rank} messages");
        let about = format!(
            "{name}: {} in, {}; {} out, {}",
            thousands(coming.count),
            bytes(coming.bytes as f64),
            thousands(going.count),
            bytes(going.bytes as f64)
        );
        svg.line(format_args!("<g class=\"messages\"><title>{}</title>", escaped(&about)));
        svg.line(format_args!(
            "<rect x=\"{LEFT}\" y=\"{y}\" width=\"{CHART}\" height=\"{height}\" class=\"r\"/>"
        ));
        let half = height / 2.0;
        for (flights, class, y) in [(&coming, "in", y), (&going, "out", y + half)] {
            let mut columns = Columns::new(CHART, 1.0, 1);
            flights.spans.iter().for_each(|&(start, end)| columns.add(0, start, end));
            let area = columns.area(&columns.shares(0..1, 1.0), half);
            svg.line(format_args!(
                "<path transform=\"translate({LEFT} {y})\" class=\"{class}\" d=\"{area}\"/>"
            ));
        }
        if line.is_multiple_of(self.rows_per_label) {
            let middle = y + half + 4.0;
            svg.text((LEFT - 10.0, middle), "e q", &shortened(&name, 18));
            svg.text((RIGHT + 50.0, middle), "e q", &bytes(coming.bytes as f64));
        }
        svg.line(format_args!("</g>"));
    }

    /// The messages that are `wanted`.
    fn flights(&self, wanted: impl Fn(&MessageRecord) -> bool) -> Flights {
        let mut flights = Flights::default();
        let mut spans = Vec::new();
        for message in self.trace.messages.iter().filter(|&message| wanted(message)) {
            flights.count += 1;
            flights.bytes += message.bytes;
            spans.push((message.start(), message.end()));
        }
        let x = |(start, end)| (self.x(start), self.x(end));
        flights.spans = union(spans).into_iter().map(x).collect();
        flights
    }
}

/// Some messages.
#[derive(Default)]
struct Flights {
    count: usize,
    bytes: u64,
    /// When any of them was in flight, in pixels.
    spans: Vec<(f64, f64)>,
}
