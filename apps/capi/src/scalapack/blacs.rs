//! What the program's own BLACS and ScaLAPACK answer: contexts, their communicators, and reports of
//! wrong arguments.
#![allow(unsafe_code)]

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::io::Write;

use tegula_runtime::comm::mpi::{Communicator, Family, Library};

use crate::xerbla::of_program;

/// `WHAT` of `BLACS_GET`: the system's context of a context of BLACS.
const SYSTEM_CONTEXT: c_int = 10;

/// Processes in rows and columns, and the place of this one; -1 where it is not in the grid.
pub(super) fn grid_info(context: i32) -> [i32; 4] {
    type GridInfo = unsafe extern "C" fn(c_int, *mut c_int, *mut c_int, *mut c_int, *mut c_int);
    let [mut rows, mut columns, mut row, mut column] = [-1; 4];
    let address = needed(c"Cblacs_gridinfo");
    // SAFETY: this is the function's type in every BLACS; it writes four integers.
    unsafe {
        let ask = std::mem::transmute::<*mut c_void, GridInfo>(address);
        ask(context, &raw mut rows, &raw mut columns, &raw mut row, &raw mut column);
    }
    [rows, columns, row, column]
}

/// The communicator of all processes of the grid of `context`, whose ranks go row by row.
pub(super) fn communicator(context: i32, library: &Library) -> Communicator {
    type Get = unsafe extern "C" fn(c_int, c_int, *mut c_int);
    type Address = unsafe extern "C" fn(c_int) -> *mut c_void;
    type Number = unsafe extern "C" fn(c_int) -> c_int;
    let (get, handle) = (needed(c"Cblacs_get"), needed(c"Cblacs2sys_handle"));
    let mut system = 0;
    // SAFETY: these are the functions' types in every BLACS over MPI; what the second returns is a
    // communicator as the library names it.
    unsafe {
        let get = std::mem::transmute::<*mut c_void, Get>(get);
        get(context, SYSTEM_CONTEXT, &raw mut system);
        match library.family() {
            Family::OpenMpi => {
                let handle = std::mem::transmute::<*mut c_void, Address>(handle);
                Communicator::Address(handle(system))
            }
            Family::Mpich => {
                let handle = std::mem::transmute::<*mut c_void, Number>(handle);
                Communicator::Number(handle(system))
            }
        }
    }
}

/// Reports a wrong argument as ScaLAPACK does: through `pxerbla_`, which programs replace.
pub(super) fn pxerbla(context: i32, name: &str, number: i32) {
    type Pxerbla = unsafe extern "C" fn(*const c_int, *const c_char, *const c_int, usize);
    if let Some(address) = of_program(c"pxerbla_") {
        // SAFETY: every program's function of this name has this signature, the length of the text
        // last; the arguments live until it returns.
        unsafe {
            let report = std::mem::transmute::<*mut c_void, Pxerbla>(address);
            report(&raw const context, name.as_ptr().cast(), &raw const number, name.len());
        }
    } else {
        say(&format!("on entry to {name} argument {number} is wrong"));
    }
}

/// Reports a wrong argument as PBLAS does, through `PB_Cabort`, which ends the program unless it
/// replaces that.
pub(super) fn abort(context: i32, name: &str, number: i32) {
    type Abort = unsafe extern "C" fn(c_int, *mut c_char, c_int);
    let text = CString::new(name).unwrap_or_default();
    if let Some(address) = of_program(c"PB_Cabort") {
        // SAFETY: this is the function's type in every PBLAS, which only reads the text.
        unsafe {
            let abort = std::mem::transmute::<*mut c_void, Abort>(address);
            abort(context, text.as_ptr().cast_mut(), -number);
        }
    } else {
        say(&format!("on entry to {name} argument {number} is wrong"));
        std::process::abort();
    }
}

fn say(what: &str) {
    // Where even this cannot be written, there is nobody to tell.
    let _ = writeln!(std::io::stderr(), "tegula: {what}");
}

/// As [`of_program`], of a function without which a context means nothing.
fn needed(name: &CStr) -> *mut c_void {
    of_program(name).unwrap_or_else(|| {
        say(&format!(
            "there is no {} in this program: link it to the shared library of ScaLAPACK or BLACS, or \
             export the names of a static one (-rdynamic)",
            name.to_string_lossy()
        ));
        std::process::abort()
    })
}
