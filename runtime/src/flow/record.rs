//! What a flow records of a run: when the program waited, and the trace of the engine.

use super::Flow;
use crate::trace::Trace;

impl Flow {
    /// What the engine recorded since the last call, after everything submitted has run.
    pub fn take_trace(&mut self) -> Trace {
        self.drain();
        let mut records = self.engine.take_records();
        records.follow_waits(&std::mem::take(&mut self.waits));
        Trace::new(records, self.engine.site(), &self.phases)
    }

    /// Notes, if the run is recorded, that the program has waited for all that it has submitted.
    pub(super) fn note_wait(&mut self) {
        let submitted = self.graph.program_index();
        if self.graph.space().is_recorded() && self.waits.last() != Some(&submitted) {
            self.waits.push(submitted);
        }
    }
}
