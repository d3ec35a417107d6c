//! The score, the gradient of the log-likelihood, and the average information at one set of
//! parameters.
//!
//! With `P = C^-1 - U U'`, where `U U'` is what the mean takes off, `a = C^-1 r` and `D_k` the
//! derivative of `C` by a parameter,
//!
//! `dl/dk = -1/2 tr(C^-1 D_k) + 1/2 a' D_k a`, and with `P` for `C^-1` of a restricted likelihood.
//! Of `m` replicates, the likelihood is `m` times that of the vectors `a` divided by the root of
//! `m`, whose terms are added up.
//!
//! The average information `AI_jk = 1/2 a' D_j P D_k a` lies between the observed and the expected
//! one, and costs no more than products with vectors: A. R. Gilmour, R. Thompson, B. R. Cullis,
//! "Average information REML", Biometrics 51 (1995) 1440-1450. The inverse is made in place of the
//! factor; tiles of `D_k` are made as they are needed and never stored.

use std::marker::PhantomData;

use tegula_kernels::kernel::covariance::Structure;
use tegula_kernels::kernel::covariance_score::{self, ScoreDiagonal, ScoreTile};
use tegula_kernels::kernel::gemm::Gemm;
use tegula_kernels::kernel::noise::TimesNoise;
use tegula_kernels::option::{Diag, Form, Side, Trans, Uplo};
use tegula_kernels::scalar::Real;
use tegula_linalg::{Triangle, potri, symm, trsm};
use tegula_runtime::flow::Access::{self, Commute, R, RW, Reduce};
use tegula_runtime::flow::{Flow, FlowError, Handle};
use tegula_runtime::memory::Reduction;
use tegula_tiles::TileMatrix;

use super::Evaluation;
use super::tasks::Phases;
use crate::covariance::composite::Slopes;
use crate::small::{cholesky, positive};

/// The gradient of a log-likelihood and its average information.
///
/// The coordinates are those of the covariance's parameters
/// ([`Scale`](crate::covariance::Scale): logarithms, angles in radians), in their order, then the
/// nugget itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Score {
    /// The gradient.
    pub gradient: Vec<f64>,
    /// The average information, by columns.
    pub information: Vec<f64>,
}

impl Score {
    /// The score in the logarithm of the nugget, whose value was `nugget`, instead of the nugget.
    #[must_use]
    pub fn by_logarithms(mut self, nugget: f64) -> Self {
        let count = self.gradient.len();
        self.gradient[count - 1] *= nugget;
        information_by_logarithms(&mut self.information, count, nugget);
        self
    }
}

/// Turns the `information` on `count` coordinates, the last the nugget, into that on its logarithm.
pub(crate) fn information_by_logarithms(information: &mut [f64], count: usize, nugget: f64) {
    for k in 0..count {
        information[k + (count - 1) * count] *= nugget;
        information[(count - 1) + k * count] *= nugget;
    }
}

/// What a score is worked out with, registered once.
#[derive(Debug)]
pub(super) struct Workspace<T> {
    /// Derivatives of the covariance but that by its variance.
    shapes: usize,
    /// What the covariance and its derivatives are made from.
    structure: Structure,
    /// The tables of it.
    tables: Handle,
    /// `[U a]`, with a vector `a` of each replicate.
    panel: TileMatrix<T>,
    /// What tiles are added up in, `Y`: `D_k a` of the shapes, sums of the rows of `W .* D_k`, the
    /// diagonal of `W`; then `D a` of the variance and of the nugget.
    products: TileMatrix<T>,
    /// `C^-1` times them.
    solved: TileMatrix<T>,
    /// From `C^-1 [Q r]` to the panel.
    mix: Handle,
    /// From the panel to what it adds to the products.
    share: Handle,
    /// `[U a]' Y` and `Y' C^-1 Y`.
    grams: [Handle; 2],
}

impl<T: Real> Workspace<T> {
    pub(super) fn new(
        flow: &mut Flow,
        (n, nb): (usize, usize),
        (p, replicates): (usize, usize),
        slopes: &Slopes,
    ) -> Self {
        let shapes = slopes.count;
        let (width, count) = (p + replicates, (replicates + 1) * (shapes + 1) + replicates);
        let panel = TileMatrix::panel(flow, (n, width), nb);
        let products = TileMatrix::panel(flow, (n, count), nb);
        let solved = TileMatrix::panel(flow, (n, count), nb);
        for i in 0..products.mt() {
            flow.set_reduction(products.tile(i, 0), Reduction::sum::<T>());
        }
        let numbers = |count: usize| count * size_of::<T>();
        Self {
            shapes,
            structure: slopes.structure,
            tables: flow.register(slopes.bytes.len()),
            mix: flow.register(numbers(width * width)),
            share: flow.register(numbers(width * count)),
            grams: [width * count, count * count].map(|count| flow.register(numbers(count))),
            panel,
            products,
            solved,
        }
    }

    /// Derivatives of the covariance but that by its variance.
    pub(super) fn shapes(&self) -> usize {
        self.shapes
    }
}

/// What of an evaluation a score is of.
pub(super) struct At<'a> {
    /// The evaluation, with the variance that it was made with.
    pub(super) evaluation: &'a Evaluation,
    /// The nugget of it.
    pub(super) nugget: f64,
    /// The score is that of the values divided by its square root: as if the variance and the
    /// nugget had been multiplied by it.
    pub(super) scale: f64,
    /// Whether the likelihood is a restricted one.
    pub(super) is_restricted: bool,
}

impl<T: Real> Phases<T> {
    /// The score where the phases have just run; overwrites the factor with the inverse.
    ///
    /// # Errors
    /// Those of the flow.
    pub(super) fn score(
        &self,
        flow: &mut Flow,
        workspace: &Workspace<T>,
        slopes: &Slopes,
        at: &At<'_>,
    ) -> Result<Score, FlowError> {
        flow.phase("inverse");
        let (side, uplo, trans, diag) = (Side::Left, Uplo::Lower, Trans::Yes, Diag::NonUnit);
        let inverse = &self.generation.covariance;
        trsm(flow, Triangle { side, uplo, trans, diag }, T::ONE, inverse, &self.rhs);
        potri(flow, inverse);
        self.start(flow, workspace, slopes, at)?;
        flow.phase("score");
        self.multiply_panel(flow, workspace);
        self.sweep(flow, workspace, at);
        let Workspace { products, solved, panel, grams, shapes, .. } = workspace;
        symm(flow, (Form::Symmetric, side, uplo), T::ONE, inverse, products, T::ZERO, solved);
        gram(flow, panel, products, grams[0]);
        gram(flow, products, solved, grams[1]);
        flow.wait()?;
        // Sums of the shapes, the trace, and the trace of what is times the noise.
        let (_, replicates) = self.widths();
        let mut total = vec![0.0; shapes + 2];
        for i in 0..products.mt() {
            let rows = products.tile_rows(i);
            let columns = &flow.read::<T>(products.tile(i, 0))?[shapes * replicates * rows..];
            for (total, column) in total[..=*shapes].iter_mut().zip(columns.chunks_exact(rows)) {
                *total += column.iter().map(|x| x.to_f64()).sum::<f64>();
            }
            if let Some(noise) = &self.noise {
                let diagonal = columns[shapes * rows..].iter().zip(&noise.blocks[i]);
                total[shapes + 1] += diagonal.map(|(x, noise)| x.to_f64() * noise).sum::<f64>();
            }
        }
        let [explained, whole] = grams.map(|handle| {
            let numbers = flow.read::<T>(handle)?;
            Ok::<_, FlowError>(numbers.iter().map(|x| x.to_f64()).collect::<Vec<f64>>())
        });
        Ok(self.assemble(*shapes, &total, (&explained?, &whole?), at))
    }

    /// Sets what a score starts from.
    fn start(
        &self,
        flow: &mut Flow,
        workspace: &Workspace<T>,
        slopes: &Slopes,
        at: &At<'_>,
    ) -> Result<(), FlowError> {
        let ((p, replicates), count) = (self.widths(), workspace.products.n());
        let width = p + replicates;
        let root = (at.scale * replicates as f64).sqrt();
        // U U' = V_Q A V_Q' with the covariance A of the coefficients.
        let covariance = &at.evaluation.coefficient_covariance;
        let factor =
            cholesky(p, |i, j| covariance[i + j * p], positive).unwrap_or_else(|| vec![0.0; p * p]);
        let more = at.evaluation.changes(self.offset());
        let mut mix = vec![T::ZERO; width * width];
        for j in 0..p {
            (j..p).for_each(|i| mix[i + j * width] = T::from_f64(factor[i + j * p]));
        }
        // Of the variance the derivative is C less the nugget, of the nugget the identity.
        let mut share = vec![T::ZERO; width * count];
        for (replicate, more) in more.iter().enumerate() {
            let column = p + replicate;
            (0..p).for_each(|j| mix[j + column * width] = T::from_f64(-more[j] / root));
            mix[column + column * width] = T::from_f64(1.0 / root);
            let [variance, nugget] = [2, 1].map(|back| count - back * replicates + replicate);
            share[column + variance * width] = T::from_f64(-at.nugget);
            share[column + nugget * width] = T::ONE;
        }
        flow.overwrite(workspace.mix, &mix)?;
        flow.overwrite(workspace.share, &share)?;
        flow.overwrite(workspace.tables, &slopes.bytes)?;
        for (i, given) in self.given().iter().enumerate() {
            let rows = self.rhs.tile_rows(i);
            let mut products = vec![T::ZERO; rows * count];
            let residuals = &mut products[(count - 2 * replicates) * rows..];
            for ((residuals, more), column) in residuals.chunks_mut(rows).zip(&more).zip(p..) {
                for (k, residual) in residuals.iter_mut().enumerate() {
                    let mean: f64 = (0..p).map(|j| given[k + j * rows].to_f64() * more[j]).sum();
                    *residual = T::from_f64((given[k + column * rows].to_f64() - mean) / root);
                }
            }
            flow.overwrite(workspace.products.tile(i, 0), &products)?;
        }
        for (handle, length) in workspace.grams.into_iter().zip([width * count, count * count]) {
            flow.overwrite(handle, &vec![T::ZERO; length])?;
        }
        Ok(())
    }

    /// Submits the panel `[U a]`, and what it adds to the products of variance and nugget.
    fn multiply_panel(&self, flow: &mut Flow, workspace: &Workspace<T>) {
        let Workspace { panel, products, mix, share, .. } = workspace;
        let width = panel.n();
        for i in 0..panel.mt() {
            let m = panel.tile_rows(i);
            let accesses = [(self.rhs.tile(i, 0), R), (*mix, R), (panel.tile(i, 0), RW)];
            flow.submit(product((m, width, width), T::ZERO), &accesses, 0);
            let accesses = [(panel.tile(i, 0), R), (*share, R), (products.tile(i, 0), RW)];
            flow.submit(product((m, products.n(), width), T::ONE), &accesses, 0);
            // Of the variance the derivative is C less the noise as well.
            if let Some(noise) = &self.noise {
                let (skip_x, columns) = self.widths();
                let (skip_y, alpha) = (products.n() - 2 * columns, -1.0);
                let precision = PhantomData;
                let times = TimesNoise::<T> { m, columns, skip_x, skip_y, alpha, precision };
                let accesses =
                    [(noise.handles[i], R), (panel.tile(i, 0), R), (products.tile(i, 0), RW)];
                flow.submit(times, &accesses, 0);
            }
        }
    }

    /// Submits a task per tile of the inverse.
    fn sweep(&self, flow: &mut Flow, workspace: &Workspace<T>, at: &At<'_>) {
        let Workspace { tables, structure, panel, products, shapes, .. } = workspace;
        let inverse = &self.generation.covariance;
        let add: Access = if flow.ranks() > 1 { Reduce } else { Commute };
        let (p, vectors) = self.widths();
        let first = if at.is_restricted { 0 } else { p };
        for index in inverse.indices() {
            let (i, j) = (index.row, index.column);
            let tile = ScoreTile {
                rows: inverse.tile_rows(i),
                cols: inverse.tile_rows(j),
                width: panel.n(),
                first,
                vectors,
                derivatives: *shapes,
                geometry: self.generation.entries.geometry,
                structure: *structure,
            };
            let [row, column] = [i, j].map(|i| (self.generation.places()[i], R));
            let (tables, a) = ((*tables, R), (inverse.tile(i, j), R));
            let (rows, columns) = ((panel.tile(i, 0), R), (panel.tile(j, 0), R));
            let down = (products.tile(i, 0), add);
            if i == j {
                let accesses = [tables, row, a, rows, down];
                flow.submit(ScoreDiagonal::<T>::new(tile), &accesses, 0);
            } else {
                let across = (products.tile(j, 0), add);
                let accesses = [tables, row, column, a, rows, columns, down, across];
                flow.submit(covariance_score::Score::<T>::new(tile), &accesses, 0);
            }
        }
    }

    /// Puts sums together, with the variance before the shapes.
    fn assemble(
        &self,
        shapes: usize,
        sums: &[f64],
        (explained, whole): (&[f64], &[f64]),
        at: &At<'_>,
    ) -> Score {
        let (p, replicates) = self.widths();
        let (width, times) = (p + replicates, replicates as f64);
        let count = (replicates + 1) * (shapes + 1) + replicates;
        let trace = times * sums[shapes];
        let taken = if at.is_restricted { at.evaluation.coefficients.len() } else { 0 };
        let free = (at.evaluation.n - taken) as f64;
        let fitted = at.evaluation.quadratic / at.scale;
        let noise = at.nugget * trace + times * sums[shapes + 1];
        let mut gradient = vec![-0.5 * (free - fitted) + 0.5 * noise];
        gradient.extend(sums[..shapes].iter().map(|sum| -times * sum));
        gradient.push(-0.5 * trace);
        // Where the first of the products with these derivatives stands.
        let place = |k: usize| match k {
            0 => count - 2 * replicates,
            k if k <= shapes => (k - 1) * replicates,
            _ => count - replicates,
        };
        let information = |j: usize, k: usize| -> f64 {
            let of = |replicate: usize| {
                let (j, k) = (place(j) + replicate, place(k) + replicate);
                let taken: f64 =
                    (0..p).map(|i| explained[i + j * width] * explained[i + k * width]).sum();
                let both = 0.5 * (whole[j + k * count] + whole[k + j * count]);
                0.5 * times * (both - taken)
            };
            (0..replicates).map(of).sum()
        };
        let information = (0..shapes + 2)
            .flat_map(|k| (0..shapes + 2).map(move |j| (j, k)))
            .map(|(j, k)| information(j, k));
        Score { gradient, information: information.collect() }
    }
}

/// `C = A B + beta C`.
fn product<T: Real>((m, n, k): (usize, usize, usize), beta: T) -> Gemm<T> {
    Gemm { trans_a: Trans::No, trans_b: Trans::No, m, n, k, alpha: T::ONE, beta }
}

/// Submits `sum = sum + X' Y`.
pub(super) fn gram<T: Real>(flow: &mut Flow, x: &TileMatrix<T>, y: &TileMatrix<T>, sum: Handle) {
    for i in 0..x.mt() {
        let (m, n, k) = (x.n(), y.n(), x.tile_rows(i));
        let (trans_a, trans_b) = (Trans::Yes, Trans::No);
        let product = Gemm { trans_a, trans_b, m, n, k, alpha: T::ONE, beta: T::ONE };
        flow.submit(product, &[(x.tile(i, 0), R), (y.tile(i, 0), R), (sum, RW)], 0);
    }
}
