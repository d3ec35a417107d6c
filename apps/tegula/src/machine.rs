//! Memory and disks of this machine, as far as the system tells.

use std::fs::read_to_string;
use std::path::Path;

/// Bytes of memory that this process may use: the machine's, or its control group's if that is
/// less.
pub(crate) fn memory_bytes() -> Option<u64> {
    let group = read_to_string("/sys/fs/cgroup/memory.max").ok();
    let group = group.and_then(|limit| limit.trim().parse().ok());
    [group, total_bytes()].into_iter().flatten().min()
}

/// Bytes of memory that a run may fill: a tenth is left to the rest of the process and the system.
pub(crate) fn usable_memory() -> Option<u64> {
    memory_bytes().map(|bytes| bytes / 10 * 9)
}

/// The most bytes of memory that this process has held so far, if the system tells.
pub(crate) fn peak_resident() -> Option<u64> {
    let text = read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

/// Bytes that files in `folder` may still take, if the system tells.
pub(crate) fn free_bytes(folder: &Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(folder).ok()?;
    Some(disk.f_bavail.saturating_mul(disk.f_frsize))
}

fn total_bytes() -> Option<u64> {
    let text = read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}
