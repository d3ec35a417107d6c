//! Figures of a trace: a trace in, a finished SVG out.
//!
//! Panels know traces alone, not the engine that made them. To add a panel: one file with a
//! function from a trace to an SVG, and one line in [`PANELS`].

mod axis;
mod columns;
mod gantt;
mod groups;
mod svg;

pub use gantt::gantt;

use crate::trace::Trace;

/// A member of [`PANELS`].
#[derive(Clone, Copy)]
pub struct Panel {
    /// Its name in flags and files.
    pub name: &'static str,
    /// One line of help.
    pub summary: &'static str,
    /// Draws it, as a document of its own.
    pub draw: fn(&Trace) -> String,
}

impl std::fmt::Debug for Panel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// Every panel.
pub const PANELS: &[Panel] = &[gantt::PANEL];

#[cfg(test)]
mod tests;
