//! When the cores of each node are free, by what runs and by the plan.

use std::ops::Range;

/// A core without a plan.
const FREE: i64 = i64::MIN;

/// From when on the cores of all nodes are free.
#[derive(Clone, Debug)]
struct Times {
    nodes: usize,
    per_node: usize,
    origin: i64,
    /// Of each core of each node, one node after the other.
    free_at: Vec<i64>,
    /// The cores of each node, the one that is free first first.
    order: Vec<u32>,
    /// For each number of cores, when so many are free, of all nodes, counted from `origin`.
    when: Vec<i32>,
}

impl Times {
    /// Becomes as those of the same cluster.
    fn copy_from(&mut self, other: &Self) {
        self.free_at.copy_from_slice(&other.free_at);
        self.order.copy_from_slice(&other.order);
        self.when.copy_from_slice(&other.when);
    }

    fn slice(&self, node: usize) -> Range<usize> {
        node * self.per_node..(node + 1) * self.per_node
    }

    /// Sorts the cores of `node` anew.
    fn sort(&mut self, node: usize) {
        let slice = self.slice(node);
        let free_at = &self.free_at[slice.clone()];
        let order = &mut self.order[slice];
        // Nearly sorted already.
        for next in 1..order.len() {
            let core = order[next];
            let key = (free_at[core as usize], core);
            let mut place = next;
            while place > 0 && (free_at[order[place - 1] as usize], order[place - 1]) > key {
                order[place] = order[place - 1];
                place -= 1;
            }
            order[place] = core;
        }
        for (rank, &core) in order.iter().enumerate() {
            self.when[rank * self.nodes + node] = short(free_at[core as usize], self.origin);
        }
    }

    /// Gives the cores `given` of `node`, by number and free before, away until `until`;
    /// `is_given` says so of each core.
    fn give(&mut self, node: usize, until: i64, (given, is_given): (&[u32], &[bool])) {
        let slice = self.slice(node);
        let free_at = &mut self.free_at[slice.clone()];
        let order = &mut self.order[slice];
        let first = order.iter().position(|&core| is_given[core as usize]);
        let Some(first) = first else { return };
        let mut put = |rank: &mut usize, order: &mut [u32], core: u32, time: i64| {
            order[*rank] = core;
            self.when[*rank * self.nodes + node] = short(time, self.origin);
            *rank += 1;
        };
        // Those that stay go forward, until those that are given away come before them.
        let mut left = given.iter().copied().peekable();
        let mut rank = first;
        for read in first..order.len() {
            let core = order[read];
            if is_given[core as usize] {
                continue;
            }
            let key = (free_at[core as usize], core);
            while let Some(core) = left.next_if(|&core| (until, core) < key) {
                put(&mut rank, order, core, until);
            }
            if rank == read {
                break;
            }
            put(&mut rank, order, core, key.0);
        }
        left.for_each(|core| put(&mut rank, order, core, until));
        given.iter().for_each(|&core| free_at[core as usize] = until);
    }
}

/// Times from which cores are free by the plan, of all nodes, and by what runs.
#[derive(Debug)]
pub(crate) struct Cores {
    /// By the plan.
    plan: Times,
    /// By the walltimes of what runs, but that cores of `changed` nodes are not sorted.
    running: Times,
    changed: Vec<u32>,
    is_changed: Vec<bool>,
    /// Cores on which jobs run, of each node.
    busy: Vec<u32>,
    running_nodes: usize,
    /// Cores that are given away now, and whether each of a node is.
    given: Vec<u32>,
    is_given: Vec<bool>,
}

impl Cores {
    pub(crate) fn new(nodes: usize, per_node: usize, origin: i64) -> Self {
        let all = nodes * per_node;
        let plan = Times {
            nodes,
            per_node,
            origin,
            free_at: vec![FREE; all],
            order: (0..all).map(|core| (core % per_node) as u32).collect(),
            when: vec![i32::MIN; all],
        };
        Self {
            running: plan.clone(),
            plan,
            changed: Vec::new(),
            is_changed: vec![false; nodes],
            busy: vec![0; nodes],
            running_nodes: 0,
            given: Vec::new(),
            is_given: vec![false; per_node],
        }
    }

    /// When `count` cores are free by the plan, of each node, as [`Cores::short`] has it; long ago
    /// if they are free now.
    pub(crate) fn when(&self, count: u32) -> &[i32] {
        let start = (count as usize - 1) * self.plan.nodes;
        &self.plan.when[start..start + self.plan.nodes]
    }

    /// From when on `count` cores of `node` are free by the plan, `now` or later.
    pub(crate) fn start(&self, node: usize, count: u32, now: i64) -> i64 {
        (i64::from(self.when(count)[node]) + self.plan.origin).max(now)
    }

    /// A time as a number of few bytes, of which many are compared at once.
    pub(crate) fn short(&self, time: i64) -> i32 {
        short(time, self.plan.origin)
    }

    /// Cores without a plan beyond `now`.
    pub(crate) fn free(&self, now: i64) -> usize {
        self.plan.free_at.iter().filter(|&&time| time <= now).count()
    }

    /// Nodes on which jobs run.
    pub(crate) fn running_nodes(&self) -> usize {
        self.running_nodes
    }

    /// Whether nothing runs on `node`, and nothing is planned from `now` on.
    pub(crate) fn is_idle(&self, node: usize, now: i64) -> bool {
        self.busy[node] == 0 && self.start(node, self.plan.per_node as u32, now) == now
    }

    /// Forgets all plans but what runs.
    pub(crate) fn forget_plans(&mut self) {
        for node in self.changed.drain(..) {
            self.is_changed[node as usize] = false;
            self.running.sort(node as usize);
        }
        self.plan.copy_from(&self.running);
    }

    /// Gives `count` cores of `node` that are free first to a job until `until`, and puts them into
    /// `used`.
    pub(crate) fn take_first(&mut self, node: usize, count: u32, until: i64, used: &mut Vec<u32>) {
        used.clear();
        used.extend_from_slice(self.first(node, count as usize));
        self.give(node, until, used);
    }

    /// Gives those of `used` to a job until `until`, before which they are free.
    pub(crate) fn give(&mut self, node: usize, until: i64, used: &[u32]) {
        self.given.clear();
        self.given.extend_from_slice(used);
        self.given.sort_unstable();
        self.given.iter().for_each(|&core| self.is_given[core as usize] = true);
        self.plan.give(node, until, (&self.given, &self.is_given));
        self.given.iter().for_each(|&core| self.is_given[core as usize] = false);
    }

    /// The cores of `node` by number, with when each is free.
    pub(crate) fn free_at(&self, node: usize) -> &[i64] {
        &self.plan.free_at[self.plan.slice(node)]
    }

    /// The first `count` cores that are free, the first first.
    pub(crate) fn first(&self, node: usize, count: usize) -> &[u32] {
        &self.plan.order[self.plan.slice(node)][..count]
    }

    /// A job starts on the cores `used`, and may run until `until`.
    pub(crate) fn begin(&mut self, node: usize, until: i64, used: &[u32]) {
        if self.busy[node] == 0 {
            self.running_nodes += 1;
        }
        self.busy[node] += used.len() as u32;
        assert!(self.busy[node] as usize <= self.plan.per_node, "too many jobs on node {node}");
        self.run_until(node, used, until);
    }

    /// The job on the cores `used` ends. The plan stands.
    pub(crate) fn end(&mut self, node: usize, used: &[u32]) {
        self.busy[node] -= used.len() as u32;
        if self.busy[node] == 0 {
            self.running_nodes -= 1;
        }
        self.run_until(node, used, FREE);
    }

    fn run_until(&mut self, node: usize, used: &[u32], until: i64) {
        let slice = self.running.slice(node);
        let free_at = &mut self.running.free_at[slice];
        used.iter().for_each(|&core| free_at[core as usize] = until);
        if !self.is_changed[node] {
            self.is_changed[node] = true;
            self.changed.push(node as u32);
        }
    }
}

fn short(time: i64, origin: i64) -> i32 {
    time.saturating_sub(origin).clamp(i32::MIN.into(), i32::MAX.into()) as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cores of a node, sorted, with when they are free.
    fn sorted(cores: &Cores, node: usize) -> Vec<(i64, u32)> {
        let free_at = cores.free_at(node);
        let all = cores.first(node, free_at.len());
        all.iter().map(|&core| (free_at[core as usize], core)).collect()
    }

    #[test]
    fn cores_stay_sorted_by_when_they_are_free() {
        let (per_node, origin) = (7, 100);
        let mut cores = Cores::new(2, per_node, origin);
        let mut used = Vec::new();
        // Cores are given away until times of all sorts, some of them equal.
        for turn in 0..200_i64 {
            let count = 1 + (turn * turn % 5) as u32;
            let until = cores.start(1, count, origin) + 1 + turn * 37 % 11;
            cores.take_first(1, count, until, &mut used);
            let now = sorted(&cores, 1);
            assert!(now.is_sorted(), "{turn}: {now:?}");
            for (place, &(time, _)) in now.iter().enumerate() {
                assert_eq!(cores.start(1, place as u32 + 1, origin), time.max(origin), "{turn}");
            }
            used.iter().for_each(|&core| assert_eq!(cores.free_at(1)[core as usize], until));
            if turn % 40 == 39 {
                cores.forget_plans();
                assert!(cores.free_at(1).iter().all(|&time| time == FREE), "nothing runs");
            }
        }
        cores.take_first(1, 5, origin + 1, &mut used);
        assert_eq!(cores.free(origin), 2 * per_node - 5);
    }

    #[test]
    fn what_runs_outlasts_the_plan() {
        let mut cores = Cores::new(1, 4, 0);
        let mut used = Vec::new();
        cores.take_first(0, 2, 50, &mut used);
        cores.begin(0, 50, &used);
        cores.take_first(0, 3, 80, &mut used);
        assert_eq!(cores.start(0, 2, 0), 80);
        cores.forget_plans();
        assert_eq!((cores.start(0, 2, 0), cores.start(0, 3, 0)), (0, 50));
        cores.end(0, &[0, 1]);
        assert_eq!(cores.start(0, 3, 0), 50, "the plan stands");
        cores.forget_plans();
        assert_eq!((cores.start(0, 4, 0), cores.running_nodes()), (0, 0));
    }
}
