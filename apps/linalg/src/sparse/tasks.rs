//! The tasks of a sparse factorisation, beside those of a dense one by block columns.

use std::marker::PhantomData;

use tegula_kernels::backend;
use tegula_kernels::scalar::Scalar;
use tegula_kernels::tile::{TileMut, TileRef};
use tegula_runtime::flow::Access::{self, R, RW, W};
use tegula_runtime::flow::{Buffers, Codelet, Cost, Failure};

use super::dense::{apply_columns, factor, factor_columns};
use super::plan::{Plan, plan};

/// Operations of complex numbers, in those of real ones.
fn weight<T: Scalar>() -> f64 {
    if T::IS_COMPLEX { 4.0 } else { 1.0 }
}

/// Factorises the fronts of a group; buffer `[LEFT: W]`: what its roots leave. Their rows of `R`,
/// front after front, are a piece of the plan's.
#[derive(Clone, Copy, Debug)]
pub(super) struct Subtrees<T> {
    pub(super) key: u32,
    pub(super) group: u32,
    pub(super) piece: u32,
    pub(super) flops: f64,
    pub(super) scalar: PhantomData<T>,
}

impl<T: Scalar> Codelet for Subtrees<T> {
    const NAME: &'static str = "subtrees";
    const ACCESS: &'static [Access] = &[W];

    fn cost(&self) -> Cost {
        Cost { flops: weight::<T>() * self.flops, bytes: 0.0 }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let plan = plan::<T>(self.key);
        let r = factor_group(&plan, self.group as usize, buffers.write(0));
        plan.keep(self.piece, r);
        Ok(())
    }
}

/// Factorises the fronts of a group one after the other; what they leave is on a stack. Returns
/// their rows of `R`.
fn factor_group<T: Scalar>(plan: &Plan<T>, group: usize, left: &mut [T]) -> Vec<T> {
    let (analysis, group) = (&plan.analysis, &plan.groups[group]);
    let blas = T::blas(backend::current());
    let size = |number: usize| analysis.fronts[number].m * plan.width(number);
    let mut room = vec![T::ZERO; group.fronts.clone().map(size).max().unwrap_or(0)];
    let mut stack: Vec<T> = Vec::new();
    let mut starts = vec![0; group.fronts.len()];
    let mut r = Vec::with_capacity(plan.r_entries(group.fronts.clone()));
    let mut left_end = 0;
    for number in group.fronts.clone() {
        let (front, width) = (&analysis.fronts[number], plan.width(number));
        let a = &mut room[..front.m * width];
        plan.fill(number, 0..width, a, front.m);
        let children = analysis.children_of(number);
        for &child in children {
            let (child, start) = (child as usize, starts[child as usize - group.fronts.start]);
            let given = 0..plan.left_width(child);
            plan.place((child, given, &stack[start..]), (0..width, &mut *a), front.m);
        }
        if let Some(&first) = children.first() {
            stack.truncate(starts[first as usize - group.fronts.start]);
        }
        factor(blas, a, front.m, analysis.heights_of(number));
        plan.take_r((number, 0..width), (&*a, front.m), &mut r);
        let is_inside = group.fronts.contains(&(front.parent as usize));
        if is_inside {
            starts[number - group.fronts.start] = stack.len();
            plan.take_left((number, 0..width), (&*a, front.m), |part| {
                stack.extend_from_slice(part)
            });
        } else if (front.parent as usize) < analysis.fronts.len() {
            plan.take_left((number, 0..width), (&*a, front.m), |part| {
                left[left_end..left_end + part.len()].copy_from_slice(part);
                left_end += part.len();
            });
        }
    }
    r
}

/// Columns of a front: a tile of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tile {
    pub(super) front: u32,
    /// First column, and the one after the last.
    pub(super) columns: [u32; 2],
    /// Rows.
    pub(super) height: u32,
}

impl Tile {
    pub(super) fn range(&self) -> std::ops::Range<usize> {
        self.columns[0] as usize..self.columns[1] as usize
    }

    pub(super) fn entries(&self) -> usize {
        self.range().len() * self.height as usize
    }

    /// Rows that its reflectors have at most.
    fn reflector_rows(&self) -> usize {
        (self.height as usize).saturating_sub(self.range().start)
    }
}

/// Overwrites a tile by the rows of the matrix that begin in its front; buffer `[TILE: W]`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fill<T> {
    pub(super) key: u32,
    pub(super) tile: Tile,
    pub(super) scalar: PhantomData<T>,
}

impl<T: Scalar> Codelet for Fill<T> {
    const NAME: &'static str = "activate";
    const ACCESS: &'static [Access] = &[W];

    fn cost(&self) -> Cost {
        Cost { flops: 0.0, bytes: (self.tile.entries() * size_of::<T>()) as f64 }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let tile = self.tile;
        let a = buffers.write(0);
        plan::<T>(self.key).fill(tile.front as usize, tile.range(), a, tile.height as usize);
        Ok(())
    }
}

/// What is assembled.
#[derive(Clone, Copy, Debug)]
pub(super) enum Given {
    /// What the roots of a group leave.
    Group(u32),
    /// What a front leaves in some of its columns.
    Columns {
        /// The front.
        child: u32,
        /// First of them, among those that are no pivots, and the one after the last.
        columns: [u32; 2],
    },
}

/// Puts rows that children have left into a tile of their parent; buffers `[LEFT: R, TILE: RW]`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Assemble<T> {
    pub(super) key: u32,
    pub(super) given: Given,
    /// Entries of it, of which as many go into the tile at most.
    pub(super) entries: u32,
    pub(super) tile: Tile,
    pub(super) scalar: PhantomData<T>,
}

impl<T: Scalar> Codelet for Assemble<T> {
    const NAME: &'static str = "assemble";
    const ACCESS: &'static [Access] = &[R, RW];

    fn cost(&self) -> Cost {
        Cost { flops: 0.0, bytes: f64::from(self.entries) * size_of::<T>() as f64 }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let (plan, tile) = (plan::<T>(self.key), self.tile);
        let (mut left, a) = (buffers.read::<T>(0), buffers.write::<T>(1));
        let ld = tile.height as usize;
        match self.given {
            Given::Columns { child, columns } => {
                let given = columns[0] as usize..columns[1] as usize;
                plan.place((child as usize, given, left), (tile.range(), a), ld);
            }
            Given::Group(group) => {
                for root in plan.groups[group as usize].roots(&plan.analysis) {
                    let width = plan.left_width(root);
                    plan.place((root, 0..width, left), (tile.range(), &mut *a), ld);
                    left = &left[plan.analysis.fronts[root].left_entries(width)..];
                }
            }
        }
        Ok(())
    }
}

/// Factorises a front that is one tile; buffer `[FRONT: RW]`.
#[derive(Clone, Copy, Debug)]
pub(super) struct FactorFront<T> {
    pub(super) key: u32,
    pub(super) front: u32,
    pub(super) flops: f64,
    pub(super) scalar: PhantomData<T>,
}

impl<T: Scalar> Codelet for FactorFront<T> {
    const NAME: &'static str = "factor_front";
    const ACCESS: &'static [Access] = &[RW];

    fn cost(&self) -> Cost {
        Cost { flops: weight::<T>() * self.flops, bytes: 0.0 }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let (plan, number) = (plan::<T>(self.key), self.front as usize);
        let (m, heights) = (plan.analysis.fronts[number].m, plan.analysis.heights_of(number));
        factor(T::blas(backend::current()), buffers.write(0), m, heights);
        Ok(())
    }
}

/// Factorises a block column of a front; buffers `[TILE: RW, T: W]`, the triangles of its
/// reflectors.
#[derive(Clone, Copy, Debug)]
pub(super) struct Panel<T> {
    pub(super) key: u32,
    pub(super) tile: Tile,
    pub(super) scalar: PhantomData<T>,
}

impl<T: Scalar> Codelet for Panel<T> {
    const NAME: &'static str = "panel";
    const ACCESS: &'static [Access] = &[RW, W];

    fn cost(&self) -> Cost {
        let (n, m) = (self.tile.range().len() as f64, self.tile.reflector_rows() as f64);
        Cost { flops: weight::<T>() * 2.0 * n * n * (m - n / 3.0).max(0.0), bytes: 0.0 }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let (plan, tile) = (plan::<T>(self.key), self.tile);
        let a = TileMut::of(buffers, 0, tile.height as usize, tile.range().len());
        let staircase = plan.reflectors(&tile);
        factor_columns(T::blas(backend::current()), a, staircase, buffers.write(1));
        Ok(())
    }
}

/// Multiplies a block column of a front by `Q^H` of the reflectors in another; buffers `[V: R, T:
/// R, TILE: RW]`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Update<T> {
    pub(super) key: u32,
    /// That with the reflectors.
    pub(super) panel: Tile,
    /// Rows and columns of the other.
    pub(super) height: u32,
    pub(super) width: u32,
    pub(super) scalar: PhantomData<T>,
}

impl<T: Scalar> Codelet for Update<T> {
    const NAME: &'static str = "update";
    const ACCESS: &'static [Access] = &[R, R, RW];

    fn cost(&self) -> Cost {
        let (rows, width) = (self.panel.reflector_rows(), self.panel.range().len());
        let flops = 4.0 * rows as f64 * width as f64 * f64::from(self.width);
        Cost { flops: weight::<T>() * flops, bytes: 0.0 }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let (plan, panel) = (plan::<T>(self.key), self.panel);
        let v = TileRef::of(buffers, 0, panel.height as usize, panel.range().len());
        let c = TileMut::of(buffers, 2, self.height as usize, self.width as usize);
        let staircase = plan.reflectors(&panel);
        apply_columns(T::blas(backend::current()), v, staircase, buffers.read(1), c);
        Ok(())
    }
}

/// Takes the rows of `R`, which become a piece of the plan's, and those that are left out of a
/// factorised tile; buffers `[TILE: R, LEFT: W]`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Take<T> {
    pub(super) key: u32,
    pub(super) tile: Tile,
    pub(super) piece: u32,
    pub(super) scalar: PhantomData<T>,
}

impl<T: Scalar> Codelet for Take<T> {
    const NAME: &'static str = "deactivate";
    const ACCESS: &'static [Access] = &[R, W];

    fn cost(&self) -> Cost {
        Cost { flops: 0.0, bytes: (self.tile.entries() * size_of::<T>()) as f64 }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let (plan, tile) = (plan::<T>(self.key), self.tile);
        let a = (buffers.read::<T>(0), tile.height as usize);
        let (which, columns) = (tile.front as usize, tile.range());
        let front = &plan.analysis.fronts[which];
        let mut r =
            Vec::with_capacity(front.r_entries(columns.end) - front.r_entries(columns.start));
        plan.take_r((which, columns.clone()), a, &mut r);
        plan.keep(self.piece, r);
        let (left, mut end) = (buffers.write::<T>(1), 0);
        if !left.is_empty() {
            plan.take_left((which, columns), a, |part| {
                left[end..end + part.len()].copy_from_slice(part);
                end += part.len();
            });
        }
        Ok(())
    }
}
