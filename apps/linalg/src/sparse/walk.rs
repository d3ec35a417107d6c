//! The walk through the tree of fronts that submits the tasks of a factorisation, children before
//! parents: activation, assembly, QR factorisation by block columns, deactivation.
//!
//! Agullo, Buttari, Guermouche, Lopez, "Implementing multifrontal sparse solvers for multicore
//! architectures with sequential task flow runtime systems", ACM Trans. Math. Softw. 43 (2016).
//! Nothing is allocated before a task writes it, and a front goes when its parent has it.

use std::marker::PhantomData;

use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::Access::{R, RW, W};
use tegula_runtime::flow::{Flow, Handle};

use super::contexts::Jobs;
use super::dense::triangle_entries;
use super::plan::{Opened, Part};
use super::tasks::{Assemble, FactorFront, Fill, Given, Panel, Subtrees, Take, Tile, Update};
use super::tree::NONE;

/// What waits to be assembled into a parent.
struct Left {
    given: Given,
    handle: Handle,
    entries: u32,
    /// The columns of the parent that it touches, without those of right-hand sides.
    columns: Option<[u32; 2]>,
    has_right_sides: bool,
}

/// Submits a factorisation.
pub(super) struct Walk<'a, T> {
    opened: &'a Opened<T>,
    left: Vec<Vec<Left>>,
    /// Panels from each front to the end of the tree, by which tasks have their priorities.
    depths: Vec<i32>,
}

impl<'a, T: Scalar> Walk<'a, T> {
    pub(super) fn new(opened: &'a Opened<T>) -> Self {
        let fronts = &opened.plan.analysis.fronts;
        let mut depths = vec![0; fronts.len()];
        for (number, front) in fronts.iter().enumerate().rev() {
            let above = if front.parent == NONE { 0 } else { depths[front.parent as usize] };
            depths[number] = above + front.n.div_ceil(opened.plan.cut.columns) as i32;
        }
        let left = (0..fronts.len()).map(|_| Vec::new()).collect();
        Self { opened, left, depths }
    }

    /// Submits all tasks; those of a part of which the number of the last front has a job, within
    /// that.
    pub(super) fn submit(mut self, flow: &mut Flow, parts: &[Part], jobs: &Jobs) {
        let mut piece = 0;
        for part in parts {
            let last = match part {
                Part::Group(index) => self.opened.plan.groups[*index].fronts.end - 1,
                Part::Front(tiles) => tiles[0].front as usize,
            };
            let mut submit = |flow: &mut Flow| match part {
                Part::Group(index) => self.group(flow, *index, piece),
                Part::Front(tiles) => self.front(flow, tiles, piece),
            };
            match jobs.of(last) {
                Some(job) => flow.within(job, submit),
                None => submit(flow),
            }
            piece += part.pieces() as u32;
        }
    }

    /// Names a buffer of so many numbers. There are few sizes of buffers, so that most can be used
    /// again.
    fn register(flow: &mut Flow, entries: usize) -> Handle {
        let step = (entries.max(1).ilog2().saturating_sub(2)).max(6);
        let room = entries.next_multiple_of(1 << step);
        let size = size_of::<T>();
        flow.register_within(entries * size, room * size)
    }

    /// Submits the fronts of a group.
    fn group(&mut self, flow: &mut Flow, index: usize, piece: u32) {
        let plan = &self.opened.plan;
        let (group, analysis) = (&plan.groups[index], &plan.analysis);
        let parent = analysis.fronts[group.fronts.end - 1].parent;
        let left_entries = |root: usize| analysis.fronts[root].left_entries(plan.left_width(root));
        let entries = match parent {
            NONE => 0,
            _ => group.roots(analysis).map(left_entries).sum(),
        };
        let depth = self.depths[group.fronts.end - 1];
        let handle = Self::register(flow, entries);
        let (key, flops, scalar) = (self.opened.key, group.flops, PhantomData);
        let task = Subtrees::<T> { key, group: index as u32, piece, flops, scalar };
        flow.submit(task, &[(handle, W)], 2 * depth);
        if parent == NONE {
            return flow.retire(handle);
        }
        let others = group.roots(analysis).map(|root| analysis.columns_in_parent(root));
        let columns = others.filter_map(|list| Some([*list.first()?, *list.last()?]));
        let columns = columns.reduce(|[a, b], [c, d]| [a.min(c), b.max(d)]);
        let (given, has_right_sides) = (Given::Group(index as u32), plan.nrhs > 0);
        self.left[parent as usize].push(Left {
            given,
            handle,
            entries: entries as u32,
            columns,
            has_right_sides,
        });
    }

    /// Submits a front that is in no group.
    fn front(&mut self, flow: &mut Flow, tiles: &[Tile], piece: u32) {
        let number = tiles[0].front as usize;
        let handles: Vec<Handle> =
            tiles.iter().map(|tile| Self::register(flow, tile.entries())).collect();
        let depth = 2 * self.depths[number];
        self.assemble(flow, (number, tiles), &handles, depth);
        if tiles.len() == 1 {
            let flops = self.opened.plan.analysis.fronts[number].flops;
            let (key, front, scalar) = (self.opened.key, number as u32, PhantomData);
            let task = FactorFront::<T> { key, front, flops, scalar };
            flow.submit(task, &[(handles[0], RW)], depth);
        } else {
            self.factor(flow, (number, tiles), &handles, depth);
        }
        self.take(flow, tiles, &handles, (depth, piece));
    }

    /// Fills the tiles of a front with its own rows and those of its children, which go.
    fn assemble(
        &mut self,
        flow: &mut Flow,
        (number, tiles): (usize, &[Tile]),
        handles: &[Handle],
        priority: i32,
    ) {
        let (key, scalar) = (self.opened.key, PhantomData);
        let n = self.opened.plan.analysis.fronts[number].n as u32;
        let children = std::mem::take(&mut self.left[number]);
        for (&tile, &handle) in tiles.iter().zip(handles) {
            flow.submit(Fill::<T> { key, tile, scalar }, &[(handle, W)], priority);
            for left in &children {
                let meets =
                    |[first, last]: [u32; 2]| first < tile.columns[1] && tile.columns[0] <= last;
                let is_met = left.columns.is_some_and(meets);
                if is_met || (left.has_right_sides && tile.columns[1] > n) {
                    let task = Assemble::<T> {
                        key,
                        given: left.given,
                        entries: left.entries,
                        tile,
                        scalar,
                    };
                    flow.submit(task, &[(left.handle, R), (handle, RW)], priority);
                }
            }
        }
        children.into_iter().for_each(|left| flow.retire(left.handle));
    }

    /// Factorises a front in block columns.
    fn factor(
        &mut self,
        flow: &mut Flow,
        (number, tiles): (usize, &[Tile]),
        handles: &[Handle],
        depth: i32,
    ) {
        let plan = &self.opened.plan;
        let (key, scalar) = (self.opened.key, PhantomData::<T>);
        let (m, n) = (plan.analysis.fronts[number].m, plan.analysis.fronts[number].n);
        let has_reflectors = |tile: &Tile| tile.range().start < m.min(n);
        for (k, &panel) in tiles.iter().enumerate().filter(|(_, tile)| has_reflectors(tile)) {
            flow.iteration(k);
            let (heights, columns) = plan.reflectors(&panel);
            let t = Self::register(flow, triangle_entries(heights, columns));
            let priority = |j: usize| depth - 2 * j as i32;
            let task = Panel { key, tile: panel, scalar };
            flow.submit(task, &[(handles[k], RW), (t, W)], priority(k) + 1);
            for (j, tile) in tiles.iter().enumerate().skip(k + 1) {
                let (height, width) = (tile.height, tile.range().len() as u32);
                let task = Update { key, panel, height, width, scalar };
                flow.submit(task, &[(handles[k], R), (t, R), (handles[j], RW)], priority(j));
            }
            flow.retire(t);
        }
    }

    /// Takes `R` and what is left for the parent out of the tiles, which go.
    fn take(
        &mut self,
        flow: &mut Flow,
        tiles: &[Tile],
        handles: &[Handle],
        (priority, first_piece): (i32, u32),
    ) {
        let number = tiles[0].front as usize;
        let analysis = &self.opened.plan.analysis;
        let front = &analysis.fronts[number];
        let others = analysis.columns_in_parent(number);
        for ((&tile, &handle), piece) in tiles.iter().zip(handles).zip(first_piece..) {
            let [first, end] = tile.columns.map(|j| (j as usize).max(front.pivots) - front.pivots);
            let entries = front.left_entries(end) - front.left_entries(first);
            let left = Self::register(flow, entries);
            let task = Take::<T> { key: self.opened.key, tile, piece, scalar: PhantomData };
            flow.submit(task, &[(handle, R), (left, W)], priority);
            flow.retire(handle);
            if front.parent == NONE || entries == 0 {
                flow.retire(left);
                continue;
            }
            let mine = &others[first.min(others.len())..end.min(others.len())];
            let columns = mine.first().zip(mine.last()).map(|(&first, &last)| [first, last]);
            let given =
                Given::Columns { child: number as u32, columns: [first as u32, end as u32] };
            let has_right_sides = tile.range().end > front.n;
            let entries = entries as u32;
            let left = Left { given, handle: left, entries, columns, has_right_sides };
            self.left[front.parent as usize].push(left);
        }
    }
}
