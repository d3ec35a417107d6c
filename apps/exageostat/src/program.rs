//! Programs on data that are only described, for engines that run no kernel: evaluations of the
//! likelihood, fits and predictions, as [`Likelihood`](crate::likelihood::Likelihood),
//! [`fit`](crate::fit::fit) and [`Predictor`](crate::predict::Predictor) submit them.

use std::sync::Arc;

use tegula_kernels::geometry::{Geometry, Points};
use tegula_kernels::kernel::covariance::{Covariance as CovarianceKernel, RadialTable};
use tegula_kernels::scalar::Real;
use tegula_runtime::flow::{Codelet, Cost, Flow, FlowError};
use tegula_runtime::ranks::Owners;

use crate::covariance;
use crate::design::Design;
use crate::likelihood::{Overlap, Phases};
use crate::observations::Observations;
use crate::predict::Kriging;

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
        self.phases::<T>(flow).run(flow, &table())
    }

    /// A fit of so many `evaluations`, each of which waits for the one before.
    ///
    /// # Errors
    /// Those of the flow.
    pub fn fit<T: Real>(&self, flow: &mut Flow, evaluations: usize) -> Result<(), FlowError> {
        let (phases, table) = (self.phases::<T>(flow), table());
        for _ in 0..evaluations {
            phases.run(flow, &table)?;
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
        let (phases, table) = (self.phases::<T>(flow), table());
        phases.run(flow, &table)?;
        phases.read(flow)?;
        let kriging = Kriging::new(flow, phases.into_parts(), &table)?;
        let points = at(places);
        for batch in kriging.batches(flow, places) {
            let blocks = kriging.submit(flow, &points, batch);
            flow.wait()?;
            blocks.into_iter().for_each(|block| block.unregister(flow));
        }
        Ok(())
    }

    fn phases<T: Real>(&self, flow: &mut Flow) -> Phases<T> {
        let (values, design) = (vec![0.0; self.n], Design::zero(self.n));
        let observations = Observations::new(at(self.n), values, design);
        let mut phases = Phases::new(flow, &observations, self.nb, self.overlap);
        if let Some(owners) = &self.generators {
            phases.generate_by(owners.clone());
        }
        phases
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

/// That of any covariance.
fn table() -> Box<RadialTable> {
    let matern = covariance::find("matern").expect("it is listed");
    matern.table(&matern.defaults(), 0.0).expect("defaults are parameters")
}
