//! Small things of the host: locks, random numbers, and pages that nobody else has.
#![allow(unsafe_code)]

use std::cell::Cell;
use std::ffi::c_int;
use std::mem::{MaybeUninit, zeroed};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

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

thread_local! {
    /// What this thread does for a device.
    static DOES: Cell<&'static str> = const { Cell::new("") };
}

/// Does `action`, which is called `what` if it touches memory that is not there.
pub(crate) fn named<R>(what: &str, action: impl FnOnce() -> R) -> R {
    // SAFETY: the name is forgotten before `what` goes.
    DOES.set(unsafe { std::mem::transmute::<&str, &'static str>(what) });
    let result = action();
    DOES.set("");
    result
}

/// What was done with signals before.
static BEFORE: Mutex<Option<libc::sigaction>> = Mutex::new(None);

/// Has the process say who touched memory that is not there, before it ends.
pub(crate) fn watch() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let mut before = MaybeUninit::uninit();
        // SAFETY: the handler is such as the system calls; all else is zero, which stands for
        // nothing.
        unsafe {
            let mut new: libc::sigaction = zeroed();
            new.sa_sigaction = touched as *const () as usize;
            new.sa_flags = libc::SA_NODEFER;
            if libc::sigaction(libc::SIGSEGV, &raw const new, before.as_mut_ptr()) == 0 {
                *locked(&BEFORE) = Some(before.assume_init());
            }
        }
    });
}

/// Says it, and leaves the rest to whoever was there before.
extern "C" fn touched(signal: c_int) {
    let what = DOES.get();
    let words: [&[u8]; 3] = if what.is_empty() {
        [b"stand-in: the host touches memory that is not its own", b"", b""]
    } else {
        [b"stand-in: ", what.as_bytes(), b" touches memory that is not there"]
    };
    for part in words.into_iter().chain([&b"\n"[..]]) {
        // SAFETY: it writes bytes that are there.
        unsafe { libc::write(2, part.as_ptr().cast(), part.len()) };
    }
    let before = BEFORE.try_lock().ok().and_then(|before| *before);
    // SAFETY: it is what was there before, or what the system does by itself.
    unsafe {
        let before = before.unwrap_or(zeroed());
        libc::sigaction(signal, &raw const before, std::ptr::null_mut());
    }
}
