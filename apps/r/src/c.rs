//! The functions that `apps/r/tegula/src/tegula.c` calls, declared in `tegula_r.h` beside it.
//!
//! Pointers come from C: a call from `tegula_call_new`, texts that end with NUL in UTF-8, arrays as
//! long as said. What is returned is good until the next function of the same call.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int};
use std::ptr;
use std::slice;
use std::time::Duration;

use tegula_files::Cells;

use crate::Call;

/// # Safety
/// `text` points to a text of C.
unsafe fn text(text: *const c_char) -> String {
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// # Safety
/// `texts` is null, or points to so many texts of C.
unsafe fn names(texts: *const *const c_char, count: usize) -> Option<Vec<String>> {
    if texts.is_null() {
        return None;
    }
    // SAFETY: the caller's promise.
    let texts = unsafe { slice::from_raw_parts(texts, count) };
    // SAFETY: so are they.
    Some(texts.iter().map(|&one| unsafe { text(one) }).collect())
}

/// # Safety
/// `values` points to so many numbers, if there are any.
unsafe fn numbers<'a>(values: *const f64, count: usize) -> &'a [f64] {
    if count == 0 {
        return &[];
    }
    // SAFETY: the caller's promise.
    unsafe { slice::from_raw_parts(values, count) }
}

#[unsafe(no_mangle)]
extern "C" fn tegula_call_new() -> *mut Call {
    Box::into_raw(Box::default())
}

/// Ends the command, if it runs, and waits for that.
#[unsafe(no_mangle)]
unsafe extern "C" fn tegula_call_free(call: *mut Call) {
    // SAFETY: it comes from `tegula_call_new`, and is not used again.
    let call = unsafe { Box::from_raw(call) };
    call.stop();
}

#[unsafe(no_mangle)]
unsafe extern "C" fn tegula_call_word(call: &mut Call, word: *const c_char) {
    // SAFETY: it is a text.
    call.word(unsafe { text(word) });
}

#[unsafe(no_mangle)]
unsafe extern "C" fn tegula_call_table(call: &mut Call, name: *const c_char) {
    // SAFETY: it is a text.
    call.table(unsafe { text(name) });
}

#[unsafe(no_mangle)]
unsafe extern "C" fn tegula_call_numbers(
    call: &mut Call,
    name: *const c_char,
    values: *const f64,
    count: usize,
) {
    // SAFETY: a text, and an array as long as said.
    let (name, values) = unsafe { (text(name), numbers(values, count)) };
    call.column(name, Cells::Numbers(values.to_vec()));
}

/// An empty text is a missing value.
#[unsafe(no_mangle)]
unsafe extern "C" fn tegula_call_texts(
    call: &mut Call,
    name: *const c_char,
    values: *const *const c_char,
    count: usize,
) {
    // SAFETY: a text, and an array as long as said.
    let (name, values) = unsafe { (text(name), names(values, count)) };
    call.column(name, Cells::Texts(values.unwrap_or_default()));
}

/// Entries by columns; names of rows and columns may be null.
#[unsafe(no_mangle)]
unsafe extern "C" fn tegula_call_matrix(
    call: &mut Call,
    name: *const c_char,
    entries: *const f64,
    rows: usize,
    columns: usize,
    row_names: *const *const c_char,
    column_names: *const *const c_char,
) {
    // SAFETY: a text, and arrays as long as said.
    let (name, entries) = unsafe { (text(name), numbers(entries, rows * columns)) };
    // SAFETY: likewise.
    let both = unsafe { [names(row_names, rows), names(column_names, columns)] };
    call.matrix(&name, [rows, columns], entries, both);
}

/// 1 if the text is JSON.
#[unsafe(no_mangle)]
unsafe extern "C" fn tegula_call_model(
    call: &mut Call,
    name: *const c_char,
    json: *const c_char,
) -> c_int {
    // SAFETY: both are texts.
    let (name, json) = unsafe { (text(name), text(json)) };
    call.model(&name, &json).into()
}

#[unsafe(no_mangle)]
extern "C" fn tegula_call_start(call: &mut Call) {
    call.start();
}

/// 1 if the command has ended; waits so many milliseconds for it at most.
#[unsafe(no_mangle)]
extern "C" fn tegula_call_wait(call: &mut Call, milliseconds: c_int) -> c_int {
    call.wait(Duration::from_millis(milliseconds.max(0) as u64)).into()
}

#[unsafe(no_mangle)]
extern "C" fn tegula_call_stop(call: &mut Call) {
    call.stop();
}

/// The last line about progress that was not given yet, or null.
#[unsafe(no_mangle)]
extern "C" fn tegula_call_progress(call: &mut Call) -> *const c_char {
    call.progress().map_or(ptr::null(), CStr::as_ptr)
}

/// The kind of failure, or null.
#[unsafe(no_mangle)]
extern "C" fn tegula_call_failure(call: &mut Call) -> *const c_char {
    call.failure().map_or(ptr::null(), CStr::as_ptr)
}

/// The result as JSON, or the message of a failure.
#[unsafe(no_mangle)]
extern "C" fn tegula_call_text(call: &mut Call) -> *const c_char {
    call.text().as_ptr()
}

/// List `index` of numbers: its name, or null beyond the last one, its entries and their number.
///
/// # Safety
/// The last two arguments point to places for a pointer and for a number.
#[unsafe(no_mangle)]
unsafe extern "C" fn tegula_call_list(
    call: &mut Call,
    index: usize,
    values: *mut *const f64,
    count: *mut usize,
) -> *const c_char {
    let Some((name, list)) = call.left().and_then(|left| left.numbers.get(index)) else {
        return ptr::null();
    };
    // SAFETY: the caller's promise.
    unsafe {
        values.write(list.as_ptr());
        count.write(list.len());
    }
    name.as_ptr()
}

/// List `index` of texts: its name, or null beyond the last one, and the number of its texts.
///
/// # Safety
/// The last argument points to a place for a number.
#[unsafe(no_mangle)]
unsafe extern "C" fn tegula_call_text_list(
    call: &mut Call,
    index: usize,
    count: *mut usize,
) -> *const c_char {
    let Some((name, list)) = call.left().and_then(|left| left.texts.get(index)) else {
        return ptr::null();
    };
    // SAFETY: the caller's promise.
    unsafe { count.write(list.len()) };
    name.as_ptr()
}

/// A text of a list.
#[unsafe(no_mangle)]
extern "C" fn tegula_call_text_of(call: &mut Call, list: usize, index: usize) -> *const c_char {
    let texts = call.left().and_then(|left| left.texts.get(list));
    texts.and_then(|(_, texts)| texts.get(index)).map_or(ptr::null(), |text| text.as_ptr())
}

/// The covariance called `name` with these parameters, at some distances, which are replaced; 1 if
/// there is one.
///
/// # Safety
/// Texts and arrays as long as said.
#[unsafe(no_mangle)]
unsafe extern "C" fn tegula_covariance_at(
    name: *const c_char,
    parameters: *const f64,
    parameter_count: usize,
    distances: *mut f64,
    count: usize,
) -> c_int {
    // SAFETY: the caller's promise.
    let (name, parameters) = unsafe { (text(name), numbers(parameters, parameter_count)) };
    let Ok(covariance) = tegula_exageostat::covariance::find(&name) else { return 0 };
    if covariance.check(parameters).is_err() || count == 0 {
        return (count == 0).into();
    }
    // SAFETY: likewise, and nobody else has the array.
    let distances = unsafe { slice::from_raw_parts_mut(distances, count) };
    let function = covariance.function(parameters);
    distances.iter_mut().for_each(|distance| *distance = function(*distance));
    1
}
