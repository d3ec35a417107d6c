//! Libraries that panic at damaged files: the panic becomes an error, and is not announced.

use std::cell::Cell;
#[cfg(feature = "parquet")]
use std::{
    io,
    panic::{AssertUnwindSafe, catch_unwind},
};

thread_local! {
    static IS_GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread is reading a file with a library whose panics are caught and mean that the
/// file is damaged: a panic hook should not announce them.
pub fn is_guarded() -> bool {
    IS_GUARDED.get()
}

/// What `read` gives; if it panics, the error of a damaged file.
#[cfg(feature = "parquet")]
pub(super) fn guarded<T>(read: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    IS_GUARDED.set(true);
    let result = catch_unwind(AssertUnwindSafe(read));
    IS_GUARDED.set(false);
    result.unwrap_or_else(|_| Err(super::damaged("its reader met what cannot be")))
}
