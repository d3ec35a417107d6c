//! Memory of this machine, as far as the system tells.

use std::fs::read_to_string;

/// Bytes of memory that this process may use: the machine's, or its control group's if that is
/// less.
pub(crate) fn memory_bytes() -> Option<u64> {
    let group = read_to_string("/sys/fs/cgroup/memory.max").ok();
    let group = group.and_then(|limit| limit.trim().parse().ok());
    [group, total_bytes()].into_iter().flatten().min()
}

/// Bytes of memory that this process may use, if that is less than `needed`.
pub(crate) fn short_memory(needed: f64) -> Option<u64> {
    memory_bytes().filter(|there| needed > *there as f64)
}

fn total_bytes() -> Option<u64> {
    let text = read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}
