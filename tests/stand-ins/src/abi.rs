//! How functions are exported to C, and what they answer.
#![allow(unsafe_code)]

use std::ffi::c_int;

/// What a function of the driver answers: 0, or the number of an error.
pub(crate) type Status = c_int;
/// A context, stream, event, module or function: a number that no pointer is.
pub(crate) type Handle = u64;
/// What a call has done, or why not.
pub(crate) type Outcome<T = ()> = Result<T, Status>;

pub(crate) const INVALID_VALUE: Status = 1;
pub(crate) const OUT_OF_MEMORY: Status = 2;
pub(crate) const INVALID_DEVICE: Status = 101;
pub(crate) const INVALID_IMAGE: Status = 200;
pub(crate) const INVALID_CONTEXT: Status = 201;
pub(crate) const INVALID_HANDLE: Status = 400;
pub(crate) const NOT_FOUND: Status = 500;
pub(crate) const NOT_READY: Status = 600;
pub(crate) const ILLEGAL_ADDRESS: Status = 700;
pub(crate) const OUT_OF_RESOURCES: Status = 701;
pub(crate) const PEER_ALREADY: Status = 704;
pub(crate) const ALREADY_PINNED: Status = 712;
pub(crate) const NOT_PINNED: Status = 713;
pub(crate) const LAUNCH_FAILED: Status = 719;
pub(crate) const UNKNOWN: Status = 999;

/// The name and the words of each error.
pub(crate) const ERRORS: &[(Status, &str, &str)] = &[
    (0, "CUDA_SUCCESS\0", "no error\0"),
    (INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE\0", "invalid argument\0"),
    (OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY\0", "out of memory\0"),
    (INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE\0", "invalid device ordinal\0"),
    (INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE\0", "device kernel image is invalid\0"),
    (INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT\0", "invalid device context\0"),
    (INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE\0", "invalid resource handle\0"),
    (NOT_FOUND, "CUDA_ERROR_NOT_FOUND\0", "named symbol not found\0"),
    (NOT_READY, "CUDA_ERROR_NOT_READY\0", "device not ready\0"),
    (ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS\0", "an illegal memory access was encountered\0"),
    (
        OUT_OF_RESOURCES,
        "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES\0",
        "too many resources requested for launch\0",
    ),
    (PEER_ALREADY, "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED\0", "peer access is already enabled\0"),
    (
        ALREADY_PINNED,
        "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED\0",
        "part or all of the requested memory range is already mapped\0",
    ),
    (
        NOT_PINNED,
        "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED\0",
        "pointer does not correspond to a registered memory region\0",
    ),
    (LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED\0", "unspecified launch failure\0"),
    (UNKNOWN, "CUDA_ERROR_UNKNOWN\0", "unknown error\0"),
];

/// Ends the process: the program did what no device forgives.
macro_rules! mistake {
    ($($words:tt)*) => { $crate::abi::end(format_args!($($words)*)) };
}
pub(crate) use mistake;

/// Says on standard error what was wrong, and ends the process.
#[allow(clippy::print_stderr)]
pub(crate) fn end(words: std::fmt::Arguments<'_>) -> ! {
    eprintln!("stand-in: {words}");
    std::process::abort()
}

/// A place that the caller gives for an answer, or nothing.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub(crate) struct Answer<T>(*mut T);

impl<T> Answer<T> {
    /// Writes the answer.
    pub(crate) fn set(self, value: T) {
        if !self.0.is_null() {
            // SAFETY: the caller of the exported function gives a place for one.
            unsafe { self.0.write(value) }
        }
    }

    /// What stands there.
    pub(crate) fn get(self) -> T
    where
        T: Copy,
    {
        // SAFETY: the caller of the exported function gives one to read.
        unsafe { self.0.read() }
    }

    /// Writes a row of answers, for which there is room.
    pub(crate) fn fill(self, values: &[T])
    where
        T: Copy,
    {
        for (at, value) in values.iter().enumerate() {
            // SAFETY: the caller of the exported function says how much room there is.
            unsafe { self.0.add(at).write(*value) }
        }
    }
}

/// What the caller gives to be read: one value, or a row of them.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub(crate) struct Given<T>(*const T);

impl<T: Copy> Given<T> {
    pub(crate) fn new(address: u64) -> Self {
        Self(address as *const T)
    }

    pub(crate) fn is_null(self) -> bool {
        self.0.is_null()
    }

    pub(crate) fn address(self) -> u64 {
        self.0 as u64
    }

    /// The value at `index`.
    pub(crate) fn at(self, index: usize) -> T {
        // SAFETY: the caller of the exported function gives as many.
        unsafe { self.0.add(index).read_unaligned() }
    }
}

impl Given<std::ffi::c_char> {
    /// The text, to its end.
    pub(crate) fn text(self) -> String {
        // SAFETY: the caller of the exported function gives a text that ends.
        unsafe { std::ffi::CStr::from_ptr(self.0) }.to_string_lossy().into_owned()
    }
}

/// Exports functions that answer with the number of an error.
macro_rules! export {
    ($($(#[doc = $doc:literal])* fn $name:ident($($argument:ident: $type:ty),* $(,)?) $body:block)+) => {
        $($(#[doc = $doc])*
        #[unsafe(no_mangle)]
        extern "C" fn $name($($argument: $type),*) -> std::ffi::c_int {
            let call = move || -> $crate::abi::Outcome { $body };
            call().err().unwrap_or(0)
        })+
    };
}
pub(crate) use export;
