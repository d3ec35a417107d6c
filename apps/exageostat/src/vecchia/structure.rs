//! Places in the order of a tree, with the neighbours of each, as handles of a flow.

use std::collections::HashSet;

use tegula_kernels::geometry::{Geometry, Points};
use tegula_kernels::kernel::covariance::Structure;
use tegula_kernels::kernel::vecchia::{
    Conditionals, JointScore, JointTerms, Places, ScoreTerms, Sets, Terms,
};
use tegula_runtime::flow::Access::{R, W};
use tegula_runtime::flow::{Flow, FlowError, Handle};
use tegula_runtime::ranks::Spot;

use super::grouping::Join;
use super::neighbours::{Around, Before, least};
use super::tree::{Place, Tree};
use super::{Form, Ordering, Vecchia};
use crate::covariance::Metric;

/// The places of a set of observations.
#[derive(Debug)]
pub(super) struct Ordered {
    pub(super) geometry: Geometry,
    /// Of each place of the tree the index it was given with.
    pub(super) given: Vec<u32>,
    /// Marks of a place, after its coordinates in a record.
    pub(super) marks: usize,
    /// By what times are multiplied to be distances, if places have one.
    pace: Option<f64>,
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
    marks: usize,
    pub(super) blocks: Vec<Block>,
    /// Whether their lists are of sets.
    are_sets: bool,
}

/// A block of places.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    pub(super) first: usize,
    pub(super) rows: usize,
    /// Where it lies among all.
    spot: Spot,
    /// A list of neighbours for each, or the sets of places with theirs.
    pub(super) lists: Handle,
}

impl Ordered {
    /// Puts `points` in order, of which the first mark is their time if they have one.
    ///
    /// # Panics
    /// If there are 2^32 places or more.
    pub(super) fn new(
        flow: &mut Flow,
        points: &Points,
        (ordering, has_time): (Ordering, bool),
    ) -> Self {
        let n = points.len();
        assert!(u32::try_from(n).is_ok(), "{n} places have no numbers of 32 bits");
        let pace = has_time.then(|| pace(points));
        let tree = Tree::new((0..n).map(|i| place(points, pace, i)));
        let ranks = ordering.ranks(&tree);
        let least = least(&tree.view(), &ranks);
        let Tree { places, given, bounds } = tree;
        let handles = [
            flow.register_from(&places),
            flow.register_from(&bounds),
            flow.register_from(&ranks),
            flow.register_from(&least),
        ];
        let (geometry, marks) = (points.geometry(), points.marks());
        Self { geometry, given, marks, pace, ranks, handles }
    }

    /// Submits the searches for the neighbours of all places.
    ///
    /// # Panics
    /// If there are 2^31 places or more to be grouped.
    pub(super) fn search(&self, flow: &mut Flow, options: Vecchia) -> Blocks {
        let Vecchia { neighbours, block, form, .. } = options;
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
        let mut blocks: Vec<Block> = (0..n).step_by(block).enumerate().map(submit).collect();
        let are_sets = form == Form::Grouped;
        if are_sets {
            assert!(n < 1 << 31, "{n} places have no numbers of 31 bits");
            blocks.iter_mut().for_each(|block| self.join(flow, block, neighbours, true));
        }
        Blocks { neighbours, geometry: self.geometry, marks: self.marks, blocks, are_sets }
    }

    /// Makes the lists of `blocks` sets, of each place by itself if they are none yet: what takes
    /// covariances that are put together.
    ///
    /// # Panics
    /// If there are 2^31 places or more.
    pub(super) fn make_sets(&self, flow: &mut Flow, blocks: &mut Blocks) {
        if !blocks.are_sets {
            let n = self.given.len();
            assert!(n < 1 << 31, "{n} places have no numbers of 31 bits");
            flow.phase("neighbours");
            let neighbours = blocks.neighbours;
            blocks.blocks.iter_mut().for_each(|block| self.join(flow, block, neighbours, false));
            blocks.are_sets = true;
        }
    }

    /// Submits the search for the sets of a block, which take the place of its lists.
    fn join(&self, flow: &mut Flow, block: &mut Block, neighbours: usize, merges: bool) {
        let Block { first, rows, spot, lists } = *block;
        let join = Join { first, rows, neighbours, merges };
        let sets = flow.register_at(join.most() * size_of::<u32>(), spot);
        flow.submit(join, &[(self.handles[2], R), (lists, R), (sets, W)], 0);
        flow.retire(lists);
        block.lists = sets;
    }

    /// Submits the search for the places nearest to `points`, `neighbours` for each.
    pub(super) fn look_around(
        &self,
        flow: &mut Flow,
        points: &Points,
        neighbours: usize,
    ) -> Handle {
        let rows = points.len();
        let targets: Vec<Place> = (0..rows).map(|i| place(points, self.pace, i)).collect();
        let targets = flow.register_from(&targets);
        let lists = flow.register(rows * neighbours * size_of::<u32>());
        let [places, bounds, ..] = self.handles;
        let accesses = [(places, R), (bounds, R), (targets, R), (lists, W)];
        flow.submit(Around { neighbours }, &accesses, 0);
        flow.retire(targets);
        lists
    }

    /// Waits, then makes the coordinates in `records` those of the places as `metric` maps them.
    ///
    /// # Errors
    /// Those of the flow.
    pub(super) fn place(
        &self,
        flow: &mut Flow,
        records: Handle,
        metric: Option<&Metric>,
    ) -> Result<(), FlowError> {
        let (n, stored) = (self.given.len(), self.geometry.stored());
        let places = flow.read::<Place>(self.handles[0])?.to_vec();
        let mut told = flow.read::<f64>(records)?.to_vec();
        let width = told.len() / n.max(1);
        for (record, at) in told.chunks_exact_mut(width).zip(places) {
            let [x, y, z, _] = at;
            let at = metric.map_or([x, y, z], |metric| metric.of([x, y, z]));
            record[..stored].copy_from_slice(&at[..stored]);
        }
        flow.overwrite(records, &told)
    }

    /// Registers the records of `points` with these `columns`, both as they were given.
    pub(super) fn records(&self, flow: &mut Flow, points: &Points, columns: &[&[f64]]) -> Handle {
        let (stored, marks) = (self.geometry.stored(), self.marks);
        let mut records = Vec::with_capacity(self.given.len() * (stored + marks + columns.len()));
        for index in self.given.iter().map(|&given| given as usize) {
            records.extend(&points.point(index)[..stored]);
            records.extend((0..marks).map(|mark| points.mark(mark)[index]));
            records.extend(columns.iter().map(|column| column[index]));
        }
        flow.register_from(&records)
    }
}

impl Blocks {
    /// What a kernel is told of a block.
    fn places(&self, block: &Block, columns: usize) -> Places {
        let &Block { first, rows, .. } = block;
        Places { first, rows, neighbours: self.neighbours, columns, geometry: self.geometry }
    }

    /// What a kernel is told of the sets of a block.
    fn sets(&self, block: &Block, columns: usize, structure: Structure) -> Sets {
        let &Self { marks, geometry, neighbours, .. } = self;
        Sets { columns, marks, geometry, structure, size: (block.rows, neighbours) }
    }

    /// Submits the likelihood's sums of a block, of records with so many `columns`, by a covariance
    /// that is made from `structure`: of one that is put together, blocks must be of sets.
    pub(super) fn submit_terms(
        &self,
        flow: &mut Flow,
        block: &Block,
        (columns, structure): (usize, Structure),
        [table, records, sums]: [Handle; 3],
    ) {
        let accesses = [(table, R), (records, R), (block.lists, R), (sums, W)];
        if self.are_sets {
            flow.submit(JointTerms(self.sets(block, columns, structure)), &accesses, 0);
        } else {
            flow.submit(Terms(self.places(block, columns)), &accesses, 0);
        }
    }

    /// Submits the score's sums of a block, of records with so many `columns`, of so many
    /// `derivatives`; `structure` as of [`submit_terms`](Self::submit_terms).
    pub(super) fn submit_score(
        &self,
        flow: &mut Flow,
        block: &Block,
        (columns, derivatives, structure): (usize, usize, Structure),
        [tables, records, mix, sums]: [Handle; 4],
    ) {
        let accesses = [(tables, R), (records, R), (block.lists, R), (mix, R), (sums, W)];
        match structure {
            Structure::Radial { is_relative } if !self.are_sets => {
                let places = self.places(block, columns);
                flow.submit(ScoreTerms { places, derivatives, is_relative }, &accesses, 0);
            }
            _ => {
                let sets = self.sets(block, columns, structure);
                flow.submit(JointScore { sets, derivatives }, &accesses, 0);
            }
        }
    }

    /// Submits the conditionals of a block, of records with so many `columns`, with so many
    /// `derivatives`, which may be relative.
    pub(super) fn submit_conditionals(
        &self,
        flow: &mut Flow,
        block: &Block,
        (columns, derivatives, is_relative): (usize, usize, bool),
        [tables, records, made]: [Handle; 3],
    ) {
        let places = self.places(block, columns);
        let accesses = [(tables, R), (records, R), (block.lists, R), (made, W)];
        flow.submit(Conditionals { places, derivatives, is_relative }, &accesses, 0);
    }

    /// Registers the conditionals of each block, with so many derivatives.
    pub(super) fn register_conditionals(&self, flow: &mut Flow, derivatives: usize) -> Vec<Handle> {
        let numbers = |rows: usize| (derivatives + 1) * rows * (self.neighbours + 1);
        let register =
            |block: &Block| flow.register_at(numbers(block.rows) * size_of::<f64>(), block.spot);
        self.blocks.iter().map(register).collect()
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

/// Point `index`, with its time, its first mark, at `pace` if it has one.
fn place(points: &Points, pace: Option<f64>, index: usize) -> Place {
    let [x, y, z] = points.point(index);
    [x, y, z, pace.map_or(0.0, |pace| pace * points.mark(0)[index])]
}

/// By what times are multiplied so that places are as dense along them as in space: neighbours
/// then lie around each in both. It is the distance between places on a regular grid of as many in
/// the box around them, by the time between as many regular times.
fn pace(points: &Points) -> f64 {
    let n = points.len();
    let bits = |x: f64| (x + 0.0).to_bits();
    let distinct = |keys: &mut dyn Iterator<Item = [u64; 3]>| keys.collect::<HashSet<_>>().len();
    let places = distinct(&mut (0..n).map(|i| points.point(i).map(bits)));
    let times = distinct(&mut points.mark(0).iter().map(|&t| [bits(t), 0, 0]));
    let extent = |values: &mut dyn Iterator<Item = f64>| {
        let ends = values
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
        (ends.1 - ends.0).max(0.0)
    };
    let mut extents = [0, 1, 2].map(|axis| extent(&mut (0..n).map(|i| points.point(i)[axis])));
    extents.sort_by(|a, b| b.total_cmp(a));
    // The sphere is a surface, whatever its unit vectors fill.
    let dimensions = if points.geometry() == Geometry::GreatCircle { 2 } else { 3 };
    let filled: Vec<f64> = extents.into_iter().take(dimensions).filter(|x| *x > 0.0).collect();
    let span = extent(&mut points.mark(0).iter().copied());
    if filled.is_empty() || span == 0.0 {
        return 1.0;
    }
    let volume: f64 = filled.iter().product();
    let spacing = (volume / places as f64).powf(1.0 / filled.len() as f64);
    spacing * (times as f64 - 1.0) / span
}
