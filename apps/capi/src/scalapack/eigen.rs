//! `PxSYEV` and `PxHEEV`: eigenvalues and eigenvectors of symmetric and Hermitian matrices.

use tegula_kernels::scalar::{Scalar, c32, c64};
use tegula_linalg::{HeevdError, heevd};

use super::Outcome;
use super::arguments::{Checks, Submatrix};
use super::cyclic::Axis;
use super::matrix::Spread;
use super::workspace::{self, with_block};
use crate::array::Array;
use crate::check::Letter;
use crate::eigen::JOBZ;
use crate::export::export;
use crate::option::UPLO;
use crate::run::BAND_TILE;

export! {
    "Eigenvalues and eigenvectors of a symmetric matrix over a grid of processes."
    psyev(
        jobz: Letter, uplo: Letter, n: Int, a: Array, ia: Int, ja: Int, desca: InputInts, w: Reals,
        z: Array, iz: Int, jz: Int, descz: InputInts, work: Array, lwork: Int
    ) grid_info as pssyev_: f32, pdsyev_: f64;

    "Eigenvalues and eigenvectors of a Hermitian matrix over a grid of processes."
    pheev(
        jobz: Letter, uplo: Letter, n: Int, a: Array, ia: Int, ja: Int, desca: InputInts, w: Reals,
        z: Array, iz: Int, jz: Int, descz: InputInts, work: Array, lwork: Int, rwork: Reals,
        lrwork: Int
    ) grid_info as pcheev_: c32, pzheev_: c64;
}

#[expect(clippy::too_many_arguments, reason = "ScaLAPACK's interface")]
fn psyev<T: Scalar>(
    jobz: Letter,
    uplo: Letter,
    n: i32,
    a: Array<T>,
    ia: i32,
    ja: i32,
    desca: Array<i32>,
    w: Array<T::Real>,
    z: Array<T>,
    iz: i32,
    jz: i32,
    descz: Array<i32>,
    work: Array<T>,
    lwork: i32,
) -> Outcome<i32> {
    let a = Submatrix::new(a, [ia, ja], desca, 7);
    solve((jobz, uplo), n, a, w, (z, [iz, jz], descz), (work, lwork), None)
}

#[expect(clippy::too_many_arguments, reason = "ScaLAPACK's interface")]
fn pheev<T: Scalar>(
    jobz: Letter,
    uplo: Letter,
    n: i32,
    a: Array<T>,
    ia: i32,
    ja: i32,
    desca: Array<i32>,
    w: Array<T::Real>,
    z: Array<T>,
    iz: i32,
    jz: i32,
    descz: Array<i32>,
    work: Array<T>,
    lwork: i32,
    rwork: Array<T::Real>,
    lrwork: i32,
) -> Outcome<i32> {
    let a = Submatrix::new(a, [ia, ja], desca, 7);
    let reals = Some((rwork, lrwork));
    solve((jobz, uplo), n, a, w, (z, [iz, jz], descz), (work, lwork), reals)
}

/// A workspace and its size.
type Room<T> = (Array<T>, i32);

fn solve<T: Scalar>(
    (jobz, uplo): (Letter, Letter),
    order: i32,
    a: Submatrix<T>,
    w: Array<T::Real>,
    (z, first, descz): (Array<T>, [i32; 2], Array<i32>),
    (work, lwork): Room<T>,
    reals: Option<Room<T::Real>>,
) -> Outcome<i32> {
    let grid = a.grid()?;
    let mut checks = Checks::new(&grid);
    let (vectors, uplo) = (checks.letter(jobz, 1, JOBZ), checks.letter(uplo, 2, UPLO));
    checks.matrix(&a, (order, 3), (order, 3));
    let z = vectors.then(|| Submatrix::new(z, first, descz, 12));
    if let Some(z) = &z {
        checks.matrix(z, (order, 3), (order, 3));
    }
    let n = checks.size(order, 3);
    checks.done()?;
    let a = a.of(&grid, n, n);
    let columns = Axis { length: n, offset: 0, ..a.layout.columns };
    let least = least::<T>(n, vectors, with_block(a.layout.rows, grid.row()), columns);
    let of_reals = reals.map(|(rwork, lrwork)| {
        workspace::is_query(rwork, lrwork, if vectors { 4 * n.max(1) - 2 } else { 2 * n })
    });
    if workspace::is_query(work, lwork, least) || of_reals == Some(true) || n == 0 {
        return Ok(0);
    }
    let values = w.slice(n);
    let a = a.triangle(uplo).working(&grid, Spread::Grid, (BAND_TILE, BAND_TILE), true);
    let z = z.map(|z| z.of(&grid, n, n).awaiting(&grid));
    let outcome = grid.on_flow(|flow| {
        let matrix = a.lend(flow);
        let eigen = heevd(flow, uplo, &matrix, vectors);
        matrix.unregister(flow);
        let eigen = eigen?;
        values.copy_from_slice(&eigen.values);
        if let (Some(found), Some(z)) = (eigen.vectors, &z) {
            z.take(flow, found)?;
        }
        Ok(())
    });
    match outcome {
        Ok(()) => {
            z.into_iter().for_each(|z| z.put_back(&grid));
            Ok(0)
        }
        Err(HeevdError::NotFinite | HeevdError::Numerical(_)) => {
            values.fill(T::Real::NAN);
            Ok(n as i32)
        }
        Err(error) => panic!("{error}"),
    }
}

/// The size of the workspace that ScaLAPACK asks for, near enough and not less.
fn least<T: Scalar>(n: usize, vectors: bool, np: usize, columns: Axis) -> usize {
    let nb = columns.block;
    let reduction = (nb * (np + 1)).max(3 * nb);
    if T::IS_COMPLEX {
        return if vectors {
            (nb * nb + (np + n) * nb).max(reduction) + 3 * n + nb * nb
        } else {
            reduction + n
        };
    }
    let with_vectors =
        (nb * (nb - 1) / 2).max((np + n) * nb) + nb * nb + n * (n / columns.processes + nb);
    5 * n + 1 + if vectors { with_vectors.max(2 * n).max(reduction) } else { reduction }
}
