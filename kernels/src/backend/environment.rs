//! The environment that OpenBLAS reads when it is loaded: one thread, and the right kernels.
#![allow(unsafe_code)]

/// Variables that a process should have before it loads OpenBLAS, where they are not set already.
///
/// One thread, since each worker calls it for itself and a pool of its own would compete with the
/// workers. A processor family, since versions that do not know a new processor fall back to
/// kernels of twenty years ago, and since the AVX-512 kernels are slower than the others on Zen.
#[must_use]
pub fn advised() -> Vec<(&'static str, &'static str)> {
    let wanted = [("OPENBLAS_NUM_THREADS", Some("1")), ("OPENBLAS_CORETYPE", core_type())];
    unset(wanted.into_iter().filter_map(|(name, value)| value.map(|value| (name, value)))).collect()
}

/// Those of `variables` that this process does not have.
fn unset<'a>(
    variables: impl Iterator<Item = (&'a str, &'a str)>,
) -> impl Iterator<Item = (&'a str, &'a str)> {
    variables.filter(|(name, _)| std::env::var_os(name).is_none())
}

/// Sets the [`advised`] variables of this process, and `others` that it does not have, if it has a
/// single thread so far: to be called first thing in `main`. Returns whether nothing is left to be
/// set.
///
/// Changing the environment is a race with any other thread that reads it, so in a process with
/// several threads, or where they cannot be counted, this changes nothing.
#[must_use]
pub fn prepare(others: &[(&str, &str)]) -> bool {
    let mut missing: Vec<(&str, &str)> = advised();
    missing.extend(unset(others.iter().copied()));
    if missing.is_empty() {
        return true;
    }
    if threads() != Some(1) {
        return false;
    }
    for (name, value) in missing {
        // SAFETY: this is the only thread of the process, as just counted.
        unsafe { std::env::set_var(name, value) };
    }
    true
}

/// Threads of this process, where the system tells.
fn threads() -> Option<usize> {
    std::fs::read_dir("/proc/self/task").ok().map(Iterator::count)
}

/// OpenBLAS's name for the family of this processor, if it matters.
#[cfg(target_arch = "x86_64")]
fn core_type() -> Option<&'static str> {
    let answer = std::arch::x86_64::__cpuid(0);
    let amd = answer.ebx.to_le_bytes() == *b"Auth" || answer.ebx.to_le_bytes() == *b"Hygo";
    let avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
    let avx512 = is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512dq");
    match (avx2, amd, avx512) {
        (true, true, _) => Some("Zen"),
        (true, false, true) => Some("SkylakeX"),
        (true, false, false) => Some("Haswell"),
        (false, ..) => None,
    }
}

/// Elsewhere OpenBLAS decides.
#[cfg(not(target_arch = "x86_64"))]
fn core_type() -> Option<&'static str> {
    None
}
