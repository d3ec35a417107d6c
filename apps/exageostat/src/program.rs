//! Programs on data that are only described, for engines that run no kernel: evaluations of the
//! likelihood, fits and predictions, as [`Likelihood`],
//! [`fit`](crate::fit::fit) and [`Predictor`](crate::predict::Predictor) submit them.

use std::sync::Arc;

use tegula_kernels::geometry::{Geometry, Points};
use tegula_kernels::kernel::covariance::Covariance as CovarianceKernel;
use tegula_kernels::scalar::Real;
use tegula_linalg::program::codelets_of;
use tegula_runtime::flow::{Codelet, Cost, Failure, Flow, FlowError};
use tegula_runtime::ranks::Owners;

use crate::assess::{Known, leave_one_out};
use crate::covariance::{self, Covariance, Law};
use crate::design::Design;
use crate::likelihood::{Criterion, Evaluate, Likelihood, Overlap, Phases};
use crate::model::Model;
use crate::observations::Observations;
use crate::predict::Kriging;
use crate::sample::sample;

/// Observations of which nothing is known but their number; where they are makes no difference.
#[derive(Clone)]
pub struct Described {
    /// How many there are.
    pub n: usize,
    /// Order of the tiles.
    pub nb: usize,
    /// How phases overlap.
    pub overlap: Overlap,
    /// Who generates each tile, if not who owns it.
    pub generators: Option<Arc<dyn Owners>>,
}

impl std::fmt::Debug for Described {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Described")
            .field("n", &self.n)
            .field("nb", &self.nb)
            .finish_non_exhaustive()
    }
}

impl Described {
    /// One evaluation of the likelihood.
    ///
    /// # Errors
    /// Those of the flow.
    pub fn evaluate<T: Real>(&self, flow: &mut Flow) -> Result<(), FlowError> {
        self.phases::<T>(flow).run(flow, &law())
    }

    /// A fit of so many `evaluations`, each of which waits for the one before. `begin` is told
    /// their numbers: it may give the flow other owners, and answers who generates the tiles, if
    /// not who owns them.
    ///
    /// # Errors
    /// Those of the flow.
    pub fn fit<T: Real>(
        &self,
        flow: &mut Flow,
        evaluations: usize,
        mut begin: impl FnMut(&mut Flow, usize) -> Option<Arc<dyn Owners>>,
    ) -> Result<(), FlowError> {
        let (mut phases, law) = (self.phases::<T>(flow), law());
        for number in 0..evaluations {
            phases.generators = begin(flow, number);
            phases.run(flow, &law)?;
            phases.read(flow)?;
            phases.end(flow);
        }
        Ok(())
    }

    /// An evaluation, and predictions at so many `places` from what it leaves.
    ///
    /// # Errors
    /// Those of the flow.
    pub fn predict<T: Real>(&self, flow: &mut Flow, places: usize) -> Result<(), FlowError> {
        let (mut phases, law) = (self.phases::<T>(flow), law());
        phases.run(flow, &law)?;
        phases.read(flow)?;
        let kriging = Kriging::new(flow, phases.into_parts(), (Geometry::Plane, law))?;
        let points = at(places);
        for batch in kriging.batches(flow, places) {
            let blocks = kriging.submit(flow, &points, batch);
            flow.wait()?;
            blocks.into_iter().for_each(|block| block.unregister(flow));
        }
        Ok(())
    }

    /// An evaluation and its score.
    fn score(&self, flow: Flow) -> Result<(), Failure> {
        let mut likelihood = Likelihood::<f64>::new(flow, &self.at_zero(), self.nb, self.overlap);
        let matern = matern();
        let how = (Criterion::default(), false);
        likelihood.score(matern, &matern.defaults(), 0.0, how, &|_| true)?;
        Ok(())
    }

    /// Leave-one-out cross-validation, the information, predictions, and their weights.
    fn assess(&self, flow: Flow) -> Result<(), Failure> {
        let likelihood =
            |flow| Likelihood::<f64>::new(flow, &self.at_zero(), self.nb, self.overlap);
        let covariance = matern();
        let model = Model { covariance, values: covariance.defaults(), nugget: 0.0 };
        let (_, flow) = leave_one_out(likelihood(flow), &model)?;
        let mut informed = likelihood(flow);
        informed.information(covariance, &model.values, 0.0, Criterion::default())?;
        let (mut flow, _) = informed.into_parts();
        self.predict::<f64>(&mut flow, self.n)?;
        let mut known = Known::new(likelihood(flow), &model)?;
        known.weigh(&at(self.n), &self.at_zero().design)?;
        Ok(())
    }

    /// A draw.
    fn draw(&self, flow: &mut Flow) -> Result<(), Failure> {
        let covariance = matern();
        let model = Model { covariance, values: covariance.defaults(), nugget: 0.0 };
        sample::<f64>(flow, &model, &at(self.n), &vec![0.0; self.n], self.nb)?;
        Ok(())
    }

    /// The observations, all zero.
    fn at_zero(&self) -> Observations {
        Observations::new(at(self.n), vec![0.0; self.n], Design::zero(self.n))
    }

    fn phases<T: Real>(&self, flow: &mut Flow) -> Phases<T> {
        let mut phases = Phases::new(flow, &self.at_zero(), self.nb, self.overlap);
        if let Some(owners) = &self.generators {
            phases.generate_by(owners.clone());
        }
        phases
    }
}

/// What is computed, as far as the kinds of tasks depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Computation {
    /// A value of the likelihood.
    Likelihood,
    /// A fit, with scores.
    Fit,
    /// Predictions.
    Prediction,
    /// Leave-one-out cross-validation.
    Assessment,
    /// A draw.
    Draw,
}

impl Computation {
    /// Names of its codelets, found by counting it on few places.
    #[must_use]
    pub fn codelets(self) -> Vec<&'static str> {
        let described = Described { n: 3, nb: 1, overlap: Overlap::default(), generators: None };
        codelets_of(|mut flow| {
            let done = match self {
                Self::Likelihood => described.evaluate::<f64>(&mut flow).map_err(Into::into),
                Self::Prediction => described.predict::<f64>(&mut flow, 3).map_err(Into::into),
                Self::Fit => described.score(flow),
                Self::Assessment => described.assess(flow),
                Self::Draw => described.draw(&mut flow),
            };
            done.expect("an engine that only counts has no failures");
        })
    }
}

/// The task that generates a tile of order `nb`, and what it costs.
#[must_use]
pub fn generation(nb: usize) -> (&'static str, Cost) {
    let tile = CovarianceKernel::<f64>::within(Geometry::Plane, (nb, nb), (nb, 0));
    (CovarianceKernel::<f64>::NAME, tile.cost())
}

/// So many places.
fn at(places: usize) -> Points {
    let zeros = vec![0.0; places];
    Points::new(Geometry::Plane, &[&zeros, &zeros]).expect("zeros are places")
}

/// Any covariance.
fn matern() -> &'static Covariance {
    covariance::find("matern").expect("it is listed")
}

/// That of any covariance.
fn law() -> Law {
    let matern = matern();
    matern.law(Geometry::Plane, &matern.defaults(), 0.0).expect("defaults are parameters")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn computations_have_the_codelets_of_their_tasks() {
        for (computation, own) in [
            (Computation::Likelihood, ["logdet", "dot"]),
            (Computation::Fit, ["logdet", "covariance_score"]),
            (Computation::Prediction, ["logdet", "column-squares"]),
            (Computation::Assessment, ["column-squares", "covariance_product"]),
            (Computation::Draw, ["trmm", "gemv"]),
        ] {
            let codelets = computation.codelets();
            for name in ["covariance", "potrf", "trsm", "syrk", "gemm"].into_iter().chain(own) {
                assert!(codelets.contains(&name), "{computation:?}: {name} in {codelets:?}");
            }
        }
    }
}
