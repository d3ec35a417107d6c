//! Access modes: what a task declares about each handle that it uses.

/// Declared use of a handle by a task, from which the graph is inferred.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// Reads; runs after the last writer, beside other readers.
    R,
    /// Overwrites without reading; the old contents (and their failure, if any) are forgotten.
    W,
    /// Reads and writes, in program order.
    RW,
    /// Reads and writes; neighbours in the program with the same mode run in any order, one at a
    /// time.
    Commute,
    /// Accumulates into a copy private to the worker; neighbours with the same mode run side by
    /// side and the copies are folded before the next use of another mode.
    Reduce,
    /// Private working memory of the task: no contents before or after.
    Scratch,
}

impl Access {
    /// Whether the task works on memory that is not the handle's own.
    pub(crate) const fn is_private(self) -> bool {
        matches!(self, Self::Reduce | Self::Scratch)
    }

    /// Whether a task with this access may change the buffer that it is given.
    #[must_use]
    pub const fn writes(self) -> bool {
        !matches!(self, Self::R)
    }
}
