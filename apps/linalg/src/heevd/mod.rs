//! Eigenvalues and eigenvectors of a symmetric or Hermitian matrix, `A = Z D Z^H`, in two stages,
//! to a band on tiles and then to tridiagonal form, or straight to the latter.
//!
//! Bischof, Lang, Sun, "A framework for symmetric band reduction", ACM Trans. Math. Softw. 26
//! (2000); with tiles and tasks as in Haidar, Ltaief, Dongarra, SC 2011.

mod divide;
mod sy2sb;
mod sytrd;

use tegula_kernels::dense::scale_of;
use tegula_kernels::error::NumericalError;
use tegula_kernels::kernel::norm::Norm;
use tegula_kernels::option::{Form, Part, Trans, Uplo};
use tegula_kernels::scalar::Scalar;
use tegula_kernels::tridiagonal::divide::scaled;
use tegula_kernels::tridiagonal::{Band, Chased, Waves, eigenvalues};
use tegula_runtime::flow::{Flow, FlowError};
use tegula_tiles::{Storage, TileMatrix};

use crate::condense::{Back, Panel, block_columns, narrowed, waves};
use crate::{lansy, tradd};
use divide::divide;
use sy2sb::sy2sb;
use sytrd::{Reduced, sytrd};

/// What [`heevd`] finds.
#[derive(Debug)]
pub struct Eigen<T: Scalar> {
    /// The eigenvalues, in ascending order.
    pub values: Vec<T::Real>,
    /// The eigenvectors, of norm one and orthogonal, in the order of their values: an `n x n`
    /// matrix in block columns, if they were asked for.
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
/// submitted and may still be under way on return.
///
/// Values alone come in two stages. The order `nb` of the tiles of `a` is the width of the band
/// between them, up to 64; of larger tiles it is 48. The second stage costs `6 n^2 nb` flops on the
/// calling thread, the first one is slow with small tiles. The workspace is two copies of the
/// triangle.
///
/// With vectors on up to four workers that share one memory the matrix goes to tridiagonal form in
/// one stage: half of its flops wait for memory, but the way back is `2 n^3` flops instead of more
/// than `4 n^3`; with more workers it is two stages, too. The workspace is two copies of the
/// triangle and four and a half matrices more, two and a half of them real; of two stages one more.
///
/// Norms so small or large that squares might leave the range are scaled as in LAPACK; values that
/// leave it themselves are infinite.
///
/// # Errors
/// [`HeevdError`].
///
/// # Panics
/// If the matrix or its tiles are not square, or the triangle is not stored.
// Compiled once: crates above call what is made here.
#[inline(never)]
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
    let reduced = if vectors && is_direct(flow) {
        let Reduced { diagonal, below, panels } = sytrd(flow, work)?;
        Condensed { diagonal, below, chased: None, panels }
    } else {
        in_two_stages(flow, work, vectors)?
    };
    let unscaled = |value: T::Real| value / scale;
    if !vectors {
        let values = eigenvalues(&reduced.diagonal, &reduced.below)?;
        return Ok(Eigen { values: values.into_iter().map(unscaled).collect(), vectors: None });
    }
    let (values, z) = reduced.vectors(flow)?;
    Ok(Eigen { values: values.into_iter().map(unscaled).collect(), vectors: Some(z) })
}

/// Most workers that one stage is for: its products with vectors go at the speed of memory, which
/// does not grow with them.
///
/// Measured with two: one stage takes .72 of the time of two at n = 1000 and .68 at 2000 in `f32`,
/// .85, .76 and, at 4000, .63 in `f64`, .83 and .88 in `c32`, .83 and .83 in `c64`. With more than
/// two it was not measured.
const DIRECT_WORKERS: usize = 4;

/// Whether a matrix is reduced in one stage on the way to vectors: where few workers share one
/// memory. Accelerators are for the products of two stages.
fn is_direct(flow: &Flow) -> bool {
    flow.workers() <= DIRECT_WORKERS && flow.is_flat()
}

/// A tridiagonal matrix and the reflectors that lead to it.
struct Condensed<T: Scalar> {
    diagonal: Vec<T::Real>,
    below: Vec<T::Real>,
    /// Those of the chase, if there was one.
    chased: Option<(Waves, Vec<Vec<T>>)>,
    panels: Vec<Panel>,
}

/// The reduction of the lower triangle `work`, which is given back.
fn in_two_stages<T: Scalar>(
    flow: &mut Flow,
    work: TileMatrix<T>,
    vectors: bool,
) -> Result<Condensed<T>, FlowError> {
    let work = narrowed(flow, work);
    let waves = waves(work.n(), work.nb());
    let panels = sy2sb(flow, &work, vectors);
    let band = band_of(flow, &work);
    work.retire(flow);
    let band = match band {
        Ok(band) => band,
        Err(error) => {
            panels.into_iter().for_each(|panel| panel.retire(flow));
            return Err(error);
        }
    };
    let Chased { diagonal, below, reflectors } = Chased::new(band, vectors.then_some(waves));
    Ok(Condensed { diagonal, below, chased: Some((waves, reflectors)), panels })
}

impl<T: Scalar> Condensed<T> {
    /// The eigenvalues and vectors of the matrix.
    fn vectors(self, flow: &mut Flow) -> Result<(Vec<T::Real>, TileMatrix<T>), HeevdError> {
        let n = self.diagonal.len();
        let width = block_columns(n, flow.workers());
        let z = TileMatrix::new(flow, (n, n), (n.max(1), width), Storage::Full);
        match solve(flow, &self.diagonal, &self.below, &z) {
            Ok(values) => {
                Back { z: &z }.multiply(flow, self.chased, self.panels);
                Ok((values, z))
            }
            Err(error) => {
                self.panels.into_iter().for_each(|panel| panel.retire(flow));
                z.retire(flow);
                Err(error)
            }
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
    let order = diagonal.len();
    let (diagonal, below, norm) = scaled(diagonal, below)?;
    let values = divide(flow, diagonal, &below, z);
    let found = flow.read::<T::Real>(values);
    let found = found.map(|values| values.iter().map(|&value| value * norm).collect());
    flow.retire(values);
    found.map_err(|error| match error.kernel_error::<NumericalError>() {
        // Of a part of the matrix.
        Some(NumericalError::NoConvergence { .. }) => {
            NumericalError::NoConvergence { order }.into()
        }
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
