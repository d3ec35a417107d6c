//! Cores, memory and disks of this machine, as far as the system tells.

use std::fs::{read, read_dir, read_to_string};
use std::path::Path;

use tegula_runtime::platform::{allowed_cores, usable_cores};

use crate::ranks::{self, Cores};

/// Root of the control groups.
const GROUPS: &str = "/sys/fs/cgroup";

/// Bytes of memory of this process: the machine's, its control groups' or its job's, whichever is
/// least; of several ranks on a host a share.
pub(crate) fn memory_bytes() -> Option<u64> {
    let there =
        [group_bytes(), system_bytes("/proc/meminfo", "MemTotal:")].into_iter().flatten().min();
    ranks::allocation().memory(there)
}

/// The least limit of the control group of this process and those around it (version 2).
fn group_bytes() -> Option<u64> {
    let groups = read_to_string("/proc/self/cgroup").unwrap_or_default();
    let group = groups.lines().find_map(|line| line.strip_prefix("0::/")).unwrap_or_default();
    let limit = |folder: &Path| {
        let limit = read_to_string(Path::new(GROUPS).join(folder).join("memory.max")).ok()?;
        limit.trim().parse().ok()
    };
    Path::new(group).ancestors().filter_map(limit).min()
}

/// The cores of this process and of its launcher.
pub(crate) fn cores() -> Cores {
    let (bound, usable) = (allowed_cores().len(), usable_cores());
    Cores { bound, usable, launcher: launcher_cores().unwrap_or(bound).max(bound) }
}

/// How many cores the process is bound to that has launched the ranks of this host: the nearest
/// ancestor that is no rank itself, since a rank may be started by a script.
fn launcher_cores() -> Option<usize> {
    let mut process = parent()?;
    while is_rank(process) {
        process = status(process, "PPid:")?.parse().ok()?;
    }
    let mask = status(process, "Cpus_allowed:")?;
    Some(
        mask.chars()
            .filter_map(|digit| digit.to_digit(16))
            .map(|bits| bits.count_ones() as usize)
            .sum(),
    )
}

/// The process that has started this one, if the system tells.
fn parent() -> Option<u32> {
    #[cfg(unix)]
    return Some(std::os::unix::process::parent_id());
    #[cfg(not(unix))]
    None
}

/// Whether `process` was started with the variables of a rank.
fn is_rank(process: u32) -> bool {
    let variables = read(format!("/proc/{process}/environ")).unwrap_or_default();
    let names: [&[u8]; 3] = [b"OMPI_COMM_WORLD_RANK=", b"PMIX_RANK=", b"PMI_RANK="];
    variables.split(|&byte| byte == 0).any(|one| names.iter().any(|name| one.starts_with(name)))
}

/// What the system says of `process` under this name.
fn status(process: u32, name: &str) -> Option<String> {
    system_entry(&format!("/proc/{process}/status"), name)
}

/// What stands behind `name` in one of the system's files.
pub(crate) fn system_entry(file: &str, name: &str) -> Option<String> {
    let text = read_to_string(file).ok()?;
    text.lines().find_map(|line| line.strip_prefix(name)).map(|value| value.trim().to_owned())
}

/// The same as bytes.
fn system_bytes(file: &str, name: &str) -> Option<u64> {
    let kibibytes: u64 = system_entry(file, name)?.strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

/// How many accelerators of NVIDIA this host has, visible to this process or not.
pub(crate) fn devices_on_host() -> Option<usize> {
    read_dir("/proc/driver/nvidia/gpus").ok().map(Iterator::count)
}

/// Bytes of memory that a run may fill: a tenth is left to the rest of the process and the system.
pub(crate) fn usable_memory() -> Option<u64> {
    memory_bytes().map(|bytes| bytes / 10 * 9)
}

/// The most bytes of memory that this process has held so far, if the system tells.
pub(crate) fn peak_resident() -> Option<u64> {
    system_bytes("/proc/self/status", "VmHWM:")
}

/// Bytes that files in `folder` may still take, if the system tells.
#[cfg(unix)]
pub(crate) fn free_bytes(folder: &Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(folder).ok()?;
    Some(disk.f_bavail.saturating_mul(disk.f_frsize))
}

/// None: it is not asked for.
#[cfg(not(unix))]
pub(crate) fn free_bytes(_folder: &Path) -> Option<u64> {
    None
}
