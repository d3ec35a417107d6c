//! Block Lanczos with full re-orthogonalisation on `P' P`, or on `P P'` if that is smaller: two
//! passes over the table add a block to a Krylov space, until the residuals of the wanted pairs are
//! small.
//!
//! The same space as that of block bidiagonalisation (Golub, Luk, Overton, "A block Lanczos method
//! for computing the singular values and corresponding singular vectors of a matrix", ACM Trans.
//! Math. Softw. 7, 1981), but vectors of the longer side are not kept. Squares of singular values
//! below the precision of numbers, relative to the largest, are lost in this; it is no loss to axes
//! that are looked at. The first block is a product with random numbers in the first pass.

use tegula_kernels::scalar::Real;
use tegula_runtime::flow::{Flow, FlowError};
use tegula_tiles::{Order, TileMatrix};

use super::operator::{Operator, Rows};
use super::{Request, Triples, rounding, turn};
use crate::EmbedError;
use crate::basis::{fill_normal, inner, orthonormalise};
use crate::mds::lanczos::next;
use crate::mds::ritz::{Ritz, Space};
use crate::table::{COLUMNS, ROWS, Table};

/// Passes at most, unless told otherwise.
const PASSES: usize = 120;
/// Ritz vectors beyond the wanted ones that are kept.
const MARGIN: usize = 5;

/// Finds the triples.
pub(super) fn find<T: Real>(
    flow: &mut Flow,
    p: &mut impl Operator,
    request: &Request,
) -> Result<Triples, EmbedError> {
    let [m, n] = p.table().shape();
    let (short, length) = if n <= m { (COLUMNS, n) } else { (ROWS, m) };
    let most = request.passes.unwrap_or(PASSES);
    let mut block = start::<T>(flow, p, (short, request))?;
    let mut space = Space::default();
    let (ritz, has_converged) = loop {
        let image = square::<T>(flow, p, &block, short)?;
        flow.phase("projection");
        space.add(flow, block, image)?;
        let ritz = space.solve()?;
        let room = length - space.dimension();
        let has_converged = has_converged(flow, p.table(), &space, (&ritz, request))?;
        if has_converged || room == 0 || p.table().passes() + 2 > most {
            break (ritz, has_converged || room == 0);
        }
        block = next(flow, &space, room)?;
        if space.dimension() + block.n() > request.capacity.max(2 * request.width) {
            space =
                space.compress(flow, &ritz, (request.capacity / 2, request.axes + MARGIN, 0))?;
        }
    };
    finish(flow, p, (space, &ritz, short), (request.axes, has_converged))
}

/// The first block: orthonormal, from the product of the first pass.
fn start<T: Real>(
    flow: &mut Flow,
    p: &mut impl Operator,
    (short, request): (usize, &Request),
) -> Result<TileMatrix<f64>, EmbedError> {
    let omega = p.table().panel(flow, COLUMNS, request.width);
    fill_normal(flow, &omega, request.seed);
    let y = p.first::<T>(flow, &omega)?;
    omega.unregister(flow);
    let squares = inner(flow, &y, &y)?;
    let is_zero = (0..request.width).all(|j| squares[(j, j)] <= f64::MIN_POSITIVE.sqrt());
    let width = p.table().shape()[short];
    // A whole basis needs no good start, and of zeros there is none.
    let mut block = if is_zero || request.width == width {
        let block = p.table().panel(flow, short, request.width);
        fill_normal(flow, &block, !request.seed);
        y.unregister(flow);
        block
    } else if short == ROWS {
        y
    } else {
        let block = p.left::<T>(flow, &y)?;
        y.unregister(flow);
        block
    };
    orthonormalise(flow, &mut block)?;
    Ok(block)
}

/// `P' P X` or `P P' X`: two passes. Waits.
pub(crate) fn square<T: Real>(
    flow: &mut Flow,
    p: &mut impl Operator,
    x: &TileMatrix<f64>,
    short: usize,
) -> Result<TileMatrix<f64>, FlowError> {
    let (middle, image);
    if short == COLUMNS {
        middle = p.right::<T>(flow, x)?;
        image = p.left::<T>(flow, &middle)?;
    } else {
        middle = p.left::<T>(flow, x)?;
        image = p.right::<T>(flow, &middle)?;
    }
    middle.unregister(flow);
    Ok(image)
}

/// What cannot be told from zero, beside the eigenvalue `largest`.
fn zero(table: &Table, largest: f64) -> f64 {
    let [m, n] = table.shape();
    let magnitude2 = table.form().magnitude2;
    let epsilon = table.stream().reading().source().element().epsilon();
    // Of products of a matrix whose entries were larger before they were centred.
    let products =
        m.max(n).max(64) as f64 * f64::EPSILON * (largest * largest.max(magnitude2)).sqrt();
    products + epsilon * epsilon * magnitude2
}

/// Whether all wanted pairs are found.
fn has_converged(
    flow: &mut Flow,
    table: &Table,
    space: &Space,
    (ritz, request): (&Ritz, &Request),
) -> Result<bool, FlowError> {
    let [m, n] = table.shape();
    let wanted = request.axes.min(m).min(n);
    if ritz.values.len() < wanted {
        return Ok(false);
    }
    let places: Vec<usize> = (0..wanted).collect();
    let residuals = space.residuals(flow, ritz, &places)?;
    let zero = zero(table, ritz.values.first().copied().unwrap_or(0.0).max(0.0));
    let is_found = |(&place, &residual): (&usize, &f64)| {
        let value = ritz.values[place];
        residual <= request.tolerance * value || value + residual <= zero
    };
    Ok(places.iter().zip(&residuals).all(is_found))
}

/// Vectors of either side and norms of rows: a pass, or two of a wide table.
fn finish(
    flow: &mut Flow,
    p: &mut impl Operator,
    (space, ritz, short): (Space, &Ritz, usize),
    (axes, has_converged): (usize, bool),
) -> Result<Triples, EmbedError> {
    let zero = zero(p.table(), ritz.values.first().copied().unwrap_or(0.0).max(0.0));
    let kept = ritz.values.iter().take(axes).take_while(|&&value| value > zero).count();
    let places: Vec<usize> = (0..kept).collect();
    let values: Vec<f64> = ritz.values[..kept].to_vec();
    let (mut right, mut residuals) = (Vec::new(), Vec::new());
    if kept > 0 {
        residuals = space.residuals(flow, ritz, &places)?;
        let mut vectors = space.vectors(flow, ritz, &places)?;
        if short == ROWS {
            let image = p.left::<f64>(flow, &vectors)?;
            std::mem::replace(&mut vectors, image).unregister(flow);
        }
        let n = vectors.m();
        right = vec![0.0; n * kept];
        vectors.gather(flow, &mut right, Order::ColumnMajor { ld: n })?;
        vectors.unregister(flow);
        for vector in right.chunks_exact_mut(n) {
            let norm = vector.iter().map(|x| x * x).sum::<f64>().sqrt();
            vector.iter_mut().for_each(|x| *x /= norm);
        }
        turn(&mut right, n);
    }
    space.close(flow);
    let Rows { products: left, norms2, columns2, inertia } = p.rows(flow, &right)?;
    let rounding = rounding(p.table(), inertia);
    Ok(Triples {
        values,
        right,
        left,
        residuals: Some(residuals),
        norms2,
        columns2,
        inertia,
        spectrum: None,
        has_converged,
        rounding,
    })
}
