//! Panels with orthonormal columns: random ones, and those that span what others span.

use tegula_kernels::dense::{Eigen, Matrix, syev};
use tegula_kernels::option::Trans;
use tegula_linalg::gemm;
use tegula_runtime::flow::Access::{self, W};
use tegula_runtime::flow::{Buffers, Codelet, Cost, Failure, Flow, FlowError};
use tegula_runtime::random::{SplitMix64, mix};
use tegula_tiles::{Order, Storage, TileMatrix};

use crate::EmbedError;

/// Fills `panel` with independent standard normal numbers, the same for a seed wherever the panel
/// is cut.
pub(crate) fn fill_normal(flow: &mut Flow, panel: &TileMatrix<f64>, seed: u64) {
    for i in 0..panel.mt() {
        let (rows, columns, first) = (panel.tile_rows(i), panel.n(), i * panel.mb());
        flow.submit(Normal { rows, columns, first, seed }, &[(panel.tile(i, 0), W)], 0);
    }
}

/// Standard normal numbers, a stream for each row; buffer `[X: W]`.
#[derive(Clone, Copy, Debug)]
struct Normal {
    rows: usize,
    columns: usize,
    /// Row of the whole panel at which the band begins.
    first: usize,
    seed: u64,
}

impl Codelet for Normal {
    const NAME: &'static str = "normal";
    const ACCESS: &'static [Access] = &[W];

    fn cost(&self) -> Cost {
        let numbers = (self.rows * self.columns) as f64;
        Cost { flops: 40.0 * numbers, bytes: 8.0 * numbers }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let x = buffers.write::<f64>(0);
        for i in 0..self.rows {
            let mut stream = SplitMix64::new(mix(self.seed) ^ mix((self.first + i) as u64));
            (0..self.columns).for_each(|j| x[i + j * self.rows] = stream.normal());
        }
        Ok(())
    }
}

/// `A' B` of two panels, on the calling thread's side. Waits.
pub(crate) fn inner(
    flow: &mut Flow,
    a: &TileMatrix<f64>,
    b: &TileMatrix<f64>,
) -> Result<Matrix<f64>, FlowError> {
    let (m, n) = (a.n(), b.n());
    if m == 0 || n == 0 {
        return Ok(Matrix::zeros(m, n));
    }
    let c = TileMatrix::new(flow, (m, n), (m, n), Storage::Full);
    gemm(flow, (Trans::Yes, Trans::No), 1.0, a, b, 0.0, &c);
    let product = Matrix::of_columns(flow.read::<f64>(c.tile(0, 0))?.to_vec(), m, n);
    c.unregister(flow);
    Ok(product)
}

/// Computes `Y = alpha X B + beta Y` of panels `x` and `y` and a small matrix. Waits before.
pub(crate) fn times(
    flow: &mut Flow,
    x: &TileMatrix<f64>,
    b: &Matrix<f64>,
    (alpha, beta): (f64, f64),
    y: &TileMatrix<f64>,
) -> Result<(), FlowError> {
    let (k, n) = (b.rows(), b.cols());
    if k == 0 || n == 0 {
        return Ok(());
    }
    let small = TileMatrix::new(flow, (k, n), (k, n), Storage::Full);
    small.scatter(flow, b.entries(), Order::ColumnMajor { ld: k })?;
    gemm(flow, (Trans::No, Trans::No), alpha, x, &small, beta, y);
    small.retire(flow);
    Ok(())
}

/// Most rounds of [`orthonormalise`].
const ROUNDS: usize = 6;

/// Replaces `y` by a panel with orthonormal columns that span its columns. Waits.
///
/// Directions that are lost in rounding are replaced by such that are orthogonal to the others; a
/// panel of zeros stays. In rounds of scaling and an eigendecomposition of the inner products, as
/// in Stathopoulos, Wu, "A block orthogonalization procedure with constant synchronization
/// requirements", SIAM J. Sci. Comput. 23 (2002), algorithm SVQB.
///
/// # Errors
/// If a task fails, or the panel holds what is no number.
pub(crate) fn orthonormalise(flow: &mut Flow, y: &mut TileMatrix<f64>) -> Result<(), EmbedError> {
    for _ in 0..ROUNDS {
        let gram = inner(flow, y, y)?;
        let width = gram.cols();
        let largest = (0..width).map(|j| gram[(j, j)]).fold(0.0, f64::max);
        if !(0..width).all(|j| gram[(j, j)].is_finite()) {
            return Err(EmbedError::NotFinite);
        }
        // A panel of zeros spans nothing.
        if largest == 0.0 {
            return Ok(());
        }
        let off = deviation(&gram);
        if off <= 100.0 * f64::EPSILON * width as f64 {
            return Ok(());
        }
        let floor = (largest * f64::EPSILON * f64::EPSILON).max(f64::MIN_POSITIVE);
        let scale: Vec<f64> = (0..width).map(|j| gram[(j, j)].max(floor).sqrt().recip()).collect();
        let scaled = Matrix::from_fn(width, width, |i, j| gram[(i, j)] * scale[i] * scale[j]);
        let Eigen { values, vectors } = syev(scaled.view()).map_err(|_| EmbedError::NotFinite)?;
        let top = values[width - 1].max(f64::MIN_POSITIVE);
        let least = top * f64::EPSILON * width as f64;
        let transform = Matrix::from_fn(width, width, |i, j| {
            scale[i] * vectors[(i, j)] / values[j].max(least).sqrt()
        });
        transform_by(flow, y, &transform)?;
    }
    Ok(())
}

/// Submits what [`orthonormalise`] does where it takes so many `rounds` and looks once more,
/// whatever the panel holds: for engines that run no kernel. Waits.
pub(crate) fn orthonormalise_in(
    rounds: usize,
    flow: &mut Flow,
    y: &mut TileMatrix<f64>,
) -> Result<(), FlowError> {
    let transform = Matrix::zeros(y.n(), y.n());
    for _ in 0..rounds {
        inner(flow, y, y)?;
        transform_by(flow, y, &transform)?;
    }
    inner(flow, y, y)?;
    Ok(())
}

/// Replaces `y` by `Y B`. Waits before.
fn transform_by(
    flow: &mut Flow,
    y: &mut TileMatrix<f64>,
    b: &Matrix<f64>,
) -> Result<(), FlowError> {
    let next = TileMatrix::panel(flow, (y.m(), b.cols()), y.mb());
    times(flow, y, b, (1.0, 0.0), &next)?;
    std::mem::replace(y, next).retire(flow);
    Ok(())
}

/// Largest deviation from the identity.
fn deviation(gram: &Matrix<f64>) -> f64 {
    let width = gram.cols();
    let places = (0..width).flat_map(|j| (0..width).map(move |i| (i, j)));
    places.map(|(i, j)| (gram[(i, j)] - f64::from(u8::from(i == j))).abs()).fold(0.0, f64::max)
}
