//! Block Lanczos with full re-orthogonalisation: each pass over the distances adds a block to a
//! Krylov space, until the residuals of the wanted pairs are small.
//!
//! Golub, Underwood, "The block Lanczos method for computing eigenvalues", Mathematical Software
//! III (1977). A new block is made orthogonal to all before it, normalised, and both twice more:
//! what normalising blows up is no longer orthogonal. Where memory holds no more blocks, the space
//! is replaced by its Ritz vectors at either end of the spectrum (Wu, Simon, "Thick-restart Lanczos
//! method for large symmetric eigenvalue problems", SIAM J. Matrix Anal. Appl. 22, 2000), whose
//! images need no pass.

use tegula_kernels::dense::Matrix;
use tegula_kernels::scalar::Real;
use tegula_runtime::flow::{Flow, FlowError};
use tegula_tiles::{Order, TileMatrix};

use super::pause::pause;
use super::ritz::{Ritz, Space};
use super::{Found, Pauses, Request, check, limits};
use crate::EmbedError;
use crate::basis::{fill_normal, times};
use crate::gram::Gram;

/// Passes at most, unless told otherwise.
const PASSES: usize = 60;
/// Ritz vectors beyond the wanted ones that are kept at an end of the spectrum.
const MARGIN: usize = 5;

/// Finds the pairs.
pub(super) fn find<T: Real>(
    flow: &mut Flow,
    gram: &mut Gram,
    request: &Request,
    pauses: &mut dyn Pauses,
) -> Result<Found, EmbedError> {
    let most = request.passes.unwrap_or(PASSES);
    let mut space = Space::apart_from(deflated(flow, gram, request)?);
    let order = gram.n() - space.deflated.iter().map(TileMatrix::n).sum::<usize>();
    let mut block = match pauses.resume() {
        Some(mut state) => {
            gram.load(flow, &mut *state)?;
            space.load(flow, gram, &mut *state)?;
            let ritz = space.solve()?;
            step(flow, &mut space, (&ritz, request), order)?
        }
        None => {
            let mut block = gram.panel(flow, request.width.min(order));
            fill_normal(flow, &block, request.seed);
            space.separate(flow, &mut block)?;
            block
        }
    };
    loop {
        let image = gram.panel(flow, block.n());
        gram.multiply::<T>(flow, &block, &image)?;
        check(gram)?;
        flow.phase("projection");
        space.add(flow, block, image)?;
        let ritz = space.solve()?;
        let has_converged = has_converged::<T>(flow, gram, &space, (&ritz, request))?;
        let is_whole = space.dimension() == order;
        if has_converged || is_whole || gram.passes() >= most {
            return Ok(space.finish(flow, &ritz, request.axes, has_converged || is_whole)?);
        }
        pause(flow, gram, pauses, &mut |flow, out| space.save(flow, out))?;
        block = step(flow, &mut space, (&ritz, request), order)?;
    }
}

/// The next block; the space is compressed if it would become too large with it.
fn step(
    flow: &mut Flow,
    space: &mut Space,
    (ritz, request): (&Ritz, &Request),
    order: usize,
) -> Result<TileMatrix<f64>, EmbedError> {
    let block = next(flow, space, order - space.dimension())?;
    if space.dimension() + block.n() > request.capacity.max(2 * request.width) {
        // Some more than are wanted, so that the last of these converge, too.
        let (top, bottom) = (request.axes + MARGIN, if request.lingoes { MARGIN } else { 0 });
        *space = std::mem::take(space).compress(flow, ritz, (request.capacity / 2, top, bottom))?;
    }
    Ok(block)
}

/// The vector of ones (of the roots of weights) of norm one, if all eigenvalues but its own are to
/// shift: none of theirs may have a part of it.
fn deflated(
    flow: &mut Flow,
    gram: &Gram,
    request: &Request,
) -> Result<Option<TileMatrix<f64>>, FlowError> {
    // Of a single item there is nothing else.
    if !request.lingoes || gram.n() < 2 {
        return Ok(None);
    }
    let panel = gram.panel(flow, 1);
    panel.scatter(flow, &gram.ones(), Order::ColumnMajor { ld: gram.n() })?;
    Ok(Some(panel))
}

/// A block that is orthogonal to the space, from the image of the last one, of at most `room`
/// columns.
pub(crate) fn next(
    flow: &mut Flow,
    space: &Space,
    room: usize,
) -> Result<TileMatrix<f64>, EmbedError> {
    let mut block = last_columns(flow, space, room)?;
    space.separate(flow, &mut block)?;
    Ok(block)
}

/// The first columns of the image of the last block, `room` at most.
pub(crate) fn last_columns(
    flow: &mut Flow,
    space: &Space,
    room: usize,
) -> Result<TileMatrix<f64>, FlowError> {
    let image = space.last_image();
    let width = image.n().min(room);
    let block = TileMatrix::panel(flow, (image.m(), width), image.mb());
    let first = Matrix::from_fn(image.n(), width, |i, j| f64::from(u8::from(i == j)));
    times(flow, image, &first, (1.0, 0.0), &block)?;
    Ok(block)
}

/// Whether all wanted pairs are found.
fn has_converged<T: Real>(
    flow: &mut Flow,
    gram: &Gram,
    space: &Space,
    (ritz, request): (&Ritz, &Request),
) -> Result<bool, FlowError> {
    let wanted = request.axes.min(gram.n() - space.deflated.iter().count());
    if ritz.values.len() < wanted {
        return Ok(false);
    }
    let places: Vec<usize> = (0..wanted).collect();
    let residuals = space.residuals(flow, ritz, &places)?;
    let (zero, constant) = limits::<T>(gram, request, &ritz.values);
    let is_found = |(&place, &residual): (&usize, &f64)| {
        let value = ritz.values[place] + constant;
        // Of pairs that are no axes it is enough to know that.
        residual <= request.tolerance * value.abs() || value + residual <= zero
    };
    if !places.iter().zip(&residuals).all(is_found) {
        return Ok(false);
    }
    if !request.lingoes {
        return Ok(true);
    }
    let last = ritz.values.len() - 1;
    let (lowest, residual) = (ritz.values[last], space.residuals(flow, ritz, &[last])?[0]);
    Ok(residual <= request.tolerance * lowest.abs() || lowest.abs() + residual <= zero)
}
