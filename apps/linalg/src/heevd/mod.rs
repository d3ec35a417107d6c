//! Eigenvalues and eigenvectors of a symmetric or Hermitian matrix, `A = Z D Z^H`, in two stages: to a
//! band on tiles, then to tridiagonal form.
//!
//! Bischof, Lang, Sun, "A framework for symmetric band reduction", ACM Trans. Math. Softw. 26 (2000);
//! with tiles and tasks as in Haidar, Ltaief, Dongarra, SC 2011.

mod divide;
mod sy2sb;

use tegula_data::matrix::{Storage, TileMatrix};
use tegula_kernels::error::NumericalError;
use tegula_kernels::kernel::norm::Norm;
use tegula_kernels::option::{Form, Part, Trans, Uplo};
use tegula_kernels::scalar::Scalar;
use tegula_kernels::tridiagonal::divide::scaled;
use tegula_kernels::tridiagonal::{Band, Chased, eigenvalues};
use tegula_runtime::flow::{Flow, FlowError};

use crate::condense::{Back, block_columns, narrowed, scale_of, waves};
use crate::{lansy, tradd};
use divide::divide;
use sy2sb::sy2sb;

/// What [`heevd`] finds.
#[derive(Debug)]
pub struct Eigen<T: Scalar> {
    /// The eigenvalues, in ascending order.
    pub values: Vec<T::Real>,
    /// The eigenvectors, of norm one and orthogonal, in the order of their values: an `n x n` matrix
    /// in block columns, if they were asked for.
    pub vectors: Option<TileMatrix<T>>,
}

/// Why there are no eigenvalues.
#[derive(Clone, Debug, thiserror::Error)]
pub enum HeevdError {
    /// An entry is NaN or infinite, or its modulus overflows.
    #[error("the matrix has an entry that is not finite")]
    NotFinite,
    /// The tridiagonal eigenproblem was not solved.
    #[error(transparent)]
    Numerical(#[from] NumericalError),
    /// The tasks failed.
    #[error(transparent)]
    Flow(#[from] FlowError),
}

/// The eigenvalues of the Hermitian (symmetric) matrix of which `a` holds the triangle `uplo`, and
/// the eigenvectors if `vectors` says so: LAPACK's `syevd` and `heevd`, but that `a` is only read.
///
/// Waits: for what was submitted before, and between its stages. What comes last, the vectors, is
/// submitted and may still be under way on return. The order `nb` of the tiles of `a` is the width of the
/// band between the stages, up to 96; of larger tiles it is 64. The second stage costs `6 n^2 nb`
/// flops on the calling thread, the first one and the way back are slow with small tiles. The workspace is
/// two copies of the triangle and, with vectors, five matrices more, a real one among them.
///
/// Norms so small or large that squares might leave the range are scaled as in LAPACK.
///
/// # Errors
/// [`HeevdError`].
///
/// # Panics
/// If the matrix or its tiles are not square, or the triangle is not stored.
pub fn heevd<T: Scalar>(
    flow: &mut Flow,
    uplo: Uplo,
    a: &TileMatrix<T>,
    vectors: bool,
) -> Result<Eigen<T>, HeevdError> {
    let norm = lansy(flow, Norm::Max, (Form::Hermitian, uplo), a)?;
    if !norm.is_finite() {
        return Err(HeevdError::NotFinite);
    }
    let scale = scale_of(norm);
    let n = a.n();
    let work = TileMatrix::lower(flow, n, a.nb());
    let trans = if uplo == Uplo::Lower { Trans::No } else { Trans::Conj };
    tradd(flow, (Part::Lower, trans), T::from_real(scale), a, T::ZERO, &work);
    let work = narrowed(flow, work);
    let nb = work.nb();
    let panels = sy2sb(flow, &work, vectors);
    let band = band_of(flow, &work);
    work.retire(flow);
    let waves = waves(n, nb);
    let chased = Chased::new(band?, vectors.then_some(waves));
    let unscaled = |value: T::Real| value / scale;
    if !vectors {
        let values = eigenvalues(&chased.diagonal, &chased.below)?;
        return Ok(Eigen { values: values.into_iter().map(unscaled).collect(), vectors: None });
    }
    let width = block_columns(n, flow.workers());
    let z = TileMatrix::new(flow, (n, n), (n.max(1), width), Storage::Full);
    match solve(flow, &chased.diagonal, &chased.below, &z) {
        Ok(values) => {
            Back { z: &z }.multiply(flow, waves, chased.reflectors, panels);
            Ok(Eigen { values: values.into_iter().map(unscaled).collect(), vectors: Some(z) })
        }
        Err(error) => {
            panels.into_iter().for_each(|panel| panel.retire(flow));
            z.retire(flow);
            Err(error)
        }
    }
}

/// The eigenvalues of a tridiagonal matrix, and the vectors in `z`.
fn solve<T: Scalar>(
    flow: &mut Flow,
    diagonal: &[T::Real],
    below: &[T::Real],
    z: &TileMatrix<T>,
) -> Result<Vec<T::Real>, HeevdError> {
    let (diagonal, below, norm) = scaled(diagonal, below)?;
    let values = divide(flow, diagonal, &below, z);
    let found = flow.read::<T::Real>(values);
    let found = found.map(|values| values.iter().map(|&value| value * norm).collect());
    flow.retire(values);
    found.map_err(|error| match error.kernel_error::<NumericalError>() {
        Some(&numerical) => numerical.into(),
        None => error.into(),
    })
}

/// The band that the first stage left: the tiles on the diagonal, and the upper triangles of those
/// below them.
fn band_of<T: Scalar>(flow: &mut Flow, a: &TileMatrix<T>) -> Result<Band<T>, FlowError> {
    let (n, nb) = (a.n(), a.nb());
    let mut band = Band::new(n, waves(n, nb).width);
    for k in 0..a.nt() {
        for i in k..a.nt().min(k + 2) {
            let rows = a.tile_rows(i);
            for (place, &entry) in flow.read::<T>(a.tile(i, k))?.iter().enumerate() {
                let (row, column) = (i * nb + place % rows, k * nb + place / rows);
                if row >= column && row - column <= nb {
                    band.set(row, column, entry);
                }
            }
        }
    }
    Ok(band)
}
