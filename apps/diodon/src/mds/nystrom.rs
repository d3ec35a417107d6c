//! Nyström's approximation `G = Z T^+ Z'` with `Z = G Q` and `T = Q' G Q`, from the products that
//! the randomised decomposition makes, with the core `T` cut.
//!
//! Halko, Martinsson, Tropp, SIAM Review 53 (2011), algorithm 5.5, is for definite matrices. Of an
//! indefinite one small eigenvalues of `T` are differences, and their inverses blow errors up: the
//! largest two thirds in modulus are kept, unless the sketch is the whole space.

use tegula_kernels::dense::{Eigen, Matrix, product, syev};
use tegula_kernels::scalar::Real;
use tegula_runtime::flow::Flow;
use tegula_tiles::TileMatrix;

use super::randomized::{copy, products};
use super::{Found, Pauses, Request};
use crate::EmbedError;
use crate::basis::{inner, orthonormalise, times};
use crate::gram::Gram;

/// Finds the pairs.
pub(super) fn find<T: Real>(
    flow: &mut Flow,
    gram: &mut Gram,
    request: &Request,
    pauses: &mut dyn Pauses,
) -> Result<Found, EmbedError> {
    let (q, z) = products::<T>(flow, gram, request, pauses)?;
    flow.phase("projection");
    let core = inner(flow, &q, &z)?;
    let width = core.cols();
    let core = Matrix::from_fn(width, width, |i, j| f64::midpoint(core[(i, j)], core[(j, i)]));
    let Eigen { values, vectors } = syev(core.view()).map_err(|_| EmbedError::NotFinite)?;
    let mut places: Vec<usize> = (0..width).collect();
    places.sort_by(|&i, &j| values[j].abs().total_cmp(&values[i].abs()));
    let top = places.first().map_or(0.0, |&i| values[i].abs());
    let least = top * width as f64 * f64::EPSILON;
    if width < gram.n() {
        places.truncate((2 * width).div_ceil(3));
    }
    places.retain(|&i| values[i].abs() > least);
    // F = Z V |D|^(-1/2), so that G is about F sign(D) F'.
    let cut = Matrix::from_fn(width, places.len(), |i, j| {
        vectors[(i, places[j])] / values[places[j]].abs().sqrt()
    });
    let f = TileMatrix::panel(flow, (z.m(), places.len()), z.mb());
    times(flow, &z, &cut, (1.0, 0.0), &f)?;
    let mut p = copy(flow, &f);
    orthonormalise(flow, &mut p)?;
    let r = inner(flow, &p, &f)?;
    let signed = Matrix::from_fn(r.rows(), r.cols(), |i, j| r[(i, j)] * values[places[j]].signum());
    let small = product(signed.view(), r.view().transposed());
    let eigen = syev(small.view()).map_err(|_| EmbedError::NotFinite)?;
    let Eigen { values: ascending, vectors: w } = eigen;
    let count = places.len();
    let ritz: Vec<f64> = (0..count).rev().map(|j| ascending[j]).collect();
    let axes = request.axes.min(count);
    let pick = Matrix::from_fn(count, axes, |i, j| w[(i, count - 1 - j)]);
    let vectors = TileMatrix::panel(flow, (z.m(), axes), z.mb());
    times(flow, &p, &pick, (1.0, 0.0), &vectors)?;
    flow.wait()?;
    [q, z, f, p].into_iter().for_each(|panel| panel.unregister(flow));
    let values = ritz[..axes].to_vec();
    Ok(Found { values, vectors, residuals: None, ritz, has_converged: None })
}
