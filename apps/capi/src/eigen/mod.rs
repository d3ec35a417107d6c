//! LAPACK's routines for eigenvalues of symmetric and Hermitian matrices.

pub mod syev;
pub mod syevd;

use tegula_kernels::option::Uplo;
use tegula_kernels::scalar::Scalar;
use tegula_linalg::{HeevdError, heevd};

use crate::array::{Array, Matrix};
use crate::check::{Checked, Wrong};
use crate::export::Export;
use crate::process;
use crate::run::BAND_TILE;

/// The functions of this folder, by routine.
pub(crate) const EXPORTS: &[&[Export]] = &[syev::EXPORTS, syevd::EXPORTS];

/// Whether eigenvectors are wanted.
pub(crate) const JOBZ: &[(u8, bool)] = &[(b'N', false), (b'V', true)];

/// A workspace: a place for the answer to a question, its size, and the number of that argument.
#[derive(Clone, Copy)]
struct Room<S> {
    place: i32,
    size: i32,
    answer: S,
    least: usize,
}

/// Whether one of the workspaces is a question. All are answered with what is least; then the first
/// one that is smaller is wrong, unless it is a question.
fn is_query(rooms: &[Room<&dyn Fn(usize)>]) -> Checked<bool> {
    let is_query = rooms.iter().any(|room| room.size == -1);
    rooms.iter().for_each(|room| (room.answer)(room.least));
    let small = |room: &&Room<_>| usize::try_from(room.size).map_or(true, |size| size < room.least);
    match rooms.iter().find(small) {
        Some(room) if !is_query => Err(Wrong(room.place)),
        _ => Ok(is_query),
    }
}

/// The eigenvalues in `values`, in ascending order, and the eigenvectors in place of the matrix if
/// they are wanted; LAPACK's `info`.
fn solve<T: Scalar>(vectors: bool, uplo: Uplo, a: Matrix<T>, values: Array<T::Real>) -> i32 {
    let n = a.rows;
    let values = values.slice(n);
    let outcome = process::on_flow(|flow| {
        let nb = BAND_TILE;
        let tiles = a.in_tiles(nb, nb).lend(flow);
        let eigen = heevd(flow, uplo, &tiles, vectors);
        tiles.unregister(flow);
        let eigen = eigen?;
        values.copy_from_slice(&eigen.values);
        if let Some(z) = eigen.vectors {
            a.gather(flow, &z)?;
            z.unregister(flow);
        }
        Ok(())
    });
    match outcome {
        Ok(()) => 0,
        Err(HeevdError::NotFinite | HeevdError::Numerical(_)) => {
            values.fill(T::Real::NAN);
            n as i32
        }
        Err(error) => panic!("{error}"),
    }
}
