//! QR and LQ factorisations and least squares on matrices in one row, or one column, of tiles.

use tegula_kernels::option::{Side, Storev, Trans};
use tegula_kernels::scalar::{c32, c64};
use tegula_linalg as linalg;
use tegula_tiles::TileMatrix;

use super::context::Context;
use super::matrix::{Entry, Matrix, tiles, written};
use crate::check::{Checked, Letter, Wrong, require};
use crate::export::export;
use crate::option::{SIDE, unitary_trans};

export! {
    "`A = Q R`, `A` in one row of tiles; `tau` is a column in tiles as high as those of `A` are wide."
    geqrf(context: Context, a: Desc, tau: Desc) code
        as tegula_sgeqrf_tile: f32, tegula_dgeqrf_tile: f64, tegula_cgeqrf_tile: c32,
        tegula_zgeqrf_tile: c64;

    "`A = L Q`, `A` in one column of tiles; `tau` is a column in tiles as high as those of `A`."
    gelqf(context: Context, a: Desc, tau: Desc) code
        as tegula_sgelqf_tile: f32, tegula_dgelqf_tile: f64, tegula_cgelqf_tile: c32,
        tegula_zgelqf_tile: c64;

    "The `Q` of `geqrf` in place of its reflectors."
    orgqr(context: Context, a: Desc, tau: Desc) code
        as tegula_sorgqr_tile: f32, tegula_dorgqr_tile: f64, tegula_cungqr_tile: c32,
        tegula_zungqr_tile: c64;

    "The `Q` of `gelqf` in place of its reflectors."
    orglq(context: Context, a: Desc, tau: Desc) code
        as tegula_sorglq_tile: f32, tegula_dorglq_tile: f64, tegula_cunglq_tile: c32,
        tegula_zunglq_tile: c64;

    "`C = op(Q) C`, `C` in one row of tiles, or `C = C op(Q)`, in one column, with the `Q` of `geqrf`."
    ormqr(context: Context, side: Choice, trans: Choice, a: Desc, tau: Desc, c: Desc) code
        as tegula_sormqr_tile: f32, tegula_dormqr_tile: f64, tegula_cunmqr_tile: c32,
        tegula_zunmqr_tile: c64;

    "`C = op(Q) C`, `C` in one row of tiles, or `C = C op(Q)`, in one column, with the `Q` of `gelqf`."
    ormlq(context: Context, side: Choice, trans: Choice, a: Desc, tau: Desc, c: Desc) code
        as tegula_sormlq_tile: f32, tegula_dormlq_tile: f64, tegula_cunmlq_tile: c32,
        tegula_zunmlq_tile: c64;

    "Least squares, or the least solution: `A` as in `geqrf` if it has no fewer rows than columns, else \
     as in `gelqf`; `B` with as many rows as the larger of both, in one row of tiles."
    gels(context: Context, trans: Choice, a: Desc, tau: Desc, b: Desc) code
        as tegula_sgels_tile: f32, tegula_dgels_tile: f64, tegula_cgels_tile: c32,
        tegula_zgels_tile: c64;
}

/// Matrix and factors of reflectors, which are `count` at most, in columns or rows.
fn reflectors<'a, T: Entry>(
    storev: Storev,
    place: i32,
    context: &Context,
    (a, tau): (Option<&'a Matrix>, Option<&'a Matrix>),
) -> Checked<(&'a TileMatrix<T>, &'a TileMatrix<T>)> {
    let (a, tau) = (tiles::<T>(place, a, context)?, tiles::<T>(place + 1, tau, context)?);
    let ((blocks, _), (_, width)) = (storev.stored(a.mt(), a.nt()), storev.stored(a.mb(), a.nb()));
    require(place, blocks <= 1)?;
    require(place + 1, tau.n() == 1 && tau.m() <= a.m().min(a.n()) && tau.mb() == width)?;
    Ok((a, tau))
}

macro_rules! factorisations {
    ($($name:ident $storev:ident),+) => { $(
        fn $name<T: Entry>(
            context: Option<&Context>,
            a: Option<&Matrix>,
            tau: Option<&Matrix>,
        ) -> Checked<i32> {
            let context = context.ok_or(Wrong(1))?;
            let (matrix, _) = reflectors::<T>(Storev::$storev, 2, context, (a, tau))?;
            let factors = written(3, tau, context, &[matrix])?;
            require(3, factors.m() == matrix.m().min(matrix.n()))?;
            context.run(|flow| linalg::$name(flow, matrix, factors))
        }
    )+ };
}

factorisations! { geqrf Columns, gelqf Rows }

macro_rules! factors {
    ($($name:ident $storev:ident),+) => { $(
        fn $name<T: Entry>(
            context: Option<&Context>,
            a: Option<&Matrix>,
            tau: Option<&Matrix>,
        ) -> Checked<i32> {
            let context = context.ok_or(Wrong(1))?;
            let (_, tau) = reflectors::<T>(Storev::$storev, 2, context, (a, tau))?;
            let a = written(2, a, context, &[tau])?;
            let (length, count) = Storev::$storev.stored(a.m(), a.n());
            require(2, count <= length)?;
            context.run(|flow| linalg::$name(flow, a, tau))
        }
    )+ };
}

factors! { orgqr Columns, orglq Rows }

macro_rules! products {
    ($($name:ident $storev:ident),+) => { $(
        fn $name<T: Entry>(
            context: Option<&Context>,
            side: Letter,
            trans: Letter,
            a: Option<&Matrix>,
            tau: Option<&Matrix>,
            c: Option<&Matrix>,
        ) -> Checked<i32> {
            let context = context.ok_or(Wrong(1))?;
            let (side, trans) = (side.of(2, SIDE)?, unitary::<T>(3, trans)?);
            let (a, tau) = reflectors::<T>(Storev::$storev, 4, context, (a, tau))?;
            let c = written(6, c, context, &[a, tau])?;
            let (length, _) = Storev::$storev.stored(a.m(), a.n());
            let (rows, blocks) = if side == Side::Left { (c.m(), c.mt()) } else { (c.n(), c.nt()) };
            require(6, rows == length && blocks <= 1)?;
            context.run(|flow| linalg::$name(flow, side, trans, a, tau, c))
        }
    )+ };
}

products! { ormqr Columns, ormlq Rows }

fn gels<T: Entry>(
    context: Option<&Context>,
    trans: Letter,
    a: Option<&Matrix>,
    tau: Option<&Matrix>,
    b: Option<&Matrix>,
) -> Checked<i32> {
    let context = context.ok_or(Wrong(1))?;
    let trans = unitary::<T>(2, trans)?;
    let shape = tiles::<T>(3, a, context)?;
    let storev = linalg::gels_blocks(shape.m(), shape.n());
    let (a, _) = reflectors::<T>(storev, 3, context, (a, tau))?;
    let tau = written(4, tau, context, &[a])?;
    require(4, tau.m() == a.m().min(a.n()))?;
    let b = written(5, b, context, &[a, tau])?;
    require(5, b.m() == a.m().max(a.n()) && b.mt() <= 1)?;
    context.run(|flow| linalg::gels(flow, trans, a, tau, b))
}

/// How a unitary matrix enters: real ones transposed, complex ones adjoint.
fn unitary<T: Entry>(place: i32, trans: Letter) -> Checked<Trans> {
    let trans = trans.of(place, unitary_trans::<T>())?;
    Ok(if trans.swaps() { Trans::Conj } else { Trans::No })
}
