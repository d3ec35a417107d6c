//! Places in the order of a tree, with the neighbours of each, as handles of a flow.

use tegula_kernels::geometry::{Geometry, Points};
use tegula_kernels::kernel::vecchia::Places;
use tegula_runtime::flow::Access::{R, W};
use tegula_runtime::flow::{Flow, Handle};
use tegula_runtime::ranks::Spot;

use super::Ordering;
use super::neighbours::{Around, Before, least};
use super::tree::Tree;

/// The places of a set of observations.
#[derive(Debug)]
pub(super) struct Ordered {
    pub(super) geometry: Geometry,
    /// Of each place of the tree the index it was given with.
    given: Vec<u32>,
    /// Of each place of the tree its number in the order.
    pub(super) ranks: Vec<u32>,
    /// The places of the tree and the bounds of its nodes; the numbers of places, and the least of
    /// each node.
    handles: [Handle; 4],
}

/// The blocks of places, with so many neighbours of each.
#[derive(Debug)]
pub(super) struct Blocks {
    pub(super) neighbours: usize,
    pub(super) geometry: Geometry,
    pub(super) blocks: Vec<Block>,
}

/// A block of places.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    first: usize,
    rows: usize,
    /// Where it lies among all.
    spot: Spot,
    /// A list of neighbours for each.
    pub(super) lists: Handle,
}

impl Ordered {
    /// Puts `points` in order.
    ///
    /// # Panics
    /// If there are 2^32 places or more.
    pub(super) fn new(flow: &mut Flow, points: &Points, ordering: Ordering) -> Self {
        let n = points.len();
        assert!(u32::try_from(n).is_ok(), "{n} places have no numbers of 32 bits");
        let tree = Tree::new(points);
        let ranks = ordering.ranks(&tree);
        let least = least(&tree.view(), &ranks);
        let Tree { places, given, bounds } = tree;
        let handles = [
            flow.register_from(&places),
            flow.register_from(&bounds),
            flow.register_from(&ranks),
            flow.register_from(&least),
        ];
        Self { geometry: points.geometry(), given, ranks, handles }
    }

    /// Submits the searches for `neighbours` neighbours of all places, in blocks of so many.
    pub(super) fn search(&self, flow: &mut Flow, neighbours: usize, block: usize) -> Blocks {
        flow.phase("neighbours");
        let n = self.given.len();
        let neighbours = neighbours.min(n.saturating_sub(1));
        let (rows, columns) = (n.div_ceil(block), 1);
        let submit = |(row, first): (usize, usize)| {
            let count = block.min(n - first);
            let spot = Spot { row, column: 0, rows, columns };
            let lists = flow.register_at(count * neighbours * size_of::<u32>(), spot);
            let search = Before { first, rows: count, neighbours };
            let given = self.handles.into_iter().map(|handle| (handle, R));
            let accesses: Vec<_> = given.chain([(lists, W)]).collect();
            flow.submit(search, &accesses, 0);
            Block { first, rows: count, spot, lists }
        };
        let blocks = (0..n).step_by(block).enumerate().map(submit).collect();
        Blocks { neighbours, geometry: self.geometry, blocks }
    }

    /// Submits the search for the places nearest to `rows` targets, `neighbours` for each.
    pub(super) fn look_around(
        &self,
        flow: &mut Flow,
        (targets, rows): (Handle, usize),
        neighbours: usize,
    ) -> Handle {
        let stored = self.geometry.stored();
        let lists = flow.register(rows * neighbours * size_of::<u32>());
        let [places, bounds, ..] = self.handles;
        let accesses = [(places, R), (bounds, R), (targets, R), (lists, W)];
        flow.submit(Around { stored, neighbours }, &accesses, 0);
        lists
    }

    /// Registers the records of `points` with these `columns`, both as they were given.
    pub(super) fn records(&self, flow: &mut Flow, points: &Points, columns: &[&[f64]]) -> Handle {
        let stored = self.geometry.stored();
        let mut records = Vec::with_capacity(self.given.len() * (stored + columns.len()));
        for index in self.given.iter().map(|&given| given as usize) {
            records.extend(&points.point(index)[..stored]);
            records.extend(columns.iter().map(|column| column[index]));
        }
        flow.register_from(&records)
    }
}

impl Blocks {
    /// What a kernel is told of a block.
    pub(super) fn places(&self, block: &Block, columns: usize) -> Places {
        let &Block { first, rows, .. } = block;
        Places { first, rows, neighbours: self.neighbours, columns, geometry: self.geometry }
    }

    /// Registers so many numbers for each block, where its neighbours are.
    pub(super) fn register(&self, flow: &mut Flow, length: usize) -> Vec<Handle> {
        let bytes = length * size_of::<f64>();
        self.blocks.iter().map(|block| flow.register_at(bytes, block.spot)).collect()
    }

    /// Needs the lists no more.
    pub(super) fn unregister(self, flow: &mut Flow) {
        self.blocks.into_iter().for_each(|block| flow.unregister(block.lists));
    }
}
