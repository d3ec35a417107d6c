//! All workers of a cluster as those of one machine, for bounds that look at no place.

use std::sync::Arc;

use tegula_runtime::flow::Cost;
use tegula_runtime::platform::{
    ClassId, Durations, Machine, Memory, MemoryId, MemoryKind, Worker, WorkerClass,
};

use super::{ClusterError, ClusterNode, ClusterPlatform};

impl ClusterPlatform {
    /// The workers of all nodes as of one machine without links, with their times. Classes of nodes
    /// that are alike are one, named `NODE CLASS`.
    #[must_use]
    pub fn pool(&self) -> (Machine, Arc<dyn Durations>) {
        let ram = Memory { name: "RAM".to_owned(), kind: MemoryKind::Ram, capacity: None };
        let mut machine = Machine {
            memories: vec![ram],
            classes: Vec::new(),
            workers: Vec::new(),
            links: Vec::new(),
            routes: Vec::new(),
            caps: Vec::new(),
        };
        let mut classes: Vec<(usize, ClassId)> = Vec::new();
        let kinds = self.kinds();
        for (kind, (first, ranks)) in kinds.iter().enumerate() {
            let node = &self.nodes[*first];
            let base = machine.memories.len() - 1;
            machine.memories.extend(node.machine.memories.iter().skip(1).cloned());
            for (class, listed) in node.machine.classes.iter().enumerate() {
                let workers = node.workers(ClassId(class));
                if workers == 0 {
                    continue;
                }
                let name = format!("{} {}", node.platform.name, listed.name);
                machine.classes.push(WorkerClass { name, ..listed.clone() });
                classes.push((kind, ClassId(class)));
                let pooled = ClassId(machine.classes.len() - 1);
                let alike = node.machine.workers.iter().filter(|w| w.class == ClassId(class));
                let placed = alike.map(|worker| {
                    let MemoryId(memory) = worker.memory;
                    let memory = MemoryId(if memory == 0 { 0 } else { base + memory });
                    Worker { class: pooled, memory, ..worker.clone() }
                });
                let placed: Vec<Worker> = placed.collect();
                (0..ranks.len()).for_each(|_| machine.workers.extend(placed.iter().cloned()));
            }
        }
        let nodes = kinds.iter().map(|(first, _)| self.nodes[*first].durations()).collect();
        (machine, Arc::new(Pooled { nodes, classes }))
    }

    /// The kinds of its nodes, in the order in which they come: the first rank of each, and all of
    /// them.
    #[must_use]
    pub fn kinds(&self) -> Vec<(usize, Vec<usize>)> {
        let mut kinds: Vec<(usize, Vec<usize>)> = Vec::new();
        for (rank, node) in self.nodes.iter().enumerate() {
            match kinds.iter_mut().find(|(first, _)| self.nodes[*first].is_like(node)) {
                Some((_, ranks)) => ranks.push(rank),
                None => kinds.push((rank, vec![rank])),
            }
        }
        kinds
    }

    /// The same in the order of how fast a node runs `kernel` on tiles of order `tile`, the fastest
    /// kind first.
    ///
    /// # Errors
    /// If a node has no time of the kernel.
    pub fn kinds_by_power(
        &self,
        kernel: &str,
        tile: usize,
    ) -> Result<Vec<(usize, Vec<usize>)>, ClusterError> {
        let powers = self.powers(kernel, tile)?;
        let power = |first: usize| powers.as_slice()[first];
        let mut kinds = self.kinds();
        kinds.sort_by(|(a, _), (b, _)| power(*b).total_cmp(&power(*a)));
        Ok(kinds)
    }

    /// The cluster with its nodes in that order.
    ///
    /// # Errors
    /// If a node has no time of the kernel.
    pub fn fastest_first(mut self, kernel: &str, tile: usize) -> Result<Sorted, ClusterError> {
        let (mut order, mut ends) = (Vec::new(), Vec::new());
        for (_, ranks) in self.kinds_by_power(kernel, tile)? {
            order.extend(ranks);
            ends.push(order.len());
        }
        self.nodes = order.iter().map(|&rank| self.nodes[rank].clone()).collect();
        Ok(Sorted { cluster: self, order, ends })
    }
}

/// A cluster whose nodes stand in the order of how fast they are.
#[derive(Clone, Debug)]
pub struct Sorted {
    /// The cluster.
    pub cluster: ClusterPlatform,
    /// The ranks that its nodes had.
    pub order: Vec<usize>,
    /// The number of the last node of each group of equal ones, from 1.
    pub ends: Vec<usize>,
}

impl ClusterNode {
    /// Whether the two are of one kind.
    #[must_use]
    pub fn is_like(&self, other: &Self) -> bool {
        let is_same = Arc::ptr_eq(&self.platform, &other.platform)
            || self.platform.name == other.platform.name;
        let is_same = is_same && self.network == other.network;
        let speeds = |node: &Self| [node.speed, node.reading_speed];
        let is_same = is_same && speeds(self) == speeds(other);
        is_same && self.machine == other.machine
    }
}

/// Times of the classes of several nodes.
struct Pooled {
    nodes: Vec<Arc<dyn Durations>>,
    /// For each class the kind of node, and its class there.
    classes: Vec<(usize, ClassId)>,
}

impl Durations for Pooled {
    fn nanoseconds(&self, codelet: &'static str, cost: Cost, class: ClassId) -> Option<u64> {
        let (kind, class) = self.classes[class.0];
        self.nodes[kind].nanoseconds(codelet, cost, class)
    }
}
