//! Cholesky's factorisation and solves of as many small matrices at once as vectors have lanes.
//!
//! Row `i` of a triangle, in order, starts at `i (i + 1) / 2`. Blocks of rows and columns are
//! summed up in registers, so that most of the work loads half a vector for each product.

use crate::kernel::covariance::{Lanes, Step};

/// Where row `i` of a packed triangle starts.
pub(super) const fn start(i: usize) -> usize {
    i * (i + 1) / 2
}

/// Overwrites the packed rows of `n x n` matrices `A` with those of `L`, but for the diagonal,
/// whose inverse goes to `inverse`. Returns the lanes, as bits, of matrices that are not positive
/// definite.
pub(super) fn factor<L: Lanes, const R: usize>(
    l: L,
    n: usize,
    a: &mut [L::F],
    inverse: &mut [L::F],
) -> u32 {
    l.call(Factor::<L, R> { n, a: &mut a[..start(n)], inverse: &mut inverse[..n] })
}

struct Factor<'a, L: Lanes, const R: usize> {
    n: usize,
    a: &'a mut [L::F],
    inverse: &'a mut [L::F],
}

impl<L: Lanes, const R: usize> Step<L> for Factor<'_, L, R> {
    type Made = u32;

    #[inline(always)]
    fn run(self, l: L) -> u32 {
        let Self { n, a, inverse } = self;
        let mut bad = 0;
        let mut first = 0;
        while first + R <= n {
            bad |= diagonal::<L, R>(l, first, a, inverse);
            let mut row = first + R;
            while row + R <= n {
                block::<L, R, R>(l, row, first, a, inverse);
                row += R;
            }
            match n - row {
                1 => block::<L, 1, R>(l, row, first, a, inverse),
                2 => block::<L, 2, R>(l, row, first, a, inverse),
                3 => block::<L, 3, R>(l, row, first, a, inverse),
                _ => {}
            }
            first += R;
        }
        bad | match n - first {
            1 => diagonal::<L, 1>(l, first, a, inverse),
            2 => diagonal::<L, 2>(l, first, a, inverse),
            3 => diagonal::<L, 3>(l, first, a, inverse),
            _ => 0,
        }
    }
}

/// Rows and columns from `first` on.
#[inline(always)]
fn diagonal<L: Lanes, const R: usize>(
    l: L,
    first: usize,
    a: &mut [L::F],
    inverse: &mut [L::F],
) -> u32 {
    let mut sums = [[l.splat(0.0); R]; R];
    {
        let rows: [&[L::F]; R] = std::array::from_fn(|r| &a[start(first + r)..][..first]);
        for t in 0..first {
            let beside = rows.map(|row| row[t]);
            for i in 0..R {
                for j in 0..=i {
                    sums[i][j] = l.mul_add(beside[i], beside[j], sums[i][j]);
                }
            }
        }
    }
    let least = l.splat(f64::MIN_POSITIVE);
    let mut bad = 0;
    for i in 0..R {
        let row = &mut a[start(first + i) + first..][..=i];
        for j in 0..=i {
            sums[i][j] = l.sub(row[j], sums[i][j]);
        }
        for j in 0..i {
            for t in 0..j {
                let product = l.mul(sums[i][t], sums[j][t]);
                sums[i][j] = l.sub(sums[i][j], product);
            }
            sums[i][j] = l.mul(sums[i][j], inverse[first + j]);
            row[j] = sums[i][j];
        }
        for t in 0..i {
            sums[i][i] = l.sub(sums[i][i], l.mul(sums[i][t], sums[i][t]));
        }
        bad |= !l.mask(l.at_least(sums[i][i], least));
        inverse[first + i] = l.div(l.splat(1.0), l.sqrt(sums[i][i]));
    }
    bad & ((1 << L::N) - 1)
}

/// `H` rows from `row` on, of the columns from `first` on, below the diagonal.
#[inline(always)]
fn block<L: Lanes, const H: usize, const R: usize>(
    l: L,
    row: usize,
    first: usize,
    a: &mut [L::F],
    inverse: &[L::F],
) {
    let mut sums = [[l.splat(0.0); R]; H];
    let mut corner = [[l.splat(0.0); R]; R];
    {
        let down: [&[L::F]; H] = std::array::from_fn(|r| &a[start(row + r)..][..first]);
        let across: [&[L::F]; R] = std::array::from_fn(|r| &a[start(first + r)..][..first]);
        for t in 0..first {
            let mut beside = [l.splat(0.0); R];
            for j in 0..R {
                beside[j] = across[j][t];
            }
            for i in 0..H {
                let x = down[i][t];
                for j in 0..R {
                    sums[i][j] = l.mul_add(x, beside[j], sums[i][j]);
                }
            }
        }
        for (j, corner) in corner.iter_mut().enumerate() {
            let from = &a[start(first + j) + first..][..j];
            corner[..j].copy_from_slice(from);
        }
    }
    for (i, sums) in sums.iter_mut().enumerate() {
        let to = &mut a[start(row + i) + first..][..R];
        for j in 0..R {
            let mut x = l.sub(to[j], sums[j]);
            for t in 0..j {
                x = l.sub(x, l.mul(sums[t], corner[j][t]));
            }
            sums[j] = l.mul(x, inverse[first + j]);
            to[j] = sums[j];
        }
    }
}

/// `x' y`, in four sums.
#[inline(always)]
pub(super) fn dot<L: Lanes>(l: L, x: &[L::F], y: &[L::F]) -> L::F {
    let y = &y[..x.len()];
    let mut sums = [l.splat(0.0); 4];
    let whole = x.len() / 4 * 4;
    let mut t = 0;
    while t < whole {
        for k in 0..4 {
            sums[k] = l.mul_add(x[t + k], y[t + k], sums[k]);
        }
        t += 4;
    }
    while t < x.len() {
        sums[0] = l.mul_add(x[t], y[t], sums[0]);
        t += 1;
    }
    l.add(l.add(sums[0], sums[1]), l.add(sums[2], sums[3]))
}

/// `x = L^-1 x`.
pub(super) fn forward<L: Lanes>(l: L, n: usize, a: &[L::F], inverse: &[L::F], x: &mut [L::F]) {
    l.call(Forward::<L> { a, inverse: &inverse[..n], x: &mut x[..n] });
}

struct Forward<'a, L: Lanes> {
    a: &'a [L::F],
    inverse: &'a [L::F],
    x: &'a mut [L::F],
}

impl<L: Lanes> Step<L> for Forward<'_, L> {
    type Made = ();

    #[inline(always)]
    fn run(self, l: L) {
        let Self { a, inverse, x } = self;
        for (i, &inverse) in inverse.iter().enumerate() {
            let (before, rest) = x.split_at_mut(i);
            let sum = dot(l, &a[start(i)..][..i], before);
            rest[0] = l.mul(l.sub(rest[0], sum), inverse);
        }
    }
}

/// `x = L^-T x`.
pub(super) fn backward<L: Lanes>(l: L, n: usize, a: &[L::F], inverse: &[L::F], x: &mut [L::F]) {
    l.call(Backward::<L> { a, inverse: &inverse[..n], x: &mut x[..n] });
}

struct Backward<'a, L: Lanes> {
    a: &'a [L::F],
    inverse: &'a [L::F],
    x: &'a mut [L::F],
}

impl<L: Lanes> Step<L> for Backward<'_, L> {
    type Made = ();

    #[inline(always)]
    fn run(self, l: L) {
        let Self { a, inverse, x } = self;
        for (i, &inverse) in inverse.iter().enumerate().rev() {
            let (before, rest) = x.split_at_mut(i);
            rest[0] = l.mul(rest[0], inverse);
            let row = &a[start(i)..][..i];
            for t in 0..i {
                before[t] = l.sub(before[t], l.mul(row[t], rest[0]));
            }
        }
    }
}
