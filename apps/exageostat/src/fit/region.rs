//! What a search has found in the space that it is in, and whether it is worth going on.

use super::newton::Slope;
use super::space::Space;
use crate::likelihood::{Evaluation, Score};
use crate::model::Model;

/// What a search that is given up is below what was found elsewhere at least, in log-likelihood.
const NEAR: f64 = 3.0;
/// How many times what it gained with steps of the last length.
const HOPE: f64 = 10.0;

/// The best point so far.
#[derive(Clone)]
pub(super) struct Best {
    /// Its coordinates.
    pub(super) x: Vec<f64>,
    pub(super) model: Model,
    pub(super) evaluation: Evaluation,
    /// Its log-likelihood by the criterion of the fit.
    pub(super) loglik: f64,
    /// How it changes there, if that was asked for.
    pub(super) slope: Option<Slope>,
    /// The score, with the nugget by its logarithm as well.
    pub(super) score: Option<Score>,
    /// The expected information, or what comes nearest to it, likewise.
    pub(super) information: Option<Vec<f64>>,
}

/// A space that is searched, and what was found in it.
pub(super) struct Region {
    pub(super) space: Space,
    pub(super) best: Option<Best>,
    /// Smallest log-likelihood so far.
    worst: f64,
    /// Evaluations without a value.
    pub(super) failed: usize,
    /// Log-likelihood that was found elsewhere, without which the search is for nothing.
    rival: f64,
    /// How long its steps are, and its greatest log-likelihood when they became so.
    stage: (f64, f64),
    /// Whether it was given up.
    pub(super) is_given_up: bool,
}

impl Region {
    pub(super) fn new(space: Space, rival: f64) -> Self {
        let stage = (f64::INFINITY, f64::NEG_INFINITY);
        Self { space, best: None, worst: 0.0, failed: 0, rival, stage, is_given_up: false }
    }

    /// The best point so far.
    ///
    /// # Panics
    /// If there is none yet.
    pub(super) fn found(&self) -> Best {
        self.best.clone().expect("the first point has a likelihood")
    }

    /// Gives the search up if its steps become shorter, `radius`, while it is below its rival by
    /// more than [`NEAR`] and [`HOPE`] times what it gained with the longer ones.
    pub(super) fn weigh(&mut self, radius: f64) {
        if radius >= self.stage.0 {
            return;
        }
        let (before, now) = (self.stage.1, self.loglik());
        self.is_given_up = self.rival - now > NEAR + HOPE * (now - before);
        self.stage = (radius, now);
    }

    /// Takes the information at the best point.
    pub(super) fn note_information(&mut self, x: &[f64], information: Vec<f64>) {
        if let Some(best) = self.best.as_mut().filter(|best| best.x == x) {
            best.information = Some(information);
        }
    }

    /// Takes a point.
    pub(super) fn note(&mut self, point: Best) {
        let loglik = point.loglik;
        self.worst = if self.best.is_none() { loglik } else { self.worst.min(loglik) };
        // The best point once more, now with its score: sums may differ in their last bits.
        let is_known = |best: &Best| best.x == point.x && best.score.is_none();
        if loglik > self.loglik() || self.best.as_ref().is_some_and(is_known) {
            self.best = Some(point);
        }
    }

    /// The cost where there is no likelihood.
    pub(super) fn penalty(&self) -> f64 {
        1.0 + 0.1 * self.worst.abs() - self.worst
    }

    /// Greatest log-likelihood so far.
    pub(super) fn loglik(&self) -> f64 {
        self.best.as_ref().map_or(f64::NEG_INFINITY, |best| best.loglik)
    }
}

/// How a search ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ending {
    pub(super) converged: bool,
    /// To which accuracy.
    pub(super) accuracy: f64,
}
