//! Toggles that take the overlap of reading and computing apart, and how much of it there was.

use clap::Args;
use serde_json::{Value, json};
use tegula_diodon::stream::Overlap;
use tegula_runtime::trace::Trace;

/// What to do without.
#[derive(Args, Clone, Copy, Debug)]
#[command(
    next_help_heading = "Overlap of reading and computing, for measuring what each part is worth"
)]
pub(super) struct StreamFlags {
    /// Read, wait, multiply, wait
    #[arg(long)]
    no_overlap: bool,
    /// Wait for the sums of all distances before the first product
    #[arg(long)]
    no_split_gram: bool,
    /// Add to panels in the order of the program
    #[arg(long)]
    no_commute: bool,
    /// Read row of tiles by row of tiles
    #[arg(long)]
    no_read_order: bool,
    /// No task before another
    #[arg(long)]
    no_priorities: bool,
}

impl StreamFlags {
    /// What the library is to do.
    pub(super) fn overlap(self) -> Overlap {
        Overlap {
            asynchronous: !self.no_overlap,
            split_gram: !self.no_split_gram,
            commute: !self.no_commute,
            read_order: !self.no_read_order,
            priorities: !self.no_priorities,
        }
    }

    /// The toggles as JSON.
    pub(super) fn json(self) -> Value {
        let overlap = self.overlap();
        json!({
            "asynchronous": overlap.asynchronous,
            "split_gram": overlap.split_gram,
            "commute": overlap.commute,
            "read_order": overlap.read_order,
            "priorities": overlap.priorities,
        })
    }
}

/// Seconds that tasks took, by what they did.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Times {
    /// Reading, summed over workers.
    pub(super) read: f64,
    /// Products with tiles, summed over workers.
    pub(super) products: f64,
    /// All other tasks, summed over workers.
    pub(super) other: f64,
    /// From the first read or product to the last, in which both went on.
    pub(super) both: f64,
    /// In which either went on.
    pub(super) either: f64,
}

impl Times {
    /// Sums a trace up.
    pub(super) fn of(trace: &Trace) -> Self {
        let mut times = Self::default();
        let mut events = Vec::new();
        for record in &trace.records {
            let kind = match record.codelet {
                "read" => 0,
                "sweep" => 1,
                _ => 2,
            };
            [&mut times.read, &mut times.products, &mut times.other]
                .into_iter()
                .nth(kind)
                .into_iter()
                .for_each(|sum| *sum += record.seconds());
            if kind < 2 {
                events.extend([(record.start, kind, 1_i64), (record.end, kind, -1)]);
            }
        }
        events.sort_unstable();
        let (mut running, mut last) = ([0_i64; 2], 0);
        for (time, kind, change) in events {
            let seconds = (time - last) as f64 * 1e-9;
            times.both += if running[0] > 0 && running[1] > 0 { seconds } else { 0.0 };
            times.either += if running[0] + running[1] > 0 { seconds } else { 0.0 };
            running[kind] += change;
            last = time;
        }
        times
    }

    /// As JSON.
    pub(super) fn json(&self) -> Value {
        json!({
            "read": self.read,
            "products": self.products,
            "other": self.other,
            "reading_and_computing": self.both,
            "reading_or_computing": self.either,
        })
    }
}
