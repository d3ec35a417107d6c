//! Work of a task.

/// Work of one task, from which performance models start.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// Floating-point operations.
    pub flops: f64,
    /// Bytes read and written once each.
    pub bytes: f64,
}

/// Operations, or bytes, of a task up to which it is small: a few microseconds.
const SMALL: f64 = 20_000.0;

impl Cost {
    /// Whether a task of this cost takes so little time that what is done for each task by itself
    /// would cost more; one of no known cost does not.
    pub(crate) fn is_small(self) -> bool {
        let work = self.flops.max(self.bytes);
        work > 0.0 && work <= SMALL
    }
}
