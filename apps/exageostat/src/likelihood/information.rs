//! The expected information (Fisher's) at one set of parameters.
//!
//! `F_jk = 1/2 tr(C^-1 D_j C^-1 D_k) = 1/2 <M_j, M_k>` with `M_j = L^-1 D_j L^-T`: J. R. Magnus,
//! "Maximum likelihood estimation of the GLS model with unknown parameters in the disturbance
//! covariance matrix", J. Econometrics 7 (1978) 281-312. Of the columns of a tile's width, `M_j` is
//! wanted down to the diagonal alone, which the leading blocks of `L` and `D_j` give: with `X` the
//! columns of `L^-T`, the rows of `L^-1 (D_j X)`. That takes `n^3` operations for each parameter
//! but variance and nugget, three times those of a likelihood, and `n^3 / 3` for `X`, and for `M =
//! L^-1 L^-T` of the nugget; tiles of `D_j` are made as they are needed and never stored.
//!
//! A restricted likelihood has `P = L^-T (I - V V') L^-1` in the place of `C^-1`, where the columns
//! of `V` are orthonormal: `<M_j, M_k> - 2 <V' M_j, V' M_k> + <V' M_j V, V' M_k V>`.

use std::marker::PhantomData;

use tegula_kernels::kernel::covariance::Structure;
use tegula_kernels::kernel::covariance_product::{Product, ProductDiagonal, ProductTile};
use tegula_kernels::kernel::gemm::Gemm;
use tegula_kernels::kernel::laset::Laset;
use tegula_kernels::kernel::noise::TimesNoise;
use tegula_kernels::kernel::trsm::Trsm;
use tegula_kernels::option::{Diag, Side, Trans, Uplo};
use tegula_kernels::scalar::Real;
use tegula_runtime::flow::Access::{self, Commute, R, RW, Reduce, W};
use tegula_runtime::flow::{Flow, FlowError, Handle};
use tegula_runtime::memory::Reduction;
use tegula_tiles::TileMatrix;

use super::Evaluation;
use super::tasks::Phases;
use crate::covariance::composite::Slopes;
use crate::small::{cholesky, positive};

/// Panels that are worked on at the same time.
const PANELS: usize = 2;

/// What of an evaluation the information is of.
pub(super) struct At<'a> {
    pub(super) evaluation: &'a Evaluation,
    pub(super) nugget: f64,
    /// Whether the likelihood is a restricted one.
    pub(super) is_restricted: bool,
}

/// Columns of `L^-T`, and of the `M_j`.
struct Panel<T> {
    x: TileMatrix<T>,
    products: TileMatrix<T>,
}

/// What all panels share.
struct Work<'a, T> {
    phases: &'a Phases<T>,
    tables: Handle,
    /// Derivatives of the covariance but that by its variance.
    shapes: usize,
    /// Matrices `M_j`: those of the shapes, and of the nugget and the noise, each if there is one.
    count: usize,
    has_nugget: bool,
    structure: Structure,
}

impl<T: Real> Phases<T> {
    /// The expected information where the phases have just run, in the coordinates of
    /// [`Score`](super::Score), by columns; the factor stays. What a nugget of 0 has is left 0.
    ///
    /// # Errors
    /// Those of the flow.
    pub(super) fn information(
        &self,
        flow: &mut Flow,
        slopes: &Slopes,
        at: &At<'_>,
    ) -> Result<Vec<f64>, FlowError> {
        flow.phase("information");
        let &Slopes { count: shapes, structure, .. } = slopes;
        let has_nugget = at.nugget > 0.0;
        let count = shapes + usize::from(has_nugget) + usize::from(self.noise.is_some());
        let handle = flow.register(slopes.bytes.len());
        flow.overwrite(handle, &slopes.bytes)?;
        let work = Work { phases: self, tables: handle, shapes, count, has_nugget, structure };
        let sums = Sums {
            squares: work.squares(flow)?,
            mean: if at.is_restricted && self.widths().0 > 0 {
                Some(work.mean(flow, at.evaluation)?)
            } else {
                None
            },
        };
        flow.unregister(handle);
        Ok(sums.assemble(at, (shapes, count), has_nugget))
    }
}

impl<T: Real> Work<'_, T> {
    fn factor(&self) -> &TileMatrix<T> {
        &self.phases.generation.covariance
    }

    /// A panel of `width` columns.
    fn panel(&self, flow: &mut Flow, width: usize) -> Panel<T> {
        let (n, nb) = (self.factor().n(), self.factor().nb());
        let x = TileMatrix::panel(flow, (n, width), nb);
        let products = TileMatrix::panel(flow, (n, width * self.count), nb);
        for i in 0..products.mt() {
            flow.set_reduction(products.tile(i, 0), Reduction::sum::<T>());
        }
        Panel { x, products }
    }

    /// `<M_j, M_k>`, by columns, then the traces of the `M_j`.
    fn squares(&self, flow: &mut Flow) -> Result<Vec<f64>, FlowError> {
        let (factor, count) = (self.factor(), self.count);
        let [gram, traces] = [count * count, count].map(|numbers| zeros::<T>(flow, numbers));
        let nt = factor.nt();
        let usual: Vec<Panel<T>> =
            (0..PANELS.min(nt)).map(|_| self.panel(flow, factor.tile_columns(0))).collect();
        let last = self.panel(flow, factor.tile_columns(nt - 1));
        for column in 0..nt {
            let panel = if column + 1 == nt { &last } else { &usual[column % usual.len()] };
            let (x, rows) = (&panel.x, column + 1);
            let m = factor.tile_columns(column);
            let unit = Laset { m, n: m, off_diagonal: T::ZERO, diagonal: T::ONE };
            flow.submit(unit, &[(x.tile(column, 0), W)], 0);
            self.solve_transposed(flow, x, rows, true);
            self.multiply(flow, panel, rows);
            let width = x.n();
            for i in 0..rows {
                let trace = transposed_product((1, count, x.tile_rows(i) * width), T::ONE);
                let accesses = [(x.tile(i, 0), R), (panel.products.tile(i, 0), R), (traces, RW)];
                flow.submit(trace, &accesses, 0);
            }
            self.solve(flow, &panel.products, rows);
            for i in 0..rows {
                // The matrices are symmetric: what is above the diagonal stands for what is below.
                let times = T::from_f64(if i < column { 2.0 } else { 1.0 });
                let square = transposed_product((count, count, x.tile_rows(i) * width), times);
                let tile = panel.products.tile(i, 0);
                flow.submit(square, &[(tile, R), (tile, R), (gram, RW)], 0);
            }
        }
        flow.wait()?;
        let mut sums = numbers::<T>(flow, gram)?;
        sums.extend(numbers::<T>(flow, traces)?);
        usual.into_iter().chain([last]).for_each(|panel| panel.unregister(flow));
        [gram, traces].into_iter().for_each(|handle| flow.unregister(handle));
        Ok(sums)
    }

    /// `<M_j V, M_k V>`, by columns, then the `V' M_j V`.
    fn mean(&self, flow: &mut Flow, evaluation: &Evaluation) -> Result<Vec<f64>, FlowError> {
        let ((p, replicates), count) = (self.phases.widths(), self.count);
        let width = p + replicates;
        let covariance = &evaluation.coefficient_covariance;
        let half =
            cholesky(p, |i, j| covariance[i + j * p], positive).unwrap_or_else(|| vec![0.0; p * p]);
        // V = L^-1 Q A, where A A' is the covariance of the coefficients; zeros for L^-1 r.
        let mut mix = vec![T::ZERO; width * p];
        for j in 0..p {
            (j..p).for_each(|i| mix[i + j * width] = T::from_f64(half[i + j * p]));
        }
        let mix = flow.register_from(&mix);
        let [gram, within] = [count * count, p * p * count].map(|n| zeros::<T>(flow, n));
        let panel = self.panel(flow, p);
        let directions = TileMatrix::panel(flow, (self.factor().n(), p), self.factor().nb());
        for i in 0..panel.x.mt() {
            for to in [&panel.x, &directions] {
                let (trans_a, trans_b, m) = (Trans::No, Trans::No, to.tile_rows(i));
                let (alpha, beta) = (T::ONE, T::ZERO);
                let product = Gemm { trans_a, trans_b, m, n: p, k: width, alpha, beta };
                let accesses = [(self.phases.rhs.tile(i, 0), R), (mix, R), (to.tile(i, 0), RW)];
                flow.submit(product, &accesses, 0);
            }
        }
        let rows = panel.x.mt();
        self.solve_transposed(flow, &panel.x, rows, false);
        self.multiply(flow, &panel, rows);
        self.solve(flow, &panel.products, rows);
        for i in 0..rows {
            let (tile, m) = (panel.products.tile(i, 0), panel.x.tile_rows(i));
            let square = transposed_product((count, count, m * p), T::ONE);
            flow.submit(square, &[(tile, R), (tile, R), (gram, RW)], 0);
            let product = transposed_product((p, p * count, m), T::ONE);
            flow.submit(product, &[(directions.tile(i, 0), R), (tile, R), (within, RW)], 0);
        }
        flow.wait()?;
        let mut sums = numbers::<T>(flow, gram)?;
        sums.extend(numbers::<T>(flow, within)?);
        panel.unregister(flow);
        directions.unregister(flow);
        [mix, gram, within].into_iter().for_each(|handle| flow.unregister(handle));
        Ok(sums)
    }

    /// Submits `X = L^-T X` with the leading `rows` rows of tiles; of columns of the identity, only
    /// the last of these has been set.
    fn solve_transposed(&self, flow: &mut Flow, x: &TileMatrix<T>, rows: usize, is_unit: bool) {
        let factor = self.factor();
        for k in (0..rows).rev() {
            self.divide(flow, x, k, Trans::Yes);
            for i in (0..k).rev() {
                let beta = if is_unit && k + 1 == rows { T::ZERO } else { T::ONE };
                let (m, n, k_rows) = (x.tile_rows(i), x.n(), x.tile_rows(k));
                let (trans_a, trans_b, alpha) = (Trans::Yes, Trans::No, -T::ONE);
                let update = Gemm { trans_a, trans_b, m, n, k: k_rows, alpha, beta };
                let accesses = [(factor.tile(k, i), R), (x.tile(k, 0), R), (x.tile(i, 0), RW)];
                flow.submit(update, &accesses, 0);
            }
        }
    }

    /// Submits `Y = L^-1 Y` with the leading `rows` rows of tiles.
    fn solve(&self, flow: &mut Flow, y: &TileMatrix<T>, rows: usize) {
        let factor = self.factor();
        for k in 0..rows {
            self.divide(flow, y, k, Trans::No);
            for i in k + 1..rows {
                let (m, n, k_rows) = (y.tile_rows(i), y.n(), y.tile_rows(k));
                let (trans_a, trans_b, alpha) = (Trans::No, Trans::No, -T::ONE);
                let update = Gemm { trans_a, trans_b, m, n, k: k_rows, alpha, beta: T::ONE };
                let accesses = [(factor.tile(i, k), R), (y.tile(k, 0), R), (y.tile(i, 0), RW)];
                flow.submit(update, &accesses, 0);
            }
        }
    }

    /// Submits `X_k = op(L_kk)^-1 X_k`.
    fn divide(&self, flow: &mut Flow, x: &TileMatrix<T>, k: usize, trans: Trans) {
        let (side, uplo, diag) = (Side::Left, Uplo::Lower, Diag::NonUnit);
        let (m, n) = (x.tile_rows(k), x.n());
        let solve = Trsm { side, uplo, trans, diag, m, n, ld: m, alpha: T::ONE };
        flow.submit(solve, &[(self.factor().tile(k, k), R), (x.tile(k, 0), RW)], 0);
    }

    /// Submits the products of the leading `rows` rows of tiles with the panel.
    fn multiply(&self, flow: &mut Flow, panel: &Panel<T>, rows: usize) {
        let Panel { x, products } = panel;
        let add: Access = if flow.ranks() > 1 { Reduce } else { Commute };
        for i in 0..rows {
            let (m, n, zero) = (products.tile_rows(i), products.n(), T::ZERO);
            let zeros = Laset { m, n, off_diagonal: zero, diagonal: zero };
            flow.submit(zeros, &[(products.tile(i, 0), W)], 0);
        }
        let places = self.phases.generation.places();
        let tables = (self.tables, R);
        for j in 0..rows {
            for i in j..rows {
                let tile = ProductTile {
                    rows: x.tile_rows(i),
                    cols: x.tile_rows(j),
                    width: x.n(),
                    derivatives: self.shapes,
                    with_panel: self.has_nugget,
                    geometry: self.phases.generation.entries.geometry,
                    structure: self.structure,
                };
                let [row, column] = [i, j].map(|i| (places[i], R));
                let [x_i, x_j] = [i, j].map(|i| (x.tile(i, 0), R));
                let [y_i, y_j] = [i, j].map(|i| (products.tile(i, 0), add));
                if i == j {
                    let accesses = [tables, row, x_i, y_i];
                    flow.submit(ProductDiagonal::<T>::new(tile), &accesses, 0);
                    self.multiply_noise(flow, panel, (i, y_i));
                } else {
                    let accesses = [tables, row, column, x_i, x_j, y_i, y_j];
                    flow.submit(Product::<T>::new(tile), &accesses, 0);
                }
            }
        }
    }
}

impl<T: Real> Work<'_, T> {
    /// Submits the products of the noise with a row of tiles of the panel, if there is noise.
    fn multiply_noise(
        &self,
        flow: &mut Flow,
        panel: &Panel<T>,
        (i, to): (usize, (Handle, Access)),
    ) {
        let Some(noise) = &self.phases.noise else { return };
        let (x, columns) = (&panel.x, panel.x.n());
        let (skip_x, skip_y, precision) = (0, (self.count - 1) * columns, PhantomData);
        let m = x.tile_rows(i);
        let times = TimesNoise::<T> { m, columns, skip_x, skip_y, alpha: 1.0, precision };
        flow.submit(times, &[(noise.handles[i], R), (x.tile(i, 0), R), to], 0);
    }
}

impl<T: Real> Panel<T> {
    fn unregister(self, flow: &mut Flow) {
        self.x.unregister(flow);
        self.products.unregister(flow);
    }
}

/// What panels come to.
struct Sums {
    /// `<M_j, M_k>`, then traces.
    squares: Vec<f64>,
    /// Of a mean that is taken off: `<M_j V, M_k V>`, then the `V' M_j V`.
    mean: Option<Vec<f64>>,
}

impl Sums {
    /// The information by logarithms of variance and shapes, and by the nugget.
    ///
    /// The derivative by the logarithm of the variance is `C` less the nugget and the noise, so its
    /// matrix is `I` less the nugget times that of the nugget, and less that of the noise.
    fn assemble(&self, at: &At<'_>, (shapes, count): (usize, usize), has_nugget: bool) -> Vec<f64> {
        let p = at.evaluation.columns();
        // The matrices with the identity after them.
        let whole = |j: usize, k: usize| match (j < count, k < count) {
            (true, true) => self.squares[j + k * count],
            (true, false) => self.squares[count * count + j],
            (false, true) => self.squares[count * count + k],
            (false, false) => at.evaluation.places() as f64,
        };
        let inner = |j: usize, k: usize| {
            let Some(mean) = &self.mean else { return whole(j, k) };
            let (along, within) = mean.split_at(count * count);
            let entry = |j: usize, row: usize, column: usize| match within.get(j * p * p..) {
                Some(of) if j < count => of[row + column * p],
                _ => f64::from(u8::from(row == column)),
            };
            let places = || (0..p).flat_map(|row| (0..p).map(move |column| (row, column)));
            let both: f64 =
                places().map(|(row, column)| entry(j, row, column) * entry(k, row, column)).sum();
            let trace = |j: usize| (0..p).map(|i| entry(j, i, i)).sum::<f64>();
            let once = match (j < count, k < count) {
                (true, true) => along[j + k * count],
                (true, false) => trace(j),
                _ => trace(k),
            };
            whole(j, k) - 2.0 * once + both
        };
        // Each coordinate as a sum of these matrices.
        let parts: Vec<Vec<(f64, usize)>> = (0..shapes + 2)
            .map(|coordinate| match coordinate {
                0 => {
                    let nugget = has_nugget.then_some((-at.nugget, shapes));
                    let has_noise = count > shapes + usize::from(has_nugget);
                    let noise = has_noise.then_some((-1.0, count - 1));
                    [(1.0, count)].into_iter().chain(nugget).chain(noise).collect()
                }
                k if k <= shapes => vec![(1.0, k - 1)],
                _ if has_nugget => vec![(1.0, shapes)],
                _ => Vec::new(),
            })
            .collect();
        let times = at.evaluation.replicates as f64;
        let of = |a: &[(f64, usize)], b: &[(f64, usize)]| -> f64 {
            let pairs = a.iter().flat_map(|&one| b.iter().map(move |&other| (one, other)));
            times * pairs.map(|((x, j), (y, k))| 0.5 * x * y * inner(j, k)).sum::<f64>()
        };
        parts.iter().flat_map(|k| parts.iter().map(|j| of(j, k))).collect()
    }
}

/// Registers `count` zeros.
fn zeros<T: Real>(flow: &mut Flow, count: usize) -> Handle {
    flow.register_from(&vec![T::ZERO; count])
}

/// Reads numbers.
fn numbers<T: Real>(flow: &mut Flow, handle: Handle) -> Result<Vec<f64>, FlowError> {
    Ok(flow.read::<T>(handle)?.iter().map(|x| x.to_f64()).collect())
}

/// `C = C + alpha A' B`.
fn transposed_product<T: Real>((m, n, k): (usize, usize, usize), alpha: T) -> Gemm<T> {
    Gemm { trans_a: Trans::Yes, trans_b: Trans::No, m, n, k, alpha, beta: T::ONE }
}
