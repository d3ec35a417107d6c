//! Places in the order of a tree, with the neighbours of each, as handles of a flow.

use tegula_kernels::geometry::{Geometry, Points};
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
    form: Form,
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
        if form == Form::Grouped {
            assert!(n < 1 << 31, "{n} places have no numbers of 31 bits");
            blocks.iter_mut().for_each(|block| self.join(flow, block, neighbours));
        }
        Blocks { neighbours, geometry: self.geometry, blocks, form }
    }

    /// Submits the search for the sets of a block, which take the place of its lists.
    fn join(&self, flow: &mut Flow, block: &mut Block, neighbours: usize) {
        let Block { first, rows, spot, lists } = *block;
        let join = Join { first, rows, neighbours };
        let sets = flow.register_at(join.most() * size_of::<u32>(), spot);
        flow.submit(join, &[(self.handles[2], R), (lists, R), (sets, W)], 0);
        flow.retire(lists);
        block.lists = sets;
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
            let at = metric.map_or(at, |metric| metric.of(at));
            record[..stored].copy_from_slice(&at[..stored]);
        }
        flow.overwrite(records, &told)
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
    fn places(&self, block: &Block, columns: usize) -> Places {
        let &Block { first, rows, .. } = block;
        Places { first, rows, neighbours: self.neighbours, columns, geometry: self.geometry }
    }

    /// What a kernel is told of the sets of a block.
    fn sets(&self, block: &Block, columns: usize) -> Sets {
        Sets { columns, geometry: self.geometry, size: (block.rows, self.neighbours) }
    }

    /// Submits the likelihood's sums of a block, of records with so many `columns`.
    pub(super) fn submit_terms(
        &self,
        flow: &mut Flow,
        block: &Block,
        columns: usize,
        [table, records, sums]: [Handle; 3],
    ) {
        let accesses = [(table, R), (records, R), (block.lists, R), (sums, W)];
        match self.form {
            Form::Response | Form::Latent => {
                flow.submit(Terms(self.places(block, columns)), &accesses, 0)
            }
            Form::Grouped => flow.submit(JointTerms(self.sets(block, columns)), &accesses, 0),
        }
    }

    /// Submits the score's sums of a block, of records with so many `columns`; of `derivatives`,
    /// how many there are and whether they are relative.
    pub(super) fn submit_score(
        &self,
        flow: &mut Flow,
        block: &Block,
        (columns, derivatives, is_relative): (usize, usize, bool),
        [tables, records, mix, sums]: [Handle; 4],
    ) {
        let accesses = [(tables, R), (records, R), (block.lists, R), (mix, R), (sums, W)];
        match self.form {
            Form::Response | Form::Latent => {
                let places = self.places(block, columns);
                flow.submit(ScoreTerms { places, derivatives, is_relative }, &accesses, 0);
            }
            Form::Grouped => {
                let sets = self.sets(block, columns);
                flow.submit(JointScore { sets, derivatives, is_relative }, &accesses, 0);
            }
        }
    }

    /// Submits the conditionals of a block; `columns`, `derivatives` and whether they are relative
    /// as of [`submit_score`](Self::submit_score).
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
