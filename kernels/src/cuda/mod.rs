//! What kernels need on a CUDA device: its libraries, our own device code, and room for verdicts.
//!
//! Libraries are looked for when the program runs ([`check`]); where one, or a function of it, is
//! missing, that is a failure with a reason. What is made once per device is a tool
//! of the runtime's [`Launch`].

mod block;
mod calls;
mod compiler;
pub mod device_code;
mod kept;
mod libraries;
mod random;
mod reflectors;
mod triangle;
mod verdict;
mod workspace;

use bytemuck::Pod;
use tegula_runtime::cuda::DriverError;
use tegula_runtime::flow::{Failure, Launch};

pub(crate) use block::{Block, Products, Triangular, diagonal_room, part_flag};
pub use calls::Names;
pub(crate) use calls::{DEFAULT_MATH, TF32_MATH, diag, side, trans, uplo};
pub(crate) use device_code::{Grid, Program};
pub use kept::keep_code_in;
pub use libraries::check;
pub(crate) use libraries::{Blas, Solver};
pub use random::{Held, RandomTile};
pub(crate) use reflectors::{
    Panel, TOGETHER, Trapezoid, apply, apply_stacked, extend_triangle, take_reflectors,
};
pub(crate) use triangle::Triangles;
pub(crate) use verdict::Verdict;
pub(crate) use workspace::workspace;

/// A library refused a call.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{library}: {reason}")]
pub struct LibraryError {
    library: &'static str,
    reason: String,
}

/// Why `library` did not do what it was asked for.
fn told(library: &'static str, reason: &(impl std::fmt::Display + ?Sized)) -> LibraryError {
    LibraryError { library, reason: reason.to_string() }
}

/// What a call of the driver gave.
fn driver<V>(result: Result<V, DriverError>) -> Result<V, Failure> {
    result.map_err(|reason| told("libcuda", &reason).into())
}

/// Where buffer `index`, of `count` numbers, lies on the device, to read.
///
/// # Panics
/// If it has another size.
pub(crate) fn input<T: Pod>(launch: &Launch<'_>, index: usize, count: usize) -> *const T {
    let (place, found) = launch.read::<T>(index);
    assert!(found == count, "buffer {index} holds {found} numbers, not {count}");
    place
}

/// Where buffer `index`, of `count` numbers, lies on the device, to write.
///
/// # Panics
/// If it has another size or may not be written.
pub(crate) fn output<T: Pod>(launch: &Launch<'_>, index: usize, count: usize) -> *mut T {
    let (place, found) = launch.write::<T>(index);
    assert!(found == count, "buffer {index} holds {found} numbers, not {count}");
    place
}

/// A size as the libraries take it.
///
/// # Panics
/// If it is beyond their range.
pub(crate) fn int(size: usize) -> i32 {
    i32::try_from(size).unwrap_or_else(|_| panic!("a tile of {size} rows or columns"))
}

/// A leading dimension as the libraries take it: they refuse 0, whatever the shape.
pub(crate) fn leading(rows: usize) -> i32 {
    int(rows.max(1))
}
