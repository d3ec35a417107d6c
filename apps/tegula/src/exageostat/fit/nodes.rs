//! `--nodes`: how many of the ranks factorise, evaluation after evaluation.

use anyhow::Result;
use tegula_exageostat::fit::{Beside, Progress};
use tegula_exageostat::program::Computation;

use super::Fit;
use crate::cluster::{Nodes, NodesRequest, TwoMaps, nodes_distribution};
use crate::error::refused;
use crate::exageostat::setup::Setup;

/// The kind of an evaluation, of which those alike are compared; none of one that has no value.
pub(super) fn kind(state: &Progress) -> Option<u64> {
    state.loglik.map(|_| match state.beside {
        Beside::Nothing | Beside::Surrogate => 0,
        Beside::Gradient => 1,
        Beside::Information => 2,
    })
}

impl Fit {
    /// The choice that `--nodes` asks for, after what an earlier run has `learnt`.
    ///
    /// # Errors
    /// If it does not go with the other flags, the ranks cannot be planned for, or one is gone.
    pub(super) fn begin_nodes(
        &self,
        setup: &Setup,
        learnt: &[u64],
    ) -> Result<Option<Nodes<TwoMaps>>> {
        let Some(choice) = self.nodes else { return Ok(None) };
        if let Some(name) = setup.method().name() {
            return Err(refused(format!(
                "--nodes counts ranks of the factorisation of an exact likelihood, not of --method {name}"
            )));
        }
        if self.generation.is_given() {
            return Err(refused(
                "--nodes says who generates the matrix, too: leave --generation out",
            ));
        }
        choice.check(setup.run.is_deterministic())?;
        let name = nodes_distribution(self.run.distribution().as_deref())?;
        let codelets = Computation::Likelihood.codelets();
        let (question, needs) = setup.run.question(name, setup.problem.n, codelets);
        Ok(Some(Nodes::begin(NodesRequest { choice, question, needs }, learnt)?))
    }
}
