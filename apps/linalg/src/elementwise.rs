//! What is done to every entry of a tiled matrix, or of a triangle of it: copies, constants,
//! factors, sums, transposition.

use tegula_kernels::kernel::laset::Laset;
use tegula_kernels::kernel::laset_triangle::LasetTriangle;
use tegula_kernels::kernel::tradd::Tradd;
use tegula_kernels::option::{Part, Trans, Uplo};
use tegula_kernels::scalar::{Real, Scalar};
use tegula_runtime::flow::Access::{R, RW, W};
use tegula_runtime::flow::Flow;
use tegula_tiles::TileMatrix;

use crate::tasks;
use crate::view::View;

/// The part of tile `(i, j)` that is in `part` of a matrix of square tiles; none if it is empty.
pub(crate) fn part_of_tile(part: Part, i: usize, j: usize) -> Option<Part> {
    if i == j { Some(part) } else { part.holds(i, j).then_some(Part::Whole) }
}

/// The tiles of an `mt x nt` grid with entries in `part`, each with its own part.
fn tiles(part: Part, mt: usize, nt: usize) -> impl Iterator<Item = (usize, usize, Part)> {
    let grid = (0..nt).flat_map(move |j| (0..mt).map(move |i| (i, j)));
    grid.filter_map(move |(i, j)| Some((i, j, part_of_tile(part, i, j)?)))
}

/// # Panics
/// If a triangle is meant and the tiles are not square.
fn check_tiles(part: Part, mb: usize, nb: usize) {
    assert!(part == Part::Whole || mb == nb, "a triangle in tiles of {mb} x {nb}");
}

/// Submits `B = alpha op(A) + beta B`.
///
/// As in BLAS, factors of zero overwrite, and spare reading.
///
/// # Panics
/// If the shapes or the tilings do not fit each other.
pub fn geadd<T: Scalar>(
    flow: &mut Flow,
    trans: Trans,
    alpha: T,
    a: &TileMatrix<T>,
    beta: T,
    b: &TileMatrix<T>,
) {
    tradd(flow, (Part::Whole, trans), alpha, a, beta, b);
}

/// Submits `B = alpha op(A) + beta B` on a part of `B`.
///
/// # Panics
/// If the shapes or the tilings do not fit each other, or a triangle is meant and tiles are not
/// square.
pub fn tradd<T: Scalar>(
    flow: &mut Flow,
    (part, trans): (Part, Trans),
    alpha: T,
    a: &TileMatrix<T>,
    beta: T,
    b: &TileMatrix<T>,
) {
    let (a, b) = (View::from(a).op(trans), View::from(b));
    a.check_like(&b);
    check_tiles(part, b.mb(), b.nb());
    for (i, j, part) in tiles(part, b.mt(), b.nt()) {
        let (from, to) = (a.tile(i, j), b.tile(i, j));
        let tradd = Tradd { part, trans, m: to.rows, n: to.columns, alpha, beta };
        flow.submit(tradd, &[(from.handle, R), (to.handle, RW)], 0);
    }
}

/// Submits the copy of a part of `a` to `b` (xLACPY).
///
/// # Panics
/// As [`tradd`].
pub fn lacpy<T: Scalar>(flow: &mut Flow, part: Part, a: &TileMatrix<T>, b: &TileMatrix<T>) {
    tradd(flow, (part, Trans::No), T::ONE, a, T::ZERO, b);
}

/// Submits `B = op(A)`: the transpose or conjugate transpose, out of place.
///
/// # Panics
/// If the shapes or the tilings do not fit each other.
pub fn transpose<T: Scalar>(flow: &mut Flow, trans: Trans, a: &TileMatrix<T>, b: &TileMatrix<T>) {
    geadd(flow, trans, T::ONE, a, T::ZERO, b);
}

/// Submits `A = alpha A` on a part of `a`; [`lascl`] guards against overflow on the way.
///
/// # Panics
/// If a triangle is meant and the tiles are not square.
pub fn lascal<T: Scalar>(flow: &mut Flow, part: Part, alpha: T, a: &TileMatrix<T>) {
    check_tiles(part, a.mb(), a.nb());
    for (i, j, part) in tiles(part, a.mt(), a.nt()) {
        tasks::scale(flow, part, alpha, View::from(a).tile(i, j), 0);
    }
}

/// Submits `A = (to / from) A` on a part of `a` (xLASCL), in steps none of which overflows or
/// underflows where the result does not.
///
/// # Panics
/// If a factor is NaN, or `from` is zero; if a triangle is meant and the tiles are not square.
pub fn lascl<T: Scalar>(
    flow: &mut Flow,
    part: Part,
    (from, to): (T::Real, T::Real),
    a: &TileMatrix<T>,
) {
    assert!(!from.is_nan() && !to.is_nan() && from != T::Real::ZERO, "a factor of {to} / {from}");
    factors(from, to).for_each(|factor| lascal(flow, part, T::from_real(factor), a));
}

/// Factors whose product is `to / from`, none of which makes what it multiplies overflow or
/// underflow unless the product does (LAPACK's xLASCL).
fn factors<R: Real>(mut from: R, mut to: R) -> impl Iterator<Item = R> {
    let small = R::MIN_POSITIVE;
    let large = R::ONE / small;
    let mut is_done = false;
    std::iter::from_fn(move || {
        if is_done {
            return None;
        }
        let (less, more) = (from * small, to / large);
        // An infinite divisor leaves a zero or a NaN, an infinite or no factor itself.
        if less == from {
            is_done = true;
            Some(to / from)
        } else if more == to {
            is_done = true;
            Some(to)
        } else if less.abs() > to.abs() && to != R::ZERO {
            from = less;
            Some(small)
        } else if more.abs() > from.abs() {
            to = more;
            Some(large)
        } else {
            is_done = true;
            Some(to / from)
        }
    })
}

/// Submits the filling of a part of `a` with a constant, and of its diagonal with another (xLASET).
///
/// # Panics
/// If the tiles are not square.
pub fn laset<T: Scalar>(
    flow: &mut Flow,
    part: Part,
    (off_diagonal, diagonal): (T, T),
    a: &TileMatrix<T>,
) {
    assert!(a.mb() == a.nb(), "tiles of {} x {} are not square", a.mb(), a.nb());
    for (i, j, part) in tiles(part, a.mt(), a.nt()) {
        let (m, n, tile) = (a.tile_rows(i), a.tile_columns(j), a.tile(i, j));
        let diagonal = if i == j { diagonal } else { off_diagonal };
        let uplo = match part {
            Part::Whole => {
                flow.submit(Laset { m, n, off_diagonal, diagonal }, &[(tile, W)], 0);
                continue;
            }
            Part::Lower => Uplo::Lower,
            Part::Upper => Uplo::Upper,
        };
        flow.submit(LasetTriangle { uplo, m, n, off_diagonal, diagonal }, &[(tile, RW)], 0);
    }
}
