//! All eigenvalues of the Gram matrix, which is formed for once.
//!
//! The vector of ones (of the roots of weights, if there are some) belongs to the eigenvalue 0.
//! Where all others shift, it must not mix with theirs: its eigenvalue is moved below all of them
//! first.

use tegula_kernels::option::Uplo;
use tegula_linalg::heevd;
use tegula_runtime::flow::Flow;
use tegula_tiles::{Order, TileMatrix};

use super::correction::lingoes;
use super::{Leading, Request, check, limits, turn};
use crate::EmbedError;
use crate::gram::Gram;

/// Order of the tiles of the whole matrix.
const TILE: usize = 256;

/// Finds all eigenvalues, and the vectors of the leading ones.
pub(super) fn find(
    flow: &mut Flow,
    gram: &mut Gram,
    request: &Request,
) -> Result<Leading, EmbedError> {
    gram.gather_sums_alone(flow)?;
    check(gram)?;
    let n = gram.n();
    let g = TileMatrix::<f64>::lower(flow, n, TILE.min(n.max(1)));
    // Twice the modulus that the lowest one can have.
    let below = if request.lingoes { 2.0 * gram.sums().frobenius2.sqrt() } else { 0.0 };
    gram.form(flow, &g, below)?;
    flow.phase("eigenvalues");
    let eigen = heevd(flow, Uplo::Lower, &g, true)?;
    g.unregister(flow);
    let mut spectrum: Vec<f64> = eigen.values.into_iter().rev().collect();
    if request.lingoes {
        spectrum.pop();
    }
    let (threshold, constant) = limits::<f64>(gram, request, &spectrum);
    let positive = spectrum.iter().take_while(|&&value| value + constant > threshold).count();
    let kept = positive.min(request.axes);
    let z = eigen.vectors.expect("vectors were asked for");
    let mut all = vec![0.0; n * n];
    z.gather(flow, &mut all, Order::ColumnMajor { ld: n.max(1) })?;
    z.unregister(flow);
    let mut vectors: Vec<f64> =
        (0..kept).flat_map(|axis| all[(n - 1 - axis) * n..(n - axis) * n].to_vec()).collect();
    turn(&mut vectors, n);
    let negative = spectrum.iter().rev().copied().take_while(|&value| value < -threshold).collect();
    let mut leading = Leading {
        values: spectrum[..kept].to_vec(),
        vectors,
        residuals: None,
        negative,
        spectrum: Some(spectrum),
        has_converged: None,
        lingoes: None,
    };
    if request.lingoes {
        lingoes(&mut leading, gram.sums(), (constant, n));
    }
    Ok(leading)
}
