//! The cores that this process may use, as its affinity mask and control group allow.

pub(super) use affinity::MOST;

/// Numbers of the cores in this thread's affinity mask, or of all where systems have none.
#[must_use]
pub fn allowed_cores() -> Vec<usize> {
    affinity::allowed().unwrap_or_else(|| (0..usable_cores()).collect())
}

/// How many cores this process may keep busy: the affinity mask and the quota of the control
/// group, whichever is less.
#[must_use]
pub fn usable_cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Binds the calling thread to `cores`; says whether the system allowed it.
pub fn bind_to_cores(cores: &[usize]) -> bool {
    cores.iter().all(|&core| core < MOST) && affinity::bind(cores)
}

/// Threads and the cores that they may run on.
#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
mod affinity {
    /// Numbers of cores are below this.
    pub(in super::super) const MOST: usize = libc::CPU_SETSIZE as usize;

    pub(super) fn allowed() -> Option<Vec<usize>> {
        // SAFETY: the mask is plain old data, zeroed is an empty set.
        let mut mask: libc::cpu_set_t = unsafe { std::mem::zeroed() };
        // SAFETY: the mask has the size that is passed.
        let status = unsafe { libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &mut mask) };
        // SAFETY: every index is below CPU_SETSIZE.
        let is_allowed = |&core: &usize| unsafe { libc::CPU_ISSET(core, &mask) };
        (status == 0).then(|| (0..MOST).filter(is_allowed).collect())
    }

    pub(super) fn bind(cores: &[usize]) -> bool {
        // SAFETY: the mask is plain old data, and every core is below CPU_SETSIZE.
        unsafe {
            let mut mask: libc::cpu_set_t = std::mem::zeroed();
            cores.iter().for_each(|&core| libc::CPU_SET(core, &mut mask));
            libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &mask) == 0
        }
    }
}

/// Systems that bind no threads, such as macOS.
#[cfg(not(target_os = "linux"))]
mod affinity {
    /// Numbers of cores are below this.
    pub(in super::super) const MOST: usize = 1024;

    pub(super) fn allowed() -> Option<Vec<usize>> {
        None
    }

    pub(super) fn bind(_cores: &[usize]) -> bool {
        false
    }
}
