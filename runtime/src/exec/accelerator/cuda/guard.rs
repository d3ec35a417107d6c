//! Calls of the driver, whose bindings panic where a library or one of its functions is missing:
//! here that becomes a reason, like any other refusal.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use cudarc::driver::{DriverError, sys::CUresult};

/// What a call of the driver gave, or why not.
pub(super) fn guarded<T>(call: impl FnOnce() -> Result<T, DriverError>) -> Result<T, String> {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(result) => result.map_err(|error| describe(&error)),
        Err(payload) => Err(message(&*payload)),
    }
}

/// The driver's words, or its number where it cannot be asked for words.
fn describe(error: &DriverError) -> String {
    let words = catch_unwind(AssertUnwindSafe(|| {
        error.error_string().map(|text| text.to_string_lossy().into_owned())
    }));
    let words = words.ok().and_then(Result::ok).unwrap_or_default();
    format!("{words} ({:?})", error.0)
}

/// What a panic said.
fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("a panic").to_owned()
}

/// Whether the reason is that memory has run out.
pub(super) fn is_out_of_memory(reason: &str) -> bool {
    reason.ends_with(&format!("({:?})", CUresult::CUDA_ERROR_OUT_OF_MEMORY))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_of_the_bindings_becomes_a_reason() {
        let reason = guarded::<()>(|| panic!("Missing symbol cuInit")).expect_err("it panicked");
        assert_eq!(reason, "Missing symbol cuInit");
    }

    #[test]
    fn running_out_of_memory_is_recognised() {
        let fails = |error| guarded::<()>(|| Err(DriverError(error))).expect_err("it failed");
        assert!(is_out_of_memory(&fails(CUresult::CUDA_ERROR_OUT_OF_MEMORY)));
        assert!(!is_out_of_memory(&fails(CUresult::CUDA_ERROR_INVALID_VALUE)));
    }
}
