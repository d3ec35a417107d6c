//! Refinement of a bisection by moves of single vertices.

use std::collections::BinaryHeap;

use super::hypergraph::Hypergraph;

/// Passes over all vertices, at most.
const PASSES: usize = 8;

/// How heavy each side may be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Balance {
    most: [u64; 2],
}

impl Balance {
    /// The first side has this `share` of the weight, and each may be heavier by `imbalance`, or by
    /// the heaviest vertex, since else nothing may move.
    pub(super) fn new(graph: &Hypergraph, share: f64, imbalance: f64) -> Self {
        let all = graph.weight() as f64;
        let slack = (imbalance * all).max(graph.weights.iter().copied().max().unwrap_or(0) as f64);
        Self { most: [share, 1.0 - share].map(|share| (share * all + slack) as u64) }
    }
}

/// Where a refinement stands.
struct Refinement<'a> {
    graph: &'a Hypergraph,
    sides: &'a mut [bool],
    balance: Balance,
    weights: [u64; 2],
    /// By net, its vertices on each side.
    counts: Vec<[u32; 2]>,
    /// By vertex, how much less is cut once it has changed sides.
    gains: Vec<i64>,
    is_locked: Vec<bool>,
    /// By side, its vertices by gain; an entry whose gain is not that of the vertex any more does
    /// not count.
    heaps: [BinaryHeap<(i64, u32)>; 2],
}

/// Moves vertices until that cuts no less; returns the cost of what is cut.
pub(super) fn refine(graph: &Hypergraph, sides: &mut [bool], balance: Balance) -> u64 {
    let mut refinement = Refinement {
        graph,
        balance,
        weights: [0; 2],
        counts: vec![[0; 2]; graph.pins.len()],
        gains: vec![0; graph.len()],
        is_locked: vec![false; graph.len()],
        heaps: Default::default(),
        sides,
    };
    for vertex in 0..graph.len() {
        let side = usize::from(refinement.sides[vertex]);
        refinement.weights[side] += graph.weights[vertex];
        graph.nets[vertex].iter().for_each(|&net| refinement.counts[net as usize][side] += 1);
    }
    for _ in 0..PASSES {
        if !refinement.pass() {
            break;
        }
    }
    let counts = refinement.counts.iter().zip(&graph.costs);
    counts.filter(|(count, _)| count[0] > 0 && count[1] > 0).map(|(_, &cost)| cost).sum()
}

impl Refinement<'_> {
    /// Moves each vertex once at most, the one that gains most first, and takes back what came
    /// after the best cut; says whether that is better.
    fn pass(&mut self) -> bool {
        self.is_locked.fill(false);
        self.heaps.iter_mut().for_each(BinaryHeap::clear);
        for vertex in 0..self.graph.len() as u32 {
            self.gains[vertex as usize] = self.gain(vertex);
            self.enter(vertex);
        }
        let (mut moved, mut sum, mut best, mut kept) = (Vec::new(), 0, 0, 0);
        let patience = 100 + self.graph.len() / 10;
        while let Some((gain, vertex, is_even)) = self.next() {
            self.is_locked[vertex as usize] = true;
            self.move_vertex(vertex);
            sum += gain;
            moved.push(vertex);
            if sum > best || !is_even {
                (best, kept) = (sum, moved.len());
            }
            if moved.len() - kept > patience {
                break;
            }
        }
        let is_better = best > 0;
        for vertex in moved.drain(kept..).rev() {
            self.move_vertex(vertex);
        }
        is_better
    }

    /// The vertex that gains most, of those that may move, and whether its side is not too heavy:
    /// of one that is only its vertices may.
    fn next(&mut self) -> Option<(i64, u32, bool)> {
        let is_even = |side: usize| self.weights[side] <= self.balance.most[side];
        let evens = [is_even(0), is_even(1)];
        let mut best: Option<(i64, u32, bool)> = None;
        for side in 0..2 {
            while let Some(&(gain, vertex)) = self.heaps[side].peek() {
                let place = vertex as usize;
                if !self.is_locked[place] && gain == self.gains[place] {
                    break;
                }
                self.heaps[side].pop();
            }
            let Some(&(gain, vertex)) = self.heaps[side].peek() else { continue };
            let weight = self.weights[1 - side] + self.graph.weights[vertex as usize];
            let may = weight <= self.balance.most[1 - side] && evens[1 - side] || !evens[side];
            if may && best.is_none_or(|(most, ..)| gain > most) {
                best = Some((gain, vertex, evens[side]));
            }
        }
        best
    }

    /// Enters a vertex with its gain.
    fn enter(&mut self, vertex: u32) {
        let side = usize::from(self.sides[vertex as usize]);
        self.heaps[side].push((self.gains[vertex as usize], vertex));
    }

    fn gain(&self, vertex: u32) -> i64 {
        let from = usize::from(self.sides[vertex as usize]);
        let of_net = |&net: &u32| {
            let cost = self.graph.costs[net as usize] as i64;
            match self.counts[net as usize] {
                counts if counts[from] == 1 => cost,
                counts if counts[1 - from] == 0 => -cost,
                _ => 0,
            }
        };
        self.graph.nets[vertex as usize].iter().map(of_net).sum()
    }

    /// Moves a vertex to the other side, and tells those whose gains change.
    fn move_vertex(&mut self, vertex: u32) {
        let graph = self.graph;
        let from = usize::from(self.sides[vertex as usize]);
        let to = 1 - from;
        for &net in &graph.nets[vertex as usize] {
            let (pins, cost) = (&graph.pins[net as usize], graph.costs[net as usize] as i64);
            match self.counts[net as usize][to] {
                0 => pins.iter().for_each(|&other| self.add(other, cost)),
                1 => self.add_to_one_on(to, pins, -cost),
                _ => {}
            }
            self.counts[net as usize][from] -= 1;
            self.counts[net as usize][to] += 1;
            match self.counts[net as usize][from] {
                0 => pins.iter().for_each(|&other| self.add(other, -cost)),
                1 => self.add_to_one_on(from, pins, cost),
                _ => {}
            }
        }
        self.weights[from] -= graph.weights[vertex as usize];
        self.weights[to] += graph.weights[vertex as usize];
        self.sides[vertex as usize] = to == 1;
    }

    /// Adds to the gain of the only vertex on `side`; the one that is being moved is not told.
    fn add_to_one_on(&mut self, side: usize, pins: &[u32], gain: i64) {
        let is_there = |&&other: &&u32| {
            usize::from(self.sides[other as usize]) == side && !self.is_locked[other as usize]
        };
        if let Some(&other) = pins.iter().find(is_there) {
            self.add(other, gain);
        }
    }

    fn add(&mut self, vertex: u32, gain: i64) {
        if !self.is_locked[vertex as usize] {
            self.gains[vertex as usize] += gain;
            self.enter(vertex);
        }
    }
}
