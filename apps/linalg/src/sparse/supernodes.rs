//! Columns that are eliminated together: supernodes, and those that are worth joining although that
//! takes some zeros into the factor.
//!
//! Ashcraft, Grimes, "The influence of relaxed supernode partitions on the multifrontal method",
//! ACM Trans. Math. Softw. 15 (1989); the limits are those of Chen, Davis, Hager, Rajamanickam,
//! "Algorithm 887: CHOLMOD", ACM Trans. Math. Softw. 35 (2008), section 3.1.

use super::tree::{NONE, postorder};

/// Up to so many columns, the part of a front of `R` that may be zero.
const RELAXED: [(u64, f64); 4] = [(4, 1.0), (16, 0.8), (48, 0.1), (u64::MAX, 0.05)];

/// A set of columns that are eliminated in one front.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// Ascending.
    pub(super) columns: Vec<u32>,
    /// Columns of the front, those that are eliminated and the others.
    pub(super) width: u64,
    /// The node of which the front takes what is left of this one, or [`NONE`].
    pub(super) parent: u32,
    /// Zeros that joining has taken in.
    zeros: u64,
}

impl Node {
    fn pivots(&self) -> u64 {
        self.columns.len() as u64
    }

    /// Entries of `pivots` rows of a triangle of order `width`.
    fn entries(pivots: u64, width: u64) -> u64 {
        pivots * width - pivots * (pivots - 1) / 2
    }
}

/// The nodes, children before parents, of a column elimination tree in postorder whose rows of `R`
/// have so many entries.
pub(super) fn supernodes(parents: &[u32], counts: &[u32]) -> Vec<Node> {
    let mut nodes = relaxed(fundamental(parents, counts));
    let order = postorder(&parents_of(&nodes), stack_order(&nodes));
    let mut places = vec![0; nodes.len()];
    order.iter().enumerate().for_each(|(place, &node)| places[node as usize] = place as u32);
    for node in nodes.iter_mut().filter(|node| node.parent != NONE) {
        node.parent = places[node.parent as usize];
    }
    let mut nodes: Vec<Option<Node>> = nodes.into_iter().map(Some).collect();
    order.iter().filter_map(|&node| nodes[node as usize].take()).collect()
}

fn parents_of(nodes: &[Node]) -> Vec<u32> {
    nodes.iter().map(|node| node.parent).collect()
}

/// Columns one after the other of which each row of `R` has the entries of the next, and one more.
fn fundamental(parents: &[u32], counts: &[u32]) -> Vec<Node> {
    let n = parents.len();
    let mut nodes: Vec<Node> = Vec::new();
    let mut of_column = vec![0; n];
    for j in 0..n {
        let goes_on = j > 0 && parents[j - 1] as usize == j && counts[j - 1] == counts[j] + 1;
        if goes_on {
            nodes.last_mut().expect("a column came before").columns.push(j as u32);
        } else {
            let (columns, width) = (vec![j as u32], u64::from(counts[j]));
            nodes.push(Node { columns, width, parent: NONE, zeros: 0 });
        }
        of_column[j] = nodes.len() as u32 - 1;
    }
    for node in &mut nodes {
        let last = *node.columns.last().expect("a node has columns");
        let parent = parents[last as usize];
        node.parent = if parent == NONE { NONE } else { of_column[parent as usize] };
    }
    nodes
}

/// Joins nodes with their parents where few zeros come in; the nodes are in postorder, and stay.
fn relaxed(mut nodes: Vec<Node>) -> Vec<Node> {
    let mut children: Vec<Vec<u32>> = vec![Vec::new(); nodes.len()];
    let mut joined = vec![false; nodes.len()];
    for at in 0..nodes.len() {
        if nodes[at].parent != NONE {
            children[nodes[at].parent as usize].push(at as u32);
        }
        let mut mine = std::mem::take(&mut children[at]);
        mine.sort_by_key(|&child| std::cmp::Reverse(nodes[child as usize].width));
        let mut kept = Vec::new();
        for child in mine {
            if let Some(zeros) = zeros_of_both(&nodes[child as usize], &nodes[at]) {
                joined[child as usize] = true;
                let columns = std::mem::take(&mut nodes[child as usize].columns);
                nodes[at].width += columns.len() as u64;
                nodes[at].columns.extend(columns);
                nodes[at].zeros = zeros;
                let below = std::mem::take(&mut children[child as usize]);
                below.iter().for_each(|&node| nodes[node as usize].parent = at as u32);
                kept.extend(below);
            } else {
                kept.push(child);
            }
        }
        nodes[at].columns.sort_unstable();
        children[at] = kept;
    }
    without(nodes, &joined)
}

/// The zeros of a front of `child` and `parent`, if it is worth having.
fn zeros_of_both(child: &Node, parent: &Node) -> Option<u64> {
    let pivots = child.pivots() + parent.pivots();
    let width = child.pivots() + parent.width;
    let zeros = child.zeros + parent.zeros + child.pivots() * (width - child.width);
    let limit = RELAXED.iter().find(|(most, _)| pivots <= *most).expect("the last has no limit").1;
    let share = zeros as f64 / Node::entries(pivots, width) as f64;
    (zeros == 0 || share < limit || limit >= 1.0).then_some(zeros)
}

/// The nodes without those that are `gone`.
fn without(nodes: Vec<Node>, gone: &[bool]) -> Vec<Node> {
    let mut places = vec![NONE; nodes.len()];
    let kept = places.iter_mut().zip(gone).filter(|(_, gone)| !**gone);
    (0..).zip(kept).for_each(|(count, (place, _))| *place = count);
    let kept = nodes.into_iter().zip(gone).filter(|(_, gone)| !**gone);
    let moved = |mut node: Node| {
        node.parent = if node.parent == NONE { NONE } else { places[node.parent as usize] };
        node
    };
    kept.map(|(node, _)| moved(node)).collect()
}

/// An order of siblings by which the stack of what fronts leave stays low: what takes much more
/// while it is made than it leaves comes first (Liu, "On the storage requirement in the
/// out-of-core multifrontal method", ACM Trans. Math. Softw. 12, 1986).
fn stack_order(nodes: &[Node]) -> impl Fn(u32) -> u64 + use<> {
    let mut children: Vec<Vec<(u64, u64)>> = vec![Vec::new(); nodes.len()];
    let mut weights = Vec::with_capacity(nodes.len());
    for (at, node) in nodes.iter().enumerate() {
        let left = node.width - node.pivots();
        let (front, left) = (node.width * node.width, left * left / 2);
        let mut below = std::mem::take(&mut children[at]);
        below.sort_by_key(|&(peak, left)| std::cmp::Reverse(peak - left));
        let (mut stack, mut peak) = (0, 0);
        for (child, remains) in below {
            peak = peak.max(stack + child);
            stack += remains;
        }
        let peak = peak.max(stack + front);
        if node.parent != NONE {
            children[node.parent as usize].push((peak, left));
        }
        weights.push(u64::MAX - (peak - left));
    }
    move |node| weights[node as usize]
}
