//! When the cores of each node are free by the plan.

/// A core without a plan.
const FREE: i64 = i64::MIN;

/// Times from which cores are free by the plan, of all nodes.
#[derive(Debug)]
pub(crate) struct Cores {
    nodes: usize,
    per_node: usize,
    /// Of each core of each node, one node after the other.
    free_at: Vec<i64>,
    /// Until when the job that runs on a core may run.
    taken_until: Vec<i64>,
    /// The cores of each node, the one that is free first first.
    order: Vec<u32>,
    /// For each number of cores, when so many are free, of all nodes, counted from `origin`.
    when: Vec<i32>,
    origin: i64,
    /// Nodes whose plan is not just what runs.
    planned: Vec<u32>,
    is_planned: Vec<bool>,
    /// Cores on which jobs run, of each node.
    running: Vec<u32>,
    running_nodes: usize,
}

impl Cores {
    pub(crate) fn new(nodes: usize, per_node: usize, origin: i64) -> Self {
        let all = nodes * per_node;
        Self {
            nodes,
            per_node,
            free_at: vec![FREE; all],
            taken_until: vec![FREE; all],
            order: (0..all).map(|core| (core % per_node) as u32).collect(),
            when: vec![i32::MIN; all],
            origin,
            planned: Vec::new(),
            is_planned: vec![false; nodes],
            running: vec![0; nodes],
            running_nodes: 0,
        }
    }

    /// When `count` cores are free by the plan, of each node, as [`Cores::short`] has it; long ago
    /// if they are free now.
    pub(crate) fn when(&self, count: u32) -> &[i32] {
        let start = (count as usize - 1) * self.nodes;
        &self.when[start..start + self.nodes]
    }

    /// From when on `count` cores of `node` are free by the plan, `now` or later.
    pub(crate) fn start(&self, node: usize, count: u32, now: i64) -> i64 {
        (i64::from(self.when(count)[node]) + self.origin).max(now)
    }

    /// A time as a number of few bytes, of which many are compared at once.
    pub(crate) fn short(&self, time: i64) -> i32 {
        short(time, self.origin)
    }

    /// Cores without a plan beyond `now`.
    pub(crate) fn free(&self, now: i64) -> usize {
        self.free_at.iter().filter(|&&time| time <= now).count()
    }

    /// Nodes on which jobs run.
    pub(crate) fn running_nodes(&self) -> usize {
        self.running_nodes
    }

    /// Whether nothing runs on `node`, and nothing is planned from `now` on.
    pub(crate) fn is_idle(&self, node: usize, now: i64) -> bool {
        self.running[node] == 0 && self.start(node, self.per_node as u32, now) == now
    }

    fn slice(&self, node: usize) -> std::ops::Range<usize> {
        node * self.per_node..(node + 1) * self.per_node
    }

    fn mark(&mut self, node: usize) {
        if !self.is_planned[node] {
            self.is_planned[node] = true;
            self.planned.push(node as u32);
        }
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

    /// Forgets all plans but what runs.
    pub(crate) fn forget_plans(&mut self) {
        for node in std::mem::take(&mut self.planned) {
            let node = node as usize;
            self.is_planned[node] = false;
            let slice = self.slice(node);
            self.free_at[slice.clone()].copy_from_slice(&self.taken_until[slice]);
            self.sort(node);
        }
    }

    /// Gives `count` cores of `node` that are free first to a job until `until`, and puts them into
    /// `used`.
    pub(crate) fn take_first(&mut self, node: usize, count: u32, until: i64, used: &mut Vec<u32>) {
        let start = node * self.per_node;
        used.clear();
        used.extend_from_slice(&self.order[start..start + count as usize]);
        self.give(node, until, used);
    }

    /// Gives those of `used` to a job until `until`.
    pub(crate) fn give(&mut self, node: usize, until: i64, used: &[u32]) {
        let start = node * self.per_node;
        for &core in used {
            self.free_at[start + core as usize] = until;
        }
        self.mark(node);
        self.sort(node);
    }

    /// The cores of `node` by number, with when each is free.
    pub(crate) fn free_at(&self, node: usize) -> &[i64] {
        &self.free_at[self.slice(node)]
    }

    /// The first `count` cores that are free, the first first.
    pub(crate) fn first(&self, node: usize, count: usize) -> &[u32] {
        let start = node * self.per_node;
        &self.order[start..start + count]
    }

    /// A job starts on the cores `used`, and may run until `until`.
    pub(crate) fn begin(&mut self, node: usize, until: i64, used: &[u32]) {
        if self.running[node] == 0 {
            self.running_nodes += 1;
        }
        self.running[node] += used.len() as u32;
        assert!(self.running[node] as usize <= self.per_node, "too many jobs on node {node}");
        let start = node * self.per_node;
        for &core in used {
            self.taken_until[start + core as usize] = until;
        }
        self.mark(node);
    }

    /// The job on the cores `used` ends. The plan stands.
    pub(crate) fn end(&mut self, node: usize, used: &[u32]) {
        self.running[node] -= used.len() as u32;
        if self.running[node] == 0 {
            self.running_nodes -= 1;
        }
        let start = node * self.per_node;
        for &core in used {
            self.taken_until[start + core as usize] = FREE;
        }
        self.mark(node);
    }
}

fn short(time: i64, origin: i64) -> i32 {
    time.saturating_sub(origin).clamp(i32::MIN.into(), i32::MAX.into()) as i32
}
