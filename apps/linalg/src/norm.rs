//! Norms of tiled matrices: general, symmetric, Hermitian, triangular.
//!
//! Each row or column of tiles has a share of the norm to which its tiles are added one after the
//! other, and the shares are folded in order: the same tiles give the same bits.

use std::marker::PhantomData;

use tegula_kernels::kernel::norm::{Norm, NormFold, NormShare, frobenius};
use tegula_kernels::kernel::pack::Structure;
use tegula_kernels::option::{Diag, Form, Uplo};
use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::Access::{R, RW};
use tegula_runtime::flow::{Flow, FlowError, Handle};
use tegula_tiles::TileMatrix;

/// The norm of a general matrix (xLANGE), after everything submitted has run.
///
/// A NaN makes it NaN; squares do not overflow; the norm of an empty matrix is zero.
///
/// # Errors
/// Those of the tasks that make the matrix.
pub fn lange<T: Scalar>(
    flow: &mut Flow,
    norm: Norm,
    a: &TileMatrix<T>,
) -> Result<T::Real, FlowError> {
    of(flow, norm, Structure::General, a)
}

/// The norm of a symmetric or Hermitian matrix of which the triangle `uplo` is read (xLANSY,
/// xLANHE).
///
/// # Errors
/// Those of the tasks that make the matrix.
///
/// # Panics
/// If the matrix or its tiles are not square.
pub fn lansy<T: Scalar>(
    flow: &mut Flow,
    norm: Norm,
    (form, uplo): (Form, Uplo),
    a: &TileMatrix<T>,
) -> Result<T::Real, FlowError> {
    assert!(a.m() == a.n(), "a symmetric matrix of {} x {}", a.m(), a.n());
    of(flow, norm, Structure::Symmetric(form, uplo), a)
}

/// The norm of the triangle or trapezoid `uplo` of a matrix (xLANTR).
///
/// # Errors
/// Those of the tasks that make the matrix.
///
/// # Panics
/// If the tiles are not square.
pub fn lantr<T: Scalar>(
    flow: &mut Flow,
    norm: Norm,
    (uplo, diag): (Uplo, Diag),
    a: &TileMatrix<T>,
) -> Result<T::Real, FlowError> {
    of(flow, norm, Structure::Triangular(uplo, diag), a)
}

fn of<T: Scalar>(
    flow: &mut Flow,
    norm: Norm,
    structure: Structure,
    a: &TileMatrix<T>,
) -> Result<T::Real, FlowError> {
    let result = flow.register(norm.share(1, 1) * size_of::<T::Real>());
    submit(flow, norm, structure, a, result);
    let value = flow.read::<T::Real>(result).map(|result| match norm {
        Norm::Frobenius => frobenius(result),
        _ => result[0],
    });
    flow.unregister(result);
    value
}

/// Submits the tasks that fold the norm into `result`.
fn submit<T: Scalar>(
    flow: &mut Flow,
    norm: Norm,
    structure: Structure,
    a: &TileMatrix<T>,
    result: Handle,
) {
    if structure != Structure::General {
        assert!(a.mb() == a.nb(), "tiles of {} x {} are not square", a.mb(), a.nb());
    }
    let by_rows = norm == Norm::Infinity;
    let lengths: Vec<usize> = match norm {
        Norm::Infinity => (0..a.mt()).map(|i| a.tile_rows(i)).collect(),
        _ => (0..a.nt()).map(|j| norm.share(0, a.tile_columns(j))).collect(),
    };
    let shares: Vec<Handle> =
        lengths.iter().map(|length| flow.register(length * size_of::<T::Real>())).collect();
    for (i, j) in (0..a.nt()).flat_map(|j| (0..a.mt()).map(move |i| (i, j))) {
        let Some(structure_of_tile) = within(structure, i, j) else { continue };
        let is_mirrored = i != j && matches!(structure, Structure::Symmetric(..));
        let mut add = |norm, share: usize| {
            let (m, n, scalar) = (a.tile_rows(i), a.tile_columns(j), PhantomData::<T>);
            let (structure, twice) = (structure_of_tile, is_mirrored);
            let share_of = NormShare { norm, structure, twice, m, n, scalar };
            flow.submit(share_of, &[(a.tile(i, j), R), (shares[share], RW)], 0);
        };
        add(norm, if by_rows { i } else { j });
        if is_mirrored {
            // The mirror image of the tile, whose columns are rows here.
            match norm {
                Norm::One => add(Norm::Infinity, i),
                Norm::Infinity => add(Norm::One, j),
                Norm::Max | Norm::Frobenius => {}
            }
        }
    }
    for (&share, &length) in shares.iter().zip(&lengths) {
        let fold = NormFold::<T> { norm, length, scalar: PhantomData };
        flow.submit(fold, &[(share, R), (result, RW)], 0);
        flow.retire(share);
    }
}

/// What tile `(i, j)` stands for; nothing if it does not count.
fn within(structure: Structure, i: usize, j: usize) -> Option<Structure> {
    match structure {
        Structure::Symmetric(_, uplo) | Structure::Triangular(uplo, _) if i != j => {
            uplo.holds(i, j).then_some(Structure::General)
        }
        _ => Some(structure),
    }
}
