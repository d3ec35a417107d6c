//! Hints that bring a cache line closer before it is used. Any address will do, also one that
//! nobody may read; where a processor has no such instruction, nothing happens.
#![allow(unsafe_code)]

/// Into the first cache.
#[inline(always)]
pub(super) fn near<T>(from: *const T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch touches no memory that the program sees.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(from.cast::<i8>());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = from;
}

/// Into the second cache.
#[inline(always)]
pub(super) fn far<T>(from: *const T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: as above.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T1 }>(from.cast::<i8>());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = from;
}
