//! Cores that are free now and have a job planned for later: the holes that the published program
//! fills (its mode 2).

use crate::cores::Cores;

/// The holes of all nodes. Each is a core and when the job that is planned on it starts.
#[derive(Debug)]
pub(crate) struct Holes {
    of_node: Vec<Vec<(i64, u32)>>,
    nodes: Vec<u32>,
    /// The most cores in the holes of a node, as the program keeps it: counted anew when a job is
    /// planned on the node that had the most.
    largest: (i64, usize),
    /// Until when a hole of so many cores on a node lasts, one core first; none if holes have
    /// changed since they were looked through.
    longest: Option<Vec<i64>>,
}

impl Holes {
    pub(crate) fn new(nodes: usize) -> Self {
        Self { of_node: vec![Vec::new(); nodes], nodes: Vec::new(), largest: (0, 0), longest: None }
    }

    /// Forgets all of them; the node that had the most is still the one that is looked at.
    pub(crate) fn clear(&mut self) {
        for node in std::mem::take(&mut self.nodes) {
            self.of_node[node as usize].clear();
        }
        self.largest.0 = 0;
        self.longest = None;
    }

    /// Cores in the largest hole, as far as it is known.
    pub(crate) fn largest(&self) -> i64 {
        self.largest.0
    }

    /// Until when a hole of `count` cores on a node lasts at most; nothing if none is so large.
    pub(crate) fn longest(&mut self, count: usize) -> Option<i64> {
        let look_through = || {
            let mut longest = Vec::new();
            for holes in self.nodes.iter().map(|&node| &self.of_node[node as usize]) {
                longest.resize(longest.len().max(holes.len()), i64::MIN);
                let latest_first = holes.iter().rev().map(|hole| hole.0);
                longest.iter_mut().zip(latest_first).for_each(|(most, of)| *most = of.max(*most));
            }
            longest
        };
        self.longest.get_or_insert_with(look_through).get(count - 1).copied()
    }

    /// Nodes that have had holes since they were cleared, in order of their numbers.
    pub(crate) fn nodes(&self) -> &[u32] {
        &self.nodes
    }

    /// Cores in the holes of `node`.
    pub(crate) fn count(&self, node: usize) -> usize {
        self.of_node[node].len()
    }

    /// Notes that `core` of `node` is free until `start`. Those that begin to be used sooner stand
    /// first; of equal ones a core before all others only if its number is below the first one's.
    pub(crate) fn insert(&mut self, node: usize, core: u32, start: i64) {
        if let Err(place) = self.nodes.binary_search(&(node as u32)) {
            self.nodes.insert(place, node as u32);
        }
        self.longest = None;
        let holes = &mut self.of_node[node];
        let is_first = holes
            .first()
            .is_none_or(|&(first, number)| first > start || first == start && number > core);
        let place = if is_first { 0 } else { holes.partition_point(|hole| hole.0 <= start) };
        holes.insert(place, (start, core));
    }

    /// Cores in holes of `node`, at most `count`, that are free until `until`.
    fn fitting(&self, node: usize, count: usize, until: i64) -> usize {
        let holes = &self.of_node[node];
        count.min(holes.len() - holes.partition_point(|hole| hole.0 < until))
    }

    /// Whether `count` cores, one at least, in holes of `node` are free until `until`.
    pub(crate) fn have(&self, node: usize, count: usize, until: i64) -> bool {
        // The last ones begin to be used latest.
        let holes = &self.of_node[node];
        holes.len().checked_sub(count).is_some_and(|first| until <= holes[first].0)
    }

    /// Whether a job of `count` cores that would run from `now` until `until` fits on `node`: how
    /// many cores it takes from holes; the others are free now.
    pub(crate) fn fit(
        &self,
        cores: &Cores,
        node: usize,
        count: usize,
        (now, until): (i64, i64),
    ) -> Option<usize> {
        let holes = self.count(node);
        if holes == 0 {
            return None;
        }
        // So many of the first cores are free now.
        let are_free = |most: usize| most == 0 || cores.start(node, most as u32, now) == now;
        if count > holes && !are_free(count - holes) {
            return None;
        }
        let inside = self.fitting(node, count, until);
        are_free(count - inside).then_some(inside)
    }

    /// Takes `inside` cores out of the holes of `node`, those that are free until `until`, and puts
    /// them into `used`.
    pub(crate) fn take(&mut self, node: usize, inside: usize, until: i64, used: &mut Vec<u32>) {
        self.longest = None;
        let mut left = inside;
        self.of_node[node].retain(|&(start, core)| {
            let is_taken = left > 0 && until <= start;
            if is_taken {
                used.push(core);
                left -= 1;
            }
            !is_taken
        });
        assert_eq!(left, 0, "holes of node {node}");
    }

    /// A job has been planned on `node`.
    pub(crate) fn note_plan(&mut self, node: usize) {
        if node != self.largest.1 {
            return;
        }
        // Without any hole it is the first node that has the most: none.
        self.largest = (0, 0);
        for &node in &self.nodes {
            let count = self.of_node[node as usize].len() as i64;
            if count > self.largest.0 {
                self.largest = (count, node as usize);
            }
        }
    }
}
