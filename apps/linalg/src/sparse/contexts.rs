//! Scheduling contexts for the subtrees of a factorisation (Hugo 2014, section 4.3): a layer is cut
//! through the tree, the subtrees below it get workers in proportion to their operations, those of
//! one bundle, a socket say, beside each other.

use tegula_runtime::flow::Flow;
use tegula_runtime::platform::{Machine, Topology, WorkerKind};
use tegula_runtime::sched::contexts::{ContextError, ContextSpec, JobSpec, Start, Work};
use tegula_runtime::sched::hypervisor::{Subtree, proportional_mapping};
use tegula_runtime::sched::{JobId, Policy, WorkerId};

use super::analysis::Analysis;
use super::tree::NONE;

/// By which part a bundle may be filled beyond its size.
const TOLERANCE: f64 = 0.2;

/// Workers for subtrees.
#[derive(Clone, Debug)]
pub struct Bundles {
    /// The workers, those of a bundle beside each other.
    pub workers: Vec<WorkerId>,
    /// How many are in a bundle: that share a memory.
    pub bundle: usize,
    /// Who runs what in each context.
    pub policy: &'static Policy,
}

impl Bundles {
    /// The cores of `machine` by the memories in which they compute. Those of one memory are in
    /// bundles as large as a socket of `topology`, in whose order workers are bound.
    #[must_use]
    pub fn of(machine: &Machine, topology: Option<&Topology>, policy: &'static Policy) -> Self {
        let memory = |worker: &WorkerId| machine.workers[worker.0].memory;
        let all = (0..machine.workers.len()).map(WorkerId);
        let mut workers: Vec<WorkerId> =
            all.filter(|&worker| machine.kind(worker) == WorkerKind::Cpu).collect();
        workers.sort_by_key(memory);
        let sockets = workers.chunk_by(|one, other| memory(one) == memory(other));
        let together = sockets.map(<[WorkerId]>::len).max().unwrap_or(0);
        let of_socket = topology.and_then(|known| known.nodes().iter().map(Vec::len).max());
        let bundle = of_socket.map_or(together, |cores| cores.min(together)).max(1);
        Self { workers, bundle, policy }
    }
}

/// The jobs of subtrees; none: all is in the context of all workers.
#[derive(Debug, Default)]
pub(super) struct Jobs {
    /// By front, the place of its job, plus 1.
    places: Vec<u32>,
    jobs: Vec<JobId>,
}

impl Jobs {
    /// Makes a context and a job for each subtree of the layer.
    ///
    /// # Errors
    /// If `flow` has no contexts, or there are no such workers.
    pub(super) fn new(
        flow: &mut Flow,
        analysis: &Analysis,
        bundles: &Bundles,
    ) -> Result<Self, ContextError> {
        let work = analysis.subtree_flops();
        let fronts = &analysis.fronts;
        let mut nodes: Vec<Subtree> =
            work.iter().map(|&work| Subtree { children: Vec::new(), work }).collect();
        let mut roots = Vec::new();
        for (number, front) in fronts.iter().enumerate() {
            match front.parent {
                NONE => roots.push(number),
                parent => nodes[parent as usize].children.push(number),
            }
        }
        let Bundles { workers, bundle, policy } = bundles;
        let layer = proportional_mapping(&nodes, &roots, workers.len(), *bundle, TOLERANCE);
        let (mut places, mut jobs) = (vec![0; fronts.len()], Vec::new());
        let mut first = 0.0;
        for mapped in layer.iter().filter(|mapped| mapped.share > 0.0) {
            let end = first + mapped.share;
            // A worker that is at the border is in both.
            let last = (end.ceil() as usize).clamp(1, workers.len());
            let own = workers[(first as usize).min(last - 1)..last].to_vec();
            first = end;
            let name = format!("subtree {}", mapped.node);
            let spec = ContextSpec { is_shared: true, ..ContextSpec::new(&name, policy, own) };
            let context = flow.add_context(spec)?;
            let work = Work { flops: Some(work[mapped.node]), types: Vec::new() };
            jobs.push(flow.add_job(JobSpec { name, context, start: Start::Now, work })?);
            places[mapped.node] = jobs.len() as u32;
        }
        // In postorder parents come after their children.
        for number in (0..fronts.len()).rev() {
            if places[number] == 0 && fronts[number].parent != NONE {
                places[number] = places[fronts[number].parent as usize];
            }
        }
        Ok(Self { places, jobs })
    }

    /// The job of a front.
    pub(super) fn of(&self, front: usize) -> Option<JobId> {
        let place = self.places.get(front).copied().unwrap_or(0);
        Some(self.jobs[place.checked_sub(1)? as usize])
    }

    /// Says that all was submitted.
    pub(super) fn close(&self, flow: &mut Flow) {
        for &job in &self.jobs {
            flow.close_job(job).expect("a job that was made");
        }
    }
}
