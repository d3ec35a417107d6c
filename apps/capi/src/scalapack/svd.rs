//! `PxGESVD`: singular values and vectors.

use tegula_kernels::scalar::{Real, Scalar, c32, c64};
use tegula_linalg::{GesvdError, Vectors, gesvd};

use super::Outcome;
use super::arguments::{Checks, Submatrix};
use super::matrix::Spread;
use super::workspace::{self, with_block};
use crate::array::Array;
use crate::check::Letter;
use crate::export::export;
use crate::run::BAND_TILE;

/// Whether vectors are wanted.
const JOBS: &[(u8, bool)] = &[(b'N', false), (b'V', true)];

export! {
    "Singular values and vectors, `A = U S V^T`, of a matrix over a grid of processes."
    pgesvd(
        jobu: Letter, jobvt: Letter, m: Int, n: Int, a: Array, ia: Int, ja: Int, desca: InputInts,
        s: Reals, u: Array, iu: Int, ju: Int, descu: InputInts, vt: Array, ivt: Int, jvt: Int,
        descvt: InputInts, work: Array, lwork: Int
    ) grid_info as psgesvd_: f32, pdgesvd_: f64;

    "Singular values and vectors, `A = U S V^H`, of a matrix over a grid of processes."
    pgesvd_complex(
        jobu: Letter, jobvt: Letter, m: Int, n: Int, a: Array, ia: Int, ja: Int, desca: InputInts,
        s: Reals, u: Array, iu: Int, ju: Int, descu: InputInts, vt: Array, ivt: Int, jvt: Int,
        descvt: InputInts, work: Array, lwork: Int, rwork: Reals
    ) grid_info as pcgesvd_: c32, pzgesvd_: c64;
}

#[expect(clippy::too_many_arguments, reason = "ScaLAPACK's interface")]
fn pgesvd<T: Scalar>(
    jobu: Letter,
    jobvt: Letter,
    m: i32,
    n: i32,
    a: Array<T>,
    ia: i32,
    ja: i32,
    desca: Array<i32>,
    s: Array<T::Real>,
    u: Array<T>,
    iu: i32,
    ju: i32,
    descu: Array<i32>,
    vt: Array<T>,
    ivt: i32,
    jvt: i32,
    descvt: Array<i32>,
    work: Array<T>,
    lwork: i32,
) -> Outcome<i32> {
    let a = Submatrix::new(a, [ia, ja], desca, 8);
    let (u, vt) = ((u, [iu, ju], descu), (vt, [ivt, jvt], descvt));
    solve((jobu, jobvt), (m, n), a, s, u, vt, (work, lwork))
}

#[expect(clippy::too_many_arguments, reason = "ScaLAPACK's interface")]
fn pgesvd_complex<T: Scalar>(
    jobu: Letter,
    jobvt: Letter,
    m: i32,
    n: i32,
    a: Array<T>,
    ia: i32,
    ja: i32,
    desca: Array<i32>,
    s: Array<T::Real>,
    u: Array<T>,
    iu: i32,
    ju: i32,
    descu: Array<i32>,
    vt: Array<T>,
    ivt: i32,
    jvt: i32,
    descvt: Array<i32>,
    work: Array<T>,
    lwork: i32,
    rwork: Array<T::Real>,
) -> Outcome<i32> {
    if lwork == -1 {
        rwork.set(0, T::Real::of_f64(f64::from(1 + 4 * m.max(n).max(0))));
    }
    let a = Submatrix::new(a, [ia, ja], desca, 8);
    let (u, vt) = ((u, [iu, ju], descu), (vt, [ivt, jvt], descvt));
    solve((jobu, jobvt), (m, n), a, s, u, vt, (work, lwork))
}

/// A matrix as the arguments name it.
type Named<T> = (Array<T>, [i32; 2], Array<i32>);

fn solve<T: Scalar>(
    (jobu, jobvt): (Letter, Letter),
    (m, n): (i32, i32),
    a: Submatrix<T>,
    s: Array<T::Real>,
    u: Named<T>,
    vt: Named<T>,
    (work, lwork): (Array<T>, i32),
) -> Outcome<i32> {
    let grid = a.grid()?;
    let mut checks = Checks::new(&grid);
    let wants = (checks.letter(jobu, 1, JOBS), checks.letter(jobvt, 2, JOBS));
    checks.matrix(&a, (m, 3), (n, 4));
    let short = if m <= n { (m, 3) } else { (n, 4) };
    let submatrix = |(array, first, descriptor): Named<T>, number| {
        Submatrix::new(array, first, descriptor, number)
    };
    let u = wants.0.then(|| submatrix(u, 13));
    let vt = wants.1.then(|| submatrix(vt, 17));
    if let Some(u) = &u {
        checks.matrix(u, (m, 3), short);
    }
    if let Some(vt) = &vt {
        checks.matrix(vt, short, (n, 4));
    }
    let (m, n) = (checks.size(m, 3), checks.size(n, 4));
    checks.done()?;
    let (a, count) = (a.of(&grid, m, n), m.min(n));
    let of_all =
        [with_block(a.layout.rows, grid.row()), with_block(a.layout.columns, grid.column())];
    let nb = a.layout.columns.block;
    let reduction = nb * (of_all[0] + of_all[1] + 1) + of_all[1];
    let least = 2 + 6 * m.max(n) + reduction.max(nb * (of_all[0] + of_all[1] + nb) + count * 4);
    if workspace::is_query(work, lwork, least) || count == 0 {
        return Ok(0);
    }
    let values = s.slice(count);
    let a = a.working(&grid, Spread::Grid, (BAND_TILE, BAND_TILE), true);
    let wanted = |named: Option<Submatrix<T>>, rows, columns| {
        named.map(|named| named.of(&grid, rows, columns).awaiting(&grid))
    };
    let (u, vt) = (wanted(u, m, count), wanted(vt, count, n));
    let vectors = if wants.0 || wants.1 { Vectors::Thin } else { Vectors::None };
    let outcome = grid.on_flow(|flow| {
        let matrix = a.lend(flow);
        let found = gesvd(flow, &matrix, vectors);
        matrix.unregister(flow);
        let found = found?;
        values.copy_from_slice(&found.values);
        for (found, wanted) in [(found.u, &u), (found.vh, &vt)] {
            match (found, wanted) {
                (Some(found), Some(wanted)) => wanted.take(flow, found)?,
                (Some(found), None) => found.unregister(flow),
                (None, _) => {}
            }
        }
        Ok(())
    });
    match outcome {
        Ok(()) => {
            [u, vt].into_iter().flatten().for_each(|vectors| vectors.put_back(&grid));
            Ok(0)
        }
        Err(GesvdError::Flow(error)) => panic!("{error}"),
        Err(_) => {
            values.fill(T::Real::NAN);
            Ok(count as i32)
        }
    }
}
