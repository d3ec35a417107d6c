//! Randomised singular value decomposition of the Gram matrix, as Diodon has it: two products with
//! few vectors, and a small decomposition.
//!
//! Halko, Martinsson, Tropp, SIAM Review 53 (2011), algorithm 5.1, on the range of `G Omega`. A
//! singular value whose two vectors point to opposite sides belongs to a negative eigenvalue; the
//! whole vectors decide, not one entry of them. Coordinates are those of the vectors after the last
//! product, which have seen one more than those before.

use tegula_files::checkpoint::{read_word, write_word};
use tegula_kernels::dense::{Matrix, Svd, gesvd, product};
use tegula_kernels::option::Part;
use tegula_kernels::scalar::Real;
use tegula_linalg::lacpy;
use tegula_runtime::flow::Flow;
use tegula_tiles::TileMatrix;

use super::pause::{load_panel, pause, save_panel};
use super::{Found, Pauses, Request, check};
use crate::EmbedError;
use crate::basis::{fill_normal, inner, orthonormalise, times};
use crate::gram::Gram;

/// Passes unless told otherwise.
const PASSES: usize = 2;

/// Finds the pairs.
pub(super) fn find<T: Real>(
    flow: &mut Flow,
    gram: &mut Gram,
    request: &Request,
    pauses: &mut dyn Pauses,
) -> Result<Found, EmbedError> {
    let (q, z) = products::<T>(flow, gram, request, pauses)?;
    flow.phase("projection");
    let mut p = copy(flow, &z);
    orthonormalise(flow, &mut p)?;
    // G Q = P R with R = W diag(s) V', so that G is about P W diag(s) V' Q'.
    let r = inner(flow, &p, &z)?;
    let svd = gesvd(r.view()).map_err(|_| EmbedError::NotFinite)?;
    let Svd { u: w, values: s, v } = svd;
    let width = r.cols();
    let between = inner(flow, &p, &q)?;
    // The cosine of the vectors of either side.
    let turned = product(between.view(), v.view());
    let cosine = |j: usize| (0..width).map(|i| w[(i, j)] * turned[(i, j)]).sum::<f64>();
    let ritz: Vec<f64> = (0..width).map(|j| if cosine(j) < 0.0 { -s[j] } else { s[j] }).collect();
    let axes: Vec<usize> = (0..width).filter(|&j| ritz[j] > 0.0).take(request.axes).collect();
    let pick = |of: &Matrix<f64>, scale: &dyn Fn(usize) -> f64| {
        Matrix::from_fn(width, axes.len(), |i, j| scale(axes[j]) * of[(i, axes[j])])
    };
    let vectors = TileMatrix::panel(flow, (z.m(), axes.len()), z.mb());
    times(flow, &p, &pick(&w, &|_| 1.0), (1.0, 0.0), &vectors)?;
    // G Q v - s Q v of the vectors before the last product.
    let e = TileMatrix::panel(flow, (z.m(), axes.len()), z.mb());
    times(flow, &z, &pick(&v, &|_| 1.0), (1.0, 0.0), &e)?;
    times(flow, &q, &pick(&v, &|j| -ritz[j]), (1.0, 1.0), &e)?;
    let squares = inner(flow, &e, &e)?;
    let residuals = (0..axes.len()).map(|j| squares[(j, j)].max(0.0).sqrt()).collect();
    [q, z, p, e].into_iter().for_each(|panel| panel.unregister(flow));
    let values = axes.iter().map(|&j| ritz[j]).collect();
    Ok(Found { values, vectors, residuals: Some(residuals), ritz, has_converged: None })
}

/// `(Q, G Q)` with an orthonormal basis `Q` of the range of as many products with random vectors as
/// there are passes, but one.
pub(super) fn products<T: Real>(
    flow: &mut Flow,
    gram: &mut Gram,
    request: &Request,
    pauses: &mut dyn Pauses,
) -> Result<(TileMatrix<f64>, TileMatrix<f64>), EmbedError> {
    let passes = request.passes.unwrap_or(PASSES).max(2);
    let (mut product, mut q) = match pauses.resume() {
        Some(mut state) => {
            gram.load(flow, &mut *state)?;
            let product = read_word(&mut *state)? as usize;
            let mut q = load_panel(flow, gram, &mut *state)?;
            orthonormalise(flow, &mut q)?;
            (product, q)
        }
        None => {
            let q = gram.panel(flow, request.width);
            fill_normal(flow, &q, request.seed);
            (0, q)
        }
    };
    loop {
        let z = gram.panel(flow, request.width);
        gram.multiply::<T>(flow, &q, &z)?;
        check(gram)?;
        product += 1;
        if product >= passes {
            return Ok((q, z));
        }
        pause(flow, gram, pauses, &mut |flow, out| {
            write_word(out, product as u64)?;
            save_panel(flow, &z, out)
        })?;
        std::mem::replace(&mut q, z).retire(flow);
        flow.phase("projection");
        orthonormalise(flow, &mut q)?;
    }
}

/// A copy of a panel.
pub(crate) fn copy(flow: &mut Flow, x: &TileMatrix<f64>) -> TileMatrix<f64> {
    let y = TileMatrix::panel(flow, (x.m(), x.n()), x.mb());
    lacpy(flow, Part::Whole, x, &y);
    y
}
