//! Reports of wrong arguments, as the reference makes them: through `xerbla_`, which programs
//! replace.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::io::Write;

/// LAPACK's `XERBLA(SRNAME, INFO)`, with the length of the name that Fortran passes by value.
type Xerbla = unsafe extern "C" fn(*const c_char, *const c_int, usize);

/// Reports that argument `place` of the routine with the symbol `symbol` is wrong.
///
/// The process's own `xerbla_` is called, be it the program's or that of a BLAS. Where there is
/// none, the reference's message goes to the standard error output.
pub(crate) fn xerbla(symbol: &str, place: i32) {
    // As the reference: capitals, at least six characters.
    let name = format!("{:<6}", symbol.trim_end_matches('_').to_uppercase());
    let Some(found) = of_program(c"xerbla_") else {
        let message =
            format!(" ** On entry to {name} parameter number {place:2} had an illegal value\n");
        // Where even this cannot be written, there is nobody to tell.
        let _ = std::io::stderr().write_all(message.as_bytes());
        return;
    };
    // SAFETY: every program's function of this name has this signature.
    let xerbla = unsafe { std::mem::transmute::<*mut c_void, Xerbla>(found) };
    // SAFETY: the arguments live until it returns, and the length is that of the name.
    unsafe { xerbla(name.as_ptr().cast(), &place, name.len()) };
}

/// A function of the program and the libraries that it has loaded.
#[cfg(unix)]
pub(crate) fn of_program(name: &CStr) -> Option<*mut c_void> {
    // SAFETY: the name ends in a zero.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    (!found.is_null()).then_some(found)
}

/// None: a library of Windows sees no names but those that it was linked with.
#[cfg(not(unix))]
pub(crate) fn of_program(_name: &CStr) -> Option<*mut c_void> {
    None
}
