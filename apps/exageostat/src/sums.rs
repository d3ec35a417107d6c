//! What likelihoods by approximated factors have in common: right-hand sides, and what is summed up
//! of them and of the diagonal.

use tegula_kernels::kernel::gemm::Gemm;
use tegula_kernels::kernel::logdet::LogDet;
use tegula_kernels::option::Trans;
use tegula_runtime::flow::Access::{R, RW};
use tegula_runtime::flow::{Flow, FlowError, Handle};
use tegula_tiles::TileMatrix;

use crate::likelihood::{Evaluation, LikelihoodError, given_block};
use crate::observations::{Observations, Residuals};

/// Right-hand sides and sums of one set of observations, in 64 bits.
#[derive(Debug)]
pub(crate) struct Sums {
    /// Coefficients of the mean of each replicate by ordinary least squares, `c`.
    offset: Vec<Vec<f64>>,
    /// `[Q r]` with `r = z - Q c`, by rows of tiles.
    given: Vec<Vec<f64>>,
    /// `[Q r]`, overwritten by `L^-1 [Q r]`.
    rhs: TileMatrix<f64>,
    /// `ln |L L'|` of each tile on the diagonal.
    logdets: Vec<Handle>,
    gram: Handle,
}

impl Sums {
    /// Registers what evaluations of `observations` in tiles of order `nb` need.
    pub(crate) fn new(flow: &mut Flow, observations: &Observations, nb: usize) -> Self {
        let design = &observations.design;
        let columns = design.columns() + observations.field_count();
        let rhs = TileMatrix::panel(flow, (observations.len(), columns), nb);
        let Residuals { offset, rest } = observations.residuals();
        let rows = |i: usize| i * nb..i * nb + rhs.tile_rows(i);
        let given = (0..rhs.mt()).map(|i| given_block(design, &rest, rows(i))).collect();
        let logdets = (0..rhs.mt()).map(|_| flow.register(size_of::<f64>())).collect();
        let gram = flow.register(columns * columns * size_of::<f64>());
        Self { offset, given, rhs, logdets, gram }
    }

    /// The right-hand sides, to be solved with.
    pub(crate) fn rhs(&self) -> &TileMatrix<f64> {
        &self.rhs
    }

    /// Sets what an evaluation starts from.
    pub(crate) fn reset(&self, flow: &mut Flow) -> Result<(), FlowError> {
        self.logdets.iter().try_for_each(|&logdet| flow.overwrite(logdet, &[0.0]))?;
        flow.overwrite(self.gram, &vec![0.0; self.rhs.n() * self.rhs.n()])?;
        let rows = self.given.iter().enumerate();
        rows.into_iter().try_for_each(|(i, given)| flow.overwrite(self.rhs.tile(i, 0), given))
    }

    /// Submits the determinant of a factor whose tiles on the diagonal are `diagonal(k)`.
    pub(crate) fn determinant(&self, flow: &mut Flow, diagonal: impl Fn(usize) -> Handle) {
        flow.phase("determinant");
        for (k, &logdet) in self.logdets.iter().enumerate() {
            let sum = LogDet::<f64>::cholesky(self.rhs.tile_rows(k), k * self.rhs.mb());
            flow.submit(sum, &[(diagonal(k), R), (logdet, RW)], 0);
        }
    }

    /// Submits products of the right-hand sides that have been solved with.
    pub(crate) fn dot(&self, flow: &mut Flow) {
        flow.phase("dot");
        for i in 0..self.rhs.mt() {
            let (tile, k, q) = (self.rhs.tile(i, 0), self.rhs.tile_rows(i), self.rhs.n());
            let (trans_a, trans_b) = (Trans::Yes, Trans::No);
            let product = Gemm { trans_a, trans_b, m: q, n: q, k, alpha: 1.0, beta: 1.0 };
            flow.submit(product, &[(tile, R), (tile, R), (self.gram, RW)], 0);
        }
    }

    /// Waits, and makes an evaluation of the sums.
    pub(crate) fn evaluate(
        &self,
        flow: &mut Flow,
    ) -> Result<Result<Evaluation, LikelihoodError>, FlowError> {
        flow.wait()?;
        let logdet = self.logdets(flow)?.iter().sum();
        let gram = flow.read::<f64>(self.gram)?.to_vec();
        Ok(Evaluation::new(self.rhs.m(), logdet, &gram, &self.offset))
    }

    fn logdets(&self, flow: &mut Flow) -> Result<Vec<f64>, FlowError> {
        self.logdets.iter().map(|&logdet| Ok(flow.read::<f64>(logdet)?[0])).collect()
    }

    /// What each row of tiles adds to the log-likelihood of the values less what the mean explains
    /// by ordinary least squares, if the matrix were `scale` times as large.
    pub(crate) fn by_rows(&self, flow: &mut Flow, scale: f64) -> Result<Vec<f64>, FlowError> {
        let (mut sums, replicates) = (self.logdets(flow)?, self.offset.len());
        for (i, sum) in sums.iter_mut().enumerate() {
            let rows = self.rhs.tile_rows(i);
            let tile = flow.read::<f64>(self.rhs.tile(i, 0))?;
            let residuals = &tile[(self.rhs.n() - replicates) * rows..];
            let quadratic = residuals.iter().map(|x| x * x).sum::<f64>();
            let logdet = *sum + rows as f64 * scale.ln();
            *sum = -0.5 * (replicates as f64 * logdet + quadratic / scale);
        }
        Ok(sums)
    }
}
