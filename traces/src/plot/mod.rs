//! Figures of a trace: a trace in, a finished SVG out. Beside them, figures of plain numbers: maps
//! of owners, and curves.
//!
//! Panels know traces alone, not the engine that made them. To add a panel: one file with a
//! function from a trace to an SVG, and one line in [`PANELS`].

mod aggregated;
mod axis;
mod columns;
mod compare;
mod contexts;
mod curves;
mod frame;
mod gantt;
mod groups;
mod iterations;
mod levels;
mod limits;
mod memory;
mod order;
mod outliers;
mod owners;
mod places;
mod progression;
mod ready;
mod report;
mod style;
mod transfers;
mod utilisation;

pub use aggregated::aggregated;
pub use compare::{Run, compare};
pub use contexts::contexts;
pub use curves::{Curve, Curves, curves};
pub use gantt::gantt;
pub use iterations::iterations;
pub use memory::memory;
pub use order::order;
pub use owners::owners;
pub use progression::{progression, progression_of};
pub use ready::ready;
pub use report::report;
pub use transfers::transfers;
pub use utilisation::utilisation;

use tegula_runtime::trace::Trace;

/// A member of [`PANELS`].
#[derive(Clone, Copy)]
pub struct Panel {
    /// Its name in flags and files.
    pub name: &'static str,
    /// One line of help.
    pub summary: &'static str,
    /// Whether a trace has what it shows; if not, it says what is missing.
    pub has: fn(&Trace) -> bool,
    /// Draws it, as a document of its own, over so many nanoseconds: [`Trace::span`] or more.
    pub draw: fn(&Trace, u64) -> String,
}

impl std::fmt::Debug for Panel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// Every panel.
pub static PANELS: &[Panel] = &[
    gantt::PANEL,
    contexts::PANEL,
    aggregated::PANEL,
    progression::PANEL,
    iterations::PANEL,
    order::PANEL,
    utilisation::PANEL,
    ready::PANEL,
    memory::PANEL,
    transfers::PANEL,
];

#[cfg(test)]
mod tests;
