//! What a resizing policy looks at.

use crate::sched::contexts::Limits;
use crate::types::ContextId;

use super::Trigger;

/// The contexts between which workers may move.
#[derive(Clone, Debug)]
pub struct Outlook {
    /// What happened.
    pub trigger: Trigger,
    /// By group, the workers to be shared out.
    pub workers: Vec<usize>,
    /// The contexts that have work left.
    pub contexts: Vec<ContextOutlook>,
    /// Of an idle worker: its group, and the place of its context.
    pub idle: Option<(usize, usize)>,
}

/// One of them.
#[derive(Clone, Debug)]
pub struct ContextOutlook {
    /// Which.
    pub context: ContextId,
    /// The contexts that it is below, from the highest on; that of all workers counts as none.
    pub parents: Vec<ContextId>,
    /// By group, the workers that it has.
    pub workers: Vec<usize>,
    /// By group, the workers that it may have.
    pub limits: Vec<Limits>,
    /// Operations left, if anything is known of them.
    pub flops: f64,
    /// By group, the operations per second of a worker of it; 0 if it cannot run there.
    pub speed: Vec<f64>,
    /// By group, the operations per second of a worker of it in the last window, if any ran.
    pub measured: Vec<Option<f64>>,
    /// Tasks left, by type.
    pub types: Vec<TypeLeft>,
    /// Tasks that are ready and given to nobody.
    pub ready: usize,
    /// Operations per second in the last window.
    pub observed: f64,
    /// Those that its workers promised when they were chosen, if they were.
    pub ideal: Option<f64>,
}

/// Tasks that take equally long.
#[derive(Clone, Debug)]
pub struct TypeLeft {
    /// How many.
    pub tasks: f64,
    /// By group, the seconds of one; infinite where it cannot run.
    pub seconds: Vec<f64>,
}
