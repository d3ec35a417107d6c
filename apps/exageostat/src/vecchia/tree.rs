//! A k-d tree over places, and the nearest of them to a point.
//!
//! The tree is perfect: node 1 is the root, `2 i` and `2 i + 1` are the halves of node `i`, each
//! with as many places as the other, up to one for each leaf. Places stand in the order of the
//! leaves, so that those that are near in space are mostly near in memory. On the sphere places are
//! unit vectors, whose chords are in the order of the arcs. Source: J. L. Bentley,
//! "Multidimensional binary search trees used for associative searching", Communications of the ACM
//! 18 (1975) 509-517.

use std::collections::BinaryHeap;

/// Most places of a leaf.
const LEAF: usize = 12;

/// Coordinates of a place, then its time in units of distance; 0 for those that it lacks.
pub(super) type Place = [f64; AXES];

/// Numbers of a place.
pub(super) const AXES: usize = 4;

/// Least and greatest coordinates of the places of a node.
pub(super) type Bounds = [Place; 2];

/// A tree, owned.
#[derive(Debug)]
pub(super) struct Tree {
    /// The places, in the order of the leaves.
    pub(super) places: Vec<Place>,
    /// Of each place the index it was given with.
    pub(super) given: Vec<u32>,
    /// Of each node; that of number 0, which is none, is empty.
    pub(super) bounds: Vec<Bounds>,
}

/// A tree as its numbers lie in buffers.
#[derive(Clone, Copy, Debug)]
pub(super) struct View<'a> {
    pub(super) places: &'a [Place],
    pub(super) bounds: &'a [Bounds],
}

/// What is found: square distances, whose bits are in the order of the numbers, and places.
pub(super) type Found = BinaryHeap<(u64, u32)>;

impl Tree {
    pub(super) fn new(places: impl ExactSizeIterator<Item = Place>) -> Self {
        let n = places.len();
        let leaves = n.div_ceil(LEAF).max(1).next_power_of_two();
        let mut order: Vec<(Place, u32)> = places.zip(0..).collect();
        let mut bounds = vec![[[0.0; AXES]; 2]; 2 * leaves];
        divide(&mut bounds, 1, &mut order, (0, n, leaves));
        let (places, given) = order.into_iter().unzip();
        Self { places, given, bounds }
    }

    pub(super) fn view(&self) -> View<'_> {
        View { places: &self.places, bounds: &self.bounds }
    }
}

/// Sorts the places of the node `node` into its halves, and so on, and notes the bounds. `of` says
/// at which of all places they start, how many there are, and how many leaves.
fn divide(
    bounds: &mut [Bounds],
    node: usize,
    places: &mut [(Place, u32)],
    of: (usize, usize, usize),
) {
    let (mut low, mut high) = ([f64::INFINITY; AXES], [f64::NEG_INFINITY; AXES]);
    for (place, _) in &*places {
        for axis in 0..AXES {
            (low[axis], high[axis]) = (low[axis].min(place[axis]), high[axis].max(place[axis]));
        }
    }
    bounds[node] = [low, high];
    let (start, n, leaves) = of;
    if node >= leaves {
        return;
    }
    let middle = range(2 * node, n, leaves).1 - start;
    let widest = (0..AXES).max_by(|&a, &b| (high[a] - low[a]).total_cmp(&(high[b] - low[b])));
    let axis = widest.unwrap_or(0);
    if middle < places.len() {
        let key = |one: &(Place, u32)| one.0[axis];
        places.select_nth_unstable_by(middle, |a, b| key(a).total_cmp(&key(b)).then(a.1.cmp(&b.1)));
    }
    let (left, right) = places.split_at_mut(middle);
    divide(bounds, 2 * node, left, (start, n, leaves));
    divide(bounds, 2 * node + 1, right, (start + middle, n, leaves));
}

/// The first place of a node, and the first after it, of `n` places in so many leaves.
fn range(node: usize, n: usize, leaves: usize) -> (usize, usize) {
    let depth = node.ilog2();
    let index = node - (1 << depth);
    debug_assert!(1 << depth <= leaves, "a node of the tree");
    // A node's places are those of its leaves.
    let per_node = leaves >> depth;
    let at = |leaf: usize| ((leaf as u64 * n as u64) >> leaves.trailing_zeros()) as usize;
    (at(index * per_node), at((index + 1) * per_node))
}

impl View<'_> {
    /// Number of leaves, which is that of the first leaf.
    pub(super) fn leaves(&self) -> usize {
        self.bounds.len() / 2
    }

    /// The places of a node.
    pub(super) fn range(&self, node: usize) -> std::ops::Range<usize> {
        let (start, end) = range(node, self.places.len(), self.leaves());
        start..end
    }

    /// The square of the least distance from `at` of anything within the bounds of a node.
    #[inline]
    pub(super) fn square_from(&self, node: usize, at: &Place) -> f64 {
        let [low, high] = &self.bounds[node];
        let mut sum = 0.0;
        for axis in 0..AXES {
            let beside = (low[axis] - at[axis]).max(at[axis] - high[axis]).max(0.0);
            sum += beside * beside;
        }
        sum
    }

    /// Puts the `m` places nearest to `at` into `found`, which is empty, of those that `allows`,
    /// and in nodes that `opens`. Of places equally far those that come first.
    pub(super) fn nearest(
        &self,
        at: &Place,
        m: usize,
        opens: &impl Fn(usize) -> bool,
        allows: &impl Fn(usize) -> bool,
        found: &mut Found,
    ) {
        if m > 0 && opens(1) {
            self.search(1, at, m, opens, allows, found);
        }
    }

    fn search(
        &self,
        node: usize,
        at: &Place,
        m: usize,
        opens: &impl Fn(usize) -> bool,
        allows: &impl Fn(usize) -> bool,
        found: &mut Found,
    ) {
        if node >= self.leaves() {
            for index in self.range(node) {
                if !allows(index) {
                    continue;
                }
                let entry = (square(&self.places[index], at).to_bits(), index as u32);
                if found.len() < m {
                    found.push(entry);
                } else if let Some(mut worst) = found.peek_mut()
                    && entry < *worst
                {
                    *worst = entry;
                }
            }
            return;
        }
        let mut halves = [2 * node, 2 * node + 1].map(|half| (self.square_from(half, at), half));
        if halves[1].0 < halves[0].0 {
            halves.swap(0, 1);
        }
        for (square, half) in halves {
            let is_near =
                found.len() < m || found.peek().is_some_and(|worst| square.to_bits() <= worst.0);
            if is_near && opens(half) {
                self.search(half, at, m, opens, allows, found);
            }
        }
    }
}

/// The square of the distance of two places, or of their chord.
#[inline]
pub(super) fn square(a: &Place, b: &Place) -> f64 {
    (0..AXES).map(|axis| (a[axis] - b[axis]) * (a[axis] - b[axis])).sum()
}
