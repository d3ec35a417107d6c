//! Small things of the host: locks, random numbers, and pages that nobody else has.
#![allow(unsafe_code)]

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::abi::mistake;

/// What a mutex guards.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Random numbers, by Steele and others, "Fast splittable pseudorandom number generators" (2014).
#[derive(Clone, Debug)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        x ^ (x >> 31)
    }
}

/// Bytes of a page.
const PAGE: usize = 4096;

/// Pages that end with one that nobody may touch.
#[derive(Debug)]
pub(crate) struct Pages {
    start: *mut u8,
    length: usize,
    place: *mut u8,
}

// SAFETY: it owns them; who reads and writes them is the streams' affair.
unsafe impl Send for Pages {}
// SAFETY: as above.
unsafe impl Sync for Pages {}

impl Pages {
    /// Room for `bytes` bytes, which end at the last page but for less than 16, and all of which
    /// are 0xFF: not a number, whatever the precision.
    pub(crate) fn new(bytes: usize) -> Self {
        let length = bytes.next_multiple_of(PAGE) + PAGE;
        let (access, flags) =
            (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: it makes new pages, and the last of these is then closed.
        let start = unsafe {
            let start = libc::mmap(std::ptr::null_mut(), length, access, flags, -1, 0);
            if start == libc::MAP_FAILED {
                mistake!("the host has no {length} bytes");
            }
            let start = start.cast::<u8>();
            libc::mprotect(start.add(length - PAGE).cast(), PAGE, libc::PROT_NONE);
            start.write_bytes(0xFF, length - PAGE);
            start
        };
        let place = start.wrapping_add((length - PAGE - bytes) & !15);
        Self { start, length, place }
    }

    /// Where the bytes begin.
    pub(crate) fn place(&self) -> *mut u8 {
        self.place
    }

    /// Whether nobody has written outside the `bytes` bytes.
    pub(crate) fn is_whole(&self, bytes: usize) -> bool {
        let before = self.place as usize - self.start as usize;
        // SAFETY: the pages but for the last can be read.
        let all = unsafe { std::slice::from_raw_parts(self.start, self.length - PAGE) };
        all[..before].iter().chain(&all[before + bytes..]).all(|&byte| byte == 0xFF)
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: they were made in `new`, and nobody uses them any more.
        unsafe { libc::munmap(self.start.cast(), self.length) };
    }
}
