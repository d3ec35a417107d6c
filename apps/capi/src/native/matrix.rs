//! Matrices in tiles, as a program in C holds them.
#![allow(unsafe_code)]

use std::ffi::{c_char, c_int};

use tegula_kernels::scalar::{Scalar, c32, c64};
use tegula_tiles::{Storage, TileMatrix};

use super::context::Context;
use crate::check::{Checked, Integer, Wrong, require};
use crate::export::Export;
use crate::kind::CType;

/// A matrix in tiles, and the context that it belongs to.
#[derive(Debug)]
pub struct Matrix {
    context: u64,
    tiles: Tiles,
}

/// The tiles in one of the precisions.
#[derive(Debug)]
pub(crate) enum Tiles {
    /// `s`.
    Single(TileMatrix<f32>),
    /// `d`.
    Double(TileMatrix<f64>),
    /// `c`.
    ComplexSingle(TileMatrix<c32>),
    /// `z`.
    ComplexDouble(TileMatrix<c64>),
}

/// A number that matrices are made of.
pub(crate) trait Entry: Scalar {
    /// The tiles, if they are of this number.
    fn tiles(tiles: &Tiles) -> Option<&TileMatrix<Self>>;
    /// The tiles of any number.
    fn any(tiles: TileMatrix<Self>) -> Tiles;
}

macro_rules! entries {
    ($($type:ident $precision:ident),+) => { $(
        impl Entry for $type {
            fn tiles(tiles: &Tiles) -> Option<&TileMatrix<Self>> {
                if let Tiles::$precision(tiles) = tiles { Some(tiles) } else { None }
            }

            fn any(tiles: TileMatrix<Self>) -> Tiles {
                Tiles::$precision(tiles)
            }
        }
    )+ };
}

entries! { f32 Single, f64 Double, c32 ComplexSingle, c64 ComplexDouble }

/// The tiles of `matrix`; argument `place` is wrong if it is null, of another precision, or of
/// another context.
pub(crate) fn tiles<'a, T: Entry>(
    place: i32,
    matrix: Option<&'a Matrix>,
    context: &Context,
) -> Checked<&'a TileMatrix<T>> {
    let mine = matrix.and_then(|matrix| matrix.of_context(context));
    mine.and_then(T::tiles).ok_or(Wrong(place))
}

/// The tiles of `matrix`, which the routine writes; argument `place` is wrong as for [`tiles`], or
/// if they are one of the `others`.
pub(crate) fn written<'a, T: Entry>(
    place: i32,
    matrix: Option<&'a Matrix>,
    context: &Context,
    others: &[&TileMatrix<T>],
) -> Checked<&'a TileMatrix<T>> {
    let tiles = tiles::<T>(place, matrix, context)?;
    require(place, !others.iter().any(|other| std::ptr::eq(*other, tiles)))?;
    Ok(tiles)
}

impl Matrix {
    /// The tiles, if they belong to this context.
    pub(crate) fn of_context(&self, context: &Context) -> Option<&Tiles> {
        (self.context == context.id).then_some(&self.tiles)
    }

    /// A matrix of zeros, unless it has too many tiles, or a tile more bytes than there can be.
    fn new<T: Entry>(
        context: &Context,
        (m, n): (usize, usize),
        (mb, nb): (usize, usize),
    ) -> Checked<Self> {
        let bytes = mb.min(m) as u128 * nb.min(n) as u128 * size_of::<T>() as u128;
        require(5, bytes <= isize::MAX as u128)?;
        context.admit(5, m.div_ceil(mb).saturating_mul(n.div_ceil(nb)))?;
        let tiles = TileMatrix::<T>::new(&mut context.flow(), (m, n), (mb, nb), Storage::Full);
        Ok(Self { context: context.id, tiles: T::any(tiles) })
    }

    fn unregister(self, context: &Context) {
        fn of<T: Entry>(context: &Context, tiles: TileMatrix<T>) {
            let count = tiles.mt() * tiles.nt();
            tiles.unregister(&mut context.flow());
            context.release(count);
        }
        match self.tiles {
            Tiles::Single(tiles) => of(context, tiles),
            Tiles::Double(tiles) => of(context, tiles),
            Tiles::ComplexSingle(tiles) => of(context, tiles),
            Tiles::ComplexDouble(tiles) => of(context, tiles),
        }
    }
}

const CREATE: Export = Export {
    symbol: "tegula_desc_create",
    summary: "An `m x n` matrix of zeros in tiles of `mb x nb`; `precision` is s, d, c or z. \
              Null if an argument is wrong, or the matrices of the context have more than 8388608 \
              tiles, or a tile more bytes than an address can tell apart.",
    result: "tegula_desc *",
    arguments: &[
        ("context", CType::Out("tegula_context")),
        ("precision", CType::Value("char")),
        ("m", CType::Value("int")),
        ("n", CType::Value("int")),
        ("mb", CType::Value("int")),
        ("nb", CType::Value("int")),
    ],
};

const DESTROY: Export = Export {
    symbol: "tegula_desc_destroy",
    summary: "Takes a matrix apart. Nothing happens to null, and to a matrix of another context.",
    result: "void",
    arguments: &[("context", CType::Out("tegula_context")), ("matrix", CType::Out("tegula_desc"))],
};

/// An `m x n` matrix of zeros in tiles of `mb x nb`; null if an argument is wrong, or the matrices
/// of the context have more than 8388608 tiles, or a tile more bytes than an address can tell
/// apart.
///
/// # Safety
/// The context is from `tegula_init`, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tegula_desc_create(
    context: *mut Context,
    precision: c_char,
    m: c_int,
    n: c_int,
    mb: c_int,
    nb: c_int,
) -> *mut Matrix {
    // SAFETY: the caller's promise.
    let context = unsafe { context.as_ref() };
    let made = context.and_then(|context| create(context, precision, (m, n), (mb, nb)).ok());
    made.map_or(std::ptr::null_mut(), |matrix| Box::into_raw(Box::new(matrix)))
}

fn create(
    context: &Context,
    precision: c_char,
    (m, n): (c_int, c_int),
    (mb, nb): (c_int, c_int),
) -> Checked<Matrix> {
    let shape = (m.size(3)?, n.size(4)?);
    let tile = (mb.leading(5, 1)?, nb.leading(6, 1)?);
    let new = match precision.to_ne_bytes()[0].to_ascii_lowercase() {
        b's' => Matrix::new::<f32>,
        b'd' => Matrix::new::<f64>,
        b'c' => Matrix::new::<c32>,
        b'z' => Matrix::new::<c64>,
        _ => return Err(Wrong(2)),
    };
    new(context, shape, tile)
}

/// Takes a matrix apart; nothing happens to null, and to a matrix of another context.
///
/// # Safety
/// The context is from `tegula_init`, or null; the matrix is from [`tegula_desc_create`] and, if it
/// is of this context, not used any more; or it is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tegula_desc_destroy(context: *mut Context, matrix: *mut Matrix) {
    // SAFETY: the caller's promise.
    let (Some(context), Some(found)) = (unsafe { (context.as_ref(), matrix.as_ref()) }) else {
        return;
    };
    if found.of_context(context).is_some() {
        // SAFETY: the caller's promise.
        unsafe { Box::from_raw(matrix) }.unregister(context);
    }
}

/// The functions exported here.
pub(crate) const EXPORTS: &[Export] = &[CREATE, DESTROY];
