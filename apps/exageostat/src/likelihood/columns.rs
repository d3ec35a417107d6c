//! Products of columns with the inverse of a covariance matrix whose factor is there.

use tegula_kernels::scalar::Real;
use tegula_runtime::flow::{Flow, FlowError};
use tegula_runtime::memory::Reduction;
use tegula_tiles::TileMatrix;

use super::score::gram;
use super::solve::solve;
use super::tasks::Phases;
use super::{Evaluate, Likelihood, LikelihoodError, Resolve};
use crate::covariance::Covariance;

impl<T: Real> Phases<T> {
    /// `X' C^-1 X`, by columns, of the `columns` `X`, where the phases have just run.
    ///
    /// # Errors
    /// Those of the flow.
    fn gram_of(&self, flow: &mut Flow, columns: &[Vec<f64>]) -> Result<Vec<f64>, FlowError> {
        let (n, nb) = (self.rhs.m(), self.generation.covariance.nb());
        let q = columns.len();
        let [panel, updates] = [0; 2].map(|_| TileMatrix::panel(flow, (n, q), nb));
        let product = flow.register(q * q * size_of::<T>());
        for i in 0..panel.mt() {
            let rows = i * nb..i * nb + panel.tile_rows(i);
            let numbers = columns.iter().flat_map(|column| &column[rows.clone()]);
            let numbers: Vec<T> = numbers.map(|&x| T::from_f64(x)).collect();
            flow.set_reduction(updates.tile(i, 0), Reduction::sum::<T>());
            flow.overwrite(panel.tile(i, 0), &numbers)?;
            flow.overwrite(updates.tile(i, 0), &vec![T::ZERO; numbers.len()])?;
        }
        flow.overwrite(product, &vec![T::ZERO; q * q])?;
        flow.phase("solve");
        solve(flow, &self.generation.covariance, &panel, Some(&updates), true);
        gram(flow, &panel, &panel, product);
        flow.wait()?;
        let found = flow.read::<T>(product)?.iter().map(|x| x.to_f64()).collect();
        panel.unregister(flow);
        updates.unregister(flow);
        flow.unregister(product);
        Ok(found)
    }
}

impl<T: Real> Resolve for Likelihood<T> {
    fn as_evaluate(&mut self) -> &mut dyn Evaluate {
        self
    }

    fn gram(
        &mut self,
        (covariance, values, nugget): (&Covariance, &[f64], f64),
        columns: &[Vec<f64>],
        is_factored: bool,
    ) -> Result<(f64, Vec<f64>), LikelihoodError> {
        if !is_factored {
            self.run(covariance, values, nugget)?;
        }
        let Self { flow, n, phases, .. } = self;
        let failed = |error| LikelihoodError::from_flow(error, *n);
        let (logdet, _) = phases.read(flow).map_err(failed)?;
        Ok((logdet, phases.gram_of(flow, columns).map_err(failed)?))
    }

    fn set_values(&mut self, values: &[f64]) -> Result<(), LikelihoodError> {
        self.phases.set_values(values);
        Ok(())
    }
}
