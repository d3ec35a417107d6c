//! The cores that this process may use, as its affinity mask and control group allow.

/// Numbers of the cores in this thread's affinity mask.
#[must_use]
#[allow(unsafe_code)]
pub fn allowed_cores() -> Vec<usize> {
    // SAFETY: the mask is plain old data, zeroed is an empty set.
    let mut mask: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    // SAFETY: the mask has the size that is passed.
    let status = unsafe { libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &mut mask) };
    if status != 0 {
        return (0..std::thread::available_parallelism().map_or(1, usize::from)).collect();
    }
    // SAFETY: every index is below CPU_SETSIZE.
    (0..libc::CPU_SETSIZE as usize)
        .filter(|&core| unsafe { libc::CPU_ISSET(core, &mask) })
        .collect()
}

/// How many cores this process may keep busy: the affinity mask and the quota of the control
/// group, whichever is less.
#[must_use]
pub fn usable_cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Binds the calling thread to `cores`; says whether the system allowed it.
#[allow(unsafe_code)]
pub fn bind_to_cores(cores: &[usize]) -> bool {
    if cores.iter().any(|&core| core >= libc::CPU_SETSIZE as usize) {
        return false;
    }
    // SAFETY: the mask is plain old data, and every core is below CPU_SETSIZE.
    unsafe {
        let mut mask: libc::cpu_set_t = std::mem::zeroed();
        cores.iter().for_each(|&core| libc::CPU_SET(core, &mut mask));
        libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &mask) == 0
    }
}
