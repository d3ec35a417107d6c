//! What predictions lose where parameters are not the true ones, and how wrong their variances are.
//!
//! With weights `w_a` of the observations by the model and `w_t` by the truth, mean squared errors
//! under the truth are `E_t` of the best predictions and
//! `E_ta = E_t + (w_a - w_t)' K_t (w_a - w_t)` of those of the model, since the best one is
//! orthogonal to what differs (both are unbiased); `E_a` is what the model believes. Loss of
//! efficiency `E_ta / E_t - 1` and misspecification `E_a / E_ta - 1` of each place, averaged, are
//! those of Y. Hong, S. Abdulah, M. G. Genton, Y. Sun, "Efficiency assessment of approximated
//! spatial predictions for large datasets", Spatial Statistics 43 (2021) 100517, here with the mean
//! estimated as well. With `K = L L'`, `A` the covariance of the coefficients and
//! `d = q - Q' K^-1 k` it is `L' w = L^-1 k + L^-1 Q A d`, which gives both terms.

use std::ops::Range;

use tegula_kernels::geometry::Points;
use tegula_kernels::kernel::gemm::Gemm;
use tegula_kernels::option::{Diag, Side, Trans, Uplo};
use tegula_kernels::scalar::Real;
use tegula_linalg::{Triangle, trmm, trsm};
use tegula_runtime::flow::Access::{R, RW};
use tegula_runtime::flow::{Flow, FlowError, Handle};
use tegula_tiles::{Storage, TileMatrix};

use crate::covariance::Law;
use crate::design::Design;
use crate::generation::{Entries, places};
use crate::likelihood::{Evaluate, Evaluation, Likelihood, LikelihoodError, Parts};
use crate::model::Model;

/// Share of the variance below which a mean squared error is rounding: at an observation.
const NOTHING: f64 = 1e-10;

/// What a model costs where another one is the truth.
#[derive(Clone, Debug, PartialEq)]
pub struct Misspecification {
    /// Mean loss of efficiency: what more the mean squared error of predictions is than it could
    /// be, as a share.
    pub mloe: f64,
    /// Mean misspecification of the mean squared error: what more the model believes it to be than
    /// it is, as a share; less than 0 where the model is too sure.
    pub mmom: f64,
    /// Root of the mean squared misspecification.
    pub rmom: f64,
    /// The loss at each place; NaN where nothing is to be predicted, at an observation without
    /// noise. Such places do not count above.
    pub loss: Vec<f64>,
    /// The misspecification at each place, likewise.
    pub misspecification: Vec<f64>,
}

impl Misspecification {
    /// From `E_t`, `E_ta - E_t` and `E_a` of each place, `nothing` what rounding may leave.
    fn new(best: &[f64], more: &[f64], believed: &[f64], nothing: f64) -> Self {
        let is_known = |k: &usize| best[*k] > nothing;
        let known: Vec<usize> = (0..best.len()).filter(is_known).collect();
        let mut loss = vec![f64::NAN; best.len()];
        let mut misspecification = loss.clone();
        for &k in &known {
            loss[k] = more[k] / best[k];
            misspecification[k] = believed[k] / (best[k] + more[k]) - 1.0;
        }
        let mean = |of: &dyn Fn(usize) -> f64| {
            known.iter().map(|&k| of(k)).sum::<f64>() / known.len() as f64
        };
        Self {
            mloe: mean(&|k| loss[k]),
            mmom: mean(&|k| misspecification[k]),
            rmom: mean(&|k| misspecification[k].powi(2)).sqrt(),
            loss,
            misspecification,
        }
    }

    /// Places that count.
    #[must_use]
    pub fn places(&self) -> usize {
        self.loss.iter().filter(|loss| loss.is_finite()).count()
    }
}

/// Where to predict, with the columns of the mean there.
#[derive(Clone, Copy, Debug)]
pub struct At<'a> {
    /// The places.
    pub points: &'a Points,
    /// For each column of the mean its value at each.
    pub drift: &'a [Vec<f64>],
    /// The mean of the observations.
    pub design: &'a Design,
}

/// Compares `model` with the `truth` at some places; `likelihood` makes one of the same
/// observations anew for each of them. Returns the flow of the last as well. `report` is called
/// with the share that is done.
///
/// It costs two factorisations, and three solves for the places, whose weights are kept: a number
/// for each place and observation.
///
/// # Errors
/// If a covariance matrix is not positive definite.
pub fn misspecification<T: Real>(
    (model, truth): (&Model, &Model),
    at: At<'_>,
    likelihood: &mut dyn FnMut() -> Likelihood<T>,
    report: &mut dyn FnMut(f64),
) -> Result<(Misspecification, Flow), LikelihoodError> {
    let total = at.points.len();
    let mut weights: Vec<Vec<T>> = Vec::new();
    let mut believed = Vec::new();
    let mut known = Known::new(likelihood(), model)?;
    for those in known.batches(total) {
        let (half, errors) = known.half_weights(at, those.clone()).map_err(known.failure())?;
        known.triangle(&half, Trans::Yes, true);
        weights.push(known.read(&half).map_err(known.failure())?);
        half.unregister(&mut known.flow);
        believed.extend(errors);
        report(0.5 * those.end as f64 / total as f64);
    }
    drop(known);
    let (mut best, mut more) = (Vec::new(), Vec::new());
    let mut known = Known::new(likelihood(), truth)?;
    for (those, weights) in known.batches(total).zip(weights) {
        let (half, errors) = known.half_weights(at, those.clone()).map_err(known.failure())?;
        let other = known.panel(&weights, those.len()).map_err(known.failure())?;
        known.triangle(&other, Trans::Yes, false);
        let [half, other] = [half, other].map(|panel| {
            let numbers = known.read(&panel);
            panel.unregister(&mut known.flow);
            numbers
        });
        let (half, other) = (half.map_err(known.failure())?, other.map_err(known.failure())?);
        more.extend(squares(&known.tiles(those.len()), &half, &other));
        best.extend(errors);
        report(0.5 + 0.5 * those.end as f64 / total as f64);
    }
    let nothing = NOTHING * truth.variance();
    Ok((Misspecification::new(&best, &more, &believed, nothing), known.flow))
}

/// Squared lengths of the columns of `a - b`, where tiles with these shapes follow each other.
fn squares<T: Real>(tiles: &[(usize, usize)], a: &[T], b: &[T]) -> Vec<f64> {
    let columns = tiles.first().map_or(0, |tile| tile.1);
    let (mut sums, mut start) = (vec![0.0; columns], 0);
    for &(rows, columns) in tiles {
        for (k, sum) in sums.iter_mut().enumerate().take(columns) {
            let those = start + k * rows..start + (k + 1) * rows;
            let pairs = a[those.clone()].iter().zip(&b[those]);
            *sum += pairs.map(|(a, b)| (a.to_f64() - b.to_f64()).powi(2)).sum::<f64>();
        }
        start += rows * columns;
    }
    sums
}

/// A model on the observations.
pub(crate) struct Known<T> {
    flow: Flow,
    parts: Parts<T>,
    evaluation: Evaluation,
    /// Of the covariance, without nugget.
    entries: Entries,
    law: Law,
}

impl<T: Real> Known<T> {
    /// `likelihood` evaluated under `model`.
    ///
    /// # Errors
    /// If its matrix is not positive definite.
    pub(crate) fn new(
        mut likelihood: Likelihood<T>,
        model: &Model,
    ) -> Result<Self, LikelihoodError> {
        let evaluation = likelihood.evaluate(model.covariance, &model.values, model.nugget)?;
        let geometry = likelihood.geometry();
        let law = model.covariance.law(geometry, &model.values, 0.0)?;
        let (mut flow, parts) = likelihood.into_parts();
        let mut entries = Entries::new(&mut flow, geometry);
        entries.set(&mut flow, &law).map_err(LikelihoodError::Flow)?;
        Ok(Self { flow, parts, evaluation, entries, law })
    }

    /// The tasks of one comparison at `points`, for engines that run no kernel; the mean is zero.
    ///
    /// # Errors
    /// Those of the flow.
    pub(crate) fn weigh(&mut self, points: &Points, design: &Design) -> Result<(), FlowError> {
        let (half, _) = self.half_weights(At { points, drift: &[], design }, 0..points.len())?;
        self.triangle(&half, Trans::Yes, true);
        self.triangle(&half, Trans::Yes, false);
        self.read(&half).map(drop)
    }

    /// What becomes of an error of the flow.
    fn failure(&self) -> impl Fn(FlowError) -> LikelihoodError + use<T> {
        let n = self.parts.factor.n();
        move |error| LikelihoodError::from_flow(error, n)
    }

    /// The places in parts that are worked on together.
    fn batches(&self, places: usize) -> impl Iterator<Item = Range<usize>> + use<T> {
        let batch = self.parts.factor.nb();
        (0..places).step_by(batch).map(move |start| start..(start + batch).min(places))
    }

    /// The shapes of the tiles of a panel of `columns`.
    fn tiles(&self, columns: usize) -> Vec<(usize, usize)> {
        let factor = &self.parts.factor;
        (0..factor.nt()).map(|i| (factor.tile_rows(i), columns)).collect()
    }

    /// A panel that holds `numbers`, tile by tile.
    fn panel(&mut self, numbers: &[T], columns: usize) -> Result<TileMatrix<T>, FlowError> {
        let (n, nb) = (self.parts.factor.n(), self.parts.factor.nb());
        let panel = TileMatrix::new(&mut self.flow, (n, columns), (nb, columns), Storage::Full);
        let mut start = 0;
        for (i, (rows, columns)) in self.tiles(columns).into_iter().enumerate() {
            let end = start + rows * columns;
            self.flow.overwrite(panel.tile(i, 0), &numbers[start..end])?;
            start = end;
        }
        Ok(panel)
    }

    /// The numbers of a panel, tile by tile.
    fn read(&mut self, panel: &TileMatrix<T>) -> Result<Vec<T>, FlowError> {
        self.flow.wait()?;
        let mut numbers = Vec::with_capacity(panel.n() * self.parts.factor.n());
        for i in 0..panel.mt() {
            numbers.extend_from_slice(self.flow.read::<T>(panel.tile(i, 0))?);
        }
        Ok(numbers)
    }

    /// Submits the product of `op(L)` with `panel`, or of its inverse.
    fn triangle(&mut self, panel: &TileMatrix<T>, trans: Trans, is_inverse: bool) {
        let (side, uplo, diag) = (Side::Left, Uplo::Lower, Diag::NonUnit);
        let (triangle, factor) = (Triangle { side, uplo, trans, diag }, &self.parts.factor);
        self.flow.phase("weights");
        if is_inverse {
            trsm(&mut self.flow, triangle, T::ONE, factor, panel);
        } else {
            trmm(&mut self.flow, triangle, T::ONE, factor, panel);
        }
    }

    /// `L' w` of those places, a column each, and the mean squared errors that the model believes
    /// in: `c(0) - |L' w|^2 + 2 q' A d`.
    fn half_weights(
        &mut self,
        at: At<'_>,
        those: Range<usize>,
    ) -> Result<(TileMatrix<T>, Vec<f64>), FlowError> {
        let (m, p) = (those.len(), self.parts.solved.n() - 1);
        let points = at.points.part(those.clone());
        let points = self.law.places(&points).into_owned();
        let coordinates = places(&mut self.flow, &points, m.max(1))[0];
        let half = self.solved_covariances(coordinates, &points);
        let projections = self.projections(&half)?;
        self.flow.unregister(coordinates);
        let a = &self.evaluation.coefficient_covariance;
        // A d in the rows of the columns of the mean, nothing of the residuals.
        let mut mix = vec![T::ZERO; (p + 1) * m];
        let mut errors = self.law.variances(&points);
        for (k, place) in those.enumerate() {
            let row: Vec<f64> = at.drift.iter().map(|column| column[place]).collect();
            let q = at.design.transform(&row);
            let d: Vec<f64> = (0..p).map(|j| q[j] - projections[k + j * m]).collect();
            for i in 0..p {
                let product: f64 = (0..p).map(|j| a[i + j * p] * d[j]).sum();
                mix[i + k * (p + 1)] = T::from_f64(product);
                errors[k] += 2.0 * q[i] * product;
            }
        }
        let mix = self.flow.register_from(&mix);
        for i in 0..half.mt() {
            let (trans_a, trans_b, rows) = (Trans::No, Trans::No, half.tile_rows(i));
            let (alpha, beta) = (T::ONE, T::ONE);
            let add = Gemm { trans_a, trans_b, m: rows, n: m, k: p + 1, alpha, beta };
            let accesses = [(self.parts.solved.tile(i, 0), R), (mix, R), (half.tile(i, 0), RW)];
            self.flow.submit(add, &accesses, 0);
        }
        let numbers = self.read(&half)?;
        self.flow.unregister(mix);
        let zeros = vec![T::ZERO; numbers.len()];
        let lengths = squares(&self.tiles(m), &numbers, &zeros);
        errors.iter_mut().zip(lengths).for_each(|(error, length)| *error -= length);
        // Rounding may leave a little less than nothing at the place of an observation.
        errors.iter_mut().for_each(|error| *error = error.max(0.0));
        Ok((half, errors))
    }

    /// Submits `L^-1 k` of `points`, whose coordinates are in `at`.
    fn solved_covariances(&mut self, at: Handle, points: &Points) -> TileMatrix<T> {
        let Self { flow, parts: Parts { factor, places: observed, .. }, entries, .. } = self;
        let (m, nb) = (points.len(), factor.nb());
        let cross = TileMatrix::new(flow, (factor.n(), m), (nb, m), Storage::Full);
        flow.phase("covariances");
        for (i, &observed) in observed.iter().enumerate() {
            let handles = [observed, at, cross.tile(i, 0)];
            entries.between::<T>(flow, (cross.tile_rows(i), m), handles, 0);
        }
        self.triangle(&cross, Trans::No, true);
        cross
    }

    /// `(L^-1 k)' L^-1 [Q r]` of a panel of these, by columns.
    fn projections(&mut self, half: &TileMatrix<T>) -> Result<Vec<f64>, FlowError> {
        let (m, columns) = (half.n(), self.parts.solved.n());
        let sums = self.flow.register_from(&vec![T::ZERO; m * columns]);
        for i in 0..half.mt() {
            let (trans_a, trans_b, k) = (Trans::Yes, Trans::No, half.tile_rows(i));
            let project = Gemm { trans_a, trans_b, m, n: columns, k, alpha: T::ONE, beta: T::ONE };
            let accesses = [(half.tile(i, 0), R), (self.parts.solved.tile(i, 0), R), (sums, RW)];
            self.flow.submit(project, &accesses, 0);
        }
        self.flow.wait()?;
        let found = self.flow.read::<T>(sums)?.iter().map(|x| x.to_f64()).collect();
        self.flow.unregister(sums);
        Ok(found)
    }
}
