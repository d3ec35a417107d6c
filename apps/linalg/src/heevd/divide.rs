//! The eigenproblem of a tridiagonal matrix by divide and conquer as tasks, over the tree of
//! halves.
//!
//! The tree of tasks ends at parts that one task solves; where two halves are joined, ranges of
//! roots and blocks of vectors are tasks (Pichon, Haidar, Faverge, Kurzak, "Divide and conquer
//! symmetric tridiagonal eigensolver for multicore architectures", IPDPS 2015).

use std::marker::PhantomData;

use tegula_kernels::scalar::{Real, Scalar};
use tegula_kernels::tridiagonal::divide::{
    Collect, Gather, Join, Leaf, Merge, Plans, Roots, Rotate, Sort, Spread, tear,
};
use tegula_runtime::flow::Access::{R, RW, W};
use tegula_runtime::flow::{Flow, Handle};
use tegula_tiles::TileMatrix;

use crate::condense::block_columns;

/// Largest part that one task solves.
const PART: usize = 128;

/// Submits the eigenproblem of the tridiagonal matrix with this diagonal and these entries below
/// it, whose largest are about one. Overwrites `z`, in block columns, by the vectors; returns a
/// handle of the values, in ascending order.
pub(super) fn divide<T: Scalar>(
    flow: &mut Flow,
    mut diagonal: Vec<T::Real>,
    below: &[T::Real],
    z: &TileMatrix<T>,
) -> Handle {
    let n = diagonal.len();
    if n > PART {
        let halves = halves(flow, &mut diagonal, below);
        let blocks = (0..z.nt()).map(|j| (z.tile(0, j), z.tile_columns(j))).collect();
        let root = halves.join::<T>(flow, blocks);
        flow.retire(root.edges);
        return root.values;
    }
    let leaf = leaf(flow, &diagonal, below);
    for j in 0..z.nt() {
        let spread = Spread::<T> { n, first: j * z.nb(), scalar: PhantomData };
        flow.submit(spread, &[(leaf.blocks[0].0, R), (z.tile(0, j), W)], 0);
    }
    flow.retire(leaf.blocks[0].0);
    flow.retire(leaf.edges);
    leaf.values
}

/// A part that is solved: its values, the first and last row of its vectors, and these in block
/// columns.
struct Part<S> {
    n: usize,
    values: Handle,
    edges: Handle,
    blocks: Vec<(Handle, usize)>,
    scalar: PhantomData<S>,
}

fn numbers<S>(flow: &mut Flow, count: usize) -> Handle {
    flow.register(count * size_of::<S>())
}

fn part<S: Real>(flow: &mut Flow, diagonal: &mut [S], below: &[S]) -> Part<S> {
    let n = diagonal.len();
    if n <= PART {
        return leaf(flow, diagonal, below);
    }
    let halves = halves(flow, diagonal, below);
    let width = block_columns(n, flow.workers());
    let columns = (0..n).step_by(width).map(|first| width.min(n - first));
    let blocks = columns.map(|columns| (numbers::<S>(flow, n * columns), columns)).collect();
    let part = halves.join::<S>(flow, blocks);
    part.collect(flow);
    part
}

fn leaf<S: Real>(flow: &mut Flow, diagonal: &[S], below: &[S]) -> Part<S> {
    let (n, scalar) = (diagonal.len(), PhantomData);
    let (d, e) = (flow.register_from(diagonal), flow.register_from(below));
    let [values, edges, vectors] = [n, 2 * n, n * n].map(|count| numbers::<S>(flow, count));
    flow.submit(Leaf::<S> { n, scalar }, &[(d, R), (e, R), (values, W), (vectors, W)], 0);
    flow.retire(d);
    flow.retire(e);
    let part = Part { n, values, edges, blocks: vec![(vectors, n)], scalar };
    part.collect(flow);
    part
}

impl<S: Real> Part<S> {
    fn collect(&self, flow: &mut Flow) {
        let &Self { n, edges, scalar, .. } = self;
        let mut first = 0;
        for &(block, count) in &self.blocks {
            let collect = Collect::<S> { n, first, count, scalar };
            flow.submit(collect, &[(block, R), (edges, RW)], 1);
            first += count;
        }
    }
}

/// Two parts and the entry below the diagonal between them.
struct Halves<S> {
    parts: [Part<S>; 2],
    beta: S,
}

fn halves<S: Real>(flow: &mut Flow, diagonal: &mut [S], below: &[S]) -> Halves<S> {
    let cut = diagonal.len() / 2;
    let beta = below[cut - 1];
    let (upper, lower) = diagonal.split_at_mut(cut);
    tear(&mut upper[cut - 1], &mut lower[0], beta);
    let parts = [part(flow, upper, &below[..cut - 1]), part(flow, lower, &below[cut..])];
    Halves { parts, beta }
}

impl<S: Real> Halves<S> {
    /// Joins the parts, which are given back; the vectors go to `blocks`, and no rows of them to
    /// the edges.
    fn join<T: Scalar<Real = S>>(self, flow: &mut Flow, blocks: Vec<(Handle, usize)>) -> Part<S> {
        let Self { parts: [upper, lower], beta } = self;
        let (cut, n, scalar) = (upper.n, upper.n + lower.n, PhantomData);
        let plan = [numbers::<S>(flow, Plans::numbers(n)), numbers::<u32>(flow, Plans::indices(n))];
        let accesses = [
            (upper.values, R),
            (lower.values, R),
            (upper.edges, R),
            (lower.edges, R),
            (plan[0], W),
            (plan[1], W),
        ];
        flow.submit(Merge { cut, beta }, &accesses, 1);
        let (roots, order, values) = find::<S>(flow, n, plan);
        let starts = [0, cut];
        let mut gathered = Vec::new();
        for (side, part) in [upper, lower].into_iter().enumerate() {
            gathered.push(gather(flow, part, (side, starts[side], n), plan));
        }
        let mut first = 0;
        for &(block, count) in &blocks {
            let join = Join::<T> { cut, n, first, count, scalar: PhantomData };
            let [numbers, indices] = plan;
            let accesses = [
                (numbers, R),
                (indices, R),
                (roots, R),
                (order, R),
                (gathered[0], R),
                (gathered[1], R),
                (block, W),
            ];
            flow.submit(join, &accesses, 0);
            first += count;
        }
        let given_back = plan.into_iter().chain(gathered).chain([roots, order]);
        given_back.for_each(|handle| flow.retire(handle));
        Part { n, values, edges: numbers::<S>(flow, 2 * n), blocks, scalar }
    }
}

/// Submits the roots of the secular equation in ranges; returns handles of these, of the order of
/// the eigenvalues and of the values.
fn find<S: Real>(flow: &mut Flow, n: usize, plan: [Handle; 2]) -> (Handle, Handle, Handle) {
    let [numbers_of, indices] = plan;
    let (all, values) = (numbers::<S>(flow, 2 * n), numbers::<S>(flow, n));
    let order = numbers::<u32>(flow, n);
    let ranges = n.div_ceil(block_columns(n, flow.workers()));
    for range in 0..ranges {
        let mine = numbers::<S>(flow, 2 * n);
        let roots = Roots::<S> { n, range, ranges, scalar: PhantomData };
        flow.submit(roots, &[(numbers_of, R), (indices, R), (mine, W)], 1);
        let accesses =
            [(numbers_of, R), (indices, R), (mine, R), (all, RW), (order, RW), (values, RW)];
        flow.submit(Sort(roots), &accesses, 1);
        flow.retire(mine);
    }
    (all, order, values)
}

/// Submits the gathering of one half's vectors, and gives it back.
fn gather<S: Real>(
    flow: &mut Flow,
    part: Part<S>,
    (side, start, n): (usize, usize, usize),
    plan: [Handle; 2],
) -> Handle {
    let Part { n: rows, values, edges, blocks, scalar } = part;
    let to = numbers::<S>(flow, rows * n);
    let mut first = start;
    for (block, count) in blocks {
        let gather = Gather::<S> { side, rows, first, count, scalar };
        flow.submit(gather, &[(plan[0], R), (plan[1], R), (block, R), (to, RW)], 1);
        flow.retire(block);
        first += count;
    }
    let rotate = Rotate::<S> { side, rows, n, scalar };
    flow.submit(rotate, &[(plan[0], R), (plan[1], R), (to, RW)], 1);
    flow.retire(values);
    flow.retire(edges);
    to
}
