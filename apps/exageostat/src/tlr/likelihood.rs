//! The likelihood by a tile low-rank factorisation.
//!
//! `l = -1/2 (n ln 2 pi + ln |C| + r' C^-1 r)` as the exact one, with `C + E` for `C`, of which
//! tiles below the diagonal are off by no more than the accuracy; nothing is added to the diagonal.

use tegula_kernels::kernel::gemm::Gemm;
use tegula_kernels::kernel::logdet::LogDet;
use tegula_kernels::option::Trans;
use tegula_linalg::{Ranks, TlrFactor, potrf_tlr, trsm_tlr};
use tegula_runtime::flow::Access::{R, RW};
use tegula_runtime::flow::{Flow, FlowError, Handle};
use tegula_tiles::TileMatrix;

use super::{FINER, Tlr, differences, order};
use crate::covariance::{Covariance, Law};
use crate::generation::{Entries, Mapped};
use crate::likelihood::{Criterion, Evaluate, Evaluation, LikelihoodError, Score, given_block};
use crate::observations::Observations;

/// Evaluates the likelihood of one set of observations by tiles of low rank, as often as wanted, on
/// one flow.
///
/// Every tile is the same sum in the same order, so that results are the same with any number of
/// workers.
#[derive(Debug)]
pub struct TlrLikelihood {
    flow: Flow,
    tlr: Tlr,
    n: usize,
    entries: Entries,
    /// The places along the curve, a handle per row of tiles.
    places: Mapped,
    /// Coefficients of the mean by ordinary least squares, `c`.
    offset: Vec<f64>,
    /// `[Q r]` with `r = z - Q c`, by rows of tiles.
    given: Vec<Vec<f64>>,
    /// `[Q r]`, overwritten by `L^-1 [Q r]`.
    rhs: TileMatrix<f64>,
    logdet: Handle,
    gram: Handle,
    /// What became of the tiles of the last factor.
    ranks: Option<Ranks>,
}

impl TlrLikelihood {
    /// Prepares evaluations of `observations` on `flow`.
    ///
    /// # Panics
    /// If the accuracy is not above 0, or tiles are empty.
    #[must_use]
    pub fn new(mut flow: Flow, observations: &Observations, tlr: Tlr) -> Self {
        assert!(tlr.accuracy > 0.0, "an accuracy of {}", tlr.accuracy);
        let observations = &observations.subset(&order(&observations.points));
        let (n, nb) = (observations.len(), tlr.nb);
        let design = &observations.design;
        let columns = design.columns() + 1;
        let rhs = TileMatrix::panel(&mut flow, (n, columns), nb);
        let (offset, rest) = design.project(&observations.values);
        let rows = |i: usize| i * nb..i * nb + rhs.tile_rows(i);
        let given = (0..rhs.mt()).map(|i| given_block(design, &rest, rows(i))).collect();
        Self {
            tlr,
            n,
            entries: Entries::new(&mut flow, observations.points.geometry()),
            places: Mapped::new(&mut flow, &observations.points, nb),
            offset,
            given,
            rhs,
            logdet: flow.register(size_of::<f64>()),
            gram: flow.register(columns * columns * size_of::<f64>()),
            ranks: None,
            flow,
        }
    }

    /// What it was made with.
    #[must_use]
    pub fn options(&self) -> Tlr {
        self.tlr
    }

    /// What became of the tiles in the last evaluation.
    #[must_use]
    pub fn ranks(&self) -> Option<Ranks> {
        self.ranks
    }

    /// Evaluates with an accuracy.
    pub(super) fn evaluate_to(
        &mut self,
        accuracy: f64,
        covariance: &Covariance,
        values: &[f64],
        nugget: f64,
    ) -> Result<Evaluation, LikelihoodError> {
        let law = covariance.law(self.entries.geometry, values, nugget)?;
        let n = self.n;
        let failed = |error| match LikelihoodError::from_flow(error, n) {
            LikelihoodError::NotPositiveDefinite { .. } => LikelihoodError::TooCoarse { accuracy },
            error => error,
        };
        let (logdet, gram) = self.run(&law, nugget, accuracy).map_err(failed)?;
        Evaluation::new(n, logdet, &gram, &self.offset)
    }

    /// `ln |C|` and `W' W` of `W = L^-1 [Q r]`, by columns.
    fn run(&mut self, law: &Law, nugget: f64, accuracy: f64) -> Result<(f64, Vec<f64>), FlowError> {
        self.reset(law)?;
        let tolerance = accuracy * (law.variances(self.places.points())[0] + nugget);
        let factor = self.factorise(tolerance)?;
        self.ranks = Some(factor.ranks());
        let Self { flow, rhs, logdet, gram, .. } = self;
        flow.phase("determinant");
        for k in 0..factor.nt() {
            let sum = LogDet::<f64>::cholesky(factor.rows(k), k * rhs.mb());
            flow.submit(sum, &[(factor.diagonal(k), R), (*logdet, RW)], 0);
        }
        flow.phase("solve");
        trsm_tlr(flow, &factor, rhs);
        flow.phase("dot");
        for i in 0..rhs.mt() {
            let (tile, k, q) = (rhs.tile(i, 0), rhs.tile_rows(i), rhs.n());
            let (trans_a, trans_b) = (Trans::Yes, Trans::No);
            let product = Gemm { trans_a, trans_b, m: q, n: q, k, alpha: 1.0, beta: 1.0 };
            flow.submit(product, &[(tile, R), (tile, R), (*gram, RW)], 0);
        }
        factor.retire(flow);
        flow.wait()?;
        Ok((flow.read::<f64>(*logdet)?[0], flow.read::<f64>(*gram)?.to_vec()))
    }

    /// Sets what an evaluation starts from.
    fn reset(&mut self, law: &Law) -> Result<(), FlowError> {
        let Self { flow, rhs, given, places, entries, .. } = self;
        entries.set(flow, law)?;
        places.set(flow, law)?;
        flow.overwrite(self.logdet, &[0.0])?;
        flow.overwrite(self.gram, &vec![0.0; rhs.n() * rhs.n()])?;
        let rows = given.iter().enumerate();
        rows.into_iter().try_for_each(|(i, given)| flow.overwrite(rhs.tile(i, 0), given))
    }

    /// The factor of the covariance matrix, of which tiles are off by at most `tolerance`.
    fn factorise(&mut self, tolerance: f64) -> Result<TlrFactor, FlowError> {
        let Self { flow, n, tlr: Tlr { nb, .. }, entries, places, .. } = self;
        let (n, nb) = (*n, *nb);
        let rows = |i: usize| nb.min(n - i * nb);
        let places = places.blocks();
        potrf_tlr(flow, (n, nb), tolerance, |flow, (i, j), tile| {
            flow.phase("generation");
            let shape = (rows(i), rows(j));
            let handles = [places[i], places[j], tile];
            entries.within::<f64>(flow, (shape, (i * nb, j * nb)), handles, 0);
        })
    }
}

impl Evaluate for TlrLikelihood {
    fn n(&self) -> usize {
        self.n
    }

    fn flow(&mut self) -> &mut Flow {
        &mut self.flow
    }

    fn evaluate(
        &mut self,
        covariance: &Covariance,
        values: &[f64],
        nugget: f64,
    ) -> Result<Evaluation, LikelihoodError> {
        self.evaluate_to(self.tlr.accuracy, covariance, values, nugget)
    }

    /// By differences of some twenty evaluations, with the observed information for the average
    /// one.
    fn score(
        &mut self,
        covariance: &Covariance,
        values: &[f64],
        nugget: f64,
        how: (Criterion, bool),
        is_wanted: &dyn Fn(&Evaluation) -> bool,
    ) -> Result<(Evaluation, Option<Score>), LikelihoodError> {
        let evaluation = self.evaluate(covariance, values, nugget)?;
        if !is_wanted(&evaluation) {
            return Ok((evaluation, None));
        }
        let score = differences::score(self, covariance, (values, nugget), how, &evaluation)?;
        Ok((evaluation, Some(score)))
    }

    fn has_score(&self) -> bool {
        false
    }

    /// With a tenth of the accuracy, which makes most of the difference to the exact one.
    fn error_estimate(
        &mut self,
        covariance: &Covariance,
        values: &[f64],
        nugget: f64,
        criterion: Criterion,
    ) -> Result<Option<f64>, LikelihoodError> {
        let least = self.evaluate(covariance, values, nugget)?.value(criterion);
        let ranks = self.ranks;
        let finer = self.evaluate_to(FINER * self.tlr.accuracy, covariance, values, nugget)?;
        self.ranks = ranks;
        Ok(Some(finer.value(criterion) - least))
    }

    fn remark(&self) -> Option<String> {
        let Ranks { tiles, dense, largest, mean, bytes, dense_bytes } = self.ranks?;
        Some(format!(
            "tiles of order {}: {} of {tiles} below the diagonal of low rank, {mean:.1} in the mean \
             and {largest} at most; the factor takes {:.0} % of a dense one",
            self.tlr.nb,
            tiles - dense,
            100.0 * bytes as f64 / dense_bytes.max(1) as f64,
        ))
    }
}
