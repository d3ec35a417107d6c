//! What the nodes of a cluster can do, for distributions: powers and costs, from their models.

use std::sync::Arc;

use tegula_kernels::kernel::{KERNELS, Kernel, kernel};
use tegula_runtime::flow::Cost;
use tegula_runtime::platform::ClassId;
use tegula_runtime::ranks::Owners;

use super::{ClusterError, ClusterNode, ClusterPlatform};
use crate::distribution::{Costs, Factorisation, PerKind, Powers, Workers, distribution_with};
use tegula_files::nearest_name;

impl ClusterPlatform {
    /// The relative powers of the nodes in a kernel: how many of its tasks on tiles of order `tile`
    /// all workers of each node end in a second.
    ///
    /// # Errors
    /// If there is no such kernel, or a node has no time of it.
    pub fn powers(&self, name: &str, tile: usize) -> Result<Powers, ClusterError> {
        let kernel = listed(name)?;
        self.powers_by(kernel.name, &|node, class| node.seconds(kernel, tile, class))
    }

    /// The same of tasks of `codelet` that cost so much.
    ///
    /// # Errors
    /// If a node has no time of them.
    pub fn powers_of(&self, codelet: &'static str, cost: Cost) -> Result<Powers, ClusterError> {
        self.powers_by(codelet, &|node, class| node.seconds_of(codelet, cost, class))
    }

    fn powers_by(
        &self,
        kernel: &'static str,
        seconds: &dyn Fn(&ClusterNode, ClassId) -> Option<f64>,
    ) -> Result<Powers, ClusterError> {
        let powers = self.nodes.iter().map(|node| {
            let of_class = |class| {
                let seconds = seconds(node, class);
                seconds.map_or(0.0, |seconds| node.workers(class) as f64 / seconds)
            };
            let power: f64 = classes(node).map(of_class).sum();
            if power > 0.0 { Ok(power) } else { Err(self.unable(node, kernel)) }
        });
        let powers = powers.collect::<Result<Vec<f64>, ClusterError>>()?;
        Ok(Powers::new(powers).expect("there are nodes, and their powers are positive"))
    }

    /// What the tasks of `factorisation` on tiles of order `tile` cost on the nodes, and messages:
    /// the latency and the mean, over the nodes, of the time of a tile on the link.
    ///
    /// # Errors
    /// If a node has no time of one of the tasks.
    pub fn costs(&self, factorisation: Factorisation, tile: usize) -> Result<Costs, ClusterError> {
        let kernels = kernels(factorisation).map(listed);
        let [factor, solve, square, update] = kernels;
        let kernels = [factor?, solve?, square?, update?];
        let ranks = self.nodes.iter().map(|node| self.workers(node, &kernels, tile));
        let ranks = ranks.collect::<Result<Vec<_>, ClusterError>>()?;
        let on_links = self.nodes.iter().map(|node| node.seconds_on_link(tile));
        let on_link = on_links.sum::<f64>() / self.nodes.len() as f64;
        Ok(Costs { factorisation, ranks, message_seconds: self.latency_seconds + on_link })
    }

    /// The workers of a node, by class, for the tasks of `kernels`.
    fn workers(
        &self,
        node: &ClusterNode,
        kernels: &PerKind<&'static Kernel>,
        tile: usize,
    ) -> Result<Vec<Workers>, ClusterError> {
        let there = classes(node).filter(|&class| node.workers(class) > 0);
        let of_class = |class| Workers {
            count: node.workers(class),
            seconds: kernels.map(|kernel| node.seconds(kernel, tile, class)),
        };
        let workers: Vec<Workers> = there.map(of_class).collect();
        for (kind, kernel) in kernels.iter().enumerate() {
            if workers.iter().all(|workers| workers.seconds[kind].is_none()) {
                return Err(self.unable(node, kernel.name));
            }
        }
        Ok(workers)
    }

    /// The distribution `text` of the tiles of a factorisation over the nodes, by their powers in
    /// gemm and by what tasks cost there.
    ///
    /// # Errors
    /// As [`distribution_with`], and if a node has no time of one of the tasks.
    pub fn distribution(
        &self,
        text: &str,
        factorisation: Factorisation,
        tile: usize,
    ) -> Result<Arc<dyn Owners>, ClusterError> {
        let (powers, costs) = (self.powers("gemm", tile)?, self.costs(factorisation, tile)?);
        Ok(distribution_with(text, &powers, &costs, factorisation.storage())?)
    }

    fn unable(&self, node: &ClusterNode, kernel: &'static str) -> ClusterError {
        let (cluster, node) = (self.name.clone(), node.platform.name.clone());
        ClusterError::Unable { cluster, node, kernel }
    }
}

/// The kernels of the tasks of a factorisation.
pub(crate) fn kernels(factorisation: Factorisation) -> PerKind<&'static str> {
    let factor = match factorisation {
        Factorisation::Lu => "getrf_nopiv",
        Factorisation::Cholesky => "potrf",
    };
    [factor, "trsm", "syrk", "gemm"]
}

fn listed(name: &str) -> Result<&'static Kernel, ClusterError> {
    kernel(name).ok_or_else(|| {
        let nearest = nearest_name(name, KERNELS.iter().map(|kernel| kernel.name));
        ClusterError::Kernel { name: name.to_owned(), nearest }
    })
}

fn classes(node: &ClusterNode) -> impl Iterator<Item = ClassId> + use<> {
    (0..node.machine.classes.len()).map(ClassId)
}
