//! Singular values and vectors of a general matrix, `A = U S V^H`, in two stages: to a band on
//! tiles, then to bidiagonal form.
//!
//! Grosser, Lang, "Efficient parallel reduction to bidiagonal form", Parallel Comput. 25 (1999);
//! with tiles and tasks as in Haidar, Kurzak, Luszczek, "An improved parallel singular value
//! algorithm and its implementation for multicore hardware", SC 2013.

mod ge2gb;

use tegula_kernels::bidiagonal::{Bidiagonal, UpperBand, singular_values, singular_vectors};
use tegula_kernels::dense::scale_of;
use tegula_kernels::error::NumericalError;
use tegula_kernels::kernel::norm::Norm;
use tegula_kernels::option::Trans;
use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::{Flow, FlowError};
use tegula_tiles::{Storage, TileMatrix};

use crate::condense::{Back, block_columns, narrowed, waves};
use crate::tall::Tall;
use crate::{geadd, lange, transpose};
use ge2gb::ge2gb;

/// Which singular vectors are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vectors {
    /// None: values alone.
    None,
    /// As many as there are values: `U` is `m x min(m, n)` and `V^H` is `min(m, n) x n`.
    Thin,
    /// All: `U` is `m x m` and `V^H` is `n x n`.
    Full,
}

/// What [`gesvd`] finds.
#[derive(Debug)]
pub struct Singular<T: Scalar> {
    /// The singular values, in descending order and not negative.
    pub values: Vec<T::Real>,
    /// The left vectors `U`, orthogonal columns of norm one, in block columns; if they were asked
    /// for.
    pub u: Option<TileMatrix<T>>,
    /// The right vectors, rows of `V^H`, in block rows; if they were asked for.
    pub vh: Option<TileMatrix<T>>,
}

/// Why there are no singular values.
#[derive(Clone, Debug, thiserror::Error)]
pub enum GesvdError {
    /// An entry is NaN or infinite, or its modulus overflows.
    #[error("the matrix has an entry that is not finite")]
    NotFinite,
    /// The bidiagonal problem was not solved.
    #[error(transparent)]
    Numerical(#[from] NumericalError),
    /// The tasks failed.
    #[error(transparent)]
    Flow(#[from] FlowError),
}

/// Rows for each column from which on a QR factorisation comes first: LAPACK's crossover.
const TALL: f64 = 1.6;

/// The singular values of `a` (`m x n` in square tiles), and as many vectors as `vectors` says:
/// LAPACK's `gesvd` and `gesdd`, but that `a` is only read.
///
/// Waits: for what was submitted before, and between its stages. What comes last, the vectors, is
/// submitted and may still be under way on return. The order `nb` of the tiles of `a` is the width
/// of the band between the stages, up to 64; of larger tiles it is 48. With `k = min(m, n)` the
/// second stage costs `8 k^2 nb` flops on the calling thread, the first one and the way back are
/// slow with small tiles. The workspace is two copies of the matrix and, with vectors, as much as
/// two more and eight square matrices of order `k`.
///
/// Norms so small or large that squares might leave the range are scaled as in LAPACK. Values alone
/// come by QR iterations, values with vectors by divide and conquer; they differ by rounding of the
/// largest.
///
/// # Errors
/// [`GesvdError`].
///
/// # Panics
/// If the tiles are not square, or only a triangle is stored.
pub fn gesvd<T: Scalar>(
    flow: &mut Flow,
    a: &TileMatrix<T>,
    vectors: Vectors,
) -> Result<Singular<T>, GesvdError> {
    let (mb, nb) = (a.mb(), a.nb());
    assert!(mb == nb && a.storage() == Storage::Full, "{mb} x {nb} tiles, {:?}", a.storage());
    let norm = lange(flow, Norm::Max, a)?;
    if !norm.is_finite() {
        return Err(GesvdError::NotFinite);
    }
    let scale = scale_of(norm);
    // The adjoint of a wide matrix is tall, and has the vectors the other way round.
    let is_wide = a.m() < a.n();
    let (trans, m, n) =
        if is_wide { (Trans::Conj, a.n(), a.m()) } else { (Trans::No, a.m(), a.n()) };
    let work = TileMatrix::new(flow, (m, n), (nb, nb), Storage::Full);
    geadd(flow, trans, T::from_real(scale), a, T::ZERO, &work);
    let mut found = decompose(flow, work, vectors)?;
    found.values.iter_mut().for_each(|value| *value /= scale);
    let Found { values, left, right } = found;
    let (columns, others) = if is_wide { (right, left) } else { (left, right) };
    let vh = others.map(|others| {
        let vh = TileMatrix::new(
            flow,
            (others.n(), others.m()),
            (others.nb(), others.mb()),
            Storage::Full,
        );
        transpose(flow, Trans::Conj, &others, &vh);
        others.retire(flow);
        vh
    });
    Ok(Singular { values, u: columns, vh })
}

/// Values, and vectors of both sides as columns.
struct Found<T: Scalar> {
    values: Vec<T::Real>,
    left: Option<TileMatrix<T>>,
    right: Option<TileMatrix<T>>,
}

/// Decomposes a matrix with at least as many rows as columns, which is given back.
fn decompose<T: Scalar>(
    flow: &mut Flow,
    a: TileMatrix<T>,
    vectors: Vectors,
) -> Result<Found<T>, GesvdError> {
    let (m, n) = (a.m(), a.n());
    let (tall, work) = if n > 0 && m as f64 >= TALL * n as f64 {
        let (tall, r) = Tall::factorise(flow, a);
        (Some(tall), r)
    } else {
        (None, a)
    };
    let work = narrowed(flow, work);
    let nb = work.nb();
    let keep = vectors != Vectors::None;
    let panels = ge2gb(flow, &work, keep);
    let band = band_of(flow, &work);
    work.retire(flow);
    if !flow.is_flat() {
        // Memory may be short, and what comes has other sizes.
        flow.trim();
    }
    let waves = waves(n, nb);
    let Bidiagonal { diagonal, above, left, right } = Bidiagonal::new(band?, keep.then_some(waves));
    if !keep {
        tall.into_iter().for_each(|tall| tall.retire(flow));
        return Ok(Found { values: singular_values(&diagonal, &above)?, left: None, right: None });
    }
    let found = match singular_vectors(&diagonal, &above) {
        Ok(found) => found,
        Err(error) => {
            panels.left.into_iter().chain(panels.right).for_each(|panel| panel.retire(flow));
            tall.into_iter().for_each(|tall| tall.retire(flow));
            return Err(error.into());
        }
    };
    let columns = if vectors == Vectors::Full { m } else { n };
    let u = start(flow, (m, columns), n, found.left)?;
    let v = start(flow, (n, n), n, found.right)?;
    Back { z: &u }.multiply(flow, Some((waves, left)), panels.left);
    Back { z: &v }.multiply(flow, Some((waves, right)), panels.right);
    if let Some(tall) = tall {
        tall.multiply(flow, &u);
        tall.retire(flow);
    }
    Ok(Found { values: found.values, left: Some(u), right: Some(v) })
}

/// Vectors of a bidiagonal matrix of order `n`, with columns of the identity beside them, in block
/// columns.
fn start<T: Scalar>(
    flow: &mut Flow,
    (m, columns): (usize, usize),
    n: usize,
    vectors: Vec<T::Real>,
) -> Result<TileMatrix<T>, FlowError> {
    let width = block_columns(columns, flow.workers());
    let z = TileMatrix::new(flow, (m, columns), (m.max(1), width), Storage::Full);
    z.fill_with(flow, |i, j| match (i < n, j < n) {
        (true, true) => T::from_real(vectors[i + j * n]),
        _ if i == j => T::ONE,
        _ => T::ZERO,
    })?;
    Ok(z)
}

/// The band that the first stage left: the upper triangles of the tiles on the diagonal and the
/// lower ones of those beside them.
fn band_of<T: Scalar>(flow: &mut Flow, a: &TileMatrix<T>) -> Result<UpperBand<T>, FlowError> {
    let (n, nb) = (a.n(), a.nb());
    let mut band = UpperBand::new(n, waves(n, nb).width);
    for k in 0..a.nt() {
        for j in k..a.nt().min(k + 2) {
            let rows = a.tile_rows(k);
            for (place, &entry) in flow.read::<T>(a.tile(k, j))?.iter().enumerate() {
                let (row, column) = (k * nb + place % rows, j * nb + place / rows);
                if row <= column && column - row <= nb {
                    band.set(row, column, entry);
                }
            }
        }
    }
    Ok(band)
}
