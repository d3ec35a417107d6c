//! Hypergraphs and how they are made coarser.

use crate::random::SplitMix64;
use crate::sched::ahead::tasks::{MOST_READERS, Tasks};

/// Vertices and nets, each with a weight.
#[derive(Debug, Default)]
pub(super) struct Hypergraph {
    pub(super) weights: Vec<u64>,
    /// By net, its vertices; and what cutting it costs.
    pub(super) pins: Vec<Vec<u32>>,
    pub(super) costs: Vec<u64>,
    /// By vertex, its nets.
    pub(super) nets: Vec<Vec<u32>>,
}

impl Hypergraph {
    /// That of tasks and the data that they read.
    pub(super) fn of(tasks: &Tasks) -> Self {
        let nets = tasks.readers().into_iter().zip(tasks.bytes.iter().copied());
        Self::new(tasks.nanoseconds.clone(), nets)
    }

    /// Of nets those that can be cut are kept.
    fn new(weights: Vec<u64>, nets: impl Iterator<Item = (Vec<u32>, u64)>) -> Self {
        let mut graph = Self { nets: vec![Vec::new(); weights.len()], weights, ..Self::default() };
        for (pins, cost) in nets.filter(|(pins, _)| pins.len() > 1) {
            let net = graph.pins.len() as u32;
            pins.iter().for_each(|&vertex| graph.nets[vertex as usize].push(net));
            graph.pins.push(pins);
            graph.costs.push(cost);
        }
        graph
    }

    /// Number of vertices.
    pub(super) fn len(&self) -> usize {
        self.weights.len()
    }

    pub(super) fn weight(&self) -> u64 {
        self.weights.iter().sum()
    }

    /// Its vertices in an order drawn at random.
    fn shuffled(&self, random: &mut SplitMix64) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.len() as u32).collect();
        for last in (1..order.len()).rev() {
            order.swap(last, (random.next_u64() % (last as u64 + 1)) as usize);
        }
        order
    }

    /// A coarser one, and of each vertex what it is merged into: one of its own side if there are
    /// `sides`.
    pub(super) fn coarser(
        &self,
        scheme: Scheme,
        sides: Option<&[bool]>,
        random: &mut SplitMix64,
    ) -> (Self, Vec<u32>) {
        let mut merging = Merging {
            graph: self,
            sides,
            heaviest: 2 * self.weight() / super::COARSEST as u64,
            into: vec![NONE; self.len()],
            weights: Vec::new(),
        };
        match scheme {
            Scheme::FirstChoice => merging.by_first_choice(random),
            Scheme::Nets => merging.by_nets(random),
        }
        let Merging { into, weights, .. } = merging;
        let nets = self.pins.iter().zip(&self.costs).map(|(pins, &cost)| {
            let mut pins: Vec<u32> = pins.iter().map(|&vertex| into[vertex as usize]).collect();
            pins.sort_unstable();
            pins.dedup();
            (pins, cost)
        });
        (Self::new(weights, nets), into)
    }

    /// A first side of this `share` of the weight, grown from a vertex drawn at random over the
    /// nets of those that it has; of each vertex whether it is on the second.
    pub(super) fn grow(&self, share: f64, random: &mut SplitMix64) -> Vec<bool> {
        let mut sides = vec![true; self.len()];
        let mut is_seen = vec![false; self.len()];
        let mut left = (share * self.weight() as f64) as u64;
        for start in self.shuffled(random) {
            let mut front = std::collections::VecDeque::from([start]);
            while let Some(vertex) = front.pop_front() {
                if std::mem::replace(&mut is_seen[vertex as usize], true) {
                    continue;
                }
                if self.weights[vertex as usize] > left {
                    continue;
                }
                left -= self.weights[vertex as usize];
                sides[vertex as usize] = false;
                for &net in &self.nets[vertex as usize] {
                    let pins = self.pins[net as usize].iter();
                    front.extend(pins.filter(|&&other| !is_seen[other as usize]));
                }
            }
        }
        sides
    }
}

/// Which vertices are merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scheme {
    /// Each with the one that it shares most with; a net counts less the more vertices it has, a
    /// vertex less the heavier it is.
    FirstChoice,
    /// All of a net, of nets that have none in common; then what is left of the others.
    Nets,
}

/// Not merged yet.
const NONE: u32 = u32::MAX;

/// Vertices on their way into those of a coarser hypergraph.
struct Merging<'a> {
    graph: &'a Hypergraph,
    sides: Option<&'a [bool]>,
    heaviest: u64,
    into: Vec<u32>,
    weights: Vec<u64>,
}

impl Merging<'_> {
    fn is_free(&self, vertex: u32) -> bool {
        self.into[vertex as usize] == NONE
    }

    /// Puts a vertex into the one that was made last if they may be together, or into a new one.
    fn put(&mut self, vertex: u32, with: Option<u32>) {
        let weight = self.graph.weights[vertex as usize];
        let may_join = with.is_some_and(|with| {
            let is_along = |sides: &[bool]| sides[vertex as usize] == sides[with as usize];
            let last = self.weights.last().copied().unwrap_or(0);
            last + weight <= self.heaviest && self.sides.is_none_or(is_along)
        });
        if !may_join {
            self.weights.push(0);
        }
        let last = self.weights.len() - 1;
        self.weights[last] += weight;
        self.into[vertex as usize] = last as u32;
    }

    fn by_first_choice(&mut self, random: &mut SplitMix64) {
        let graph = self.graph;
        let (mut rating, mut rated) = (vec![0.0; graph.len()], Vec::new());
        for vertex in graph.shuffled(random) {
            if !self.is_free(vertex) {
                continue;
            }
            self.put(vertex, None);
            for &net in &graph.nets[vertex as usize] {
                let pins = &graph.pins[net as usize];
                if pins.len() > MOST_READERS {
                    continue;
                }
                let share = graph.costs[net as usize] as f64 / (pins.len() - 1) as f64;
                for &other in pins.iter().filter(|&&other| self.is_free(other)) {
                    if rating[other as usize] == 0.0 {
                        rated.push(other);
                    }
                    rating[other as usize] += share / graph.weights[other as usize] as f64;
                }
            }
            let by_rating = |a: &u32, b: &u32| {
                rating[*a as usize].total_cmp(&rating[*b as usize]).then(b.cmp(a))
            };
            if let Some(partner) = rated.iter().copied().max_by(by_rating) {
                self.put(partner, Some(vertex));
            }
            rated.drain(..).for_each(|other: u32| rating[other as usize] = 0.0);
        }
    }

    fn by_nets(&mut self, random: &mut SplitMix64) {
        let graph = self.graph;
        let mut nets: Vec<(u64, u64, u32)> = (0..graph.pins.len() as u32)
            .map(|net| {
                let share = graph.costs[net as usize] / graph.pins[net as usize].len() as u64;
                (share, random.next_u64(), net)
            })
            .collect();
        nets.sort_unstable_by(|a, b| b.cmp(a));
        for must_be_whole in [true, false] {
            for &(.., net) in &nets {
                let pins = &graph.pins[net as usize];
                if must_be_whole && !pins.iter().all(|&vertex| self.is_free(vertex)) {
                    continue;
                }
                for side in [false, true] {
                    let is_there = |vertex: u32| {
                        self.sides.is_some_and(|sides| sides[vertex as usize]) == side
                    };
                    let free: Vec<u32> = pins
                        .iter()
                        .copied()
                        .filter(|&vertex| self.is_free(vertex) && is_there(vertex))
                        .collect();
                    let mut last = None;
                    for vertex in free {
                        self.put(vertex, last);
                        last = Some(vertex);
                    }
                }
            }
        }
        for vertex in 0..graph.len() as u32 {
            if self.is_free(vertex) {
                self.put(vertex, None);
            }
        }
    }
}
