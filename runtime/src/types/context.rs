//! Names of scheduling contexts and of the jobs in them.

/// A scheduling context, by number. Context 0 has all workers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ContextId(pub u16);

impl ContextId {
    /// The context of all workers, in which whatever belongs to no other is run.
    pub const ROOT: Self = Self(0);
}

/// A job, by number: tasks that begin and end together, in one context. Job 0 is whatever belongs
/// to no other, in the context of all workers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct JobId(pub u16);
