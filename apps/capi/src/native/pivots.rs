//! The exchanges of rows of a factorisation, as a program in C holds them.
#![allow(unsafe_code)]

use std::ffi::c_int;

use tegula_linalg::Pivots;
use tegula_runtime::flow::Flow;
use tegula_tiles::TileMatrix;

use super::context::Context;
use super::matrix::{Entry, Matrix, Tiles};
use crate::array::Array;
use crate::check::{Checked, Wrong};
use crate::export::Export;
use crate::kind::CType;
use crate::run::{info, numerical};

/// Exchanges of rows, the context that they belong to, and how many there are, by how many.
#[derive(Debug)]
pub struct Ipiv {
    context: u64,
    shape: (usize, usize, usize),
    pivots: Pivots,
}

/// Rows, number of steps of a factorisation, and of those of a block.
fn shape<T: Entry>(a: &TileMatrix<T>) -> (usize, usize, usize) {
    (a.m(), a.m().min(a.n()), a.nb())
}

/// The exchanges, if they are of this context and fit `a`; argument `place` is wrong if not.
pub(super) fn pivots<'a, T: Entry>(
    place: i32,
    ipiv: Option<&'a Ipiv>,
    context: &Context,
    a: &TileMatrix<T>,
) -> Checked<&'a Pivots> {
    let mine = ipiv.filter(|ipiv| ipiv.context == context.id && ipiv.shape == shape(a));
    mine.map(|ipiv| &ipiv.pivots).ok_or(Wrong(place))
}

const CREATE: Export = Export {
    symbol: "tegula_ipiv_create",
    summary: "Room for the exchanges of rows of a factorisation of `a`, which must be one row of \
              tiles. Null if an argument is wrong.",
    result: "tegula_ipiv *",
    arguments: &[("context", CType::Out("tegula_context")), ("a", CType::Out("tegula_desc"))],
};

const GET: Export = Export {
    symbol: "tegula_ipiv_get",
    summary: "Waits, writes LAPACK's ipiv, and returns the first step that found only zeros, or 0.",
    result: "int",
    arguments: &[
        ("context", CType::Out("tegula_context")),
        ("pivots", CType::Out("tegula_ipiv")),
        ("ipiv", CType::Out("int")),
    ],
};

const DESTROY: Export = Export {
    symbol: "tegula_ipiv_destroy",
    summary: "Gives the room back. Nothing happens to null, and to exchanges of another context.",
    result: "void",
    arguments: &[("context", CType::Out("tegula_context")), ("pivots", CType::Out("tegula_ipiv"))],
};

/// Room for the exchanges of rows of a factorisation of `a`; null if an argument is wrong.
///
/// # Safety
/// The context is from `tegula_init`, and the matrix is one of its; or they are null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tegula_ipiv_create(context: *mut Context, a: *mut Matrix) -> *mut Ipiv {
    // SAFETY: the caller's promise.
    let (context, a) = unsafe { (context.as_ref(), a.as_ref()) };
    let made = context.zip(a).and_then(|(context, a)| create(context, a).ok());
    made.map_or(std::ptr::null_mut(), |ipiv| Box::into_raw(Box::new(ipiv)))
}

fn create(context: &Context, a: &Matrix) -> Checked<Ipiv> {
    fn of<T: Entry>(context: &Context, a: &TileMatrix<T>) -> Checked<Ipiv> {
        if a.mt() > 1 {
            return Err(Wrong(2));
        }
        let pivots = Pivots::new(&mut context.flow(), a);
        Ok(Ipiv { context: context.id, shape: shape(a), pivots })
    }
    match a.of_context(context).ok_or(Wrong(2))? {
        Tiles::Single(a) => of(context, a),
        Tiles::Double(a) => of(context, a),
        Tiles::ComplexSingle(a) => of(context, a),
        Tiles::ComplexDouble(a) => of(context, a),
    }
}

/// Waits, writes the row that each step exchanged with its own, from 1, to `ipiv` unless that is
/// null, and returns the first step that found only zeros, or 0; minus the number of a wrong
/// argument.
///
/// # Safety
/// The context is from `tegula_init`, the pivots are of it, and `ipiv` has room for as many numbers
/// as there are steps; or they are null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tegula_ipiv_get(
    context: *mut Context,
    pivots: *mut Ipiv,
    ipiv: *mut c_int,
) -> c_int {
    // SAFETY: the caller's promise.
    let (context, pivots) = unsafe { (context.as_ref(), pivots.as_ref()) };
    // SAFETY: as above.
    let rows = (!ipiv.is_null()).then(|| unsafe { Array::new(ipiv) });
    crate::export::code(get(context, pivots, rows))
}

fn get(context: Option<&Context>, ipiv: Option<&Ipiv>, rows: Option<Array<i32>>) -> Checked<i32> {
    let context = context.ok_or(Wrong(1))?;
    let ipiv = ipiv.filter(|ipiv| ipiv.context == context.id).ok_or(Wrong(2))?;
    let flow = &mut context.settled();
    let found = match ipiv.pivots.rows(flow) {
        Ok(found) => found,
        Err(error) => return Ok(info(Err(numerical(error)))),
    };
    if let Some(rows) = rows {
        found.iter().enumerate().for_each(|(i, &row)| rows.set(i, row as i32 + 1));
    }
    singular(flow, &ipiv.pivots)
}

/// The first step that found only zeros, or 0.
pub(super) fn singular(flow: &mut Flow, pivots: &Pivots) -> Checked<i32> {
    let singular = pivots.singular(flow).map_err(numerical);
    Ok(info(singular.and_then(|singular| singular.map_or(Ok(()), Err))))
}

/// Gives the room back; nothing happens to null, and to exchanges of another context.
///
/// # Safety
/// The context is from `tegula_init`, or null; the pivots are from [`tegula_ipiv_create`] and, if
/// they are of this context, not used any more; or they are null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tegula_ipiv_destroy(context: *mut Context, pivots: *mut Ipiv) {
    // SAFETY: the caller's promise.
    let (Some(context), Some(found)) = (unsafe { (context.as_ref(), pivots.as_ref()) }) else {
        return;
    };
    if found.context == context.id {
        // SAFETY: the caller's promise.
        unsafe { Box::from_raw(pivots) }.pivots.unregister(&mut context.flow());
    }
}

/// The functions exported here.
pub(crate) const EXPORTS: &[Export] = &[CREATE, GET, DESTROY];
