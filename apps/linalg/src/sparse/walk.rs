//! The walk through the tree of fronts that submits the tasks of a factorisation, children before
//! parents: activation, assembly, QR factorisation by block columns, deactivation.
//!
//! Agullo, Buttari, Guermouche, Lopez, "Implementing multifrontal sparse solvers for multicore
//! architectures with sequential task flow runtime systems", ACM Trans. Math. Softw. 43 (2016).
//! Nothing is allocated before a task writes it, and a front goes when its parent has it.

use std::marker::PhantomData;

use tegula_kernels::kernel::{geqrt::Geqrt, unmqr::Unmqr};
use tegula_kernels::option::{Side, Storev, Trans};
use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::Access::{R, RW, W};
use tegula_runtime::flow::{Flow, Handle};

use super::analysis::Front;
use super::plan::Opened;
use super::tasks::{Assemble, FactorFront, Fill, Given, Subtrees, Take, Tile};
use super::tree::NONE;

/// Where the rows of `R` of fronts will be.
pub(super) enum Output {
    /// Those of a group, front after front.
    Group {
        group: usize,
        r: Handle,
    },
    Front {
        front: usize,
        /// For each tile, the end of its columns, and where they are.
        tiles: Vec<(usize, Handle)>,
    },
}

/// What waits to be assembled into a parent.
struct Left {
    given: Given,
    handle: Handle,
    /// The columns of the parent that it touches, without those of right-hand sides.
    columns: Option<[u32; 2]>,
    has_right_sides: bool,
}

/// Submits a factorisation.
pub(super) struct Walk<'a, T> {
    flow: &'a mut Flow,
    opened: &'a Opened<T>,
    left: Vec<Vec<Left>>,
    /// Panels from each front to the end of the tree, by which tasks have their priorities.
    depths: Vec<i32>,
}

impl<'a, T: Scalar> Walk<'a, T> {
    pub(super) fn new(flow: &'a mut Flow, opened: &'a Opened<T>) -> Self {
        let fronts = &opened.plan.analysis.fronts;
        let mut depths = vec![0; fronts.len()];
        for (number, front) in fronts.iter().enumerate().rev() {
            let above = if front.parent == NONE { 0 } else { depths[front.parent as usize] };
            depths[number] = above + front.n.div_ceil(opened.plan.cut.columns) as i32;
        }
        let left = (0..fronts.len()).map(|_| Vec::new()).collect();
        Self { flow, opened, left, depths }
    }

    /// Submits all tasks; says where the rows of `R` will be.
    pub(super) fn submit(mut self) -> Vec<Output> {
        let plan = &self.opened.plan;
        let mut groups = plan.groups.iter().enumerate().peekable();
        let (mut outputs, mut number) = (Vec::new(), 0);
        while number < plan.analysis.fronts() {
            match groups.next_if(|(_, group)| group.fronts.start == number) {
                Some((index, group)) => {
                    outputs.push(self.group(index));
                    number = group.fronts.end;
                }
                None => {
                    outputs.push(self.front(number));
                    number += 1;
                }
            }
        }
        outputs
    }

    fn register(&mut self, entries: usize) -> Handle {
        self.flow.register(entries * size_of::<T>())
    }

    /// Submits the fronts of a group.
    fn group(&mut self, index: usize) -> Output {
        let plan = &self.opened.plan;
        let (group, analysis) = (&plan.groups[index], &plan.analysis);
        let r_entries = |number: usize| analysis.fronts[number].r_entries(plan.width(number));
        let entries = group.fronts.clone().map(r_entries).sum();
        let root = analysis.fronts[group.fronts.end - 1].parent;
        let left_entries =
            |root: usize| analysis.fronts[root].left_entries(plan.left_width(root));
        let left = match root {
            NONE => 0,
            _ => group.roots(analysis).map(left_entries).sum(),
        };
        let depth = self.depths[group.fronts.end - 1];
        let (r, left) = (self.register(entries), self.register(left));
        let (key, flops, scalar) = (self.opened.key, group.flops, PhantomData);
        let task = Subtrees::<T> { key, group: index as u32, flops, scalar };
        self.flow.submit(task, &[(r, W), (left, W)], 2 * depth);
        if root == NONE {
            self.flow.retire(left);
        } else {
            let others = group.roots(analysis).map(|root| analysis.columns_in_parent(root));
            let columns = others.filter_map(|list| Some([*list.first()?, *list.last()?]));
            let columns = columns.reduce(|[a, b], [c, d]| [a.min(c), b.max(d)]);
            let (given, has_right_sides) = (Given::Group(index as u32), plan.nrhs > 0);
            let left = Left { given, handle: left, columns, has_right_sides };
            self.left[root as usize].push(left);
        }
        Output::Group { group: index, r }
    }

    /// The tiles of front `number`.
    fn tiles(&self, number: usize) -> Vec<Tile> {
        let plan = &self.opened.plan;
        let (front, width) = (&plan.analysis.fronts[number], plan.width(number));
        let tile = |first: usize, end: usize, height: usize| Tile {
            front: number as u32,
            columns: [first as u32, end as u32],
            height: height as u32,
        };
        let (cut, nb) = (plan.cut, plan.cut.columns);
        if front.n <= nb || front.flops < cut.small_front {
            return vec![tile(0, width, front.m)];
        }
        let heights = plan.analysis.heights_of(number);
        let firsts = (0..front.n).step_by(nb);
        let mut tiles: Vec<Tile> = firsts
            .map(|first| {
                let end = (first + nb).min(front.n);
                tile(first, end, heights[end - 1] as usize)
            })
            .collect();
        if plan.nrhs > 0 {
            tiles.push(tile(front.n, width, front.m));
        }
        tiles
    }

    /// Submits a front that is in no group.
    fn front(&mut self, number: usize) -> Output {
        let tiles = self.tiles(number);
        let handles: Vec<Handle> = tiles.iter().map(|tile| self.register(tile.entries())).collect();
        let depth = 2 * self.depths[number];
        self.assemble(number, &tiles, &handles, depth);
        if tiles.len() == 1 {
            let flops = self.opened.plan.analysis.fronts[number].flops;
            let (key, front, scalar) = (self.opened.key, number as u32, PhantomData);
            let task = FactorFront::<T> { key, front, flops, scalar };
            self.flow.submit(task, &[(handles[0], RW)], depth);
        } else {
            self.factor(number, &tiles, &handles, depth);
        }
        self.take(number, &tiles, &handles, depth)
    }

    /// Fills the tiles of a front with its own rows and those of its children, which go.
    fn assemble(&mut self, number: usize, tiles: &[Tile], handles: &[Handle], priority: i32) {
        let (key, scalar) = (self.opened.key, PhantomData);
        let n = self.opened.plan.analysis.fronts[number].n as u32;
        let children = std::mem::take(&mut self.left[number]);
        for (&tile, &handle) in tiles.iter().zip(handles) {
            self.flow.submit(Fill::<T> { key, tile, scalar }, &[(handle, W)], priority);
            for left in &children {
                let meets = |[first, last]: [u32; 2]| {
                    first < tile.columns[1] && tile.columns[0] <= last
                };
                let is_met = left.columns.is_some_and(meets);
                if is_met || (left.has_right_sides && tile.columns[1] > n) {
                    let task = Assemble::<T> { key, given: left.given, tile, scalar };
                    self.flow.submit(task, &[(left.handle, R), (handle, RW)], priority);
                }
            }
        }
        children.into_iter().for_each(|left| self.flow.retire(left.handle));
    }

    /// Factorises a front in block columns, each as high as its staircase.
    fn factor(&mut self, number: usize, tiles: &[Tile], handles: &[Handle], depth: i32) {
        let front: &Front = &self.opened.plan.analysis.fronts[number];
        let (storev, scalar, m) = (Storev::Columns, PhantomData::<T>, front.m);
        let panels = tiles.iter().filter(|tile| tile.range().end <= front.n && tile.range().start < m);
        for (k, panel) in panels.enumerate() {
            self.flow.iteration(k);
            let (offset, width, order) =
                (panel.range().start, panel.range().len(), panel.height as usize);
            let count = width.min(order - offset);
            let (tau, t) = (self.register(count), self.register(count * count));
            let geqrt = Geqrt { storev, m: order, n: width, offset, scalar };
            let priority = |j: usize| depth - 2 * j as i32;
            self.flow.submit(geqrt, &[(handles[k], RW), (tau, W), (t, W)], priority(k) + 1);
            self.flow.retire(tau);
            for (j, tile) in tiles.iter().enumerate().skip(k + 1) {
                let unmqr = Unmqr {
                    side: Side::Left,
                    trans: Trans::Conj,
                    storev,
                    m: tile.height as usize,
                    n: tile.range().len(),
                    order,
                    width,
                    k: count,
                    offset: offset as u32,
                    scalar,
                };
                self.flow.submit(unmqr, &[(handles[k], R), (t, R), (handles[j], RW)], priority(j));
            }
            self.flow.retire(t);
        }
    }

    /// Takes `R` and what is left for the parent out of the tiles, which go.
    fn take(
        &mut self,
        number: usize,
        tiles: &[Tile],
        handles: &[Handle],
        priority: i32,
    ) -> Output {
        let analysis = &self.opened.plan.analysis;
        let front = &analysis.fronts[number];
        let others = analysis.columns_in_parent(number);
        let mut output = Vec::with_capacity(tiles.len());
        for (&tile, &handle) in tiles.iter().zip(handles) {
            let columns = tile.range();
            let first = columns.start.max(front.pivots) - front.pivots;
            let end = columns.end.max(front.pivots) - front.pivots;
            let left_entries = front.left_entries(end) - front.left_entries(first);
            let r = self.register(front.r_entries(columns.end) - front.r_entries(columns.start));
            let left = self.register(left_entries);
            let task = Take::<T> { key: self.opened.key, tile, scalar: PhantomData };
            self.flow.submit(task, &[(handle, R), (r, W), (left, W)], priority);
            self.flow.retire(handle);
            if front.parent == NONE || left_entries == 0 {
                self.flow.retire(left);
            } else {
                let mine = &others[first.min(others.len())..end.min(others.len())];
                let met = mine.first().zip(mine.last()).map(|(&first, &last)| [first, last]);
                self.left[front.parent as usize].push(Left {
                    given: Given::Columns {
                        child: number as u32,
                        columns: [first as u32, end as u32],
                    },
                    handle: left,
                    columns: met,
                    has_right_sides: columns.end > front.n,
                });
            }
            output.push((columns.end, r));
        }
        Output::Front { front: number, tiles: output }
    }
}
