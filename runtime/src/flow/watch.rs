//! Eyes for another thread on how far a flow is.

use std::sync::Arc;

use super::{Flow, Space};

/// Shows another thread how far a flow is.
#[derive(Clone, Debug)]
pub struct Watch(Arc<Space>);

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

impl Flow {
    /// Eyes for another thread on how far the flow is.
    #[must_use]
    pub fn watch(&self) -> Watch {
        Watch(self.graph.space().clone())
    }
}
