//! Work of a task.

/// Work of one task, from which performance models start.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// Floating-point operations.
    pub flops: f64,
    /// Bytes read and written once each.
    pub bytes: f64,
}
