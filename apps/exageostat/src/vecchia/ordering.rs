//! Orders of places: each is given those before it.

use tegula_runtime::random::SplitMix64;

use super::tree::{Place, Tree, View, square};

/// In which order places come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ordering {
    /// Each as far as can be from those before it.
    #[default]
    Maximin,
    /// By their first coordinate.
    Coordinate,
    /// At random, the same each time.
    Random,
}

/// All orders, with their names and what they are.
pub static ORDERINGS: &[(Ordering, &str, &str)] = &[
    (Ordering::Maximin, "maximin", "each place as far as can be from those before it"),
    (Ordering::Coordinate, "coordinate", "places by their first coordinate, those of a line"),
    (Ordering::Random, "random", "places at random, the same each time"),
];

/// Where the stream of the random order starts.
const SEED: u64 = 1;

impl Ordering {
    /// The name in the list.
    #[must_use]
    pub fn name(self) -> &'static str {
        let entry = ORDERINGS.iter().find(|(ordering, ..)| *ordering == self);
        entry.map_or("", |(_, name, _)| name)
    }

    /// Of each place of the tree its number in the order, from 0.
    pub(super) fn ranks(self, tree: &Tree) -> Vec<u32> {
        let order = match self {
            Self::Maximin => maximin(&tree.view()),
            Self::Coordinate => by_coordinate(tree),
            Self::Random => at_random(tree),
        };
        let mut ranks = vec![0; order.len()];
        for (rank, &index) in order.iter().enumerate() {
            ranks[index as usize] = rank as u32;
        }
        ranks
    }
}

/// By the first coordinate, of places where that is the same by the second, and so on.
fn by_coordinate(tree: &Tree) -> Vec<u32> {
    let mut order: Vec<u32> = (0..tree.places.len() as u32).collect();
    let place = |index: u32| tree.places[index as usize];
    let compare = |a: &u32, b: &u32| {
        let pairs = place(*a).into_iter().zip(place(*b)).map(|(a, b)| a.total_cmp(&b));
        pairs.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then).then(a.cmp(b))
    };
    order.sort_unstable_by(compare);
    order
}

/// By Fisher and Yates, of the places as they were given.
fn at_random(tree: &Tree) -> Vec<u32> {
    let n = tree.places.len();
    let mut order = vec![0; n];
    for (index, &given) in tree.given.iter().enumerate() {
        order[given as usize] = index as u32;
    }
    let mut random = SplitMix64::new(SEED);
    for last in (1..n).rev() {
        order.swap(last, (random.uniform() * (last + 1) as f64) as usize);
    }
    order
}

/// The first place is the one nearest to the middle, each that follows the one whose nearest place
/// before it is farthest: exactly, ties to the first of the tree. Each node of the tree knows the
/// place of its own that is farthest; a place that joins changes those within the distance of the
/// one that came before it, whose number falls as that distance does, so that all takes `n log n`
/// steps, as the algorithm of F. Schaefer, M. Katzfuss, H. Owhadi, "Sparse Cholesky factorization
/// by Kullback-Leibler minimization", SIAM J. Sci. Comput. 43 (2021) A2019-A2046.
fn maximin(view: &View<'_>) -> Vec<u32> {
    let n = view.places.len();
    if n == 0 {
        return Vec::new();
    }
    let mut far = Far {
        view: *view,
        squares: vec![f64::INFINITY; n],
        farthest: vec![f64::INFINITY; view.bounds.len()],
    };
    let middle: Place =
        std::array::from_fn(|axis| view.places.iter().map(|p| p[axis]).sum::<f64>() / n as f64);
    let from_middle = |index: &usize| square(&view.places[*index], &middle);
    let first = (0..n).min_by(|a, b| from_middle(a).total_cmp(&from_middle(b))).unwrap_or(0);
    let mut order = Vec::with_capacity(n);
    let mut next = first;
    loop {
        order.push(next as u32);
        if order.len() == n {
            return order;
        }
        far.take(next);
        next = far.find();
    }
}

/// How far places are from those taken so far.
struct Far<'a> {
    view: View<'a>,
    /// Square of the distance of each place; negative for those taken.
    squares: Vec<f64>,
    /// The greatest of each node.
    farthest: Vec<f64>,
}

impl Far<'_> {
    /// Takes the place `index`.
    fn take(&mut self, index: usize) {
        self.squares[index] = -1.0;
        let at = self.view.places[index];
        self.approach(1, &at, index);
    }

    /// Lowers the squares of a node's places to those from `at`, the place `index`.
    fn approach(&mut self, node: usize, at: &Place, index: usize) {
        let leaves = self.view.leaves();
        if node >= leaves {
            let mut farthest = f64::NEG_INFINITY;
            for place in self.view.range(node) {
                let known = &mut self.squares[place];
                if *known >= 0.0 {
                    *known = known.min(square(&self.view.places[place], at));
                }
                farthest = farthest.max(*known);
            }
            self.farthest[node] = farthest;
            return;
        }
        for half in [2 * node, 2 * node + 1] {
            // Also the way to the place itself, which counts no more.
            if self.view.square_from(half, at) < self.farthest[half]
                || self.view.range(half).contains(&index)
            {
                self.approach(half, at, index);
            }
        }
        self.farthest[node] = self.farthest[2 * node].max(self.farthest[2 * node + 1]);
    }

    /// The farthest place.
    fn find(&self) -> usize {
        let mut node = 1;
        while node < self.view.leaves() {
            let [left, right] = [2 * node, 2 * node + 1];
            node = if self.farthest[left] >= self.farthest[right] { left } else { right };
        }
        let mut found = self.view.range(node);
        found.find(|&place| self.squares[place] == self.farthest[node]).unwrap_or(0)
    }
}
