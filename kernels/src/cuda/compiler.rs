//! The compiler of device code, NVRTC, with the types of NVIDIA's `nvrtc.h`.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr;

use tegula_runtime::cuda::library::{Library, Missing};

use super::libraries::{NVRTC, nvrtc};
use super::{LibraryError, told};

/// `nvrtcProgram`: what only the compiler can look into.
type Program = *mut c_void;
/// `nvrtcResult`: 0, or the number of an error.
type Status = c_int;

/// What is called of it.
struct Calls {
    create: unsafe extern "C" fn(
        *mut Program,
        *const c_char,
        *const c_char,
        c_int,
        *const *const c_char,
        *const *const c_char,
    ) -> Status,
    destroy: unsafe extern "C" fn(*mut Program) -> Status,
    compile: unsafe extern "C" fn(Program, c_int, *const *const c_char) -> Status,
    machine_bytes: unsafe extern "C" fn(Program, *mut usize) -> Status,
    machine: unsafe extern "C" fn(Program, *mut c_char) -> Status,
    virtual_bytes: unsafe extern "C" fn(Program, *mut usize) -> Status,
    virtual_code: unsafe extern "C" fn(Program, *mut c_char) -> Status,
    log_bytes: unsafe extern "C" fn(Program, *mut usize) -> Status,
    log: unsafe extern "C" fn(Program, *mut c_char) -> Status,
    words: unsafe extern "C" fn(Status) -> *const c_char,
    version: unsafe extern "C" fn(*mut c_int, *mut c_int) -> Status,
}

impl Calls {
    /// Those of the library.
    fn new() -> Result<Self, LibraryError> {
        Self::find(nvrtc()?).map_err(|reason| told(NVRTC, &reason))
    }

    #[allow(unsafe_code)]
    fn find(library: &'static Library) -> Result<Self, Missing> {
        // SAFETY: the types are those of the header, and the library stays.
        unsafe {
            Ok(Self {
                create: library.function("nvrtcCreateProgram")?,
                destroy: library.function("nvrtcDestroyProgram")?,
                compile: library.function("nvrtcCompileProgram")?,
                machine_bytes: library.function("nvrtcGetCUBINSize")?,
                machine: library.function("nvrtcGetCUBIN")?,
                virtual_bytes: library.function("nvrtcGetPTXSize")?,
                virtual_code: library.function("nvrtcGetPTX")?,
                log_bytes: library.function("nvrtcGetProgramLogSize")?,
                log: library.function("nvrtcGetProgramLog")?,
                words: library.function("nvrtcGetErrorString")?,
                version: library.function("nvrtcVersion")?,
            })
        }
    }

    /// What a call answered.
    #[allow(unsafe_code)]
    fn check(&self, status: Status) -> Result<(), LibraryError> {
        if status == 0 {
            return Ok(());
        }
        // SAFETY: it answers any number with a constant text.
        let words = unsafe { CStr::from_ptr((self.words)(status)) };
        Err(told(NVRTC, &words.to_string_lossy()))
    }

    /// What the compiler holds of the program: one call says how long it is, the end of a text
    /// counted, and one writes it.
    #[allow(unsafe_code)]
    fn made(
        &self,
        program: Program,
        bytes: unsafe extern "C" fn(Program, *mut usize) -> Status,
        write: unsafe extern "C" fn(Program, *mut c_char) -> Status,
    ) -> Result<Vec<u8>, LibraryError> {
        let mut count = 0;
        // SAFETY: it writes one number.
        self.check(unsafe { bytes(program, &raw mut count) })?;
        let mut made = vec![0_u8; count.max(1)];
        // SAFETY: there is room for as many characters as it has said.
        self.check(unsafe { write(program, made.as_mut_ptr().cast()) })?;
        Ok(made)
    }
}

/// A program that is taken away at the end.
struct Made<'a>(&'a Calls, Program);

impl Drop for Made<'_> {
    #[allow(unsafe_code)]
    fn drop(&mut self) {
        // SAFETY: it was created, and is destroyed once.
        let _ = unsafe { (self.0.destroy)(&raw mut self.1) };
    }
}

/// The compiler's version, as `13.0`.
///
/// # Errors
/// If it is not there.
#[allow(unsafe_code)]
pub(super) fn version() -> Result<String, LibraryError> {
    let (calls, mut major, mut minor) = (Calls::new()?, 0, 0);
    // SAFETY: it writes two numbers.
    calls.check(unsafe { (calls.version)(&raw mut major, &raw mut minor) })?;
    Ok(format!("{major}.{minor}"))
}

/// For whom code is compiled: devices of one compute capability, major and minor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// Machine code for these alone, which a driver older than the compiler takes, too.
    Machine((i32, i32)),
    /// PTX, which the driver compiles for these and all later ones.
    Virtual((i32, i32)),
}

/// What the compiler makes of `source` with these options.
///
/// # Errors
/// If it is not there, or refuses; in its words.
///
/// # Panics
/// If the source or an option holds a zero.
#[allow(unsafe_code)]
pub(super) fn compile(
    source: &str,
    options: &[String],
    target: Target,
) -> Result<Vec<u8>, LibraryError> {
    let text = |text: &str| CString::new(text).expect("no text here holds a zero");
    let calls = Calls::new()?;
    let (source, mut program) = (text(source), ptr::null_mut());
    // SAFETY: it reads the source to its end, no name and no headers, and writes one program.
    calls.check(unsafe {
        let (name, none) = (ptr::null(), ptr::null());
        (calls.create)(&raw mut program, source.as_ptr(), name, 0, none, none)
    })?;
    let made = Made(&calls, program);
    let architecture = match target {
        Target::Machine((major, minor)) => format!("--gpu-architecture=sm_{major}{minor}"),
        Target::Virtual((major, minor)) => format!("--gpu-architecture=compute_{major}{minor}"),
    };
    let options: Vec<CString> =
        options.iter().chain([&architecture]).map(|option| text(option)).collect();
    let places: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
    // SAFETY: it reads as many options as there are, each to its end.
    let status = unsafe { (calls.compile)(program, places.len() as c_int, places.as_ptr()) };
    if let Err(error) = calls.check(status) {
        let log = calls.made(made.1, calls.log_bytes, calls.log)?;
        let log = CStr::from_bytes_until_nul(&log).unwrap_or_default().to_string_lossy();
        return Err(told(NVRTC, &format!("{}: {log}", error.reason)));
    }
    match target {
        Target::Machine(..) => calls.made(made.1, calls.machine_bytes, calls.machine),
        Target::Virtual(_) => calls.made(made.1, calls.virtual_bytes, calls.virtual_code),
    }
}
