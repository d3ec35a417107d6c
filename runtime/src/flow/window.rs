//! The window: how many tasks may be unfinished while others are submitted.

use super::Flow;

/// Over ranks, small tasks fill one part in so many of the window: all that is kept of them, and of
/// the messages between them, stays in the caches of a core. With all of it, steps of four tasks of
/// 0.1 us took a fifth to a third longer.
const SMALL_WINDOW: u64 = 4;

impl Flow {
    /// Helps to run tasks if the window is full.
    pub(super) fn make_room(&mut self) {
        self.end_loan();
        let unfinished = self.graph.submitted() - self.graph.space().completed();
        let window = self.options.window.max(1);
        let window = if self.graph.were_small() { window.div_ceil(SMALL_WINDOW) } else { window };
        if unfinished < window {
            self.credit = window - unfinished;
            return;
        }
        let left = window - window.div_ceil(4);
        self.engine.advance(self.graph.submitted(), left);
        self.engine.resume(self.graph.program_index());
        self.credit = window - left;
    }
}
