//! Micro-kernels: a block of the result, three registers high and `N` columns wide, stays in
//! registers while the inner size runs.
//!
//! The scheme is that of Goto, van de Geijn, "Anatomy of high-performance matrix multiplication",
//! ACM TOMS 34 (2008), with the register block of Van Zee, van de Geijn, "BLIS", ACM TOMS 41
//! (2015). Operands are packed: `a` as `k` columns of `MR = 3 LANES` rows, `b` as `k` rows of `N`
//! columns. Each processor set instantiates the bodies here under its own target feature; they loop
//! rather than call closures, which would be compiled without it.

use super::super::fetch;
use super::lanes::Lanes;
use super::pack::Strided;
use crate::scalar::Real;

/// Registers down a block.
pub(super) const HIGH: usize = 3;

/// Where a block of the product goes: `c = alpha a b + beta c`.
#[derive(Clone, Copy)]
pub(super) struct Target<T> {
    /// First element; rows are adjacent.
    pub(super) c: *mut T,
    /// Elements between columns.
    pub(super) ld: usize,
    /// Rows that exist, at most `MR`.
    pub(super) rows: usize,
    /// Columns that exist, at most `N`.
    pub(super) cols: usize,
    /// Entries with `row + below < col` are left alone: how far the first row is under the diagonal
    /// at the first column, if only the lower triangle counts.
    pub(super) below: isize,
    pub(super) alpha: T,
    /// Zero overwrites.
    pub(super) beta: T,
}

/// Cache lines of a few columns, to fetch ahead of their use: one in each step of a micro-kernel,
/// so that they wait in no queue.
#[derive(Clone, Copy)]
pub(super) struct Ahead<T> {
    /// First lines of the columns, and how many there are to a column.
    runs: [Run<T>; 2],
}

/// Lines of some columns.
#[derive(Clone, Copy)]
struct Run<T> {
    first: *const T,
    /// Elements between columns.
    stride: isize,
    columns: usize,
    /// Lines of a column.
    lines: usize,
}

/// Bytes of a cache line.
const LINE: usize = 64;

impl<T> Ahead<T> {
    /// Nothing to fetch.
    pub(super) const NOTHING: Self = Self { runs: [Run::NOTHING, Run::NOTHING] };

    /// Parts of matrices that will be packed next; those without adjacent entries are not fetched.
    #[inline(always)]
    pub(super) fn of(first: Strided<T>, second: Strided<T>) -> Self {
        Self { runs: [Run::of(first), Run::of(second)] }
    }
}

impl<T> Run<T> {
    const NOTHING: Self = Self { first: std::ptr::null(), stride: 0, columns: 0, lines: 0 };

    #[inline(always)]
    fn of(part: Strided<T>) -> Self {
        let (width, k, along) = if part.across == 1 {
            (part.width, part.k, part.along)
        } else {
            (part.k, part.width, part.across)
        };
        let is_adjacent = part.across == 1 || part.along == 1;
        let into_line = part.first.addr() % LINE;
        let lines = |elements: usize| (into_line + elements * size_of::<T>()).div_ceil(LINE);
        if is_adjacent && along == width.cast_signed() {
            // Columns without gaps: a single one, whose lines are what is stepped over.
            let stride = (LINE / size_of::<T>()).cast_signed();
            return Self { first: part.first, stride, columns: lines(width * k), lines: 1 };
        }
        let lines = if is_adjacent && width > 0 { lines(width) } else { 0 };
        Self { first: part.first, stride: along, columns: k, lines }
    }
}

/// Registers of a block.
type Block<V, const N: usize> = [[V; HIGH]; N];

/// Steps of a micro-kernel that are written out one after the other.
const UNROLLED: usize = 4;

/// Steps by which `a` is fetched into the first cache before its use.
const STEPS_AHEAD: usize = 8;

/// `block + a b` (or `- a b`) over `k`.
#[inline(always)]
unsafe fn accumulate<T: Real, S: Lanes<T>, const N: usize, const SUB: bool>(
    k: usize,
    mut a: *const T,
    mut b: *const T,
    mut block: Block<S::V, N>,
    ahead: &Ahead<T>,
) -> Block<S::V, N> {
    let group = HIGH * S::LANES;
    let mut left = k;
    // SAFETY: the caller passes packed operands of `k` steps.
    unsafe {
        for run in &ahead.runs {
            for line in 0..run.lines {
                let steps = run.columns.min(left);
                let mut place = run.first.wrapping_byte_add(line * LINE);
                left -= steps;
                for _ in 0..steps / UNROLLED {
                    for _ in 0..UNROLLED {
                        fetch::far(place);
                        place = place.wrapping_offset(run.stride);
                    }
                    block = steps_at::<T, S, N, SUB>(a, b, block);
                    (a, b) = (a.wrapping_add(UNROLLED * group), b.wrapping_add(UNROLLED * N));
                }
                for _ in 0..steps % UNROLLED {
                    fetch::far(place);
                    place = place.wrapping_offset(run.stride);
                    block = step::<T, S, N, SUB>(a, b, block);
                    (a, b) = (a.wrapping_add(group), b.wrapping_add(N));
                }
            }
        }
        for _ in 0..left / UNROLLED {
            block = steps_at::<T, S, N, SUB>(a, b, block);
            (a, b) = (a.wrapping_add(UNROLLED * group), b.wrapping_add(UNROLLED * N));
        }
        for _ in 0..left % UNROLLED {
            block = step::<T, S, N, SUB>(a, b, block);
            (a, b) = (a.wrapping_add(group), b.wrapping_add(N));
        }
    }
    block
}

/// Some steps of `accumulate`, during which the lines of `a` that later ones read come into the
/// first cache.
#[inline(always)]
unsafe fn steps_at<T: Real, S: Lanes<T>, const N: usize, const SUB: bool>(
    a: *const T,
    b: *const T,
    mut block: Block<S::V, N>,
) -> Block<S::V, N> {
    let group = HIGH * S::LANES;
    let apart = UNROLLED * group / S::FETCHED;
    // SAFETY: the caller passes so many groups of each packed operand.
    unsafe {
        for index in 0..UNROLLED {
            for line in index * S::FETCHED / UNROLLED..(index + 1) * S::FETCHED / UNROLLED {
                fetch::near(a.wrapping_add(STEPS_AHEAD * group + line * apart));
            }
            block = step::<T, S, N, SUB>(a.wrapping_add(index * group), b.add(index * N), block);
        }
    }
    block
}

/// One step of `accumulate`.
#[inline(always)]
unsafe fn step<T: Real, S: Lanes<T>, const N: usize, const SUB: bool>(
    a: *const T,
    b: *const T,
    mut block: Block<S::V, N>,
) -> Block<S::V, N> {
    // SAFETY: the caller passes a group of each packed operand.
    unsafe {
        let mut column = [S::zero(); HIGH];
        for (h, part) in column.iter_mut().enumerate() {
            *part = S::load(a.add(h * S::LANES));
        }
        for (j, sums) in block.iter_mut().enumerate() {
            let factor = S::splat(*b.add(j));
            for h in 0..HIGH {
                sums[h] = if SUB {
                    S::sub_product(column[h], factor, sums[h])
                } else {
                    S::add_product(column[h], factor, sums[h])
                };
            }
        }
        block
    }
}

#[inline(always)]
pub(super) unsafe fn product_body<T: Real, S: Lanes<T>, const N: usize>(
    k: usize,
    a: *const T,
    b: *const T,
    target: &Target<T>,
    ahead: &Ahead<T>,
) {
    // SAFETY: the caller passes packed operands and a target that holds its block.
    unsafe {
        for j in 0..target.cols {
            for h in 0..=HIGH {
                fetch::near(target.c.wrapping_add(j * target.ld + h * S::LANES));
            }
        }
        let zero = [[S::zero(); HIGH]; N];
        let block = accumulate::<T, S, N, false>(k, a, b, zero, ahead);
        if target.rows == HIGH * S::LANES && target.cols == N && target.below >= N.cast_signed() {
            store_whole::<T, S, N>(&block, target);
        } else {
            store_part::<T, S, N>(&block, target);
        }
    }
}

#[inline(always)]
unsafe fn store_whole<T: Real, S: Lanes<T>, const N: usize>(
    block: &Block<S::V, N>,
    target: &Target<T>,
) {
    // SAFETY: the target holds the whole block.
    unsafe {
        let (alpha, beta) = (S::splat(target.alpha), S::splat(target.beta));
        for (j, sums) in block.iter().enumerate() {
            let mut new = [S::zero(); HIGH];
            let column = target.c.add(j * target.ld);
            for (h, new) in new.iter_mut().enumerate() {
                *new = S::mul(alpha, sums[h]);
                if target.beta != T::ZERO {
                    *new = S::add_product(beta, S::load(column.add(h * S::LANES)), *new);
                }
            }
            for (h, &new) in new.iter().enumerate() {
                S::store(column.add(h * S::LANES), new);
            }
        }
    }
}

/// Blocks at the edge or across the diagonal, through memory.
#[inline(never)]
unsafe fn store_part<T: Real, S: Lanes<T>, const N: usize>(
    block: &Block<S::V, N>,
    target: &Target<T>,
) {
    let rows = HIGH * S::LANES;
    for (j, sums) in block.iter().enumerate().take(target.cols) {
        // SAFETY: a register is an array of its lanes, and `sums` is `HIGH` of them.
        let sums = unsafe { std::slice::from_raw_parts(sums.as_ptr().cast::<T>(), rows) };
        let first = (j.cast_signed() - target.below).max(0).cast_unsigned();
        for (i, &sum) in sums.iter().enumerate().take(target.rows).skip(first) {
            // SAFETY: the target holds this row and column.
            unsafe {
                let place = target.c.add(j * target.ld + i);
                let old = if target.beta == T::ZERO { T::ZERO } else { target.beta * *place };
                *place = target.alpha * sum + old;
            }
        }
    }
}

/// Loads columns `k..k + N` of a panel and takes the product of the columns before from them.
#[inline(always)]
unsafe fn reduced<T: Real, S: Lanes<T>, const N: usize>(
    k: usize,
    x: *const T,
    l: *const T,
    ahead: &Ahead<T>,
) -> Block<S::V, N> {
    let rows = HIGH * S::LANES;
    // SAFETY: the panels hold `k + N` columns.
    unsafe {
        let mut block = [[S::zero(); HIGH]; N];
        for (j, sums) in block.iter_mut().enumerate() {
            for (h, sum) in sums.iter_mut().enumerate() {
                *sum = S::load(x.add((k + j) * rows + h * S::LANES));
            }
        }
        accumulate::<T, S, N, true>(k, x, l, block, ahead)
    }
}

#[inline(always)]
unsafe fn store_panel<T: Real, S: Lanes<T>, const N: usize>(
    k: usize,
    x: *mut T,
    block: &Block<S::V, N>,
) {
    let rows = HIGH * S::LANES;
    for (j, sums) in block.iter().enumerate() {
        for (h, &sum) in sums.iter().enumerate() {
            // SAFETY: the panel holds `k + N` columns.
            unsafe { S::store(x.add((k + j) * rows + h * S::LANES), sum) };
        }
    }
}

#[inline(always)]
pub(super) unsafe fn reduce_body<T: Real, S: Lanes<T>, const N: usize>(
    k: usize,
    x: *mut T,
    l: *const T,
) {
    // SAFETY: the caller passes panels of `k + N` columns.
    unsafe {
        let block = reduced::<T, S, N>(k, x, l, &Ahead::NOTHING);
        store_panel::<T, S, N>(k, x, &block);
    }
}

#[inline(always)]
pub(super) unsafe fn solve_body<T: Real, S: Lanes<T>, const N: usize>(
    k: usize,
    x: *mut T,
    l: *const T,
    ahead: &Ahead<T>,
) {
    // SAFETY: the caller passes panels of `k + N` columns.
    unsafe {
        let mut block = reduced::<T, S, N>(k, x, l, ahead);
        let triangle = l.add(k * N);
        for c in 0..N {
            let reciprocal = S::splat(*triangle.add(c * N + c));
            for sum in &mut block[c] {
                *sum = S::mul(*sum, reciprocal);
            }
            let solved = block[c];
            for (d, sums) in block.iter_mut().enumerate().skip(c + 1) {
                let factor = S::splat(*triangle.add(c * N + d));
                for (sum, &solved) in sums.iter_mut().zip(&solved) {
                    *sum = S::sub_product(solved, factor, *sum);
                }
            }
        }
        store_panel::<T, S, N>(k, x, &block);
    }
}
