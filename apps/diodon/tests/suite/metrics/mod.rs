//! Components with metrics, and with respect to instruments, against dense computations with
//! symmetric roots.

mod answers;
mod diagram;
mod instruments;
mod support;
