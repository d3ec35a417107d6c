//! All singular values of a table, which is formed for once.

use tegula_kernels::dense::{Svd, gesvd};
use tegula_kernels::tile::TileRef;
use tegula_runtime::flow::Flow;

use super::operator::{Operator, Whole};
use super::{Request, Triples, turn};
use crate::EmbedError;

/// Finds all singular values, and the vectors of the leading ones.
pub(super) fn find(
    flow: &mut Flow,
    p: &mut impl Operator,
    request: &Request,
) -> Result<Triples, EmbedError> {
    let whole = p.whole(flow)?;
    let table = p.table();
    let [m, n] = table.shape();
    let columns2 = whole.columns2(n);
    let Whole { entries, norms2 } = whole;
    flow.phase("singular values");
    let svd = gesvd(TileRef::new(&entries, n, m).transposed());
    let Svd { u, values: sigma, v } = svd.map_err(|_| EmbedError::NotFinite)?;
    let epsilon = table.stream().reading().source().element().epsilon().max(4.0 * f64::EPSILON);
    let largest = sigma.first().copied().unwrap_or(0.0);
    // Rounding of the decomposition, and of the entries before they were centred.
    let zero = m.max(n) as f64 * f64::EPSILON * largest + epsilon * table.form().magnitude2.sqrt();
    let kept = sigma.iter().take(request.axes).take_while(|&&sigma| sigma > zero).count();
    let mut right = v.entries()[..n * kept].to_vec();
    let before = right.clone();
    turn(&mut right, n);
    let mut left = Vec::with_capacity(m * kept);
    for axis in 0..kept {
        let is_turned = right[axis * n..(axis + 1) * n] != before[axis * n..(axis + 1) * n];
        let scale = if is_turned { -sigma[axis] } else { sigma[axis] };
        left.extend(u.col(axis).iter().map(|x| scale * x));
    }
    let spectrum: Vec<f64> = sigma.iter().map(|sigma| sigma * sigma).collect();
    Ok(Triples {
        values: spectrum[..kept].to_vec(),
        right,
        left,
        residuals: None,
        norms2,
        columns2,
        inertia: entries.iter().map(|x| x * x).sum(),
        spectrum: Some(spectrum),
        has_converged: true,
        rounding: 0.0,
    })
}
