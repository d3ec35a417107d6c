//! Principal components with respect to instrumental variables: of what a few variables `B`,
//! `m x q`, say of the table linearly, or of what they leave.
//!
//! Rao, "The use and interpretation of principal component analysis in applied research", Sankhya A
//! 26 (1964); `pcaiv` and `pcaivortho` of ade4, `rda` of vegan. `B` is centred, with respect to the
//! metric `D` of the rows ([`crate::diagram`]), and `W` has orthonormal columns that span `L' B`.
//! With `P = L' X K`, the projection on the instruments is `W W' P`, and `Z = P' W`, `n x q`, takes
//! a single pass: `Z' = S T V'` gives the triples `(W S, T, V)`. What is left is `P - W Z'`,
//! multiplied with as `(I - W W') P`.

mod basis;
mod residual;

use tegula_kernels::dense::{Matrix, Svd, gesvd};
use tegula_kernels::scalar::Real;
use tegula_kernels::tile::TileRef;
use tegula_runtime::flow::Flow;

use crate::EmbedError;
use crate::diagram::Diagram;
use crate::mds::turn;
use crate::singular::{Operator, Request, Rows, Triples, leading, rounding};
use crate::table::{ROWS, Table};
use basis::Basis;
use residual::Residual;

/// Instrumental variables.
#[derive(Clone, Debug)]
pub struct Instruments {
    /// Names of the `q` variables.
    pub ids: Vec<String>,
    /// Their values, `m x q` by columns.
    pub values: Vec<f64>,
}

/// What instruments explain.
#[derive(Clone, Debug)]
pub struct Explained {
    /// Inertia of the projection on them.
    pub constrained: f64,
    /// Inertia of the table.
    pub total: f64,
    /// Numbers of the instruments that are constant, or follow from those before them: they were
    /// left out.
    pub dropped: Vec<usize>,
    /// Them along the axes, if those are theirs.
    pub axes: Option<Along>,
}

/// Instruments along axes, each part `q x k` by columns.
#[derive(Clone, Debug)]
pub struct Along {
    /// Correlation, in the metric of the rows, of each with the coordinates of the items; 0 of a
    /// constant.
    pub correlations: Vec<f64>,
    /// Coordinates of the items as sums of centred instruments with these coefficients; none of one
    /// that was left out.
    pub coefficients: Vec<Option<f64>>,
    /// Items where their own entries put them, `m x k` by columns: the coordinates are the
    /// projections of these on the instruments (`wa` and `lc` scores of vegan).
    pub sites: Vec<f64>,
}

impl Explained {
    /// The share of the inertia that the instruments explain.
    #[must_use]
    pub fn share(&self) -> f64 {
        if self.total > 0.0 { self.constrained / self.total } else { 0.0 }
    }
}

/// The leading `axes` triples of the projection of `diagram` on the `instruments`: three passes,
/// for sums, for the projection, and for the inertia of the table.
///
/// # Errors
/// If no instrument varies, a tile cannot be read, or entries are not what they should be.
///
/// # Panics
/// If there are not as many values of each instrument as rows.
pub fn constrained(
    flow: &mut Flow,
    diagram: &mut Diagram,
    (instruments, axes): (&Instruments, usize),
) -> Result<(Triples, Explained), EmbedError> {
    diagram.settle(flow)?;
    let [m, n] = diagram.table().shape();
    let basis = Basis::of(flow, diagram, instruments)?;
    let r = basis.rank();
    let z = basis.project(flow, diagram)?;
    let svd = gesvd(TileRef::new(&z, n, r)).map_err(|_| EmbedError::NotFinite)?;
    let Svd { u, values: sigma, v } = svd;
    let zero = zero(diagram.table(), sigma.first().copied().unwrap_or(0.0));
    let kept = sigma.iter().take(axes).take_while(|&&sigma| sigma > zero).count();
    let mut right = u.entries()[..n * kept].to_vec();
    let before = right.clone();
    turn(&mut right, n);
    let is_turned = |axis: usize| right[axis * n..][..n] != before[axis * n..][..n];
    let sign = |axis: usize| if is_turned(axis) { -1.0 } else { 1.0 };
    // Coordinates along all axes, in terms of the basis: S T.
    let within = Matrix::from_fn(r, sigma.len(), |k, axis| v[(k, axis)] * sigma[axis]);
    let signed = Matrix::from_fn(r, kept, |k, axis| sign(axis) * within[(k, axis)]);
    // P V, of which W W' P V are the coordinates, and the inertia, with one pass.
    let Rows { products: mut sites, inertia, .. } = diagram.rows(flow, &right)?;
    diagram.unweigh(flow, ROWS, &mut sites)?;
    let (correlations, coefficients) = basis.along(&signed);
    let explained = Explained {
        constrained: z.iter().map(|x| x * x).sum(),
        total: inertia,
        dropped: basis.dropped().to_vec(),
        axes: Some(Along { correlations, coefficients, sites }),
    };
    let left = basis.times(&signed);
    let mut all = basis.times(&within);
    diagram.unmix(flow, ROWS, &mut all)?;
    let norm2 = |i: usize| all.iter().skip(i).step_by(m).map(|x| x * x).sum();
    let spectrum: Vec<f64> = sigma.iter().map(|sigma| sigma * sigma).collect();
    let triples = Triples {
        values: spectrum[..kept].to_vec(),
        right,
        left,
        residuals: None,
        norms2: (0..m).map(norm2).collect(),
        columns2: (0..n).map(|j| z.iter().skip(j).step_by(n).map(|x| x * x).sum()).collect(),
        inertia: explained.constrained,
        spectrum: Some(spectrum),
        has_converged: true,
        rounding: rounding(diagram.table(), inertia),
    };
    Ok((triples, explained))
}

/// The leading triples of what the `instruments` leave of `diagram`, with products in the precision
/// `T`.
///
/// # Errors
/// As [`constrained`], and those of [`leading`].
///
/// # Panics
/// As [`constrained`].
pub fn residual<T: Real>(
    flow: &mut Flow,
    diagram: &mut Diagram,
    (instruments, request): (&Instruments, &Request),
) -> Result<(Triples, Explained), EmbedError> {
    diagram.settle(flow)?;
    let basis = Basis::of(flow, diagram, instruments)?;
    let z = basis.project(flow, diagram)?;
    let constrained: f64 = z.iter().map(|x| x * x).sum();
    let dropped = basis.dropped().to_vec();
    let mut left_over = Residual::new(flow, diagram, (basis, z))?;
    let found = leading::<T>(flow, &mut left_over, request);
    left_over.close(flow);
    let triples = found?;
    let total = triples.inertia + constrained;
    Ok((triples, Explained { constrained, total, dropped, axes: None }))
}

/// The singular value that cannot be told from zero, beside the `largest`.
fn zero(table: &Table, largest: f64) -> f64 {
    let [m, n] = table.shape();
    let epsilon = table.stream().reading().source().element().epsilon().max(4.0 * f64::EPSILON);
    m.max(n) as f64 * f64::EPSILON * largest + epsilon * table.form().magnitude2.sqrt()
}
