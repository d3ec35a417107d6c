//! Eyes for another thread on how far a flow is.

use std::sync::Arc;

use super::Space;

/// Shows another thread how far a flow is.
#[derive(Clone, Debug)]
pub struct Watch(pub(super) Arc<Space>);

impl Watch {
    /// Tasks that were completed so far, over the life of the flow.
    #[must_use]
    pub fn completed(&self) -> u64 {
        self.0.completed()
    }

    /// The same by worker.
    #[must_use]
    pub fn completed_by_worker(&self) -> Vec<u64> {
        self.0.completed_by_worker().collect()
    }
}
