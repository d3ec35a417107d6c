//! Centring and scaling of the rows, columns or both of a tiled matrix, as before a principal
//! component or a correspondence analysis; and the Gram matrix of distances.
//!
//! Each row or column of tiles has sums to which its tiles are added one after the other: the same
//! tiles give the same bits.

use std::marker::PhantomData;

use tegula_kernels::kernel::centre::{Centre, Factors};
use tegula_kernels::kernel::line_sums::{Line, LineSums, Term};
use tegula_kernels::kernel::negligible::Negligible;
use tegula_kernels::kernel::pack::Structure;
use tegula_kernels::kernel::scale_lines::{Root, ScaleLines};
use tegula_kernels::option::{Form, Part, Uplo};
use tegula_kernels::scalar::{Real, Scalar};
use tegula_runtime::flow::Access::{R, RW};
use tegula_runtime::flow::{Flow, Handle};
use tegula_tiles::TileMatrix;

use crate::elementwise::part_of_tile;

/// Lines of a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lines {
    /// Rows.
    Rows,
    /// Columns.
    Columns,
    /// Rows and columns.
    Both,
}

impl Lines {
    /// All.
    pub const ALL: [Self; 3] = [Self::Rows, Self::Columns, Self::Both];

    fn has(self, line: Line) -> bool {
        match line {
            Line::Row => self != Self::Columns,
            Line::Column => self != Self::Rows,
        }
    }
}

/// Submits the centring of an `m x n` matrix, and then its scaling.
///
/// Centring takes the mean of its row from each entry, or that of its column, or both and adds the
/// mean of all; then the means of these lines are zero. Scaling divides each entry by the length
/// (the Euclidean norm) of its row, or of its column, as centring left them; or by the roots of
/// both. A line of zeros stays one, and so does a constant one, of which centring leaves nothing
/// but rounding: it is not scaled.
///
/// Squares may overflow where entries exceed the root of the largest number, and lines whose
/// squares underflow count as zeros.
pub fn cesca<T: Scalar>(
    flow: &mut Flow,
    (centre, scale): (Option<Lines>, Option<Lines>),
    a: &TileMatrix<T>,
) {
    let before = centre.and(scale).map(|lines| Sums::of(flow, a, (lines, Term::Square), None));
    if let Some(lines) = centre {
        let sums = Sums::of(flow, a, (lines, Term::Entry), None);
        let mean = |is_used, count: usize| if is_used { 1.0 / count as f64 } else { 0.0 };
        let (row, column) =
            (mean(lines.has(Line::Row), a.n()), mean(lines.has(Line::Column), a.m()));
        let factors = Factors { row, column, all: row * column };
        sums.centre(flow, a, (T::ONE, Term::Entry, factors), None);
        sums.retire(flow);
    }
    if let Some(lines) = scale {
        let sums = Sums::of(flow, a, (lines, Term::Square), None);
        if let Some(before) = before {
            sums.drop_rounding(flow, a, lines, before);
        }
        sums.scale(flow, a, lines);
        sums.retire(flow);
    }
}

/// Submits the Gram matrix of the distances `d_ij` in the triangle `uplo` of `a`, which it
/// overwrites: `g_ij = -(d_ij^2 - r_i - r_j + m) / 2`, where `r_i` is the mean of the squares of
/// row `i` and `m` that of all (Gower, "Some distance properties of latent root and vector methods
/// used in multivariate analysis", Biometrika 53, 1966). Of distances between points it holds their
/// inner products about their mean.
///
/// Squares may overflow where distances exceed the root of the largest number.
///
/// # Panics
/// If the matrix or its tiles are not square.
pub fn gram<R: Real>(flow: &mut Flow, uplo: Uplo, a: &TileMatrix<R>) {
    let (m, n, mb, nb) = (a.m(), a.n(), a.mb(), a.nb());
    assert!(m == n && mb == nb, "{m} x {n} in {mb} x {nb} tiles is not square");
    let sums = Sums::of(flow, a, (Lines::Rows, Term::Square), Some(uplo));
    let mean = 1.0 / n as f64;
    let factors = Factors { row: mean, column: mean, all: mean * mean };
    sums.centre(flow, a, (R::of_f64(-0.5), Term::Square, factors), Some(uplo));
    sums.retire(flow);
}

/// Sums of lines of a matrix: for each row and column of tiles, and of all.
struct Sums<T> {
    rows: Vec<Handle>,
    columns: Vec<Handle>,
    all: Handle,
    scalar: PhantomData<T>,
}

impl<T: Scalar> Sums<T> {
    /// Submits the sums of the lines that are meant; of a symmetric matrix in a triangle only rows.
    fn of(
        flow: &mut Flow,
        a: &TileMatrix<T>,
        (lines, term): (Lines, Term),
        triangle: Option<Uplo>,
    ) -> Self {
        let register = |flow: &mut Flow, (count, line), size: &dyn Fn(usize) -> usize| {
            let size = |i| if lines.has(line) { size(i) * size_of::<T>() } else { 0 };
            (0..count).map(|i| flow.register(size(i))).collect::<Vec<_>>()
        };
        let rows = register(flow, (a.mt(), Line::Row), &|i| a.tile_rows(i));
        let columns = register(flow, (a.nt(), Line::Column), &|j| a.tile_columns(j));
        let all = flow.register(size_of::<T>());
        let sums = Self { rows, columns, all, scalar: PhantomData };
        for (i, j) in tiles(a, triangle) {
            let tile = (a.tile(i, j), (a.tile_rows(i), a.tile_columns(j)));
            if lines.has(Line::Row) {
                let structure = match triangle {
                    Some(uplo) if i == j => Structure::Symmetric(Form::Symmetric, uplo),
                    _ => Structure::General,
                };
                add::<T>(flow, tile, (Line::Row, term, structure), sums.rows[i]);
                if triangle.is_some() && i != j {
                    // The mirror image, whose rows are columns here.
                    add::<T>(flow, tile, (Line::Column, term, structure), sums.rows[j]);
                }
            }
            if lines.has(Line::Column) {
                add::<T>(flow, tile, (Line::Column, term, Structure::General), sums.columns[j]);
            }
        }
        for (i, &rows) in sums.rows.iter().enumerate().filter(|_| lines.has(Line::Row)) {
            let column = (rows, (a.tile_rows(i), 1));
            add::<T>(flow, column, (Line::Column, Term::Entry, Structure::General), sums.all);
        }
        sums
    }

    /// Submits the centring of the entries that count.
    fn centre(
        &self,
        flow: &mut Flow,
        a: &TileMatrix<T>,
        (alpha, term, factors): (T, Term, Factors),
        triangle: Option<Uplo>,
    ) {
        for (i, j) in tiles(a, triangle) {
            let part = triangle.and_then(|uplo| part_of_tile(uplo.into(), i, j));
            let (part, m, n) = (part.unwrap_or(Part::Whole), a.tile_rows(i), a.tile_columns(j));
            let centre = Centre { part, term, m, n, alpha, factors };
            // Rows and columns of a symmetric matrix have the same sums.
            let columns = if triangle.is_some() { &self.rows } else { &self.columns };
            let sums = [(self.rows[i], R), (columns[j], R), (self.all, R)];
            flow.submit(centre, &[sums[0], sums[1], sums[2], (a.tile(i, j), RW)], 0);
        }
    }

    /// Sets to zero sums of squares that are rounding of those before centring: a mean of `n`
    /// numbers is off by at most `n` units of rounding of the largest.
    fn drop_rounding(&self, flow: &mut Flow, a: &TileMatrix<T>, lines: Lines, before: Self) {
        let part = ((a.m() + a.n()) as f64 * T::epsilon()).powi(2);
        let mut drop = |n: usize, from: Handle, to: Handle| {
            flow.submit(
                Negligible::<T> { n, part, scalar: PhantomData },
                &[(from, R), (to, RW)],
                0,
            );
        };
        for i in (0..a.mt()).filter(|_| lines.has(Line::Row)) {
            drop(a.tile_rows(i), before.rows[i], self.rows[i]);
        }
        for j in (0..a.nt()).filter(|_| lines.has(Line::Column)) {
            drop(a.tile_columns(j), before.columns[j], self.columns[j]);
        }
        before.retire(flow);
    }

    /// Submits the scaling by the lengths of lines.
    fn scale(&self, flow: &mut Flow, a: &TileMatrix<T>, lines: Lines) {
        let (row, column) = match lines {
            Lines::Rows => (Root::Square, Root::None),
            Lines::Columns => (Root::None, Root::Square),
            Lines::Both => (Root::Fourth, Root::Fourth),
        };
        for (i, j) in tiles(a, None) {
            let (m, n, scalar) = (a.tile_rows(i), a.tile_columns(j), PhantomData::<T>);
            let scale = ScaleLines { row, column, m, n, scalar };
            let accesses = [(self.rows[i], R), (self.columns[j], R), (a.tile(i, j), RW)];
            flow.submit(scale, &accesses, 0);
        }
    }

    fn retire(self, flow: &mut Flow) {
        let lines = self.rows.into_iter().chain(self.columns);
        lines.chain([self.all]).for_each(|sums| flow.retire(sums));
    }
}

/// Submits the adding of the sums of lines of a tile to `sums`.
fn add<T: Scalar>(
    flow: &mut Flow,
    (tile, (m, n)): (Handle, (usize, usize)),
    (line, term, structure): (Line, Term, Structure),
    sums: Handle,
) {
    let add = LineSums::<T> { line, term, structure, m, n, scalar: PhantomData };
    flow.submit(add, &[(tile, R), (sums, RW)], 0);
}

/// The tiles of a matrix that count, column by column.
fn tiles<T: Scalar>(
    a: &TileMatrix<T>,
    triangle: Option<Uplo>,
) -> impl Iterator<Item = (usize, usize)> + use<T> {
    let holds = move |&(i, j): &(usize, usize)| triangle.is_none_or(|uplo| uplo.holds(i, j));
    a.indices().map(|index| (index.row, index.column)).filter(holds)
}
