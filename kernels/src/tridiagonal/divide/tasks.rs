//! Divide and conquer as tasks: a leaf, and the steps by which two halves are joined, which are
//! split in ranges of roots and blocks of vectors.

use std::marker::PhantomData;

use tegula_runtime::flow::{Access, Buffers, Codelet, Cost, Failure};

use super::join::Found;
use super::plan::{Halves, Plan};
use super::{divide, flat};
use crate::backend;
use crate::kernel::{bytes, product};
use crate::scalar::{Real, Scalar};
use crate::tile::{TileMut, TileRef};

/// Lengths of the arrays in which the plan of how two halves are joined to order `n` passes between
/// tasks.
#[derive(Clone, Copy, Debug)]
pub struct Plans;

impl Plans {
    /// Indices, of type `u32`.
    #[must_use]
    pub const fn indices(n: usize) -> usize {
        flat::indices(n)
    }

    /// Numbers.
    #[must_use]
    pub const fn numbers(n: usize) -> usize {
        flat::numbers(n)
    }
}

/// The eigenproblem of a small part; buffers `[diagonal: R, below: R, values: W, vectors: W]`,
/// `vectors` of `n x n`.
#[derive(Clone, Copy, Debug)]
pub struct Leaf<R> {
    /// The order.
    pub n: usize,
    /// The precision.
    pub scalar: PhantomData<R>,
}

impl<R: Real> Codelet for Leaf<R> {
    const NAME: &'static str = "stedc_leaf";
    const ACCESS: &'static [Access] = &[Access::R, Access::R, Access::W, Access::W];

    fn cost(&self) -> Cost {
        let n = self.n;
        Cost { flops: 2.0 * product(&[n, n, n]), bytes: bytes::<R>(&[n * n]) }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let values = buffers.write::<R>(2);
        values.copy_from_slice(buffers.read(0));
        let q = TileMut::of(buffers, 3, self.n, self.n);
        divide(R::blas(backend::current()), values, buffers.read(1), q)?;
        Ok(())
    }
}

/// The first and the last row of some columns of vectors of order `n`, from column `first` on;
/// buffers `[vectors: R, edges: RW]`, `edges` with the first row before the last one.
#[derive(Clone, Copy, Debug)]
pub struct Collect<R> {
    /// The order.
    pub n: usize,
    /// First column.
    pub first: usize,
    /// Number of columns.
    pub count: usize,
    /// The precision.
    pub scalar: PhantomData<R>,
}

impl<R: Real> Codelet for Collect<R> {
    const NAME: &'static str = "stedc_collect";
    const ACCESS: &'static [Access] = &[Access::R, Access::RW];

    fn cost(&self) -> Cost {
        Cost { flops: 0.0, bytes: bytes::<R>(&[4 * self.count]) }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let &Self { n, first, count, .. } = self;
        let (q, edges) = (TileRef::<R>::of(buffers, 0, n, count), buffers.write::<R>(1));
        for j in 0..count {
            (edges[first + j], edges[n + first + j]) = (q.at(0, j), q.at(n - 1, j));
        }
        Ok(())
    }
}

/// The plan of how two halves are joined; buffers `[values: R, values: R, edges: R, edges: R,
/// numbers: W, indices: W]`, those of the first half before those of the second.
#[derive(Clone, Copy, Debug)]
pub struct Merge<R> {
    /// Order of the first half.
    pub cut: usize,
    /// The entry below the diagonal between them.
    pub beta: R,
}

impl<R: Real> Codelet for Merge<R> {
    const NAME: &'static str = "stedc_plan";
    const ACCESS: &'static [Access] =
        &[Access::R, Access::R, Access::R, Access::R, Access::W, Access::W];

    fn cost(&self) -> Cost {
        Cost { flops: 0.0, bytes: bytes::<R>(&[20 * self.cut]) }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let &Self { cut, beta } = self;
        let values = [buffers.read(0), buffers.read(1)];
        let (first, second) = (buffers.read::<R>(2), buffers.read::<R>(3));
        let edges = [&first[cut..], &second[..second.len() / 2]];
        let plan = Plan::new(Halves { values, edges, beta });
        plan.write(buffers.write(5), buffers.write(4));
        Ok(())
    }
}

/// Vectors of one half copied to where the plan gathers them; buffers `[numbers: R, indices: R,
/// vectors: R, gathered: RW]`, `gathered` with as many columns as both halves.
#[derive(Clone, Copy, Debug)]
pub struct Gather<R> {
    /// Which half, 0 or 1.
    pub side: usize,
    /// Its order.
    pub rows: usize,
    /// First column, in both halves.
    pub first: usize,
    /// Number of columns.
    pub count: usize,
    /// The precision.
    pub scalar: PhantomData<R>,
}

impl<R: Real> Codelet for Gather<R> {
    const NAME: &'static str = "stedc_gather";
    const ACCESS: &'static [Access] = &[Access::R, Access::R, Access::R, Access::RW];

    fn cost(&self) -> Cost {
        Cost { flops: 0.0, bytes: bytes::<R>(&[2 * self.rows * self.count]) }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let &Self { side, rows, first, count, .. } = self;
        let plan = Plan::<R>::read(buffers.read(1), buffers.read(0));
        let q = TileRef::of(buffers, 2, rows, count);
        plan.gather(side, first, q, &mut TileMut::of(buffers, 3, rows, plan.order()));
        Ok(())
    }
}

/// Completes one half of the gathered vectors by zeros and rotations; buffers
/// `[numbers: R, indices: R, gathered: RW]`.
#[derive(Clone, Copy, Debug)]
pub struct Rotate<R> {
    /// Which half, 0 or 1.
    pub side: usize,
    /// Its order.
    pub rows: usize,
    /// The order of both.
    pub n: usize,
    /// The precision.
    pub scalar: PhantomData<R>,
}

impl<R: Real> Codelet for Rotate<R> {
    const NAME: &'static str = "stedc_rotate";
    const ACCESS: &'static [Access] = &[Access::R, Access::R, Access::RW];

    fn cost(&self) -> Cost {
        Cost { flops: 0.0, bytes: bytes::<R>(&[self.rows]) }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let &Self { side, rows, n, .. } = self;
        let plan = Plan::<R>::read(buffers.read(1), buffers.read(0));
        let foreign = if side == 0 { rows..n } else { 0..n - rows };
        plan.rotate(side, foreign, &mut TileMut::of(buffers, 2, rows, n));
        Ok(())
    }
}

/// The roots of range `range` among `ranges`, as many as are kept split evenly; buffers
/// `[numbers: R, indices: R, roots: W]`, `roots` of `2 n`: the roots, each less the pole next to
/// it, and what they contribute to the squares of the exact `z`.
#[derive(Clone, Copy, Debug)]
pub struct Roots<R> {
    /// The order of both halves.
    pub n: usize,
    /// Which range.
    pub range: usize,
    /// Number of ranges.
    pub ranges: usize,
    /// The precision.
    pub scalar: PhantomData<R>,
}

impl<R: Real> Roots<R> {
    fn of(&self, kept: usize) -> std::ops::Range<usize> {
        self.range * kept / self.ranges..(self.range + 1) * kept / self.ranges
    }
}

impl<R: Real> Codelet for Roots<R> {
    const NAME: &'static str = "stedc_roots";
    const ACCESS: &'static [Access] = &[Access::R, Access::R, Access::W];

    fn cost(&self) -> Cost {
        let flops = 40.0 * product(&[self.n, self.n]) / self.ranges as f64;
        Cost { flops, bytes: bytes::<R>(&[4 * self.n]) }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let plan = Plan::<R>::read(buffers.read(1), buffers.read(0));
        let (kept, (beyond, squares)) = (plan.d.len(), buffers.write::<R>(2).split_at_mut(self.n));
        let range = self.of(kept);
        squares[..kept].fill(R::ONE);
        plan.find(range.start, &mut beyond[range], &mut squares[..kept]);
        Ok(())
    }
}

/// Adds the roots of a range to those of others, which must come in order; buffers `[numbers: R,
/// indices: R, roots: R, all: RW, order: RW, values: RW]`, `roots` and `all` as `stedc_roots`
/// writes them. With the last range `all` gets the exact `z` instead of its squares, and what the
/// eigenvalues are, in ascending order, goes to `order` and `values`.
#[derive(Clone, Copy, Debug)]
pub struct Sort<R>(
    /// Which range.
    pub Roots<R>,
);

impl<R: Real> Codelet for Sort<R> {
    const NAME: &'static str = "stedc_sort";
    const ACCESS: &'static [Access] =
        &[Access::R, Access::R, Access::R, Access::RW, Access::RW, Access::RW];

    fn cost(&self) -> Cost {
        Cost { flops: product(&[self.0.n]), bytes: bytes::<R>(&[4 * self.0.n]) }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let &Self(roots) = self;
        let plan = Plan::<R>::read(buffers.read(1), buffers.read(0));
        let (kept, range) = (plan.d.len(), roots.of(plan.d.len()));
        let (mine, mine_too) = buffers.read::<R>(2).split_at(roots.n);
        let (beyond, squares) = buffers.write::<R>(3).split_at_mut(roots.n);
        beyond[range.clone()].copy_from_slice(&mine[range]);
        let squares = &mut squares[..kept];
        if roots.range == 0 {
            squares.copy_from_slice(&mine_too[..kept]);
        } else {
            squares.iter_mut().zip(mine_too).for_each(|(square, &other)| *square *= other);
        }
        if roots.range + 1 == roots.ranges {
            plan.secular().exact(squares);
            let (order, values) = (buffers.write::<u32>(4), buffers.write::<R>(5));
            for (j, (value, which)) in plan.sorted(&beyond[..kept]).into_iter().enumerate() {
                (values[j], order[j]) = (value, which);
            }
        }
        Ok(())
    }
}

/// A block of columns of the vectors of the whole; buffers `[numbers: R, indices: R, roots: R,
/// order: R, upper: R, lower: R, vectors: W]`, `vectors` of `n x count`.
#[derive(Clone, Copy, Debug)]
pub struct Join<T> {
    /// Order of the first half.
    pub cut: usize,
    /// The order of both.
    pub n: usize,
    /// First column.
    pub first: usize,
    /// Number of columns.
    pub count: usize,
    /// The precision, real or complex, of what is written.
    pub scalar: PhantomData<T>,
}

impl<T: Scalar> Codelet for Join<T> {
    const NAME: &'static str = "stedc_join";
    const ACCESS: &'static [Access] =
        &[Access::R, Access::R, Access::R, Access::R, Access::R, Access::R, Access::W];

    fn cost(&self) -> Cost {
        let &Self { n, count, .. } = self;
        Cost { flops: product(&[n, n, count]), bytes: bytes::<T>(&[n * (n / 2 + count)]) }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let &Self { cut, n, first, count, .. } = self;
        let plan = Plan::<T::Real>::read(buffers.read(1), buffers.read(0));
        let (beyond, exact) = buffers.read::<T::Real>(2).split_at(n);
        let kept = plan.d.len();
        let found = Found { beyond: beyond[..kept].to_vec(), exact: exact[..kept].to_vec() };
        let order = &buffers.read::<u32>(3)[first..][..count];
        let gathered = [TileRef::of(buffers, 4, cut, n), TileRef::of(buffers, 5, n - cut, n)];
        let to = TileMut::<T>::of(buffers, 6, n, count);
        plan.multiply(T::Real::blas(backend::current()), &found, order, gathered, to);
        Ok(())
    }
}

/// Columns of real vectors of order `n`, from column `first` on, as those of another type; buffers
/// `[vectors: R, to: W]`.
#[derive(Clone, Copy, Debug)]
pub struct Spread<T> {
    /// The order.
    pub n: usize,
    /// First column.
    pub first: usize,
    /// The precision, real or complex, of what is written.
    pub scalar: PhantomData<T>,
}

impl<T: Scalar> Codelet for Spread<T> {
    const NAME: &'static str = "stedc_spread";
    const ACCESS: &'static [Access] = &[Access::R, Access::W];

    fn cost(&self) -> Cost {
        Cost { flops: 0.0, bytes: bytes::<T>(&[self.n]) }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let from = buffers.read::<T::Real>(0)[self.n * self.first..].iter();
        let to = buffers.write::<T>(1);
        to.iter_mut().zip(from).for_each(|(to, &from)| *to = T::from_real(from));
        Ok(())
    }
}
